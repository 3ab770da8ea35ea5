"""Parsers that find heads in rounds by part of speech, from the bottom up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from crossarc.components.component import Arrays
from crossarc.components.description import Description
from crossarc.decode.spanning import ChuLiuEdmonds
from crossarc.factors.arcs import ARC_WEIGHTS, RoundFactors
from crossarc.features.attributes import Attributes
from crossarc.features.edges import EdgeModel
from crossarc.learning.scorers import PackedWeights
from crossarc.papers.labeled_mst.orders import (
    Rounds,
    reachable_arcs,
    round_numbers,
    rounds_of,
    tag_attribute,
)
from crossarc.papers.labeled_mst.settings import RoundSettings
from crossarc.parsers.arcs.finders import ArcFinder, Starts, TreeFinder, check_arcs
from crossarc.parsers.arcs.lengths import Lengths
from crossarc.parsers.arcs.model import ArcTreeModel, coverage_of
from crossarc.parsers.arcs.storage import ArcDescription
from crossarc.parsers.arcs.trainer import ArcTreeTrainer
from crossarc.parsers.model import Ints
from crossarc.transitions.coverage import Coverage
from crossarc.treebank.corpus import Corpus


@dataclass(frozen=True, eq=False, kw_only=True)
class RoundFinder(ArcFinder):
    """Rounds of Chu-Liu-Edmonds by part of speech."""

    settings: RoundSettings
    attributes: Attributes
    rounds: Rounds  # the tags of each
    label_places: NDArray[np.uint8]
    finds_best: ClassVar[bool] = False
    label_weights: PackedWeights | None  # whose labels later rounds see, if the settings want it

    def factors(self, lengths: Lengths | None) -> RoundFactors:  # type: ignore[override]
        """Return the rounds at work, for one thread."""
        what = (self.settings, self.features, self.single_root, lengths)
        return round_factors(*what, self.attributes, self.rounds, self.label_places)

    def find_trees(self, factors: Any, tokens: Ints, starts: Starts, heads: Ints) -> None:
        """Set the heads of the best trees, round by round."""
        labels = (self.label_weights,) if self.label_weights is not None else ()
        factors.find_trees(self.weights, tokens, starts, heads, *labels)


class RoundDescription(ArcDescription):
    """The manifest of a parser that finds heads in rounds."""

    rounds: list[list[str]] = Field(min_length=1)  # the tags of each


@dataclass(frozen=True, eq=False)
class RoundModel(ArcTreeModel):
    """A parser that scores arcs and finds heads in rounds."""

    description: ClassVar[type[Description]] = RoundDescription
    finder: RoundFinder

    @property
    def rounds(self) -> Rounds:
        """The tags of each round."""
        return self.finder.rounds

    def coverage(self, corpus: Corpus) -> Coverage:
        """Return the coverage of the rounds."""
        heads, starts, tag = corpus["head"], corpus.starts, tag_attribute(self.features)
        found = heads >= 0
        if self.finder.settings.absorb:
            numbers = round_numbers(self.rounds, corpus.strings[tag])[corpus[tag]]
            found = reachable_arcs(numbers, heads, starts, self.single_root)
        return coverage_of(found, heads, starts)

    def describe(self) -> dict[str, str]:
        """Return the tags of each round, and what lengths left out."""
        rounds = ", then ".join(" ".join(tags) for tags in self.rounds)
        return {"rounds": rounds, **super().describe()}

    def to_arrays(self) -> tuple[dict[str, Any], Arrays]:
        """Return the manifest and the arrays that a model file keeps."""
        manifest, arrays = super().to_arrays()
        return {**manifest, "rounds": self.rounds}, arrays

    @classmethod
    def stored_finder(
        cls, shared: dict[str, Any], attributes: Attributes, manifest: dict[str, Any], arrays: Arrays
    ) -> tuple[TreeFinder, EdgeModel]:
        """Return the rounds of a file, and the features of its label model."""
        if not isinstance(shared["settings"], RoundSettings):
            raise ValueError("the settings belong to another family")
        tag_attribute(shared["features"])
        labels = PackedWeights.from_arrays(arrays, len(manifest["labels"]), "labels.")
        finder = RoundFinder(
            **shared,
            weights=PackedWeights.from_arrays(arrays, ARC_WEIGHTS, "arcs."),
            attributes=attributes,
            rounds=manifest["rounds"],
            label_places=arrays["label_places"],
            label_weights=labels if shared["settings"].child_labels else None,
        )
        return finder, shared["features"]


class RoundTrainer(ArcTreeTrainer):
    """Learns arcs round by round, and labels."""

    model_type = RoundModel
    settings: RoundSettings
    rounds: Rounds

    def make_factors(self, init: ArcTreeModel | None) -> RoundFactors:
        """Return rounds at work: those of the model to start from, of the settings, or the best for the trees."""
        examples = self.examples
        if isinstance(init, RoundModel):
            self.rounds = init.finder.rounds
        else:
            self.rounds = rounds_of(self.settings, examples.features, examples.trees.corpus, examples.single_root)
        what = (self.settings, examples.features, examples.single_root, examples.lengths())
        return round_factors(*what, examples.attributes, self.rounds, examples.label_places)

    def learn(self, sentences: NDArray[np.int64]) -> tuple[int, int]:
        """Learn from some sentences, arcs round by round."""
        seen = (self.labels.weights,) if self.settings.child_labels else ()
        words, wrong = self.arcs.learn(sentences, None, *seen)
        labels, wrong_labels = self.labels.learn(sentences)
        return words + labels, wrong + wrong_labels

    def finder(self) -> RoundFinder:
        """Return the finder of trees by the weights so far."""
        shared = self.examples.shared()
        return RoundFinder(
            **shared,
            weights=self.arcs.packed(),
            attributes=self.examples.attributes,
            rounds=self.rounds,
            label_places=self.examples.label_places,
            label_weights=self.examples.packed(self.labels.weights) if self.settings.child_labels else None,
        )


def round_factors(
    settings: RoundSettings,
    features: EdgeModel,
    single_root: bool,
    lengths: Lengths | None,
    attributes: Attributes,
    rounds: Rounds,
    label_places: NDArray[np.uint8],
) -> RoundFactors:
    """Return rounds at work."""
    check_arcs(features, late=True)
    tag = tag_attribute(features)
    column, numbers = features.attributes.index(tag), round_numbers(rounds, attributes.tables[tag])
    limits: dict[str, Any] = {
        "lengths": lengths.table if lengths is not None else None,
        "label_places": label_places if settings.child_labels else None,
    }
    return RoundFactors(features, ChuLiuEdmonds(single_root), column, numbers, settings.absorb, **limits)
