"""Models around networks: several networks as one, and a network beside a linear parser."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from crossarc.neural.biaffine import log_probabilities
from crossarc.neural.heads import ArcScores
from crossarc.neural.layers import Array
from crossarc.parsers.model import Arrays, Ints, Model, part, prefixed, tree_scores
from crossarc.parsers.neural.model import NetworkModel, NeuralModel, Starts, log_softmax
from crossarc.parsers.neural.trainer import NeuralTrainer
from crossarc.parsers.presets import make_settings, stored_settings
from crossarc.parsers.settings import NeuralSettings, Settings
from crossarc.parsers.trainer import Trainer
from crossarc.parsers.trees import Trees
from crossarc.treebank.corpus import Corpus

# ---- several networks


@dataclass(frozen=True, eq=False)
class EnsembleModel(NetworkModel):
    """Networks of several seeds; the probabilities that they give to heads and labels are averaged."""

    members: tuple[NeuralModel, ...]
    kind = "neural-ensemble"

    def __post_init__(self) -> None:
        for name in ("settings", "features", "attributes", "labels", "label_places", "single_root"):
            object.__setattr__(self, name, getattr(self.members[0], name))

    def vectors(self, tokens: Ints, starts: Starts) -> list[Array]:
        """Return the vectors of the nodes of sentences, of each member."""
        return [member.vectors(tokens, starts) for member in self.members]

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
        for number, member in enumerate(self.members[1:], 1):
            arrays |= prefixed(member.weights, f"network{number}.")
        return {**manifest, "kind": self.kind}, arrays

    @classmethod
    def from_arrays(cls, manifest: dict[str, Any], arrays: Arrays) -> Self:
        """Return the model of a file."""
        first = NeuralModel.from_arrays(manifest, arrays)
        count = range(1, first.settings.ensemble)
        return cls((first, *(replace(first, weights=part(arrays, f"network{number}.")) for number in count)))


class EnsembleTrainer(Trainer):
    """Learns several networks that differ in their seeds."""

    def __init__(self, trees: Trees, settings: NeuralSettings, init: EnsembleModel | None) -> None:
        self.shuffle = np.random.default_rng(settings.seed)
        self.continued = init is not None
        self.sizes = trees.sizes
        self.settings = settings
        self.trainers = [
            NeuralTrainer(
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
        """Return what has been learned, as a model."""
        return EnsembleModel(tuple(replace(each.model(), settings=self.settings) for each in self.trainers))

    def state(self) -> Arrays:
        """Return what each network has learned, for a checkpoint."""
        arrays: Arrays = {}
        for number, trainer in enumerate(self.trainers):
            arrays |= prefixed(trainer.state(), f"network{number}.")
        return arrays

    def restore(self, arrays: Arrays) -> None:
        """Go on from a checkpoint."""
        for number, trainer in enumerate(self.trainers):
            trainer.restore(part(arrays, f"network{number}."))


def log_mean(logs: list[Array]) -> Array:
    """Return the logarithm of the mean of numbers given by their logarithms."""
    most = np.maximum.reduce(logs)
    floor = np.where(np.isfinite(most), most, 0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(sum(np.exp(each - floor) for each in logs) / len(logs)) + floor)


# ---- a linear parser beside


OWN_COLUMNS = 2  # behind the attributes: how far the guide's head is away, and its label
NO_HEAD = -(2**30)  # of node 0


@dataclass(frozen=True, eq=False)
class HybridModel(NetworkModel):
    """A network that is told the trees of a linear parser: arcs and labels of these trees score more.

    `bonus` is what an arc gains, and what its label gains where the tree has the arc; found on the development set.
    """

    neural: NetworkModel
    guide: Model
    bonus: tuple[float, float]
    kind = "neural-hybrid"

    def __post_init__(self) -> None:
        for name in ("settings", "features", "attributes", "labels", "label_places", "single_root"):
            object.__setattr__(self, name, getattr(self.neural, name))
        numbers = {label: number for number, label in enumerate(self.labels)}
        table = np.array([*(numbers.get(label, -1) for label in self.guide.labels), -1], dtype=np.int32)
        object.__setattr__(self, "label_numbers", table)

    def tokens_of(self, corpus: Corpus) -> Ints:
        """Return the attributes of all nodes of a corpus, and what the linear parser says of each."""
        heads, labels = self.guide.parse(corpus)
        starts = np.repeat(corpus.starts[:-1], np.diff(corpus.starts))
        place = np.arange(len(heads)) - starts
        away = np.where(heads > 0, heads - place, 0)  # 0 for the root
        away[heads < 0] = NO_HEAD
        own = np.stack([away, self.label_numbers[labels]], axis=1).astype(np.int32)  # type: ignore[attr-defined]
        return np.concatenate([self.neural.tokens_of(corpus), own], axis=1)

    def vectors(self, tokens: Ints, starts: Starts) -> tuple[Any, Ints, Ints, Starts]:
        """Return the vectors of the network, the rows of the heads in the linear parse (-1 for none), and its labels."""
        first = np.repeat(starts[:-1], np.diff(starts))
        last = np.repeat(starts[1:], np.diff(starts))
        row, away = np.arange(len(tokens)), tokens[:, -2]
        head = np.where(away == 0, first, row + away)
        inside = (away != NO_HEAD) & (head >= first) & (head < last) & (row > first)
        heads = np.where(inside, head, -1).astype(np.int32)
        return self.neural.vectors(tokens[:, :-OWN_COLUMNS], starts), heads, tokens[:, -1], first

    def score_arcs(self, vectors: tuple[Any, Ints, Ints, Starts], starts: Starts) -> ArcScores:
        """Return the logarithms of the probabilities of arcs, more for those of the linear parse."""
        own, heads, _, first = vectors
        found = self.neural.score_arcs(own, starts)
        log_probabilities(found.scores, starts, found.places)
        words = np.flatnonzero(heads >= 0)
        sizes = np.diff(starts)
        sentence = np.repeat(np.arange(len(sizes)), sizes)[words]
        cells = found.places[sentence] + (words - first[words]) * sizes[sentence] + heads[words] - first[words]
        found.scores[cells] += np.float32(self.bonus[0])
        return found

    def score_labels(self, vectors: tuple[Any, Ints, Ints, Starts], words: Ints, above: Ints) -> Array:
        """Return the logarithms of the probabilities of labels, more for those of the linear parse."""
        own, heads, labels, _ = vectors
        scores = log_softmax(self.neural.score_labels(own, words, above))
        same = np.flatnonzero((heads[words] == above) & (labels[words] >= 0))
        scores[same, labels[words[same]]] += np.float32(self.bonus[1])
        return scores

    def tuned(self, dev: Corpus) -> HybridModel:
        """Return the model with the bonus that is best on a development set."""
        tokens = self.tokens_of(dev)  # the linear parser runs once
        best, best_las = self, -1.0
        for place in range(2):
            for value in BONUSES:
                model = replace(best, bonus=tuple(value if at == place else best.bonus[at] for at in range(2)))
                las, _ = tree_scores(*model.parse_nodes(tokens, dev.starts), model.labels, dev)
                if las > best_las:
                    best, best_las = model, las
        return best

    def describe(self) -> dict[str, str]:
        """Return what the network and the linear parser are."""
        arcs, labels = self.bonus
        beside = f"{self.guide.settings.parser}, bonus {arcs:g} for its arcs and {labels:g} for its labels"
        return {**self.neural.describe(), "beside": beside}

    def to_arrays(self) -> tuple[dict[str, Any], Arrays]:
        """Return the manifest and the arrays that a model file keeps."""
        manifest, arrays = self.neural.to_arrays()
        about, own = self.guide.to_arrays()
        what = {"kind": self.kind, "bonus": list(self.bonus), "guide": about}
        return {**manifest, **what}, arrays | prefixed(own, "guide.")

    @classmethod
    def from_arrays(cls, manifest: dict[str, Any], arrays: Arrays) -> Self:
        """Return the model of a file."""
        settings = stored_settings(manifest["settings"])
        if not isinstance(settings, NeuralSettings):
            raise ValueError("the settings are of another family")
        inner = EnsembleModel if settings.ensemble > 1 else NeuralModel
        bonus = tuple(map(float, manifest["bonus"]))
        if len(bonus) != 2 or not np.isfinite(bonus).all():
            raise ValueError("it is not said what the linear parse counts")
        return cls(inner.from_arrays(manifest, arrays), guide_of(manifest["guide"], part(arrays, "guide.")), bonus)


BONUSES = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0)
USUAL_BONUS = (2.0, 2.0)


class HybridTrainer(Trainer):
    """Learns networks, and a linear parser beside them, which needs fewer epochs."""

    def __init__(self, trees: Trees, settings: NeuralSettings, init: HybridModel | None) -> None:
        from crossarc.parsers.registry import trainer_of  # which knows this trainer too

        self.sizes, self.settings = trees.sizes, settings
        self.shuffle = np.random.default_rng(settings.seed)
        self.continued = init is not None
        make: Any = EnsembleTrainer if settings.ensemble > 1 else NeuralTrainer
        self.neural: NeuralTrainer | EnsembleTrainer = make(trees, settings, init.neural if init is not None else None)
        self.bonus = init.bonus if init is not None else USUAL_BONUS
        own = guide_settings(settings, trees.single_roots(settings, init.single_root if init is not None else None))
        self.guide = trainer_of(trees.corpus, own, init.guide if init is not None else None)
        self.guide_epochs = own.epochs
        self.guide_model: Model | None = None
        self.epoch = 0

    def begin(self, epoch: int) -> None:
        """Prepare an epoch of both."""
        self.epoch = epoch
        self.neural.begin(epoch)
        if epoch <= self.guide_epochs:
            self.guide.begin(epoch)
            self.guide_model = None

    def learn(self, sentences: NDArray[np.int64]) -> tuple[int, int]:
        """Learn from some sentences; return how many heads and labels there are and how many of them are wrong."""
        if self.epoch <= self.guide_epochs:
            self.guide.learn(sentences)
        return self.neural.learn(sentences)

    def model(self) -> HybridModel:
        """Return what has been learned, as a model."""
        if self.guide_model is None:
            self.guide_model = self.guide.model()
        return HybridModel(self.neural.model(), self.guide_model, self.bonus)

    def state(self) -> Arrays:
        """Return what both have learned, for a checkpoint."""
        return prefixed(self.neural.state(), "neural.") | prefixed(self.guide.state(), "guide.")

    def restore(self, arrays: Arrays) -> None:
        """Go on from a checkpoint."""
        self.neural.restore(part(arrays, "neural."))
        self.guide.restore(part(arrays, "guide."))


def guide_settings(settings: NeuralSettings, single_root: bool) -> Settings:
    """Return the settings of the linear parser beside a network: the most accurate ones of its preset."""
    own: dict[str, Any] = {"seed": settings.seed, "single_root": single_root}
    if settings.guide.startswith("carreras"):
        own["labels"] = "joint"
    return make_settings(settings.guide, **own)


def guide_of(manifest: dict[str, Any], arrays: Arrays) -> Model:
    """Return the linear parser of a file."""
    from crossarc.parsers.registry import stored_model  # which knows these models too

    guide = stored_model(manifest, arrays)
    if guide.output != "tree" or isinstance(guide, NetworkModel):
        raise ValueError("the parser beside is not a linear parser of trees")
    return guide
