"""Predicted trees for training data: each fold is parsed by a parser that has not seen it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from crossarc.errors import CrossarcError
from crossarc.parsers import Parser
from crossarc.treebank.folds import assign_folds

if TYPE_CHECKING:
    from crossarc.treebank import Sentence


def jackknife(
    sentences: Sequence[Sentence],
    parser: str,
    *,
    folds: int = 5,
    seed: int = 1,
    report: Callable[[int], None] = lambda fold: None,
    **settings: Any,
) -> list[Sentence]:
    """Return the sentences with predicted trees: those of each fold from a parser trained on all other folds.

    A parser that is trained on them, for example with `use_tree`, meets trees of the quality that it will get. Only
    HEAD and DEPREL change. `report` is called with the number of each fold that is done.

    >>> from importlib.resources import files
    >>> from crossarc.treebank import read
    >>> sentences = list(read(files("crossarc") / "data" / "example.conllu"))
    >>> predicted = jackknife(sentences, "arc-hybrid", folds=2, epochs=1)
    >>> [sentence.forms for sentence in predicted] == [sentence.forms for sentence in sentences]
    True
    """
    if not 2 <= folds <= len(sentences):
        raise CrossarcError(
            f"{folds} folds of {len(sentences)} sentences; there must be 2 at least, none of them empty"
        )
    numbers = assign_folds(len(sentences), folds, seed)
    predicted = list(sentences)
    for fold in range(1, folds + 1):
        fresh = Parser(parser, seed=seed, **settings)
        if fresh.gives_graphs:
            raise CrossarcError(f"{parser} gives graphs, not trees; choose a parser of trees, for example arc-hybrid")
        places = [place for place, number in enumerate(numbers) if number == fold]
        fresh.fit([sentence for sentence, number in zip(sentences, numbers, strict=True) if number != fold])
        for place, parsed in zip(places, fresh.parse([sentences[place] for place in places]), strict=True):
            predicted[place] = parsed
        report(fold)
    return predicted
