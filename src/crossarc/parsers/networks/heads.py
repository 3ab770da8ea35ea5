"""Heads: what a network predicts of each word besides its arc and its label, each in a class of its own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np

from crossarc.components.component import Arrays
from crossarc.core.registry import Registry
from crossarc.errors import CrossarcError
from crossarc.neural.heads import TagHead
from crossarc.neural.layers import Array, Ints, Rng, Starts
from crossarc.parsers.model import Columns
from crossarc.treebank.corpus import Corpus


class WordHead(ABC):
    """One or more choices for each word: which values there are, what is right, and the columns made of what is chosen.

    A head is immutable, and any number of threads may use it; the weights are in its layer. `names` are its names in
    the setting `predict`. Methods that are not abstract suit heads with the same values for all treebanks.
    """

    gives: ClassVar[tuple[str, ...]] = ()  # the columns that it writes; none: those that its names are

    @classmethod
    def of(cls, corpus: Corpus, names: Sequence[str], known: Self | None) -> Self:
        """Return the head for a treebank; the values of `known`, from the model to start from, come first."""
        return cls()

    @property
    @abstractmethod
    def sizes(self) -> list[int]:
        """How many values each choice has; there may be no choices, if a treebank has nothing to learn from."""

    @abstractmethod
    def gold(self, corpus: Corpus) -> list[Ints]:
        """Return the right value of each choice for all nodes, -1 where none is known."""

    def layer(self, size: int, rng: Rng) -> Any:
        """Return the layer that scores values by the last `size` numbers of vectors, and has `TagHead`'s methods."""
        return TagHead(size, self.sizes, rng)

    def choose(self, scores: Any) -> list[Ints]:
        """Return the best value of each choice, by the scores of the layer."""
        return [each.argmax(axis=1) for each in scores]

    @abstractmethod
    def columns(self, corpus: Corpus, chosen: Sequence[Ints]) -> Columns:
        """Return what is chosen for all nodes, -1 for nodes 0, as it is written."""

    def to_arrays(self) -> Arrays:
        """Return what a model file keeps besides the weights."""
        return {}

    @classmethod
    def from_arrays(cls, arrays: Arrays, names: Sequence[str]) -> Self:
        """Return the head of a model file; `ValueError` or `LookupError` if it is damaged."""
        return cls()


Heads = Mapping[str, WordHead]  # by what the names of their arrays in a file begin with: head.NAME
NO_HEADS: Heads = MappingProxyType({})


class HeadReader:
    """Reads what the heads of a model choose off the vectors of nodes, batch by batch."""

    def __init__(self, model: Any, nodes: int) -> None:
        found = {key: [np.full(nodes, -1, dtype=np.int32) for _ in head.sizes] for key, head in model.heads.items()}
        self.heads = [(head, model.network.heads[key], found[key]) for key, head in model.heads.items()]

    def read(self, nodes: Starts, starts: Starts, vectors: Array, arcs: object = None) -> None:
        """Read the choices of a batch of sentences, or of their pieces."""
        for head, layer, found in self.heads:
            for numbers, chosen in zip(found, head.choose(layer.forward(vectors)), strict=True):
                numbers[nodes] = chosen

    def columns(self, corpus: Corpus) -> Columns:
        """Return what was read as it is written."""
        columns: Columns = {}
        for head, _, found in self.heads:
            for numbers in found:
                numbers[corpus.starts[:-1]] = -1
            columns |= head.columns(corpus, found)
        return columns


def check_head(name: str, head: object) -> None:
    """Refuse what is no head."""
    if not (isinstance(head, type) and issubclass(head, WordHead)):
        raise CrossarcError(f"the head {name!r} is {head!r}; it must be a subclass of WordHead")


@cache
def known_heads() -> Registry[type[WordHead]]:
    """Return the heads by their names in the setting `predict`."""
    from crossarc.parsers.networks.tags import Tags  # a head, which needs the contract

    return Registry("predicted head", "heads", dict.fromkeys(("upos", "xpos", "feats", "lemma"), Tags), check_head)


def made_heads(names: Iterable[str], make: Callable[[str, type[WordHead], list[str]], WordHead]) -> Heads:
    """Return the heads with these names; `make` makes each of its key, its class and those names that are its own."""
    classes: dict[type[WordHead], list[str]] = {}
    for name in names:
        classes.setdefault(known_heads()[name], []).append(name)
    keys = {vars(head).get("key", f"head.{own[0]}"): (head, own) for head, own in classes.items()}  # not inherited
    return {key: make(key, *each) for key, each in keys.items()}
