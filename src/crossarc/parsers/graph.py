"""The trained graph parser: all arcs of a sentence scored on their own, the best tree, and labels for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossarc.core.strings import StringTable
from crossarc.decode.chu_liu_edmonds import ChuLiuEdmonds
from crossarc.decode.decoder import Decoder
from crossarc.decode.eisner import Eisner
from crossarc.decode.undirected import Undirected
from crossarc.errors import CrossarcError
from crossarc.features.attributes import Attributes
from crossarc.features.edges import EdgeModel, parse_edge_model
from crossarc.features.templates import TemplateError
from crossarc.learning.packed import PackedWeights
from crossarc.parsers.arcs import ARC_WEIGHTS, ArcParser
from crossarc.parsers.bottom_up import BottomUp
from crossarc.parsers.settings import DECODERS, Settings
from crossarc.parsers.tag_order import Rounds, check_rounds, round_numbers, tag_attribute
from crossarc.parsers.treemodel import Arrays, TreeModel
from crossarc.treebank.corpus import Corpus

NO_LIMIT = 2**31 - 1


@dataclass(frozen=True, eq=False)
class GraphModel(TreeModel):
    """All that a trained graph parser is."""

    settings: Settings
    features: EdgeModel
    attributes: Attributes
    labels: list[str]
    single_root: bool
    arc_weights: PackedWeights
    label_weights: PackedWeights
    directed_weights: PackedWeights | None = None  # of the model that enhances trees
    rounds: Rounds | None = None  # the tags of each, for trees that are built from the bottom up
    storage: None = None  # what it cost to store weights is not measured here
    long_sentence: int = NO_LIMIT  # sentences of any length are searched in full

    def search(self) -> ArcParser:
        """The features and the decoder at work."""
        return search_of(self.settings, self.features, self.single_root, len(self.labels), self.attributes, self.rounds)

    def with_beam(self, width: int) -> GraphModel:
        """The same model: it finds the best tree without a beam, so none but the narrowest means anything."""
        if width != 1:
            raise CrossarcError(f"a beam of {width}; graph parsers find the best tree without one: leave it out")
        return self

    def parse_corpus(self, corpus: Corpus) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Heads and labels of all nodes of a corpus."""
        tokens = self.attributes.encode(corpus)
        heads = np.full(len(tokens), -1, dtype=np.int32)
        labels = np.full(len(tokens), -1, dtype=np.int32)
        if len(corpus):
            other = directed_search(self.settings, self.features, self.single_root)
            self.search().parse(
                self.arc_weights,
                self.label_weights,
                tokens,
                corpus.starts,
                heads,
                labels,
                other,
                self.directed_weights,
                self.settings.enhance,
            )
        return heads, labels

    def to_arrays(self) -> tuple[dict[str, Any], Arrays]:
        """What the model file keeps."""
        arrays: Arrays = {**self.arc_weights.to_arrays("arcs."), **self.label_weights.to_arrays("labels.")}
        if self.directed_weights is not None:
            arrays |= self.directed_weights.to_arrays("directed.")
        for name, table in self.attributes.tables.items():
            arrays[f"strings.{name}"], arrays[f"offsets.{name}"] = table.pack()
        manifest = {
            "kind": "graph",
            "settings": self.settings.model_dump(),
            "labels": self.labels,
            "single_root": self.single_root,
            "features": self.features.text,
            "rounds": self.rounds,
        }
        return manifest, arrays

    @classmethod
    def from_arrays(cls, manifest: dict[str, Any], arrays: Arrays) -> GraphModel:
        """The model that a file keeps."""
        settings = Settings(**manifest["settings"])
        features = parse_edge_model(manifest["features"], settings.features)
        tables = {
            name: StringTable.unpack(arrays[f"strings.{name}"], arrays[f"offsets.{name}"])
            for name in features.attributes
        }
        labels = manifest["labels"]
        model = cls(
            settings,
            features,
            Attributes(tables),
            labels,
            manifest["single_root"],
            PackedWeights.from_arrays(arrays, ARC_WEIGHTS, "arcs."),
            PackedWeights.from_arrays(arrays, len(labels), "labels."),
            PackedWeights.from_arrays(arrays, ARC_WEIGHTS, "directed.") if settings.enhance else None,
            manifest.get("rounds") if settings.system == "bottom-up" else None,
        )
        model.check()
        return model

    def check(self) -> None:
        """Refuse what would lead native code astray, with `ValueError`: the weights have looked at themselves."""
        if not self.labels or self.settings.system not in DECODERS:
            raise ValueError("there are no labels, or no decoder")
        if self.settings.system == "bottom-up":
            tag_attribute(self.features)
            check_rounds(self.rounds)


def decoder_of(settings: Settings, single_root: bool) -> Decoder:
    """The decoder of the settings."""
    decoders: dict[str, type[Decoder]] = {"eisner": Eisner, "undirected": Undirected}
    return decoders.get(settings.system, ChuLiuEdmonds)(single_root)


def search_of(
    settings: Settings,
    features: EdgeModel,
    single_root: bool,
    labels: int,
    attributes: Attributes,
    rounds: Rounds | None,
) -> ArcParser:
    """The features and the decoder at work."""
    decoder, columns = decoder_of(settings, single_root), len(features.attributes)
    if rounds is not None:
        tag = tag_attribute(features)
        numbers = round_numbers(rounds, attributes.tables[tag])
        return BottomUp(features, decoder, columns, labels, features.attributes.index(tag), numbers, settings.absorb)
    if len(features.late_singles) or len(features.late_pairs):
        raise TemplateError(f"{features.name}: only mst-bottom-up sees dependents while it looks for heads")
    undirected = settings.system == "undirected" and settings.combine == "none"
    return ArcParser(features, decoder, columns, labels, undirected, settings.combine)


def directed_search(settings: Settings, features: EdgeModel, single_root: bool) -> ArcParser | None:
    """The directed parser that enhances the trees of an undirected one, if the settings want it: that of `mst`."""
    return ArcParser(features, ChuLiuEdmonds(single_root), len(features.attributes), 1) if settings.enhance else None
