"""Folds of a treebank, for cross-validation and jackknifing."""

from __future__ import annotations

import random


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
