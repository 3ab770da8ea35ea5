"""A parser inside a transform that makes its trees projective, and undoes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossarc.components.component import Arrays
from crossarc.components.training import Trainer
from crossarc.core.strings import StringTable
from crossarc.parsers.analysis import Analysis, Request
from crossarc.parsers.constraints import Constraints
from crossarc.parsers.model import Analyser, Columns, Ints, TreeModel
from crossarc.parsers.settings import Settings
from crossarc.parsers.trees import Trees
from crossarc.transforms.pseudo_projective import PseudoProjective
from crossarc.transitions.coverage import Coverage
from crossarc.treebank.corpus import Corpus


def transform_of(settings: Settings) -> PseudoProjective:
    """Return the transform of the settings."""
    return PseudoProjective(settings.transform, cap=settings.cap)


class Transformed(TreeModel):
    """A parser of encoded trees inside the transform that encodes and decodes them."""

    def __init__(self, model: TreeModel) -> None:
        self.model = model
        self.settings = model.settings
        self.transform = transform_of(model.settings)
        self.transform.kept_ = frozenset(model.labels)
        self.features, self.attributes, self.single_root = model.features, model.attributes, model.single_root
        self.scores_labels, self.usual_scales = model.scores_labels, model.usual_scales
        self.has_alternatives = model.has_alternatives
        self.long_sentence, self.long_note = model.long_sentence, model.long_note
        plain = [self.transform.plain(label) for label in model.labels]
        self.labels = list(dict.fromkeys(plain))
        numbers = {name: number for number, name in enumerate(self.labels)}
        self.numbers = numbers
        self.plain = np.array([*(numbers[name] for name in plain), -1], dtype=np.int32)
        self.marked = np.array([*map(self.transform.is_marked, model.labels), False])

    def undo(self, heads: Ints, names: list[str]) -> tuple[Ints, list[str]]:
        """Return the tree that an encoded one stands for."""
        return self.transform.decode(heads, names)

    def parse(self, corpus: Corpus) -> tuple[Ints, Ints]:
        """Return heads and labels of all nodes of a corpus."""
        return self.decoded(*self.model.parse(corpus), corpus)

    def parse_columns(self, corpus: Corpus) -> Columns:
        """Return trees as they are written, and tags if the model inside gives them."""
        columns = self.model.parse_columns(corpus)
        heads, labels = self.decoded(columns["head"][0], columns["deprel"][0], corpus)
        return {**columns, "head": (heads, None), "deprel": (labels, StringTable(self.labels))}

    def decoded(self, heads: Ints, encoded: Ints, corpus: Corpus) -> tuple[Ints, Ints]:
        """Return the trees that encoded ones stand for; only sentences with marks are decoded."""
        labels = self.plain[encoded]
        names = [*self.model.labels, ""]
        marked = np.flatnonzero(self.marked[encoded])
        for sentence in np.unique(np.searchsorted(corpus.starts, marked, side="right") - 1).tolist():
            begin, end = corpus.starts[sentence], corpus.starts[sentence + 1]
            here = [names[label] for label in encoded[begin:end].tolist()]
            heads[begin:end], decoded = self.undo(heads[begin:end], here)
            labels[begin + 1 : end] = [self.numbers[name] for name in decoded[1:]]
        return heads, labels

    def analyse(self, corpus: Corpus, constraints: list[Constraints], request: Request) -> Iterator[Analysis]:
        """Yield the k best trees of each sentence, decoded, and their probabilities."""
        return self.model.analyse(corpus, constraints, replace(request, undo=self.undo))

    def analyse_columns(
        self, corpus: Corpus, constraints: list[Constraints], request: Request
    ) -> tuple[Columns, Iterator[Analysis]]:
        """Return tags, if the model inside gives them, and the analyses."""
        return self.model.analyse_columns(corpus, constraints, replace(request, undo=self.undo))

    def analyser(self, corpus: Corpus) -> Analyser:
        """Return a function that analyses a corpus under different scales."""
        analyse = self.model.analyser(corpus)
        return lambda request: analyse(replace(request, undo=self.undo))

    def coverage(self, corpus: Corpus) -> Coverage:
        """Return how much of the trees comes back after encoding and decoding."""
        heads, starts = corpus["head"], corpus.starts
        names = [*corpus.strings["deprel"], ""]
        labels = Trees.of(corpus).labels
        right, words = [], (np.diff(starts) - 1).tolist()
        for begin, end in pairwise(starts.tolist()):
            here = [names[label] for label in labels[begin:end].tolist()]
            found, _ = self.undo(*self.transform.encode(heads[begin:end], here))
            right.append(int((found == heads[begin:end])[1:].sum()))
        return Coverage(len(words), int(np.equal(right, words).sum()), sum(words), sum(right), 0)

    def describe(self) -> dict[str, str]:
        """Return the description of the model inside."""
        return self.model.describe()

    def with_beam(self, width: int) -> Transformed:
        """Return the same model with a beam of another width."""
        return Transformed(self.model.with_beam(width))

    def notes(self) -> list[str]:
        """Return the remarks of the model inside."""
        return self.model.notes()

    def reset_notes(self) -> None:
        """Forget the remarks of the model inside."""
        self.model.reset_notes()

    def scored(self) -> Transformed:
        """Return the model with what it noted on the development set."""
        return Transformed(self.model.scored())

    def to_arrays(self) -> tuple[dict[str, Any], Arrays]:
        """Return what a file keeps of the model inside; its settings name the transform."""
        return self.model.to_arrays()

    @classmethod
    def from_arrays(cls, manifest: dict[str, Any], arrays: Arrays) -> Transformed:
        """Return nothing: `stored_model` puts the transform around the model inside."""
        raise NotImplementedError


class TransformedTrainer(Trainer):
    """Learns encoded trees."""

    def __init__(
        self, make: Callable[..., Trainer], trees: Trees, settings: Settings, init: Transformed | None
    ) -> None:
        self.inner = make(trees.encoded(transform_of(settings)), settings, init.model if init is not None else None)
        self.epochs, self.sizes, self.shuffle = self.inner.epochs, self.inner.sizes, self.inner.shuffle
        self.continued, self.at_once = self.inner.continued, self.inner.at_once

    def begin(self, epoch: int) -> None:
        """Prepare an epoch."""
        self.inner.begin(epoch)

    def learn(self, sentences: NDArray[np.int64]) -> tuple[int, int]:
        """Learn from some sentences; return how many decisions were made and how many of them were wrong."""
        return self.inner.learn(sentences)

    def model(self) -> Transformed:
        """Return the learned model inside the transform."""
        model = self.inner.model()
        assert isinstance(model, TreeModel)
        return Transformed(model)

    def state(self) -> Arrays:
        """Return the state of the training, for a checkpoint."""
        return self.inner.state()

    def restore(self, arrays: Arrays) -> None:
        """Go on from a checkpoint."""
        self.inner.restore(arrays)
