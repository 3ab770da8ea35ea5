"""Several networks as one parser."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from crossarc.components.component import Arrays, arrays_of, numbered
from crossarc.components.training import Trainer
from crossarc.neural.encoder import Prepared
from crossarc.neural.heads import ArcScores
from crossarc.neural.kernels import log_probabilities
from crossarc.neural.layers import Array
from crossarc.parsers.model import Ints
from crossarc.parsers.networks.model import NetworkModel, NetworkTreeModel, Starts, log_softmax
from crossarc.parsers.networks.settings import NetworkTreeSettings
from crossarc.parsers.networks.trainer import NetworkTreeTrainer
from crossarc.parsers.trees import Trees


@dataclass(frozen=True, eq=False)
class EnsembleModel(NetworkModel):
    """Networks of several seeds; the probabilities that they give to heads and labels are averaged."""

    members: tuple[NetworkTreeModel, ...]

    def __post_init__(self) -> None:
        for name in ("settings", "features", "attributes", "labels", "label_places", "single_root"):
            object.__setattr__(self, name, getattr(self.members[0], name))

    def prepare(self, tokens: Ints) -> list[Prepared]:
        """Return the output of the first layer of each member for nodes."""
        return [member.prepare(tokens) for member in self.members]

    def vectors(self, prepared: list[Prepared], nodes: Starts, starts: Starts) -> list[Array]:
        """Return the vectors of the nodes of sentences, of each member."""
        return [member.vectors(own, nodes, starts) for member, own in zip(self.members, prepared, strict=True)]

    def part_of(self, vectors: list[Array], begin: int, end: int) -> list[Array]:
        """Return the vectors of one sentence of those of a batch."""
        return [each[begin:end] for each in vectors]

    def score_arcs(self, vectors: list[Array], starts: Starts) -> ArcScores:
        """Return the logarithms of the mean probabilities of all arcs."""
        found = [member.score_arcs(own, starts) for member, own in zip(self.members, vectors, strict=True)]
        for each in found:
            log_probabilities(each.scores, starts, each.places)
        found[0].scores = log_mean([each.scores for each in found])
        return found[0]

    def score_labels(self, vectors: list[Array], words: Ints, above: Ints) -> Array:
        """Return the logarithms of the mean probabilities of all labels of some arcs."""
        members = zip(self.members, vectors, strict=True)
        return log_mean([log_softmax(member.score_labels(own, words, above)) for member, own in members])

    def describe(self) -> dict[str, str]:
        """Return the number of networks and of their weights."""
        return {"networks": f"{len(self.members)}", **self.members[0].describe()}

    def to_arrays(self) -> tuple[dict[str, Any], Arrays]:
        """Return the manifest and the arrays that a model file keeps."""
        manifest, arrays = self.members[0].to_arrays()
        return manifest, arrays | numbered(member.weights for member in self.members[1:])

    @classmethod
    def from_arrays(cls, manifest: dict[str, Any], arrays: Arrays) -> Self:
        """Return the model of a file."""
        first = NetworkTreeModel.from_arrays(manifest, arrays)
        others = range(first.settings.ensemble - 1)
        return cls((first, *(replace(first, weights=arrays_of(arrays, number)) for number in others)))


class EnsembleTrainer(Trainer):
    """Learns several networks that differ in their seeds."""

    def __init__(self, trees: Trees, settings: NetworkTreeSettings, init: EnsembleModel | None) -> None:
        self.shuffle = np.random.default_rng(settings.seed)
        self.continued = init is not None
        self.sizes = trees.sizes
        self.settings = settings
        self.epochs = settings.epochs
        self.trainers = [
            NetworkTreeTrainer(
                trees,
                settings.model_copy(update={"seed": settings.seed + number}),
                init.members[number] if init is not None else None,
            )
            for number in range(settings.ensemble)
        ]

    def learn(self, sentences: NDArray[np.int64]) -> tuple[int, int]:
        """Learn from some sentences; return how many heads and labels there are and how many of them are wrong."""
        made, wrong = zip(*(trainer.learn(sentences) for trainer in self.trainers), strict=True)
        return sum(made), sum(wrong)

    def model(self) -> EnsembleModel:
        """Return the learned model."""
        return EnsembleModel(tuple(replace(each.model(), settings=self.settings) for each in self.trainers))

    def state(self) -> Arrays:
        """Return the state of each network, for a checkpoint."""
        return numbered(trainer.state() for trainer in self.trainers)

    def restore(self, arrays: Arrays) -> None:
        """Go on from a checkpoint."""
        for number, trainer in enumerate(self.trainers):
            trainer.restore(arrays_of(arrays, number))


def log_mean(logs: list[Array]) -> Array:
    """Return the logarithm of the mean of numbers given by their logarithms."""
    most = np.maximum.reduce(logs)
    floor = np.where(np.isfinite(most), most, 0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(sum(np.exp(each - floor) for each in logs) / len(logs)) + floor)
