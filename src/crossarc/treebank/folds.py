"""Folds of a treebank, for cross-validation and jackknifing."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence

from crossarc.errors import CrossarcError
from crossarc.treebank.sentence import Sentence


def assign_folds(sentences: int, folds: int, seed: int) -> list[int]:
    """The fold of each sentence, from 1, at random; the sizes of the folds differ by at most one.

    The same seed gives the same folds in all versions of Python.

    >>> sorted(assign_folds(7, 3, seed=1))
    [1, 1, 1, 2, 2, 3, 3]
    """
    generator = random.Random(seed)
    places = sorted(range(sentences), key=lambda _: generator.random())  # unlike shuffle(), random() never changes
    numbers = [0] * sentences
    for rank, place in enumerate(places):
        numbers[place] = rank % folds + 1
    return numbers


def jackknifed(
    sentences: Sequence[Sentence],
    folds: int,
    seed: int,
    predict: Callable[[list[Sentence], list[Sentence]], Iterable[Sentence]],
    report: Callable[[int], None],
) -> list[Sentence]:
    """Return the sentences as predicted fold by fold: `predict` learns from all others and gets those of the fold.

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
        for place, found in zip(places, predict(others, [sentences[place] for place in places]), strict=True):
            predicted[place] = found
        report(fold)
    return predicted
