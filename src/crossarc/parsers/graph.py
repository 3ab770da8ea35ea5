"""The trained graph parser: all arcs of a sentence scored on their own, the best tree, and labels for it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from threading import Lock
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
from crossarc.learning.packed import PackedWeights
from crossarc.learning.weights import Weights
from crossarc.parsers.arcs import ARC_WEIGHTS, ArcParser
from crossarc.parsers.lengths import of_edges, table_size, tag_column
from crossarc.parsers.settings import DECODERS, Settings
from crossarc.parsers.storage import Storage, exact_bytes, stored_bytes
from crossarc.parsers.treemodel import Arrays, TreeModel, quick_scores
from crossarc.treebank.corpus import Corpus
from crossarc.treebank.sentence import Sentence

NO_LIMIT = 2**31 - 1


class Tally:
    """How many arcs there were between words, how many of them lengths left out, and for how many sentences not."""

    def __init__(self) -> None:
        self.arcs = self.pruned = self.unpruned = 0
        self.lock = Lock()

    def add(self, search: ArcParser) -> None:
        """Count what a parser has done; from any thread."""
        with self.lock:
            self.arcs += search.arcs
            self.pruned += search.pruned
            self.unpruned += search.unpruned

    def __str__(self) -> str:
        share = 100 * self.pruned / max(1, self.arcs)
        return (
            f"lengths left out {share:.1f}% of all arcs between words; sentences without a tree then: {self.unpruned:,}"
        )


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
    storage: Storage | None = None
    lengths: NDArray[np.int32] | None = None  # the greatest of arcs by [tag of the head, tag of the dependent]
    exact: tuple[Weights, Weights, Weights | None] | None = None  # to be asked instead of the packed ones
    tally: Tally = field(default_factory=Tally)
    long_sentence: int = NO_LIMIT  # sentences of any length are searched in full

    def search(self) -> ArcParser:
        """The features and the decoder at work."""
        return search_of(
            self.settings, self.features, self.single_root, len(self.labels), self.attributes, self.lengths
        )

    def with_storage(
        self, weights: tuple[Weights, Weights, Weights | None], las: float, dev: list[Sentence]
    ) -> GraphModel:
        """The model, which scores so on a development set, with what it cost to store its weights as it does.

        `weights` are those of arcs, of labels and of the directed model.
        """
        arcs, labels, directed = weights
        las_before, _ = quick_scores(replace(self, exact=weights, tally=Tally()), dev)
        kept = [each for each in (self.arc_weights, self.label_weights, self.directed_weights) if each is not None]
        before = sum(exact_bytes(each) for each in (arcs, labels, directed) if each is not None)
        return replace(self, storage=Storage(las_before, las, before, sum(map(stored_bytes, kept))))

    def notes(self) -> list[str]:
        """How much lengths have left out."""
        return [str(self.tally)] if self.lengths is not None and self.tally.arcs else []

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
            arc_weights, label_weights, directed_weights = self.exact or (
                self.arc_weights,
                self.label_weights,
                self.directed_weights,
            )
            other = directed_search(self.settings, self.features, self.single_root, self.attributes, self.lengths)
            search = self.search()
            search.parse(
                arc_weights,
                label_weights,
                tokens,
                corpus.starts,
                heads,
                labels,
                other,
                directed_weights,
                self.settings.enhance,
            )
            self.tally.add(search)
        return heads, labels

    def to_arrays(self) -> tuple[dict[str, Any], Arrays]:
        """What the model file keeps."""
        arrays: Arrays = {**self.arc_weights.to_arrays("arcs."), **self.label_weights.to_arrays("labels.")}
        if self.directed_weights is not None:
            arrays |= self.directed_weights.to_arrays("directed.")
        if self.lengths is not None:
            arrays["lengths"] = self.lengths
        for name, table in self.attributes.tables.items():
            arrays[f"strings.{name}"], arrays[f"offsets.{name}"] = table.pack()
        manifest = {
            "kind": "graph",
            "settings": self.settings.model_dump(),
            "labels": self.labels,
            "single_root": self.single_root,
            "features": self.features.text,
            "storage": asdict(self.storage) if self.storage else None,
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
            Storage(**manifest["storage"]) if manifest.get("storage") else None,
            arrays["lengths"] if settings.lengths else None,
        )
        model.check()
        return model

    def check(self) -> None:
        """Refuse what would lead native code astray, with `ValueError`: the weights have looked at themselves."""
        if not self.labels or self.settings.system not in DECODERS:
            raise ValueError("there are no labels, or no decoder")
        if self.lengths is not None:
            size = table_size(self.attributes)
            if self.lengths.shape != (size, size) or self.lengths.dtype != np.int32:
                raise ValueError("the lengths are not of the tags that there are")


def decoder_of(settings: Settings, single_root: bool) -> Decoder:
    """The decoder of the settings."""
    return {"chu-liu-edmonds": ChuLiuEdmonds, "eisner": Eisner, "undirected": Undirected}[settings.system](single_root)


def search_of(
    settings: Settings,
    features: EdgeModel,
    single_root: bool,
    labels: int,
    attributes: Attributes,
    lengths: NDArray[np.int32] | None,
) -> ArcParser:
    """The features and the decoder at work."""
    if lengths is not None and settings.system == "undirected":
        lengths = of_edges(lengths)
    return ArcParser(
        features,
        decoder_of(settings, single_root),
        len(features.attributes),
        labels,
        settings.system == "undirected" and settings.combine == "none",
        settings.combine,
        lengths=lengths,
        tag=tag_column(attributes) if lengths is not None else -1,
        joint=settings.labels == "joint",
        rivals=settings.k_best,
    )


def directed_search(
    settings: Settings,
    features: EdgeModel,
    single_root: bool,
    attributes: Attributes,
    lengths: NDArray[np.int32] | None,
) -> ArcParser | None:
    """The directed parser that enhances the trees of an undirected one, if the settings want it: that of `mst`.

    It scores both directions of each edge that the trees can have.
    """
    if not settings.enhance:
        return None
    decoder, columns = ChuLiuEdmonds(single_root), len(features.attributes)
    if lengths is None:
        return ArcParser(features, decoder, columns, 1)
    return ArcParser(features, decoder, columns, 1, lengths=of_edges(lengths), tag=tag_column(attributes))
