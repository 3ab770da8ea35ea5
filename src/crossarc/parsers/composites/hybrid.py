"""A network that is told the trees of linear parsers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from crossarc.components.component import Arrays, arrays_of, members_of, numbered, part, prefixed, stored_members
from crossarc.components.description import Description, Held
from crossarc.components.training import Trainer
from crossarc.neural.heads import ArcScores
from crossarc.neural.kernels import log_probabilities
from crossarc.neural.layers import Array
from crossarc.parsers.composites.ensemble import EnsembleModel, EnsembleTrainer
from crossarc.parsers.description import ParserDescription
from crossarc.parsers.families import settings_class
from crossarc.parsers.model import Ints, TreeModel
from crossarc.parsers.networks.model import NetworkModel, NetworkTreeModel, Starts, log_softmax
from crossarc.parsers.networks.settings import NetworkTreeSettings
from crossarc.parsers.networks.trainer import NetworkTreeTrainer
from crossarc.parsers.presets import PRESETS, make_settings, stored_settings
from crossarc.parsers.registry import stored_model, trainer_of
from crossarc.parsers.settings import Settings
from crossarc.parsers.trees import Trees
from crossarc.treebank.corpus import Corpus

NO_HEAD = -(2**30)  # how far away the head of node 0 is


class Guided(NamedTuple):
    """The vectors of a network, and the parses of the linear parsers, a column for each parser."""

    vectors: Any
    heads: Ints  # rows of the vectors, -1 for none
    labels: Ints  # -1 for those that the network does not know
    first: Starts  # the row of node 0


class HybridDescription(ParserDescription):
    """The manifest of a network that is told trees of linear parsers."""

    bonus: list[Annotated[float, Field(ge=0, le=1e6)]] = Field(min_length=2, max_length=2)
    members: list[Held]


@dataclass(frozen=True, eq=False)
class HybridModel(NetworkModel):
    """A network that is told the trees of linear parsers: arcs and labels of these trees score more.

    `bonus` is what an arc gains for each tree that has it, and what its label gains then; found on the development set.
    """

    description: ClassVar[type[Description]] = HybridDescription
    neural: NetworkModel
    guides: tuple[TreeModel, ...]
    bonus: tuple[float, float]

    def __post_init__(self) -> None:
        for name in ("settings", "features", "attributes", "labels", "label_places", "single_root"):
            object.__setattr__(self, name, getattr(self.neural, name))

    def tokens_of(self, corpus: Corpus) -> Ints:
        """Return the attributes of all nodes, and for each linear parse the distance of the head and its label.

        Distances, unlike numbers of nodes, stay right where long sentences are cut into pieces.
        """
        place = np.arange(int(corpus.starts[-1])) - np.repeat(corpus.starts[:-1], np.diff(corpus.starts))
        numbers = {label: number for number, label in enumerate(self.labels)}
        columns = []
        for guide in self.guides:
            heads, labels = guide.parse(corpus)
            away = np.where(heads > 0, heads - place, 0)  # 0 for the root
            away[heads < 0] = NO_HEAD
            table = np.array([*(numbers.get(label, -1) for label in guide.labels), -1], dtype=np.int32)
            columns += [away.astype(np.int32), table[labels]]
        return np.concatenate([self.neural.tokens_of(corpus), np.stack(columns, axis=1)], axis=1)

    def prepare(self, tokens: Ints) -> tuple[Any, Ints]:
        """Return the output of the network for nodes, and the heads and labels by linear parsers."""
        own = tokens.shape[1] - 2 * len(self.guides)
        return self.neural.prepare(tokens[:, :own]), tokens[:, own:]

    def vectors(self, prepared: tuple[Any, Ints], nodes: Starts, starts: Starts) -> Guided:
        """Return the vectors of the network, and the heads and labels of the linear parses."""
        first, last = (np.repeat(ends, np.diff(starts))[:, None] for ends in (starts[:-1], starts[1:]))
        own, said = prepared
        said = said[nodes]
        row, away = np.arange(len(nodes))[:, None], said[:, ::2]
        head = np.where(away == 0, first, row + away)
        inside = (away != NO_HEAD) & (head >= first) & (head < last) & (row > first)
        heads = np.where(inside, head, -1).astype(np.int32)
        return Guided(self.neural.vectors(own, nodes, starts), heads, said[:, 1::2], first[:, 0])

    def part_of(self, vectors: Guided, begin: int, end: int) -> Guided:
        """Return the vectors of one sentence of a batch, and the linear parses of it."""
        heads = vectors.heads[begin:end]
        own = self.neural.part_of(vectors.vectors, begin, end)
        rows = np.where(heads >= 0, heads - begin, -1).astype(np.int32)
        return Guided(own, rows, vectors.labels[begin:end], vectors.first[begin:end] - begin)

    def score_arcs(self, vectors: Guided, starts: Starts) -> ArcScores:
        """Return the logarithms of the probabilities of arcs, more for those of linear parses."""
        found = self.neural.score_arcs(vectors.vectors, starts)
        log_probabilities(found.scores, starts, found.places)
        sizes = np.diff(starts)
        sentence = np.repeat(np.arange(len(sizes)), sizes)
        for heads in vectors.heads.T:
            words = np.flatnonzero(heads >= 0)
            own, first = sentence[words], vectors.first[words]
            found.scores[found.places[own] + (words - first) * sizes[own] + heads[words] - first] += np.float32(
                self.bonus[0]
            )
        return found

    def score_labels(self, vectors: Guided, words: Ints, above: Ints) -> Array:
        """Return the logarithms of the probabilities of labels, more for those of linear parses."""
        scores = log_softmax(self.neural.score_labels(vectors.vectors, words, above))
        for heads, labels in zip(vectors.heads.T, vectors.labels.T, strict=True):
            same = np.flatnonzero((heads[words] == above) & (labels[words] >= 0))
            scores[same, labels[words[same]]] += np.float32(self.bonus[1])
        return scores

    def tuned(self, dev: Corpus) -> HybridModel:
        """Return the model with the bonus that is best on a development set."""
        tokens = self.tokens_of(dev)  # linear parsers run once
        best, best_las = self, -1.0
        for place in range(2):
            for value in BONUSES:
                model = replace(best, bonus=(best.bonus[0], value) if place else (value, best.bonus[1]))
                las = model.score_trees(*model.parse_nodes(tokens, dev.starts), dev)["LAS"]
                if las > best_las:
                    best, best_las = model, las
        return best

    def notes(self) -> list[str]:
        """Return the remarks of the linear parsers."""
        return [note for guide in self.guides for note in guide.notes()]

    def reset_notes(self) -> None:
        """Forget the remarks of the linear parsers."""
        for guide in self.guides:
            guide.reset_notes()

    def describe(self) -> dict[str, str]:
        """Return the description of the network and the linear parsers."""
        arcs, labels = self.bonus
        names = " and ".join(guide.settings.parser for guide in self.guides)
        return {**self.neural.describe(), "beside": f"{names}; bonus {arcs:g} for their arcs, {labels:g} for labels"}

    def to_arrays(self) -> tuple[dict[str, Any], Arrays]:
        """Return the manifest and the arrays that a model file keeps."""
        (manifest, arrays), (guides, own) = self.neural.to_arrays(), stored_members(self.guides)
        # The first members are those of an ensemble.
        return {**manifest, "bonus": list(self.bonus), "members": guides}, arrays | prefixed(own, "guides.")

    @classmethod
    def from_arrays(cls, manifest: dict[str, Any], arrays: Arrays) -> Self:
        """Return the model of a file."""
        settings = stored_settings(manifest["settings"])
        if not isinstance(settings, NetworkTreeSettings):
            raise ValueError("the settings belong to another family")
        inner = EnsembleModel if settings.ensemble > 1 else NetworkTreeModel
        arcs, labels = map(float, manifest["bonus"])
        guides: tuple[TreeModel, ...] = members_of(manifest["members"], part(arrays, "guides."), stored_model)
        if [guide.settings.parser for guide in guides] != settings.guides:
            raise ValueError("the linear parsers are not those of the settings")
        return cls(inner.from_arrays(manifest, arrays), guides, (arcs, labels))


BONUSES = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0)
USUAL_BONUS = (2.0, 2.0)


class HybridTrainer(Trainer):
    """Learns networks, and linear parsers, which need fewer epochs."""

    def __init__(self, trees: Trees, settings: NetworkTreeSettings, init: HybridModel | None) -> None:
        self.sizes, self.settings, self.epochs = trees.sizes, settings, settings.epochs
        self.shuffle = np.random.default_rng(settings.seed)
        self.continued = init is not None
        make: Any = EnsembleTrainer if settings.ensemble > 1 else NetworkTreeTrainer
        self.neural: NetworkTreeTrainer | EnsembleTrainer = make(
            trees, settings, init.neural if init is not None else None
        )
        self.bonus = init.bonus if init is not None else USUAL_BONUS
        single_root = trees.single_roots(settings, init.single_root if init is not None else None)
        own = [guide_settings(name, settings.seed, single_root) for name in settings.guides]
        before = init.guides if init is not None else [None] * len(own)
        self.guides = [trainer_of(trees.corpus, *each) for each in zip(own, before, strict=True)]
        self.guide_epochs = [each.epochs for each in own]
        self.guide_models: dict[int, TreeModel] = {}  # those that are finished
        self.epoch = 0

    def learning(self) -> list[tuple[int, Trainer]]:
        """Return the linear parsers that still learn, with their numbers."""
        return [(number, guide) for number, guide in enumerate(self.guides) if self.epoch <= self.guide_epochs[number]]

    def begin(self, epoch: int) -> None:
        """Prepare an epoch of all."""
        self.epoch = epoch
        self.neural.begin(epoch)
        for number, guide in self.learning():
            guide.begin(epoch)
            self.guide_models.pop(number, None)

    def learn(self, sentences: NDArray[np.int64]) -> tuple[int, int]:
        """Learn from some sentences; return how many heads and labels there are and how many of them are wrong."""
        for _, guide in self.learning():
            guide.learn(sentences)
        return self.neural.learn(sentences)

    def model(self) -> HybridModel:
        """Return the learned model."""
        for number, guide in enumerate(self.guides):
            if number not in self.guide_models:
                self.guide_models[number] = guide.model()
        guides = tuple(self.guide_models[number] for number in range(len(self.guides)))
        return HybridModel(self.neural.model(), guides, self.bonus)

    def state(self) -> Arrays:
        """Return the states of all, for a checkpoint."""
        return prefixed(self.neural.state(), "neural.") | numbered(guide.state() for guide in self.guides)

    def restore(self, arrays: Arrays) -> None:
        """Go on from a checkpoint."""
        self.neural.restore(part(arrays, "neural."))
        for number, guide in enumerate(self.guides):
            guide.restore(arrays_of(arrays, number))


def guide_settings(name: str, seed: int, single_root: bool) -> Settings:
    """Return the settings of a linear parser that is trained with a network: the most accurate ones of its preset."""
    as_guide = settings_class(PRESETS[name].family).as_guide
    return make_settings(name, seed=seed, single_root=single_root, **as_guide)
