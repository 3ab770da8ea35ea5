"""Predicted tags for training data: each fold is tagged by a tagger that has not seen it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from crossarc.tagging.tagger import Tagger
from crossarc.treebank import Sentence
from crossarc.treebank.folds import jackknifed


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

    def predict(others: list[Sentence], own: list[Sentence]) -> list[Sentence]:
        return Tagger(seed=seed, **settings).fit(others).tag(own)

    return jackknifed(sentences, folds, seed, predict, report)
