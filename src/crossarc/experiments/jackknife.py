"""Predicted trees for training data: each fold is parsed by a parser that has not seen it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from crossarc.errors import CrossarcError
from crossarc.parsers import Parser
from crossarc.treebank.folds import jackknifed

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
    if Parser(parser, seed=seed, **settings).gives_graphs:
        raise CrossarcError(f"{parser} gives graphs, not trees; choose a parser of trees, for example arc-hybrid")

    def predict(others: list[Sentence], own: list[Sentence]) -> Iterator[Sentence]:
        return Parser(parser, seed=seed, **settings).fit(others).parse(own)

    return jackknifed(sentences, folds, seed, predict, report)
