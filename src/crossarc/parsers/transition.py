"""The trained transition parser: a system, a feature model and weights."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from crossarc.core.strings import StringTable
from crossarc.errors import CrossarcError
from crossarc.features.attributes import Attributes
from crossarc.features.templates import FeatureModel, parse_model
from crossarc.learning.packed import PackedWeights
from crossarc.learning.scorer import Scorer
from crossarc.learning.support import ARRAYS as SUPPORT
from crossarc.learning.support import SupportVectors, check_arrays
from crossarc.learning.weights import Weights
from crossarc.parsers.analysis import Analysis
from crossarc.parsers.beam_analysis import analyse_by_beam
from crossarc.parsers.calibration import Scales
from crossarc.parsers.constraints import Constraints
from crossarc.parsers.label_places import ELSEWHERE, check_places
from crossarc.parsers.settings import WIDEST_BEAM, Settings, stored_settings
from crossarc.parsers.storage import Storage, exact_bytes
from crossarc.parsers.treemodel import Arrays, TreeModel, quick_scores
from crossarc.transforms.pseudo_projective import PseudoProjective
from crossarc.transitions.beam import Beam
from crossarc.transitions.registry import get_system
from crossarc.transitions.search import Greedy
from crossarc.transitions.system import TransitionSystem
from crossarc.transitions.two_stage import PackedStages, TwoStage
from crossarc.treebank.corpus import Corpus
from crossarc.treebank.sentence import Sentence

Stages = tuple[int, int]  # how many templates choose moves, and from which on they choose labels


@dataclass(frozen=True, eq=False)
class TransitionModel(TreeModel):
    """All that a trained transition parser is."""

    settings: Settings
    features: FeatureModel
    attributes: Attributes
    labels: list[str]
    label_places: NDArray[np.uint8]  # where each can be
    root_labels: NDArray[np.int32]  # of words that are left under node 0, by tag; the first is the commonest
    single_root: bool
    moves: NDArray[np.int32]
    move_labels: NDArray[np.int32]
    weights: PackedWeights | PackedStages
    stages: Stages | None = None  # of fast search
    storage: Storage | None = None
    vectors: Arrays | None = None  # of LIBSVM, which has no weights
    exact: Weights | None = None  # to be asked instead of the packed ones

    def search(self) -> Greedy:
        """The search over this model's system and features."""
        system = system_of(self.settings, self.single_root)
        search = search_of(self.settings, system, self.features, self.moves, self.move_labels, self.stages)
        search.set_between(self.between)
        return search

    @property
    def between(self) -> NDArray[np.bool_]:
        """By action, whether its label can be on an arc between two words."""
        plain = self.move_labels >> (self.settings.reconstruction != "naive")
        result: NDArray[np.bool_] = (self.move_labels < 0) | (self.label_places[plain] & ELSEWHERE > 0)
        return result

    @property
    def long_sentence(self) -> int:
        """Longer sentences are not searched in full."""
        return system_of(self.settings, self.single_root).long_sentence

    def with_beam(self, width: int) -> TransitionModel:
        """The same model with a beam of another width."""
        if self.settings.fast and width > 1:
            raise CrossarcError("a fast model chooses moves and labels one after the other and knows no beam")
        if not 1 <= width <= WIDEST_BEAM:
            raise CrossarcError(f"a beam of {width} derivations; it can be 1 (greedy search) to {WIDEST_BEAM:,}")
        return replace(self, settings=self.settings.model_copy(update={"beam": width}))

    @property
    def knows_alternatives(self) -> bool:  # type: ignore[override]
        """Whether it goes with a beam, which tells how sure it is."""
        return not self.settings.fast and self.vectors is None

    @property
    def is_directed(self) -> bool:
        """Whether arcs are made with their directions."""
        return system_of(self.settings, self.single_root).directed

    @property
    def is_projective(self) -> bool:
        """Whether the trees are projective, always."""
        system = system_of(self.settings, self.single_root)
        return system.covers == "projective" and system.directed and self.settings.transform == "none"

    def beam_search(self, width: int) -> Beam:
        """Beam search over this model's system and features."""
        system = system_of(self.settings, self.single_root)
        search = Beam(system, self.features, self.moves, self.move_labels, len(self.features.attributes), width)
        search.set_between(self.between)
        return search

    def analyse_batch(
        self, sentences: list[Sentence], k: int, known: list[Constraints], scales: Scales, beam: int | None
    ) -> list[Analysis]:
        """The k best trees of each sentence and their probabilities."""
        return analyse_by_beam(self, sentences, k, known, scales, beam)

    def parse_corpus(self, corpus: Corpus) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Heads and labels of all nodes of a corpus."""
        how = self.settings.reconstruction
        left_over = len(self.labels)  # which is not a label
        turns = (how != "naive", how == "label-first", how == "score")
        tokens, heads, labels = self.search_corpus(corpus, left_over, turns)
        self.name_roots(tokens, labels)
        return heads, labels

    def link_corpus(self, corpus: Corpus) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The links of an undirected parser before they get directions.

        Each stands with one of its two nodes, as the other and the label; nodes without a link of their own have -1.
        """
        _, heads, labels = self.search_corpus(corpus, -1, (False, False, False))
        annotated = self.settings.reconstruction != "naive"
        return heads, labels >> 1 if annotated else labels

    def search_corpus(
        self, corpus: Corpus, left_over: int, turns: tuple[bool, bool, bool]
    ) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
        """Attributes, heads and labels of all nodes, by links that are turned round in one of the ways there are.

        `left_over` is the label of words that are left under node 0.
        """
        tokens = self.attributes.encode(corpus)
        heads = np.full(len(tokens), -1, dtype=np.int32)
        labels = np.full(len(tokens), -1, dtype=np.int32)
        if not len(corpus):
            return tokens, heads, labels
        search = self.search()
        scorer: Scorer | PackedStages = self.weights
        if self.exact is not None:
            scorer = self.exact
        elif self.vectors is not None:
            scorer = SupportVectors(self.vectors, len(self.moves))
        search.parse(scorer, tokens, corpus.starts, heads, labels, left_over, *turns)  # type: ignore[arg-type]
        return tokens, heads, labels

    def name_roots(self, tokens: NDArray[np.int32], labels: NDArray[np.int32]) -> None:
        """Give words that are left under node 0 the label that words with their tag have most often there."""
        left = labels == len(self.labels)
        tag = tag_column(self.features)
        labels[left] = self.root_labels[tokens[left, tag] if tag >= 0 else 0]

    def trees_of(self, corpus: Corpus) -> tuple[NDArray[np.int32], list[str]]:
        """Heads and names of labels of all nodes of a corpus, the transform undone."""
        heads, strings = super().trees_of(corpus)
        if self.settings.transform != "none":
            transform = PseudoProjective(self.settings.transform)
            for begin, end in pairwise(corpus.starts.tolist()):
                heads[begin:end], strings[begin:end] = transform.decode(heads[begin:end], strings[begin:end])
        return heads, strings

    def parse_batch(self, sentences: list[Sentence]) -> list[Sentence]:
        """The sentences with new heads and labels."""
        if self.settings.transform == "none":
            return super().parse_batch(sentences)
        corpus = Corpus.of(sentences)
        heads, strings = self.trees_of(corpus)
        return [
            sentence.replace(heads=heads[begin:end], deprels=strings[begin:end])
            for sentence, (begin, end) in zip(sentences, pairwise(corpus.starts.tolist()), strict=True)
        ]

    def with_storage(self, weights: Weights, las: float, dev: list[Sentence]) -> TransitionModel:
        """The model, which scores so on a development set, with what it cost to store its weights as it does."""
        exact = Weights.of(len(self.moves), weights.averages())
        exact_las, _ = quick_scores(replace(self, exact=exact), dev)
        stored = sum(array.nbytes for array in self.weights.to_arrays().values())
        return replace(self, storage=Storage(exact_las, las, exact_bytes(exact), stored))

    def to_arrays(self) -> tuple[dict[str, Any], Arrays]:
        """What the model file keeps."""
        arrays: Arrays = {
            "label_places": self.label_places,
            "root_labels": self.root_labels,
            "moves": self.moves,
            "move_labels": self.move_labels,
            **self.weights.to_arrays(),
        }
        for name, array in (self.vectors or {}).items():
            arrays[f"support.{name}"] = array
        for name, table in self.attributes.tables.items():
            arrays[f"strings.{name}"], arrays[f"offsets.{name}"] = table.pack()
        manifest = {
            "kind": "transition",
            "settings": self.settings.model_dump(),
            "labels": self.labels,
            "single_root": self.single_root,
            "features": self.features.text,
            "stages": self.stages,
            "storage": asdict(self.storage) if self.storage else None,
        }
        return manifest, arrays

    @classmethod
    def from_arrays(cls, manifest: dict[str, Any], arrays: Arrays) -> TransitionModel:
        """The model that a file keeps."""
        settings = stored_settings(manifest["settings"])
        features = parse_model(manifest["features"], settings.features)
        tables = {
            name: StringTable.unpack(arrays[f"strings.{name}"], arrays[f"offsets.{name}"])
            for name in features.attributes
        }
        model = cls(
            settings,
            features,
            Attributes(tables),
            manifest["labels"],
            arrays["label_places"],
            arrays["root_labels"],
            manifest["single_root"],
            arrays["moves"],
            arrays["move_labels"],
            stored_weights(settings, arrays),
            (int(manifest["stages"][0]), int(manifest["stages"][1])) if settings.fast else None,
            Storage(**manifest["storage"]) if manifest["storage"] else None,
            {name: arrays[f"support.{name}"] for name in SUPPORT} if settings.learner == "libsvm" else None,
        )
        model.check()
        return model

    def check(self) -> None:
        """Refuse tables that would lead native code astray, with `ValueError`: it follows them without looking."""
        actions = len(self.moves)
        system = system_of(self.settings, self.single_root)
        kinds = len(self.labels) * (1 if self.settings.reconstruction == "naive" else 2)
        tables = (self.moves, self.move_labels, self.root_labels)
        sound = (
            isinstance(self.single_root, bool)
            and all(isinstance(label, str) for label in self.labels)
            and all(table.ndim == 1 and table.dtype == np.int32 for table in tables)
            and set(self.moves.tolist()) == set(range(len(system.moves)))
            and len(self.move_labels) == actions
            and -1 <= self.move_labels.min(initial=0) <= self.move_labels.max(initial=0) < kinds
            # Moves that make arcs have labels, and no others.
            and (np.array(system.labelled)[self.moves] == (self.move_labels >= 0)).all()
            and len(self.root_labels) == root_table_size(self.features, self.attributes)
            and 0 <= self.root_labels.min() <= self.root_labels.max() < len(self.labels)
        )
        if not sound:
            raise ValueError("the tables of the model do not fit together")
        check_places(self.label_places, len(self.labels))
        self.search()  # refuses stages that the feature model does not have
        if self.vectors is not None:
            check_arrays(self.vectors, actions)


def stored_weights(settings: Settings, arrays: Arrays) -> PackedWeights | PackedStages:
    """The weights that a model file keeps."""
    actions = len(arrays["moves"])
    if not settings.fast:
        return PackedWeights.from_arrays(arrays, actions)
    return PackedStages.from_arrays(arrays, len(get_system(settings.system).moves), actions)


def link_score(model: TransitionModel, gold: list[Sentence]) -> float:
    """The gold arcs that an undirected parser links with their labels before it directs its links, in percent.

    What it scores afterwards (LAS) differs by the mistakes of the reconstruction.
    """
    corpus = Corpus.of(gold)
    others, labels = model.link_corpus(corpus)
    table = corpus.strings["deprel"]
    numbers = np.array([*(table[name] for name in model.labels), -1], dtype=np.int32)
    labels = numbers[labels]
    starts = np.repeat(corpus.starts[:-1], np.diff(corpus.starts))
    nodes = np.arange(len(others)) - starts
    heads, deprels = corpus["head"], corpus["deprel"]
    above = starts + np.maximum(heads, 0)  # where the gold head stands
    right = (others == heads) & (labels == deprels)
    right |= (others[above] == nodes) & (labels[above] == deprels)
    return 100 * float(right[heads >= 0].mean())


def system_of(settings: Settings, single_root: bool) -> TransitionSystem:
    """The transition system of the settings; if there are root links, naive reconstruction needs all of them."""
    root_links: Literal["all", "uncrossed", "none"] = "none"
    if settings.root_links == "all":
        root_links = "all" if settings.reconstruction == "naive" else "uncrossed"
    return get_system(settings.system, single_root=single_root, root_links=root_links)


def search_of(
    settings: Settings,
    system: TransitionSystem,
    features: FeatureModel,
    moves: NDArray[np.int32],
    labels: NDArray[np.int32],
    stages: Stages | None = None,
) -> Greedy:
    """The search of the settings: greedy, in two stages, or with a beam."""
    if stages is not None:
        return TwoStage(system, features, moves, labels, len(features.attributes), *stages)
    if settings.beam == 1:
        return Greedy(system, features, moves, labels, len(features.attributes))
    return Beam(system, features, moves, labels, len(features.attributes), settings.beam)


def root_table_size(features: FeatureModel, attributes: Attributes) -> int:
    """How many tags have a root label of their own: all, or the one that stands for none."""
    return len(attributes.tables["upos"]) if tag_column(features) >= 0 else 1


def tag_column(features: FeatureModel) -> int:
    """Which attribute of a feature model is the part of speech, -1 if none is."""
    return features.attributes.index("upos") if "upos" in features.attributes else -1
