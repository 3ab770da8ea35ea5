"""The trained graph parser: all arcs of a sentence scored on their own, the best tree, and labels for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossarc.core.strings import StringTable
from crossarc.decode.chu_liu_edmonds import ChuLiuEdmonds
from crossarc.decode.decoder import Decoder
from crossarc.decode.eisner import Eisner
from crossarc.decode.undirected import Undirected
from crossarc.errors import CrossarcError
from crossarc.factors.arcs import ARC_WEIGHTS, ArcFactors, JointFactors
from crossarc.factors.labels import LabelFactors
from crossarc.factors.rounds import RoundFactors
from crossarc.features.attributes import Attributes
from crossarc.features.edges import EdgeModel, parse_edge_model
from crossarc.features.templates import TemplateError
from crossarc.learning.packed import PackedWeights
from crossarc.parsers.analysis import Analysis
from crossarc.parsers.calibration import GRAPH_SCALES, Scales
from crossarc.parsers.constraints import Constraints
from crossarc.parsers.graph_analysis import analyse_by_arcs
from crossarc.parsers.label_places import check_places
from crossarc.parsers.lengths import Pruning, Tally, of_edges, table_size, tag_column
from crossarc.parsers.long_sentences import LONG, Pieces
from crossarc.parsers.settings import DECODERS, Settings, stored_settings
from crossarc.parsers.stacking import Stacked, read_stacked, stacked_search, with_guesses
from crossarc.parsers.storage import Storage
from crossarc.parsers.tag_order import Rounds, check_rounds, round_numbers, tag_attribute
from crossarc.parsers.treemodel import Arrays, TreeModel
from crossarc.treebank.corpus import Corpus
from crossarc.treebank.sentence import Sentence

# How the scores of both directions become one; as in arc_scores.pyx.
COMBINED: dict[str, Callable[..., NDArray[np.float64]]] = {
    "mean": lambda a, b: (a + b) / 2,
    "product": lambda a, b: np.where(np.isinf(a), a, a * b),
    "max": np.maximum,
    "min": np.minimum,
}


@dataclass(frozen=True, eq=False)
class GraphModel(TreeModel):
    """All that a trained graph parser is."""

    settings: Settings
    features: EdgeModel
    attributes: Attributes
    labels: list[str]
    label_places: NDArray[np.uint8]  # where each can be
    single_root: bool
    arc_weights: PackedWeights
    label_weights: PackedWeights
    directed_weights: PackedWeights | None = None  # of the model that enhances trees
    stacked: Stacked | None = None  # the model that sees the trees of the others
    rounds: Rounds | None = None  # the tags of each, for trees that are built from the bottom up
    storage: Storage | None = None
    lengths: NDArray[np.int32] | None = None  # the greatest of arcs by [tag of the head, tag of the dependent]
    pruning: Pruning | None = None  # what they left out of the development set
    tally: Tally = field(default_factory=Tally)
    long_sentence: int = LONG
    beyond = "each was parsed in pieces, which were joined by their roots"
    scores_labels = True
    usual_scales = GRAPH_SCALES

    def search(self) -> ArcFactors | JointFactors | RoundFactors:
        """The features and the decoder at work."""
        what = (self.features, self.single_root, self.label_places, self.attributes, self.lengths, self.rounds)
        return search_of(self.settings, *what)

    def labeller(self) -> LabelFactors:
        """What finds labels for the arcs of trees."""
        return LabelFactors(self.stacked.features if self.stacked is not None else self.features, self.label_places)

    def directed(self) -> ArcFactors | None:
        """The directed parser beside an undirected one, if there is one."""
        return directed_search(self.settings, self.features, self.single_root, self.attributes, self.lengths)

    def notes(self) -> list[str]:
        """How much lengths have left out."""
        return [str(self.tally.sum)] if self.lengths is not None and self.tally.sum.arcs else []

    def anew(self) -> GraphModel:
        """The same model, which has parsed nothing yet as far as its notes know."""
        return replace(self, tally=Tally())

    def with_beam(self, width: int) -> GraphModel:
        """The same model: it finds the best tree without a beam, so none but the narrowest means anything."""
        if width != 1:
            raise CrossarcError(f"a beam of {width}; graph parsers find the best tree without one: leave it out")
        return self

    def parse_corpus(self, corpus: Corpus) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Heads and labels of all nodes of a corpus."""
        tokens = self.attributes.encode(corpus)
        if np.diff(corpus.starts).max(initial=0) - 1 <= self.long_sentence:
            return self.parse_tokens(tokens, corpus.starts)
        pieces = Pieces(corpus.starts, self.long_sentence)
        found, names = self.parse_tokens(np.ascontiguousarray(tokens[pieces.rows]), pieces.starts)
        heads, joined = pieces.joined(found, self.single_root)
        labels = np.full(len(tokens), -1, dtype=np.int32)
        labels[pieces.rows] = names
        for root, word in joined:
            both = np.ascontiguousarray(tokens[[root, root + heads[word], word]])
            labels[word] = self.label_scores(both, np.array([-1, 0, 1], dtype=np.int32))[2].argmax()
        return heads, labels

    def parse_tokens(
        self, tokens: NDArray[np.int32], starts: NDArray[np.int64]
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Heads and labels of the sentences that begin at `starts`, from the attributes of their nodes."""
        heads = np.full(len(tokens), -1, dtype=np.int32)
        labels = np.full(len(tokens), -1, dtype=np.int32)
        if not len(tokens):
            return heads, labels
        if self.stacked is not None:
            top, tokens = self.stacked_parser(), self.seen(tokens, starts)
            top.find_trees(self.stacked.weights, tokens, starts, heads)
            self.tally.add_all(top)
        else:
            search = self.search()
            if isinstance(search, JointFactors):
                search.find_trees(self.arc_weights, self.label_weights, tokens, starts, heads, labels)
                self.tally.add_all(search)
                return heads, labels
            seen = (self.label_weights,) if self.settings.child_labels else ()
            search.find_trees(self.arc_weights, tokens, starts, heads, *seen)
            self.tally.add_all(search)
            directed = self.directed()
            if directed is not None and self.directed_weights is not None:
                directed.enhance_trees(self.directed_weights, tokens, starts, heads, self.settings.enhance)
        self.labeller().find_labels(self.label_weights, tokens, starts, heads, labels)
        return heads, labels

    @property
    def is_projective(self) -> bool:
        """Whether only projective trees are looked at."""
        return self.settings.system == "eisner"

    def arc_scores(self, tokens: NDArray[np.int32]) -> NDArray[np.float64]:
        """The scores of all arcs of one sentence that its trees are compared by, at [dependent, head].

        A directed tree with one root stands for an undirected one and its root edge, so those of edges, which are the
        same both ways, serve as well. Where a directed model enhances undirected trees it is the sum of both.
        """
        if self.stacked is not None:
            scores = self.stacked_parser().scores(self.stacked.weights, self.seen(tokens, np.array([0, len(tokens)])))
            return without_cells(scores)
        search = self.search()
        if isinstance(search, JointFactors):
            return without_cells(search.scores(self.arc_weights, self.label_weights, tokens))
        scores = search.scores(self.arc_weights, tokens)
        if self.settings.combine != "none":
            scores[1:, 1:] = COMBINED[self.settings.combine](scores[1:, 1:], scores[1:, 1:].T)
        other = self.directed()
        if other is not None and self.directed_weights is not None:
            scores += other.scores(self.directed_weights, tokens)
        return without_cells(scores)

    def label_scores(self, tokens: NDArray[np.int32], heads: NDArray[np.int32]) -> NDArray[np.float64]:
        """The scores of all labels for the arcs of a tree, at [dependent, label]."""
        search = self.search()
        if isinstance(search, JointFactors):
            return search.label_scores(self.label_weights, tokens, heads)
        seen = tokens if self.stacked is None else self.seen(tokens, np.array([0, len(tokens)]))
        return self.labeller().scores(self.label_weights, seen, heads)

    def analyse_batch(
        self, sentences: list[Sentence], k: int, known: list[Constraints], scales: Scales, beam: int | None
    ) -> list[Analysis]:
        """The k best trees of each sentence and their probabilities."""
        return analyse_by_arcs(self, sentences, k, known, scales.trees, scales.labels)

    def guess(
        self, tokens: NDArray[np.int32], starts: NDArray[np.int64]
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The heads of all nodes in the best directed tree and in the enhanced undirected one."""
        directed = self.directed()
        assert directed is not None
        assert self.directed_weights is not None
        trees = np.full((2, len(tokens)), -1, dtype=np.int32)
        search = self.search()
        assert isinstance(search, ArcFactors)
        directed.find_trees(self.directed_weights, tokens, starts, trees[0])
        search.find_trees(self.arc_weights, tokens, starts, trees[1])
        directed.enhance_trees(self.directed_weights, tokens, starts, trees[1], self.settings.enhance)
        return trees[0], trees[1]

    def stacked_parser(self) -> ArcFactors:
        """The parser that sees the trees of the others."""
        assert self.stacked is not None
        return stacked_search(self.stacked.features, self.single_root, self.attributes, self.lengths)

    def seen(self, tokens: NDArray[np.int32], starts: NDArray[np.int64]) -> NDArray[np.int32]:
        """What that parser sees: the words, and the trees of the others."""
        return with_guesses(tokens, self.features, starts, *self.guess(tokens, starts))

    def to_arrays(self) -> tuple[dict[str, Any], Arrays]:
        """What the model file keeps."""
        arrays: Arrays = {**self.arc_weights.to_arrays("arcs."), **self.label_weights.to_arrays("labels.")}
        arrays["label_places"] = self.label_places
        if self.directed_weights is not None:
            arrays |= self.directed_weights.to_arrays("directed.")
        if self.stacked is not None:
            arrays |= self.stacked.weights.to_arrays("stacked.")
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
            "stacked": self.stacked.features.text if self.stacked is not None else None,
            "rounds": self.rounds,
            "storage": asdict(self.storage) if self.storage else None,
            "pruning": asdict(self.pruning) if self.pruning else None,
        }
        return manifest, arrays

    @classmethod
    def from_arrays(cls, manifest: dict[str, Any], arrays: Arrays) -> GraphModel:
        """The model that a file keeps."""
        settings = stored_settings(manifest["settings"])
        features = parse_edge_model(manifest["features"], settings.features)
        tables = {
            name: StringTable.unpack(arrays[f"strings.{name}"], arrays[f"offsets.{name}"])
            for name in features.attributes
        }
        labels = manifest["labels"]
        stacked = None
        if settings.stack:
            weights = PackedWeights.from_arrays(arrays, ARC_WEIGHTS, "stacked.")
            stacked = Stacked(read_stacked(str(manifest["stacked"]), features), weights)
        model = cls(
            settings,
            features,
            Attributes(tables),
            labels,
            arrays["label_places"],
            manifest["single_root"],
            PackedWeights.from_arrays(arrays, ARC_WEIGHTS, "arcs."),
            PackedWeights.from_arrays(arrays, len(labels), "labels."),
            PackedWeights.from_arrays(arrays, ARC_WEIGHTS, "directed.") if settings.enhance else None,
            stacked,
            manifest["rounds"] if settings.system == "bottom-up" else None,
            Storage(**manifest["storage"]) if manifest.get("storage") else None,
            arrays["lengths"] if settings.lengths else None,
            Pruning(**manifest["pruning"]) if manifest.get("pruning") else None,
        )
        model.check()
        return model

    def check(self) -> None:
        """Refuse what would lead native code astray, with `ValueError`: the weights have looked at themselves."""
        if not self.labels or self.settings.system not in DECODERS:
            raise ValueError("there are no labels, or no decoder")
        check_places(self.label_places, len(self.labels))
        if self.settings.system == "bottom-up":
            tag_attribute(self.features)
            check_rounds(self.rounds)
        if self.lengths is not None:
            size = table_size(self.attributes)
            if self.lengths.shape != (size, size) or self.lengths.dtype != np.int32:
                raise ValueError("the lengths are not of the tags that there are")


def without_cells(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """The scores with 0 in cells that are no arcs, which are then no arcs that may not be either."""
    scores[0] = 0
    np.fill_diagonal(scores, 0)
    return scores


def decoder_of(settings: Settings, single_root: bool) -> Decoder:
    """The decoder of the settings."""
    if settings.system == "undirected":
        usual = "boruvka" if settings.lengths else "prim"
        return Undirected(single_root, usual if settings.method == "auto" else settings.method)
    return Eisner(single_root) if settings.system == "eisner" else ChuLiuEdmonds(single_root)


def search_of(
    settings: Settings,
    features: EdgeModel,
    single_root: bool,
    labels: NDArray[np.uint8],
    attributes: Attributes,
    lengths: NDArray[np.int32] | None = None,
    rounds: Rounds | None = None,
) -> ArcFactors | JointFactors | RoundFactors:
    """The features and the decoder at work."""
    decoder = decoder_of(settings, single_root)
    if not features.arc_terms and settings.labels != "joint":
        raise TemplateError(f"{features.name}: there are no templates for arcs; write some, or take labels = 'joint'")
    if rounds is not None:
        tag = tag_attribute(features)
        how = (features.attributes.index(tag), round_numbers(rounds, attributes.tables[tag]), settings.absorb)
        places = labels if settings.child_labels else None
        return RoundFactors(features, decoder, *how, lengths=lengths, label_places=places)
    if len(features.late_singles) or len(features.late_pairs):
        raise TemplateError(f"{features.name}: only mst-bottom-up sees dependents while it looks for heads")
    if lengths is not None and settings.system == "undirected":
        lengths = of_edges(lengths)
    column = tag_column(attributes) if lengths is not None else -1
    if settings.labels == "joint":
        return JointFactors(features, decoder, labels, lengths=lengths, tag=column, k_best=settings.k_best)
    return ArcFactors(
        features,
        decoder,
        undirected=settings.system == "undirected" and settings.combine == "none",
        combine=settings.combine,
        lengths=lengths,
        tag=column,
        k_best=settings.k_best,
        loss=settings.loss,
    )


def directed_search(
    settings: Settings,
    features: EdgeModel,
    single_root: bool,
    attributes: Attributes,
    lengths: NDArray[np.int32] | None,
) -> ArcFactors | None:
    """The directed parser that enhances the trees of an undirected one, if the settings want it: that of `mst`.

    It scores both directions of each edge that the trees can have.
    """
    if not settings.enhance:
        return None
    if lengths is None:
        return ArcFactors(features, ChuLiuEdmonds(single_root))
    return ArcFactors(features, ChuLiuEdmonds(single_root), lengths=of_edges(lengths), tag=tag_column(attributes))
