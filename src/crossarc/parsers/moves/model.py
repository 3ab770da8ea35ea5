"""The trained transition parser: a system, a feature model and weights."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from crossarc.components.component import Arrays
from crossarc.components.description import Count, Description
from crossarc.errors import CrossarcError
from crossarc.features.attributes import Attributes
from crossarc.features.templates import FeatureModel, parse_model
from crossarc.learning.scorers import PackedWeights
from crossarc.parsers.analysis import TRANSITION_SCALES, Analysis, Request
from crossarc.parsers.constraints import Constraints
from crossarc.parsers.description import ParserDescription
from crossarc.parsers.families import placed
from crossarc.parsers.model import Ints, Model, TreeModel, pack_attributes, unpack_attributes
from crossarc.parsers.moves.analysis import analyse_by_beam
from crossarc.parsers.moves.settings import WIDEST_BEAM, MoveSettings, MoveTreeSettings
from crossarc.parsers.presets import stored_settings
from crossarc.parsers.trees import ELSEWHERE, ON_ROOTS, check_places
from crossarc.transitions.coverage import Coverage, coverage
from crossarc.transitions.registry import get_system
from crossarc.transitions.search import Beam, Greedy, PackedStages, TwoStage
from crossarc.transitions.system import TransitionSystem
from crossarc.treebank.corpus import Corpus

KEYS = 2  # of features that see the labels of all heads; 1 gave some sets of labels the same key
Stages = tuple[int, int]  # how many templates choose moves, and the first that chooses labels


@dataclass(frozen=True, eq=False)
class MoveModel(Model):
    """A trained transition parser, of trees or of graphs."""

    settings: MoveSettings
    features: FeatureModel
    attributes: Attributes
    labels: list[str]
    label_places: NDArray[np.uint8]  # where each can be
    root_labels: Ints  # of words that are left under node 0, by tag; the first is the most frequent
    single_root: bool
    moves: Ints
    move_labels: Ints
    scorer: Any  # `PackedWeights`, `PackedStages`, or the scorer of a learner of all instances at once
    stages: Stages | None = None  # of fast search
    beams: dict[int, Beam] = field(default_factory=dict, init=False, repr=False)  # those asked for, by width
    usual_scales = TRANSITION_SCALES
    long_note = "words further apart than 500, or fewer in the longest, were not looked at together"

    @property
    @abstractmethod
    def system(self) -> TransitionSystem:
        """The transition system."""

    @cached_property
    def search(self) -> Greedy:
        """The search over this model's system and features, which several threads use at once."""
        search = search_of(self.settings, self.system, self.features, self.moves, self.move_labels, self.stages)
        search.set_places(self.places)
        return search

    def beam_search(self, width: int) -> Beam:
        """Return a beam search over this model's system and features."""
        if width not in self.beams:
            attributes = len(self.features.attributes)
            search = Beam(self.system, self.features, self.moves, self.move_labels, attributes, width)
            search.set_places(self.places)
            self.beams[width] = search
        return self.beams[width]

    @property
    def places(self) -> NDArray[np.uint8]:
        """By action, where its label can be."""
        plain = self.move_labels // self.settings.label_kinds  # -1 stays
        return np.where(self.move_labels < 0, ON_ROOTS | ELSEWHERE, self.label_places[plain]).astype(np.uint8)

    @property
    def long_sentence(self) -> int:  # type: ignore[override]
        """Longer sentences are not searched in full."""
        return self.system.long_sentence

    def with_beam(self, width: int) -> Self:
        """Return the same model with a beam of another width."""
        if self.settings.fast and width > 1:
            raise CrossarcError("a fast model chooses moves and labels one after the other and cannot use a beam")
        if not 1 <= width <= WIDEST_BEAM:
            raise CrossarcError(f"a beam of {width} derivations; it can be 1 (greedy search) to {WIDEST_BEAM:,}")
        return replace(self, settings=self.settings.model_copy(update={"beam": width}))

    def name_roots(self, tokens: Ints, labels: Ints) -> None:
        """Give words that are left under node 0 the label that words with their tag have most often there."""
        left = labels == len(self.labels)
        tag = tag_column(self.features)
        labels[left] = self.root_labels[tokens[left, tag] if tag >= 0 else 0]

    def names_of(self, labels: Ints) -> list[str]:
        """Return the names of labels, "" for node 0."""
        names = [*self.labels, ""]  # -1, the label of node 0, is the last
        return [names[label] for label in labels.tolist()]

    def to_arrays(self) -> tuple[dict[str, Any], Arrays]:
        """Return the manifest and the arrays that a model file keeps."""
        arrays: Arrays = {
            "label_places": self.label_places,
            "root_labels": self.root_labels,
            "moves": self.moves,
            "move_labels": self.move_labels,
            **self.scorer.to_arrays(),
            **pack_attributes(self.attributes),
        }
        keys = {"keys": KEYS} if self.features.looks_at("head_labels") else {}
        return {**self.shared_manifest(), **keys, "stages": self.stages}, arrays

    @classmethod
    def stored_fields(cls, manifest: dict[str, Any]) -> dict[str, Any]:
        """Return the fields of a file that only a subclass has."""
        return {}

    @classmethod
    def from_arrays(cls, manifest: dict[str, Any], arrays: Arrays) -> Self:
        """Return the model of a file."""
        settings = stored_settings(manifest["settings"])
        if not isinstance(settings, MoveSettings) or settings.gives_graphs != (cls.output == "graph"):
            raise ValueError("the settings belong to another family")
        features = parse_model(manifest["features"], settings.features)
        if features.looks_at("head_labels") and manifest.get("keys") != KEYS:
            raise ValueError("the version that trained it mixed up labels of words with several heads; train it again")
        model = cls(
            settings,
            features,
            unpack_attributes(arrays, features.attributes),
            manifest["labels"],
            arrays["label_places"],
            arrays["root_labels"],
            manifest["single_root"],
            arrays["moves"],
            arrays["move_labels"],
            stored_scorer(settings, arrays),
            (manifest["stages"][0], manifest["stages"][1]) if settings.fast else None,
            **cls.stored_fields(manifest),
        )
        model.check()
        return model

    def check(self) -> None:
        """Refuse tables that native code would follow out of bounds, with `ValueError`."""
        actions = len(self.moves)
        system = self.system
        kinds = len(self.labels) * self.settings.label_kinds
        tables = (self.moves, self.move_labels, self.root_labels)
        valid = (
            all(table.ndim == 1 and table.dtype == np.int32 for table in tables)
            and set(self.moves.tolist()) == set(range(len(system.moves)))
            and len(self.move_labels) == actions
            and -1 <= self.move_labels.min(initial=0) <= self.move_labels.max(initial=0) < kinds
            # Moves that make arcs have labels, and no others.
            and (np.array(system.labelled)[self.moves] == (self.move_labels >= 0)).all()
            and len(self.root_labels) == root_table_size(self.features, self.attributes)
            and 0 <= self.root_labels.min() <= self.root_labels.max() < len(self.labels)
        )
        if not valid:
            raise ValueError("the tables of the model do not fit together")
        check_places(self.label_places, len(self.labels))
        _ = self.search  # refuses stages that the feature model does not have


class MoveTreeDescription(ParserDescription):
    """The manifest of a transition parser of trees."""

    stages: Annotated[list[Count], Field(min_length=2, max_length=2)] | None
    keys: Count = 0  # of features that see the labels of all heads


@dataclass(frozen=True, eq=False)
class MoveTreeModel(TreeModel, MoveModel):
    """A trained transition parser that gives trees."""

    description: ClassVar[type[Description]] = MoveTreeDescription
    settings: MoveTreeSettings

    @property
    def system(self) -> TransitionSystem:
        """The transition system."""
        return self.settings.transition_system(self.single_root)

    @property
    def has_alternatives(self) -> bool:  # type: ignore[override]
        """Whether it works with a beam, which shows how sure it is."""
        return isinstance(self.scorer, PackedWeights)

    @property
    def is_projective(self) -> bool:  # type: ignore[override]
        """Whether all its trees are projective."""
        return self.system.covers == "projective" and self.system.directed

    def parse(self, corpus: Corpus) -> tuple[Ints, Ints]:
        """Return heads and labels of all nodes of a corpus."""
        return self.parse_tokens(self.attributes.encode(corpus), corpus.starts)

    def parse_tokens(self, tokens: Ints, starts: NDArray[np.int64]) -> tuple[Ints, Ints]:
        """Return heads and labels of the sentences that begin at `starts`, from the attributes of their nodes."""
        left_over = len(self.labels)  # which is not a label
        heads, labels = self.search_tokens(tokens, starts, left_over, self.settings.directions)
        self.name_roots(tokens, labels)
        return heads, labels

    def search_tokens(
        self, tokens: Ints, starts: NDArray[np.int64], left_over: int, directions: tuple[bool, bool, bool]
    ) -> tuple[Ints, Ints]:
        """Return heads and labels of all nodes; `left_over` is the label of words that are left under node 0."""
        heads = np.full(len(tokens), -1, dtype=np.int32)
        labels = np.full(len(tokens), -1, dtype=np.int32)
        if len(tokens):
            self.search.parse(self.scorer, tokens, starts, heads, labels, left_over, *directions)
        return heads, labels

    def analyse(self, corpus: Corpus, constraints: list[Constraints], request: Request) -> Iterator[Analysis]:
        """Yield the k best trees of each sentence and their probabilities."""
        return analyse_by_beam(self, corpus, constraints, request)

    def coverage(self, corpus: Corpus) -> Coverage:
        """Return the coverage of the oracle of the system."""
        return coverage(self.system, np.split(corpus["head"], corpus.starts[1:-1]))


def stored_scorer(settings: MoveSettings, arrays: Arrays) -> Any:
    """Return the scorer as a model file keeps it."""
    actions = len(arrays["moves"])
    if settings.fast:
        return PackedStages.from_arrays(arrays, len(get_system(settings.system).moves), actions)
    return placed(settings.way_to_learn.scorer).from_arrays(arrays, actions)


def search_of(
    settings: MoveSettings,
    system: TransitionSystem,
    features: FeatureModel,
    moves: Ints,
    labels: Ints,
    stages: Stages | None = None,
) -> Greedy:
    """Return the search that the settings ask for."""
    if stages is not None:
        return TwoStage(system, features, moves, labels, len(features.attributes), *stages)
    if settings.beam == 1:
        return Greedy(system, features, moves, labels, len(features.attributes))
    how = {"probabilities": settings.way_to_learn.probabilities, "mean": settings.compares_means}
    return Beam(system, features, moves, labels, len(features.attributes), settings.beam, **how)


def root_table_size(features: FeatureModel, attributes: Attributes) -> int:
    """Return how many tags have a root label of their own: all, or the one that stands for none."""
    return len(attributes.tables["upos"]) if tag_column(features) >= 0 else 1


def tag_column(features: FeatureModel) -> int:
    """Return the number of the attribute of a feature model that is the part of speech, -1 if none is."""
    return features.attributes.index("upos") if "upos" in features.attributes else -1
