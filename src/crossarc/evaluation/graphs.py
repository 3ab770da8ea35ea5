"""Scores of graphs, where a word may have several heads: arcs found, whole graphs found, classes of arcs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from crossarc.errors import AlignmentError, TreebankError
from crossarc.evaluation.arc_kinds import EMPTY, Arcs, kind_set
from crossarc.evaluation.scores import ClassScore, Figures, Score, Share
from crossarc.evaluation.significance import Intervals, score_intervals
from crossarc.evaluation.trees import Counts, Mask, Place, Source, sentences_of

if TYPE_CHECKING:
    from crossarc.treebank.sentence import Sentence


@dataclass(frozen=True)
class ArcScores(Figures):
    """Labelled and unlabelled scores of one class of arcs, and their intervals if they were asked for."""

    labelled: ClassScore
    unlabelled: ClassScore
    labelled_intervals: Intervals | None = None
    unlabelled_intervals: Intervals | None = None


@dataclass(frozen=True)
class GraphScores(Figures):
    """Arcs (head, dependent, label) and pairs (head, dependent) that gold and system share.

    `classes` has "primary" (the arc is the one of the tree) and "secondary" (all others), each by the tree of its own
    side, or instead of them the kinds of the set that was asked for; then the given patterns. Recall asks which gold
    arcs of the class the system has at all, precision which arcs of the class in the system are gold arcs at all.
    """

    labelled: Score
    unlabelled: Score
    sentences: int
    exact: int
    exact_unlabelled: int
    classes: dict[str, ArcScores]
    kinds: str | None = None
    labelled_intervals: Intervals | None = None
    unlabelled_intervals: Intervals | None = None

    exact_match = Share("exact", "sentences")  # all arcs and labels right and none too many
    exact_match_unlabelled = Share("exact_unlabelled", "sentences")  # the same whatever the labels


@dataclass
class ArcColumns:
    """The arcs of one side, as they are collected."""

    sentence: list[int] = field(default_factory=list)
    dependents: list[int] = field(default_factory=list)
    heads: list[int] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)


def evaluate_graphs(
    gold: Source,
    system: Source,
    *,
    patterns: Mapping[str, str | re.Pattern[str]] | None = None,
    kinds: str | None = None,
    intervals: bool = False,
    seed: int = 0,
) -> GraphScores:
    """Score graphs over the same tokens, from files or streams of sentences.

    Words are the same by number, empty nodes by their ids (8.1 is 8.1). `patterns` names classes of arcs by
    regular expressions that must match the whole label, for example `{"anaphora": "ref", "controlled":
    r"\\[.*\\]"}`. `kinds` chooses a set of kinds of arcs, "danish" or "enhanced", see `arc_kinds`. `intervals` adds
    95% intervals of all scores, by resampling of sentences. Precision, recall and F are those of Sagae and Tsujii
    (2008), section 3.
    """
    expressions = {name: compile_pattern(name, pattern) for name, pattern in (patterns or {}).items()}
    chosen = kind_set(kinds) if kinds is not None else None
    names = chosen.names if chosen is not None else ("primary", "secondary")
    for name in expressions:
        if name in names:
            raise TreebankError(f"pattern {name!r} has the name of a kind of arcs; give it another name")
    left, right = ArcColumns(), ArcColumns()
    nodes = [0]
    ours: Sentence | None
    theirs: Sentence | None
    for number, (ours, theirs) in enumerate(zip_longest(sentences_of(gold), sentences_of(system))):
        if ours is None or theirs is None or ours.forms != theirs.forms:
            raise differing(number, ours, theirs)
        numbering = number_nodes(ours, theirs)
        for sentence, columns in ((ours, left), (theirs, right)):
            words = collect(sentence, number, nodes[-1], numbering, columns)
            # The kinds of a set are found by the gold tree. Otherwise each side has its own tree, if it has one.
            if chosen is not None:
                columns.kinds += chosen.kinds_of(ours, words)
            elif (sentence.heads[1:] >= 0).any():
                columns.kinds += places_in_tree(sentence.heads.tolist(), words)
            else:
                columns.kinds += places_in_gold_tree(ours, words)
        nodes.append(nodes[-1] + len(numbering if numbering is not None else ours.forms))
    for side, columns in (("gold", left), ("system", right)):
        if len(nodes) > 1 and not columns.labels:
            raise TreebankError(f"the {side} sentences have no graph: no arc in DEPS or the SDP columns")
    classes = Classes(names, expressions)
    scores = score_arcs(left, right, np.array(nodes, dtype=np.int64), classes, seed if intervals else None)
    return replace(scores, kinds=kinds)


def graphs_differ(gold: Iterable[Sentence], system: Iterable[Sentence]) -> bool:
    """Whether both sides have graphs, and not the same arcs and labels in every sentence.

    The order of the arcs is not a difference.
    """
    pairs = list(zip_longest(gold, system))
    if not all(any(pair[side] is not None and pair[side].has_graph for pair in pairs) for side in (0, 1)):
        return False
    return any(
        ours is None or theirs is None or (ours.raw != theirs.raw and named_arcs(ours) != named_arcs(theirs))
        for ours, theirs in pairs
    )


def named_arcs(sentence: Sentence) -> set[tuple[str, str, str]]:
    """The arcs of a graph by the ids of their nodes; none if there is no graph."""
    if not sentence.has_graph:
        return set()
    graph = sentence.graph
    return {(graph.nodes[head], graph.nodes[dependent], label) for head, dependent, label in graph}


def compile_pattern(name: str, pattern: str | re.Pattern[str]) -> re.Pattern[str]:
    """A pattern ready for use, or an error that says which one is wrong."""
    try:
        return re.compile(pattern)
    except re.error as error:
        raise TreebankError(f"pattern {name!r}: {pattern!r} is not a regular expression: {error}") from None


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
) -> list[tuple[int, int, str]]:
    """Add the arcs of a sentence, all but their kinds, and return them by the numbers of words, -1 for an empty node.

    In the columns heads are numbers within the sentence, dependents in the file.
    """
    if not sentence.has_graph:
        return []
    graph = sentence.graph
    heads, dependents = graph.heads.tolist(), graph.dependents.tolist()
    words = list(zip(heads, dependents, graph.labels, strict=True))
    if numbering is not None:
        word = [int(name) if name.isdigit() else EMPTY for name in graph.nodes]
        words = [(word[h], word[d], label) for h, d, label in words]
        common = [numbering[name] for name in graph.nodes]
        heads, dependents = [common[h] for h in heads], [common[d] for d in dependents]
    columns.sentence += [number] * len(heads)
    columns.dependents += [offset + d for d in dependents]
    columns.heads += heads
    columns.labels += graph.labels
    return words


def places_in_gold_tree(gold: Sentence, arcs: Arcs) -> list[str]:
    """Which arcs of a side without a tree are primary: those of the gold tree, else the first arc of the word."""
    tree: list[int] = gold.heads.tolist()
    own = tree[:1] + [EMPTY] * (len(tree) - 1)
    for head, dependent, _ in sorted(arcs):
        if dependent != EMPTY and (own[dependent] == EMPTY or head == tree[dependent]):
            own[dependent] = head
    return places_in_tree(own, arcs)


def places_in_tree(tree: list[int], arcs: Arcs) -> list[str]:
    """Which arcs are primary, the arc of the tree, and which secondary; an empty node is in no tree."""
    return [
        "primary" if head != EMPTY and dependent != EMPTY and tree[dependent] == head else "secondary"
        for head, dependent, _ in arcs
    ]


@dataclass(frozen=True)
class Classes:
    """Classes of arcs by kind, which an arc has one of, and by patterns over labels."""

    kinds: tuple[str, ...]
    patterns: Mapping[str, re.Pattern[str]]


class Side(NamedTuple):
    """The arcs of one side as numbers, an arc written twice counted once."""

    pair: Counts
    arc: Counts  # the pair with its label
    sentence: Counts
    label: Counts
    kind: Counts


def side_of(columns: ArcColumns, widest: int, labels: Mapping[str, int], kinds: tuple[str, ...]) -> Side:
    """The arcs of one side; each becomes one number, so that sets of numbers can be compared."""
    pair = np.array(columns.dependents, np.int64) * widest + np.array(columns.heads, np.int64)
    label = np.fromiter(map(labels.__getitem__, columns.labels), np.int64, len(columns.labels))
    kind = np.fromiter(map(kinds.index, columns.kinds), np.int64, len(columns.kinds))
    arc, first = np.unique(pair * max(len(labels), 1) + label, return_index=True)
    return Side(pair[first], arc, np.array(columns.sentence, np.int64)[first], label[first], kind[first])


def score_arcs(
    left: ArcColumns, right: ArcColumns, nodes: Counts, classes: Classes, seed: int | None = None
) -> GraphScores:
    """The scores of collected arcs; with a seed also their intervals."""
    labels = {label: k for k, label in enumerate(dict.fromkeys([*left.labels, *right.labels]))}
    widest = int(np.diff(nodes).max(initial=1))
    gold, system = (side_of(columns, widest, labels, classes.kinds) for columns in (left, right))
    # In gold, whether the system has the arc; in the system, whether it is right. With labels and without.
    found = np.isin(gold.arc, system.arc, assume_unique=True), np.isin(gold.pair, system.pair)
    correct = np.isin(system.arc, gold.arc, assume_unique=True), np.isin(system.pair, gold.pair)
    sentences = len(nodes) - 1

    def count(side: Side, *chosen: Mask) -> Counts:
        return np.bincount(side.sentence[np.logical_and.reduce(chosen)], minlength=sentences)

    def intervals(*counts: Counts) -> Intervals | None:
        return score_intervals(*counts, seed=seed) if seed is not None else None

    def class_score(in_gold: Mask, in_system: Mask) -> ArcScores:
        parts = [
            (count(gold, in_gold), count(gold, in_gold, f), count(system, in_system), count(system, in_system, c))
            for f, c in zip(found, correct, strict=True)
        ]
        scores = [ClassScore(*(int(each.sum()) for each in part)) for part in parts]
        return ArcScores(scores[0], scores[1], *(intervals(*part) for part in parts))

    by_kind = {name: class_score(gold.kind == k, system.kind == k) for k, name in enumerate(classes.kinds)}
    by_pattern = {}
    for name, expression in classes.patterns.items():
        match = np.array([expression.fullmatch(label) is not None for label in labels], dtype=np.bool_)
        by_pattern[name] = class_score(match[gold.label], match[system.label])
    # The first arc of each pair stands for it.
    pairs = tuple(
        np.isin(np.arange(len(side.pair)), np.unique(side.pair, return_index=True)[1]) for side in (gold, system)
    )
    whole = np.ones(len(gold.arc), np.bool_), np.ones(len(system.arc), np.bool_)
    total = [
        (count(gold, g), count(gold, g, f), count(system, s), count(system, s, c))
        for (g, s), f, c in zip((whole, pairs), found, correct, strict=True)
    ]
    overall = [Score(int(part[1].sum()), int(part[0].sum()), int(part[2].sum())) for part in total]
    exact = [int(((part[0] == part[1]) & (part[2] == part[3])).sum()) for part in total]
    return GraphScores(
        labelled=overall[0],
        unlabelled=overall[1],
        sentences=sentences,
        exact=exact[0],
        exact_unlabelled=exact[1],
        classes=by_kind | by_pattern,
        labelled_intervals=intervals(*total[0]),
        unlabelled_intervals=intervals(*total[1]),
    )
