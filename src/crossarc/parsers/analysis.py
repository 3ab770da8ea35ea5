"""The confidence of a parser in a sentence: its best trees with their scores, and how likely each arc and label is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossarc.errors import CrossarcError
from crossarc.parsers.constraints import NONE, Constraints, place_of
from crossarc.treebank.sentence import Sentence

Heads = NDArray[np.int32]
Scores = NDArray[np.float64]
# A function from the tree that a model finds, heads and names of labels, to the tree that it stands for.
Undo = Callable[[Heads, list[str]], tuple[Heads, list[str]]]

# What is written into comments and MISC.
RANK, SCORE, PROBABILITY = "tree_rank", "tree_score", "tree_probability"
HEAD_PROBABILITY, LABEL_PROBABILITY = "HeadProb", "LabelProb"
BELONG_TO_FIRST = ("newdoc", "newpar")  # comments on what begins with a sentence; a file has each once


@dataclass(frozen=True)
class Scales:
    """The factors by which the scores of a model are multiplied before they become probabilities.

    Transition parsers have one scale, `trees`: of actions, which are arcs with their labels. They alone have `arcs`,
    the power that flattens their marginals.
    """

    trees: float
    labels: float
    arcs: float = 1.0


# For models without a development set: what was found for some with one.
GRAPH_SCALES = Scales(2.5, 0.12)
TRANSITION_SCALES = Scales(0.045, 0.045, 0.6)


@dataclass(frozen=True, eq=False)
class Request:
    """The options of an analysis."""

    scales: Scales  # what makes probabilities of scores
    k: int = 1  # trees
    beam: int | None = None  # how many derivations a transition parser follows, if not as many as it chooses itself
    undo: Undo | None = None  # the trees of the model stand for others, which constraints and results are about
    keep_tags: bool = False  # tags that the sentences have stay, also if the model gives tags


@dataclass(frozen=True, eq=False)
class ScoredTree:
    """One tree of a sentence. Arrays have n + 1 entries; the probabilities of node 0 are 1.

    Numbers are NaN where the sentence was too long to find them, and are not written then.
    """

    heads: Heads
    deprels: list[str]
    score: float  # what the parser compares trees by, in units of its own
    probability: float  # of this tree among all trees that the parser considers
    head_probabilities: Scores  # of the head of each word, in whatever tree
    label_probabilities: Scores  # of the label of each word, given its head
    source: Sentence | None = field(default=None, repr=False)

    @cached_property
    def sentence(self) -> Sentence:
        """The sentence with this tree in HEAD and DEPREL."""
        if self.source is None:
            raise CrossarcError("this tree has no sentence yet; Analysis.of puts it into one")
        return self.source.replace(heads=self.heads, deprels=self.deprels)


@dataclass(frozen=True, eq=False)
class Analysis:
    """The best trees of a sentence, the first of which is the parse, and how likely each arc is."""

    trees: tuple[ScoredTree, ...]
    marginals: Scores  # at [dependent, head]; the rows of words sum to 1

    @property
    def best(self) -> ScoredTree:
        """The parse."""
        return self.trees[0]

    def of(self, sentence: Sentence) -> Analysis:
        """Return the analysis with its trees in a sentence."""
        return replace(self, trees=tuple(replace(tree, source=sentence) for tree in self.trees))

    def annotated(self, *, probabilities: bool = True) -> list[Sentence]:
        """The trees as sentences that say in comments, and with `probabilities` in MISC, how sure the parser is.

        The comments are `tree_score` and `tree_probability`, and `tree_rank` where there are several trees; the marks
        in MISC are `HeadProb` and `LabelProb`. Trees after the first get a `sent_id` of their own, since no two
        sentences of a file may have the same, and no `newdoc` or `newpar`.
        """
        return [annotate(tree, rank, len(self.trees), probabilities) for rank, tree in enumerate(self.trees, 1)]


def without_numbers(heads: Heads, names: list[str], constraints: Constraints) -> Analysis:
    """Return the parse of a sentence that is too long to know how likely anything is; required labels are set."""
    n = len(heads) - 1
    names, unknown = list(names), np.full(n + 1, np.nan)
    unknown[0] = 1.0
    for word, label in constraints.labels.items():
        names[word] = label
    marginals = np.zeros((n + 1, n + 1))
    marginals[np.arange(1, n + 1), heads[1:]] = 1.0
    return Analysis((ScoredTree(heads, names, float("nan"), float("nan"), unknown, unknown),), marginals)


def annotate(tree: ScoredTree, rank: int, count: int, probabilities: bool) -> Sentence:
    """Return the sentence of a tree with its scores in comments and MISC."""
    sentence = tree.sentence
    if sentence.format.index("misc") < 0:
        raise CrossarcError(
            f"{place_of(sentence)}: scores are written into comments and MISC, and {sentence.format.title} has no "
            "MISC; convert to CoNLL-U first"
        )
    comments = []
    for comment in sentence.comments:
        name = comment[1:].partition("=")[0].strip()
        if name in (RANK, SCORE, PROBABILITY) or (rank > 1 and name.split(" ")[0] in BELONG_TO_FIRST):
            continue
        comments.append(f"{comment}-tree{rank}" if name == "sent_id" and rank > 1 else comment)
    if count > 1:
        comments.append(f"# {RANK} = {rank} of {count}")
    if np.isnan(tree.probability):  # not known
        return sentence.replace(comments=comments)
    comments += [f"# {SCORE} = {tree.score:.4f}", f"# {PROBABILITY} = {tree.probability:.4f}"]
    if not probabilities:
        return sentence.replace(comments=comments)
    misc = [
        with_marks(old, {HEAD_PROBABILITY: f"{head:.4f}", LABEL_PROBABILITY: f"{label:.4f}"})
        for old, head, label in zip(
            sentence.misc, tree.head_probabilities.tolist(), tree.label_probabilities.tolist(), strict=True
        )
    ]
    return sentence.replace(comments=comments, misc=misc)


def with_marks(misc: str, marks: dict[str, str]) -> str:
    """A field of MISC with some marks, in the place of those of these names that it had."""
    kept = [mark for mark in misc.split("|") if mark not in ("", "_") and mark.partition("=")[0] not in marks]
    return "|".join([*kept, *(f"{name}={value}" for name, value in marks.items())])


@dataclass(frozen=True, eq=False)
class TreeSpace:
    """All trees of a sentence that satisfy constraints, as likely as exp(scale * the scores of all their arcs)."""

    scores: Scores  # [dependent, head]
    single_root: bool
    projective: bool = False
    scale: float = 1.0
    constraints: Constraints = NONE

    @property
    def limits(self) -> dict[str, ArrayLike | bool | None]:
        """The options of decoders."""
        n = len(self.scores) - 1
        return {
            "single_root": self.single_root,
            "required": self.constraints.required_heads(n),
            "forbidden": self.constraints.forbidden_arcs(n),
        }

    def score(self, heads: ArrayLike) -> float:
        """The score of a tree."""
        return float(self.scores[np.arange(1, len(self.scores)), np.asarray(heads)[1:]].sum())

    def best(self, k: int, first: Heads | None = None) -> Heads:
        """The heads of the k best trees, one a row, or all if there are fewer; of equal ones `first` comes first.

        `first` is the tree that the parser itself found, if the constraints allow it: it stays the parse even where
        the parser has ways of its own to find it.
        """
        if first is not None and self.constraints.allow(first):
            if k == 1:
                return first[None]
        else:
            first = None
        from crossarc import decode  # parsing needs nothing of it

        search = decode.projective_kbest if self.projective else decode.kbest
        heads, totals = search(self.scores, k, **self.limits)  # type: ignore[arg-type]
        heads = heads[totals > -np.inf]
        if first is None:
            return heads
        others = heads[(heads != first).any(axis=1)]
        return np.concatenate([first[None], others])[:k]

    def marginals(self) -> Scores:
        """The probability of each arc."""
        from crossarc import decode

        search = decode.projective_marginals if self.projective else decode.marginals
        return search(self.scale * self.scores, **self.limits)  # type: ignore[arg-type]

    def log_partition(self) -> float:
        """The logarithm of the sum over all trees."""
        from crossarc import decode

        search = decode.projective_log_partition if self.projective else decode.log_partition
        return float(search(self.scale * self.scores, **self.limits))  # type: ignore[arg-type]


def softmax(scores: Scores) -> Scores:
    """Probabilities along the last axis."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def head_probabilities(marginals: Scores, heads: Heads) -> Scores:
    """The marginals of the arcs of a tree; rounding may not lead out of 0..1."""
    result = np.ones(len(heads))
    result[1:] = marginals[np.arange(1, len(heads)), heads[1:]]
    return result.clip(0.0, 1.0)


def with_labels(names: list[str], chances: Scores, constraints: Constraints) -> tuple[list[str], Scores]:
    """Return the labels of a tree and their probabilities, required labels as they must be."""
    names, chances = list(names), chances.copy()
    for word, label in constraints.labels.items():
        names[word] = label
        chances[word] = 1.0
    return names, chances
