"""Trees to learn from: the words of a corpus with heads and numbered labels, as they are or as a transform has them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from crossarc.parsers.settings import Settings
from crossarc.transforms.lifting import lift
from crossarc.transforms.pseudo_projective import PseudoProjective
from crossarc.treebank.corpus import Corpus

Ints = NDArray[np.int32]
ON_ROOTS, ELSEWHERE = 1, 2


@dataclass(frozen=True, eq=False)
class Trees:
    """The trees of a corpus. Arrays have an entry for each node; those of node 0 are -1."""

    corpus: Corpus
    heads: Ints
    labels: Ints  # numbers of `names`
    names: list[str]

    @classmethod
    def of(cls, corpus: Corpus) -> Trees:
        """Return the trees of a corpus."""
        table = corpus.strings["deprel"]
        labels = np.where(corpus["head"] >= 0, corpus["deprel"] - table.reserved, -1).astype(np.int32)
        return cls(corpus, corpus["head"], labels, list(table))

    @property
    def starts(self) -> NDArray[np.int64]:
        """Where each sentence begins, and the end."""
        return self.corpus.starts

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of words of each sentence."""
        return np.diff(self.corpus.starts) - 1

    def encoded(self, transform: PseudoProjective) -> Trees:
        """Return the trees made projective, with the lifts in the labels; a transform with a cap is fitted to them."""
        heads = np.empty_like(self.heads)
        labels = np.full(len(heads), -1, dtype=np.int32)
        numbers: dict[str, int] = {}
        names = [*self.names, ""]  # -1, the label of node 0, is the last

        def named() -> Iterator[tuple[Ints, list[str]]]:
            for begin, end in pairwise(self.starts.tolist()):
                yield self.heads[begin:end], [names[label] for label in self.labels[begin:end].tolist()]

        transform.fit(named())
        for (begin, end), tree in zip(pairwise(self.starts.tolist()), named(), strict=True):
            heads[begin:end], after = transform.encode(*tree)
            labels[begin + 1 : end] = [numbers.setdefault(name, len(numbers)) for name in after[1:]]
        return Trees(self.corpus, heads, labels, list(numbers))

    def projective(self) -> Trees:
        """Return the trees made projective by lifting edges, with the same labels."""
        heads = self.heads.copy()
        for begin, end in pairwise(self.starts.tolist()):
            heads[begin:end] = lift(heads[begin:end])[0]
        return replace(self, heads=heads)

    def numbered(self, first: list[str]) -> Trees:
        """Return the trees with the numbers of some known labels, and new labels behind them."""
        names = list(dict.fromkeys([*first, *self.names]))
        numbers = {name: number for number, name in enumerate(names)}
        table = np.array([*(numbers[name] for name in self.names), -1], dtype=np.int32)
        return Trees(self.corpus, self.heads, table[self.labels], names)

    def single_roots(self, settings: Settings, before: bool | None) -> bool:
        """Return whether trees must have one root: by the settings, or as in these trees and `before` them."""
        if settings.single_root != "auto":
            return settings.single_root
        roots = np.add.reduceat(self.heads == 0, self.starts[:-1], dtype=np.int64)
        return bool((roots <= 1).all()) and before is not False

    def label_places(self, before: NDArray[np.uint8] | None) -> NDArray[np.uint8]:
        """Return for each label where it can be: on roots (1), elsewhere (2) or both; anywhere if none was seen there.

        Labels that only roots have in a treebank are not given to other words, and the other way round.
        """
        return places_of(self.heads, self.labels, len(self.names), before)


def places_of(heads: Ints, labels: Ints, count: int, before: NDArray[np.uint8] | None) -> NDArray[np.uint8]:
    """Return where each of so many labels can be, by the heads and labels of arcs."""
    places = np.zeros(count, dtype=np.uint8)
    if before is not None:
        places[: len(before)] = before
    for place, there in ((ON_ROOTS, heads == 0), (ELSEWHERE, heads > 0)):
        places[labels[there]] |= place
        if not (places & place).any():
            places |= place
    return places


def check_places(places: NDArray[np.uint8], count: int) -> None:
    """Refuse places that are not of so many labels, or leave an arc none, with `ValueError`."""
    if places.dtype != np.uint8 or places.shape != (count,) or np.bitwise_or.reduce(places) != ON_ROOTS | ELSEWHERE:
        raise ValueError("the file does not say where labels can be")
