"""Second-order parsers: arcs and pairs of arcs, among the arcs that a first-order model keeps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from crossarc.components.component import Arrays, part, prefixed
from crossarc.factors.arc_pairs import SecondOrderFactors
from crossarc.factors.arcs import ARC_WEIGHTS
from crossarc.features.attributes import Attributes
from crossarc.features.edges import EdgeModel
from crossarc.features.templates import TemplateError
from crossarc.learning.scorers import PackedWeights, Scorer, SingleWeights, Weights
from crossarc.parsers.arcs.finders import ArcFinder, Scores, Starts, TreeFinder
from crossarc.parsers.arcs.label_lists import LabelLists, tags_of
from crossarc.parsers.arcs.model import ArcTreeModel
from crossarc.parsers.arcs.settings import OWN_STARTS, ArcSettings, SecondOrderSettings
from crossarc.parsers.arcs.trainer import ArcTreeTrainer
from crossarc.parsers.constraints import Constraints
from crossarc.parsers.model import Ints
from crossarc.parsers.trees import Trees
from crossarc.treebank.corpus import Corpus

if TYPE_CHECKING:
    from crossarc.learning.scorers import Rows

MARGIN = 2.0  # of the scores of the first-order model: heads further below the best one are not kept


@dataclass(frozen=True, eq=False, kw_only=True)
class SecondOrderFinder(ArcFinder):
    """A first-order model that keeps some heads of each word, and the weights of arcs and pairs of arcs."""

    settings: SecondOrderSettings
    part_weights: PackedWeights  # of the arcs that are kept
    pair_weights: SingleWeights | None  # None where those of labels serve for pairs too
    label_places: NDArray[np.uint8]
    label_lists: LabelLists | None  # where labels are found with the tree
    finds_best: ClassVar[bool] = False

    def part_factors(self, coarse: Any) -> SecondOrderFactors:
        """Return pairs of arcs at work with the first-order model, for one thread."""
        return part_factors(self.settings, self.features, self.single_root, coarse, self.label_places, self.label_lists)

    def find_labelled(
        self, tokens: Ints, starts: Starts, label_weights: PackedWeights, given: Ints | None = None
    ) -> tuple[Ints, Ints]:
        """Return the heads of the best trees, and their labels if they are found with the tree.

        Moves also start from the trees whose heads are `given`.
        """
        heads, labels = np.full((2, len(tokens)), -1, dtype=np.int32)
        coarse = self.factors(self.lengths)
        self.part_factors(coarse).find_trees(
            *self.all_weights(label_weights),
            tokens,
            starts,
            heads,
            labels if self.label_lists is not None else None,
            given,
        )
        if self.lengths is not None:
            self.lengths.count(coarse)
        return heads, labels

    def all_weights(self, label_weights: PackedWeights) -> tuple[PackedWeights, PackedWeights, Scorer]:
        """Return the weights of the first-order model, of arcs and of pairs of arcs."""
        pairs = self.pair_weights if self.pair_weights is not None else label_weights
        return self.weights, self.part_weights, pairs

    def find_under(self, tokens: Ints, constraints: Constraints, label_weights: PackedWeights) -> Ints | None:
        """Return the heads of the best tree of one sentence that satisfies constraints, None if there is none."""
        forbidden = constraints.left_out(len(tokens) - 1).astype(np.uint8)
        factors = self.part_factors(self.factors(self.lengths))
        return factors.find_tree(*self.all_weights(label_weights), tokens, forbidden)

    def to_arrays(self) -> Arrays:
        """Return the weights as a model file keeps them."""
        lists = self.label_lists.to_arrays() if self.label_lists is not None else {}
        pairs = self.pair_weights.to_arrays("pairs.") if self.pair_weights is not None else {}
        return super().to_arrays() | self.part_weights.to_arrays("parts.") | pairs | lists


@dataclass(frozen=True, eq=False)
class SecondOrderModel(ArcTreeModel):
    """A second-order parser with labels after the tree, or with the tree."""

    settings: SecondOrderSettings
    finder: SecondOrderFinder

    def parse(self, corpus: Corpus) -> tuple[Ints, Ints]:
        """Return heads and labels of all nodes of a corpus."""
        if not corpus.starts[-1] or np.diff(corpus.starts).max() - 1 > self.long_sentence:
            return super().parse(corpus)
        return self.parse_tokens(self.attributes.encode(corpus), corpus.starts, self.start_trees(corpus))

    def start_trees(self, corpus: Corpus) -> Ints | None:
        """Return the heads of all nodes in trees that moves start from besides the parser's own; None for none."""
        return None

    def parse_tokens(self, tokens: Ints, starts: Starts, given: Ints | None = None) -> tuple[Ints, Ints]:
        """Return heads and labels of the sentences that begin at `starts`."""
        if not len(tokens):
            return super().parse_tokens(tokens, starts)
        heads, labels = self.finder.find_labelled(tokens, starts, self.label_weights, given)
        if self.settings.labels == "joint":
            return heads, labels
        self.label_factors().find_labels(self.label_weights, tokens, starts, heads, labels)
        return heads, labels

    def pruning(self, gold: Corpus) -> tuple[float, float]:
        """Return how many heads of a word are kept on average, and which share of the gold heads is not, in percent."""
        finder, words = self.finder, max(1, int((gold["head"] >= 0).sum()))
        factors = finder.part_factors(finder.factors(self.lengths))
        kept, right = factors.count_kept(finder.weights, self.attributes.encode(gold), gold.starts, gold["head"])
        return kept / words, 100 * (1 - right / words)

    def parse_under(self, sentence: Ints, constraints: Constraints) -> Ints | None:
        """Return the heads of the parse under constraints; None if there is none."""
        return self.finder.find_under(sentence, constraints, self.label_weights)

    def label_scores(self, sentence: Ints, heads: Ints) -> Scores:
        """Return the scores of all labels for the arcs of a tree, at [dependent, label]."""
        if self.settings.labels == "after":
            return super().label_scores(sentence, heads)
        factors = self.finder.part_factors(self.finder.factors(None))
        return factors.label_scores(self.label_weights, sentence, heads)

    @classmethod
    def label_actions(cls, settings: ArcSettings, labels: int) -> int:
        """Return how many actions the weights of so many labels have; with the tree, one more for any label."""
        return labels + (isinstance(settings, SecondOrderSettings) and settings.labels == "joint")

    @classmethod
    def stored_finder(
        cls, shared: dict[str, Any], attributes: Attributes, manifest: dict[str, Any], arrays: Arrays
    ) -> tuple[TreeFinder, EdgeModel]:
        """Return the finder of trees by the weights of a file, and the features of its label model."""
        settings = shared["settings"]
        if not isinstance(settings, SecondOrderSettings):
            raise ValueError("the settings belong to another family")
        lists = None
        if settings.labels == "joint":
            lists = LabelLists.from_arrays(arrays, *tags_of(attributes), len(manifest["labels"]))
        finder = SecondOrderFinder(
            **shared,
            weights=PackedWeights.from_arrays(arrays, ARC_WEIGHTS, "arcs."),
            part_weights=PackedWeights.from_arrays(arrays, ARC_WEIGHTS, "parts."),
            pair_weights=SingleWeights.from_arrays(arrays, "pairs.") if lists is None else None,
            label_places=arrays["label_places"],
            label_lists=lists,
        )
        return finder, shared["features"]


class SecondOrderTrainer(ArcTreeTrainer):
    """Learns the first-order model, the second-order one, and labels."""

    model_type = SecondOrderModel
    settings: SecondOrderSettings

    def __init__(self, trees: Trees, settings: SecondOrderSettings, init: SecondOrderModel | None) -> None:
        super().__init__(trees, settings, init)
        examples = self.examples
        before = init.finder if init is not None else None
        self.part_weights = examples.first_weights(ARC_WEIGHTS, before.part_weights if before is not None else None)
        self.pair_weights: Weights | None = None
        self.label_lists: LabelLists | None = None
        if settings.labels == "after":
            self.pair_weights = examples.first_weights(1, before.pair_weights if before is not None else None)
        else:
            count = len(examples.trees.names)
            rows = with_any_label(init.label_weights.unpack(), len(init.labels), count) if init is not None else None
            self.labels.weights = examples.first_weights(count + 1, rows)
            lists = LabelLists.of(examples.tokens, *tags_of(examples.attributes), examples.trees)
            self.label_lists = lists.merged(before.label_lists if before is not None else None)
        what = (settings, examples.features, examples.single_root, self.arcs.factors)
        self.factors = part_factors(*what, examples.label_places, self.label_lists)

    def learn(self, sentences: NDArray[np.int64]) -> tuple[int, int]:
        """Learn from some sentences; return how many heads and labels there are and how many of them are wrong."""
        examples, trees = self.examples, self.examples.trees
        joint = self.settings.labels == "joint"
        words, wrong = self.factors.learn(
            self.arcs.weights,
            self.part_weights,
            self.pair_weights if self.pair_weights is not None else self.labels.weights,
            examples.tokens,
            trees.heads,
            trees.labels if joint else None,
            trees.starts,
            sentences,
            examples.cost,
            self.settings.augment,
        )
        if joint:
            return words, wrong
        labels, wrong_labels = self.labels.learn(sentences)
        return words + labels, wrong + wrong_labels

    def finder(self) -> SecondOrderFinder:
        """Return the finder of trees by the weights so far."""
        pairs = self.pair_weights
        return SecondOrderFinder(
            **self.examples.shared(),
            weights=self.arcs.packed(),
            part_weights=self.examples.packed(self.part_weights),
            pair_weights=self.packed(pairs) if pairs is not None else None,
            label_places=self.examples.label_places,
            label_lists=self.label_lists,
        )

    def packed(self, pairs: Weights) -> SingleWeights:
        """Return the weights of pairs as a model keeps them."""
        return SingleWeights.of(pairs.averages(), self.settings.prune)

    def state(self) -> Arrays:
        """Return the weights, for a checkpoint."""
        arrays = super().state() | prefixed(self.part_weights.to_arrays(), "parts.")
        return arrays | (prefixed(self.pair_weights.to_arrays(), "pairs.") if self.pair_weights is not None else {})

    def restore(self, arrays: Arrays) -> None:
        """Go on from the weights of a checkpoint."""
        super().restore(arrays)
        self.part_weights = Weights.from_arrays(part(arrays, "parts."), ARC_WEIGHTS, self.settings.cut)
        if self.pair_weights is not None:
            self.pair_weights = Weights.from_arrays(part(arrays, "pairs."), 1, self.settings.cut)


def with_any_label(rows: Rows, old: int, new: int) -> Rows:
    """Return weights of so many old labels and one action behind them, with that action behind the new labels."""
    keys, bounds, actions, values = rows
    return keys, bounds, np.where(actions == old, new, actions).astype(np.int32), values


def part_factors(
    settings: SecondOrderSettings,
    features: EdgeModel,
    single_root: bool,
    coarse: Any,
    label_places: NDArray[np.uint8],
    lists: LabelLists | None,
) -> SecondOrderFactors:
    """Return pairs of arcs at work, with the first-order model that keeps arcs."""
    if not len(features.siblings) and not len(features.grandchildren):
        raise TemplateError(
            f"{features.name}: there are no templates for siblings or grandchildren; take mst, or write some"
        )
    labels: dict[str, Any] = {}
    if lists is not None:
        filtered = (lists.column, lists.rows, lists.starts, lists.labels)
        labels = {"label_places": label_places, "label_filter": filtered}
    search: dict[str, Any] = {"heads": settings.heads, "margin": MARGIN, "threshold": settings.reattach}
    starts = tuple(OWN_STARTS[name] for name in settings.starts if name in OWN_STARTS)
    return SecondOrderFactors(features, coarse, single_root, starts=starts, **search, **labels)
