"""Scores of graphs, where a word may have several heads: arcs found, whole graphs found, classes of arcs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import TYPE_CHECKING

import numpy as np

from crossarc.errors import AlignmentError, TreebankError
from crossarc.evaluation.scores import ClassScore, Figures, Score, Share
from crossarc.evaluation.trees import Counts, Mask, Place, Source, sentences_of

if TYPE_CHECKING:
    from crossarc.treebank.sentence import Sentence


@dataclass(frozen=True)
class ArcScores(Figures):
    """Labelled and unlabelled scores of one class of arcs."""

    labelled: ClassScore
    unlabelled: ClassScore


@dataclass(frozen=True)
class GraphScores(Figures):
    """Arcs (head, dependent, label) and pairs (head, dependent) that gold and system share.

    `classes` has "primary" (the arc is the one of the tree), "secondary" (all others) and the given patterns.
    An arc is of a class by the tree or label of its own side: recall asks which gold arcs of the class the
    system has at all, precision which arcs of the class in the system are gold arcs at all.
    """

    labelled: Score
    unlabelled: Score
    sentences: int
    exact: int
    exact_unlabelled: int
    classes: dict[str, ArcScores]

    exact_match = Share("exact", "sentences")  # all arcs and labels right and none too many
    exact_match_unlabelled = Share("exact_unlabelled", "sentences")  # the same whatever the labels


@dataclass
class ArcColumns:
    """The arcs of one side, as they are collected."""

    sentence: list[int] = field(default_factory=list)
    dependents: list[int] = field(default_factory=list)
    heads: list[int] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    primary: list[bool] = field(default_factory=list)


def evaluate_graphs(
    gold: Source, system: Source, *, patterns: Mapping[str, str | re.Pattern[str]] | None = None
) -> GraphScores:
    """Score graphs over the same tokens, from files or streams of sentences.

    Words are the same by number, empty nodes by their ids (8.1 is 8.1). `patterns` names classes of arcs by
    regular expressions that must match the whole label, for example `{"anaphora": "ref", "controlled":
    r"\\[.*\\]"}`. Precision, recall and F are those of Sagae and Tsujii (2008), section 3.
    """
    expressions = {name: compile_pattern(name, pattern) for name, pattern in (patterns or {}).items()}
    left, right = ArcColumns(), ArcColumns()
    nodes = [0]
    ours: Sentence | None
    theirs: Sentence | None
    for number, (ours, theirs) in enumerate(zip_longest(sentences_of(gold), sentences_of(system))):
        if ours is None or theirs is None or ours.forms != theirs.forms:
            raise differing(number, ours, theirs)
        numbering = number_nodes(ours, theirs)
        for sentence, columns in ((ours, left), (theirs, right)):
            collect(sentence, number, nodes[-1], numbering, columns)
        nodes.append(nodes[-1] + len(numbering if numbering is not None else ours.forms))
    for side, columns in (("gold", left), ("system", right)):
        if len(nodes) > 1 and not columns.labels:
            raise TreebankError(f"the {side} sentences have no graph: no arc in DEPS or the SDP columns")
    return score_arcs(left, right, np.array(nodes, dtype=np.int64), expressions)


def compile_pattern(name: str, pattern: str | re.Pattern[str]) -> re.Pattern[str]:
    """A pattern ready for use, or an error that says which one is wrong."""
    try:
        return re.compile(pattern)
    except re.error as error:
        raise TreebankError(f"pattern {name!r}: {pattern!r} is no regular expression: {error}") from None


def differing(number: int, ours: Sentence | None, theirs: Sentence | None) -> AlignmentError:
    """The error about a pair of sentences that do not have the same words."""
    left, right = (
        "nothing" if each is None else f"{Place(each.id, each.source, each.line)} with {' '.join(each.forms[1:6])!r}"
        for each in (ours, theirs)
    )
    return AlignmentError(f"sentence {number + 1}: gold is {left}, the system has {right}; graphs need the same words")


def number_nodes(ours: Sentence, theirs: Sentence) -> dict[str, int] | None:
    """One numbering of the nodes of both sides by their ids; None when there are words only."""
    if not ours.empty_nodes and not theirs.empty_nodes:
        return None
    return {name: k for k, name in enumerate(dict.fromkeys([*ours.graph.nodes, *theirs.graph.nodes]))}


def collect(
    sentence: Sentence, number: int, offset: int, numbering: dict[str, int] | None, columns: ArcColumns
) -> None:
    """Add the arcs of a sentence; heads are numbers within the sentence, dependents in the file."""
    if not sentence.has_graph:
        return
    graph = sentence.graph
    heads, dependents = graph.heads.tolist(), graph.dependents.tolist()
    tree = sentence.heads.tolist()
    if numbering is not None:
        # Words of the tree by their numbers, -1 for an empty node: it is in no tree.
        word = [int(name) if name.isdigit() else -1 for name in graph.nodes]
        primary = [
            word[h] >= 0 and word[d] >= 0 and tree[word[d]] == word[h] for h, d in zip(heads, dependents, strict=True)
        ]
        common = [numbering[name] for name in graph.nodes]
        heads, dependents = [common[h] for h in heads], [common[d] for d in dependents]
    else:
        primary = [tree[d] == h for h, d in zip(heads, dependents, strict=True)]
    columns.sentence += [number] * len(heads)
    columns.dependents += [offset + d for d in dependents]
    columns.heads += heads
    columns.labels += graph.labels
    columns.primary += primary


def score_arcs(
    left: ArcColumns, right: ArcColumns, nodes: Counts, expressions: Mapping[str, re.Pattern[str]]
) -> GraphScores:
    """The scores of collected arcs; each arc becomes one number, and sets of numbers are compared."""
    numbers = {label: k for k, label in enumerate(dict.fromkeys([*left.labels, *right.labels]))}
    matches = {
        name: np.array([expression.fullmatch(label) is not None for label in numbers], dtype=np.bool_)
        for name, expression in expressions.items()
    }
    widest = int(np.diff(nodes).max(initial=1))
    # Both sides as (pair, pair with label, sentence, label number, primary), an arc written twice counted once.
    sides = []
    for columns in (left, right):
        pair = np.array(columns.dependents, np.int64) * widest + np.array(columns.heads, np.int64)
        label = np.fromiter(map(numbers.__getitem__, columns.labels), np.int64, len(columns.labels))
        arc, first = np.unique(pair * max(len(numbers), 1) + label, return_index=True)
        sides.append(
            (
                pair[first],
                arc,
                np.array(columns.sentence, np.int64)[first],
                label[first],
                np.array(columns.primary, np.bool_)[first],
            )
        )
    (gold_pair, gold_arc, gold_sentence, gold_label, gold_primary), (pair, arc, sentence, label, primary) = sides
    found, found_pair = np.isin(gold_arc, arc, assume_unique=True), np.isin(gold_pair, pair)
    right_arc, right_pair = np.isin(arc, gold_arc, assume_unique=True), np.isin(pair, gold_pair)

    def class_score(in_gold: Mask, in_system: Mask) -> ArcScores:
        return ArcScores(
            ClassScore(
                int(in_gold.sum()), int(found[in_gold].sum()), int(in_system.sum()), int(right_arc[in_system].sum())
            ),
            ClassScore(
                int(in_gold.sum()),
                int(found_pair[in_gold].sum()),
                int(in_system.sum()),
                int(right_pair[in_system].sum()),
            ),
        )

    classes = {
        "primary": class_score(gold_primary, primary),
        "secondary": class_score(~gold_primary, ~primary),
        **{name: class_score(match[gold_label], match[label]) for name, match in matches.items()},
    }
    gold_pairs, system_pairs = np.unique(gold_pair), np.unique(pair)
    sentences = len(nodes) - 1

    def whole(missed: Mask, wrong: Mask) -> int:
        bad = np.zeros(sentences, dtype=np.bool_)
        bad[gold_sentence[missed]] = True
        bad[sentence[wrong]] = True
        return int((~bad).sum())

    return GraphScores(
        labelled=Score(int(found.sum()), len(gold_arc), len(arc)),
        unlabelled=Score(
            len(np.intersect1d(gold_pairs, system_pairs, assume_unique=True)), len(gold_pairs), len(system_pairs)
        ),
        sentences=sentences,
        exact=whole(~found, ~right_arc),
        exact_unlabelled=whole(~found_pair, ~right_pair),
        classes=classes,
    )
