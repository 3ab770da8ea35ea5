"""Predicted tags for training data: each fold is tagged by a tagger that has not seen it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from crossarc.errors import CrossarcError
from crossarc.tagging.tagger import Tagger
from crossarc.treebank import Sentence
from crossarc.treebank.folds import assign_folds


def jackknife_tags(
    sentences: Sequence[Sentence],
    folds: int = 10,
    seed: int = 1,
    *,
    report: Callable[[int], None] = lambda fold: None,
    **settings: Any,
) -> list[Sentence]:
    """Return the sentences with predicted tags: those of each fold from a tagger trained on all other folds.

    A parser that is trained on them meets tags of the quality that it will get. `settings` are those of `Tagger`, and
    `report` is called with the number of each fold that is done.
    """
    if not 2 <= folds <= len(sentences):
        raise CrossarcError(
            f"{folds} folds of {len(sentences)} sentences; there must be 2 at least, none of them empty"
        )
    numbers = assign_folds(len(sentences), folds, seed)
    predicted = list(sentences)
    for fold in range(1, folds + 1):
        places = [place for place, number in enumerate(numbers) if number == fold]
        others = [sentence for sentence, number in zip(sentences, numbers, strict=True) if number != fold]
        tagger = Tagger(seed=seed, **settings).fit(others)
        for place, tagged in zip(places, tagger.tag([sentences[place] for place in places]), strict=True):
            predicted[place] = tagged
        report(fold)
    return predicted
