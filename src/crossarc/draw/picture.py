"""The content of a picture: the nodes of a sentence in order, and its arcs with their properties.

Terminal, SVG and HTML all draw a `Picture`, so that they show the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from crossarc.draw.characters import ELLIPSIS, runs_right_to_left
from crossarc.errors import AlignmentError, StructureError, UnknownName
from crossarc.structure import non_projective_edges
from crossarc.treebank import Sentence
from crossarc.treebank.formats import COLUMNS

LONGEST_FORM = 40
NO_FORM = "∅"

Status = Literal["same", "missed", "wrong", "relabelled"]


@dataclass(frozen=True, slots=True)
class Node:
    """A word or an empty node: its id in the file, its form, its tags, and whether it has no head."""

    id: str
    form: str
    tags: tuple[str, ...] = ()
    empty: bool = False
    headless: bool = False


@dataclass(frozen=True, slots=True)
class Arc:
    """An arc between positions in the picture; head 0 is the root.

    `extra` arcs are in the graph but not in the tree. `status` is the result of a comparison: in both analyses, only in
    gold (missed), only in the system's (wrong), or in both with different labels.
    """

    head: int
    dependent: int
    label: str
    extra: bool = False
    crossing: bool = False
    status: Status = "same"

    @property
    def span(self) -> tuple[int, int]:
        """The two ends from left to right."""
        return min(self.head, self.dependent), max(self.head, self.dependent)

    @property
    def below(self) -> bool:
        """Whether the arc is drawn below the words (right of them on a terminal): extra arcs and a system's errors."""
        return self.extra or self.status == "wrong"


@dataclass(frozen=True)
class Picture:
    """Nodes, the root first, and the arcs between them; `number` is the position of the sentence in its file."""

    id: str
    text: str
    nodes: tuple[Node, ...]
    arcs: tuple[Arc, ...]
    comparison: bool = False
    number: int = 0

    @cached_property
    def right_to_left(self) -> bool:
        """Whether the sentence is written from right to left."""
        return runs_right_to_left("".join(node.form for node in self.nodes))

    @property
    def has_crossing(self) -> bool:
        """Whether an arc is non-projective."""
        return any(arc.crossing for arc in self.arcs)

    @property
    def differs(self) -> bool:
        """Whether the two analyses of a comparison differ."""
        return any(arc.status != "same" for arc in self.arcs)

    def shown(self, place: int) -> str:
        """The form in a picture: cut if it is very long, and a sign for an empty node without a form."""
        node = self.nodes[place]
        form = node.form or (NO_FORM if node.empty else "")
        return form if len(form) <= LONGEST_FORM else form[: LONGEST_FORM - 1] + ELLIPSIS

    def describe(self, arc: Arc) -> str:
        """The arc in words, for tooltips and screen readers."""
        head = self.nodes[arc.head].form if arc.head else "root"
        notes = [
            note
            for note, holds in (
                ("crossing", arc.crossing),
                ("in the graph only", arc.extra),
                ("missed: only in gold", arc.status == "missed"),
                ("wrong: only in the system's", arc.status == "wrong"),
                ("label differs: gold → system", arc.status == "relabelled"),
            )
            if holds
        ]
        return f"{arc.label}: {self.nodes[arc.dependent].form} ← {head}" + (f" ({', '.join(notes)})" if notes else "")


def picture_of(sentence: Sentence, tags: Sequence[str] = ("upos",)) -> Picture:
    """The picture of a sentence: its tree, and the arcs that are only in its graph.

    A sentence without a tree shows its graph in the place of the tree.
    """
    nodes = nodes_of(sentence, tags)
    main, graph = arcs_of(sentence, nodes)
    return Picture(sentence.id, sentence.text, mark_headless(nodes, main), (*main, *additional_arcs(graph, main)))


def nodes_of(sentence: Sentence, tags: Sequence[str]) -> tuple[Node, ...]:
    """The nodes in surface order, the root first."""
    valid = {*COLUMNS, *sentence.format.columns}
    for name in tags:
        if name not in valid:
            raise UnknownName("column", name, valid)
    nodes = [Node("0", "")]
    for row in sentence.rows if sentence.empty_nodes else sentence:
        if not row.is_range:
            form = blank(row.form) if row.is_empty else row.form
            nodes.append(Node(row.id, form, tuple(blank(row[name]) for name in tags), row.is_empty))
    return tuple(nodes)


def arcs_of(sentence: Sentence, nodes: Sequence[Node]) -> tuple[list[Arc], list[Arc]]:
    """The arcs of the tree and of the graph, between positions; without a tree the graph takes its place."""
    words = [place for place, node in enumerate(nodes) if not node.empty]
    heads = sentence.heads
    beyond = np.flatnonzero(heads > len(sentence))
    if len(beyond):
        place = f"{sentence.source or '<input>'}:{sentence[int(beyond[0])].line}: sentence {sentence.id!r}"
        raise StructureError(
            f"{place}: word {beyond[0]} has the head {heads[beyond[0]]}, but there are {len(sentence)} words; crossarc "
            "validate shows all such faults"
        )
    crossing = crossing_dependents(heads)
    tree = [
        Arc(words[head], words[word], blank(label), crossing=word in crossing)
        for word, (head, label) in enumerate(zip(heads.tolist(), sentence.deprels, strict=True))
        if word and head >= 0
    ]
    if not sentence.has_graph:
        return tree, []
    graph = sentence.graph
    places = {node.id: place for place, node in enumerate(nodes)}
    arcs = [
        Arc(places[graph.nodes[head]], places[graph.nodes[dependent]], blank(label)) for head, dependent, label in graph
    ]
    return (tree, arcs) if tree else (mark_crossing(arcs), [])


def has_tree(sentence: Sentence) -> bool:
    """Whether any word has a head."""
    return bool((sentence.heads >= 0).any())


def mark_headless(nodes: Sequence[Node], arcs: Sequence[Arc]) -> tuple[Node, ...]:
    """The nodes with `headless` set for words without an incoming arc; without any arcs none is set."""
    reached = {0, *(arc.dependent for arc in arcs)}
    return tuple(
        replace(node, headless=bool(arcs) and not node.empty and place not in reached)
        for place, node in enumerate(nodes)
    )


def blank(value: str) -> str:
    """The value of a column; an empty string for an underscore."""
    return "" if value == "_" else value


def additional_arcs(graph: Sequence[Arc], tree: Sequence[Arc]) -> list[Arc]:
    """The arcs of a graph that are not in the tree, as extra arcs.

    The first arc whose label only refines that of the tree ("nmod:of" for "nmod") counts as an arc of the tree.
    """
    labels: dict[tuple[int, int], list[str]] = {}
    for arc in graph:
        labels.setdefault((arc.head, arc.dependent), []).append(arc.label)
    known = set()
    for arc in tree:
        found = labels.get((arc.head, arc.dependent), [])
        finer = (label for label in found if label.startswith(arc.label + ":"))
        known.add((arc.head, arc.dependent, arc.label if arc.label in found else next(finer, "")))
    return [replace(arc, extra=True) for arc in graph if (arc.head, arc.dependent, arc.label) not in known]


def crossing_dependents(heads: NDArray[np.int32]) -> set[int]:
    """The dependents of non-projective edges; if the heads are not a tree, of arcs that cross another."""
    try:
        return set(non_projective_edges(heads).tolist())
    except StructureError:
        arcs = [Arc(head, word, "") for word, head in enumerate(heads.tolist()) if word and head >= 0]
        return {arc.dependent for arc in mark_crossing(arcs) if arc.crossing}


def mark_crossing(arcs: Sequence[Arc]) -> list[Arc]:
    """The arcs with `crossing` set if they cross another; arcs from the root do not count."""
    spans = np.array([arc.span for arc in arcs], dtype=np.int64).reshape(-1, 2)
    low, high = spans[:, 0], spans[:, 1]
    proper = low > 0
    marked = []
    for arc, (first, last) in zip(arcs, spans.tolist(), strict=True):
        inner = (low > first) & (low < last) & (high > last)
        outer = (high > first) & (high < last) & (low < first)
        marked.append(replace(arc, crossing=first > 0 and bool((proper & (inner | outer)).any())))
    return marked


def comparison_of(gold: Sentence, system: Sentence, tags: Sequence[str] = ("upos",)) -> Picture:
    """Two analyses of the same words in one picture.

    Graph arcs that are in neither tree are compared only if both sentences have a graph: a tree parser has none. If
    both have a graph and only one has a tree, the graphs are compared: a parser of graphs may give no tree.
    """
    check_same_words(gold, system)
    nodes = merged_nodes(nodes_of(gold, tags), nodes_of(system, tags))
    main, graph = arcs_of(gold, nodes)
    other_main, other_graph = arcs_of(system, nodes)
    if gold.has_graph and system.has_graph and has_tree(gold) != has_tree(system):
        main, graph = (mark_crossing(graph), []) if has_tree(gold) else (main, [])
        other_main, other_graph = (mark_crossing(other_graph), []) if has_tree(system) else (other_main, [])
    extra = additional_arcs(graph, [*main, *other_main])
    other_extra = additional_arcs(other_graph, [*main, *other_main])
    arcs = compared_arcs(main, other_main)
    arcs += compared_arcs(extra, other_extra) if graph and other_graph else extra or other_extra
    arcs.sort(key=lambda arc: (arc.extra, arc.dependent, arc.status, arc.head, arc.label))
    nodes = mark_headless(nodes, main)
    return Picture(gold.id or system.id, gold.text or system.text, nodes, tuple(arcs), comparison=True)


def check_same_words(gold: Sentence, system: Sentence) -> None:
    """Refuse two sentences with different words."""
    name = f"sentence {gold.id!r}" if gold.id else f"the sentence {gold.text!r}"
    if len(gold) != len(system):
        raise AlignmentError(
            f"{name} has {len(gold)} words in gold and {len(system)} in the system's file; "
            "only analyses of the same words can be compared"
        )
    for word, (form, other) in enumerate(zip(gold.forms, system.forms, strict=True)):
        if form != other:
            raise AlignmentError(f"{name}: word {word} is {form!r} in gold and {other!r} in the system's file")


def merged_nodes(one: Sequence[Node], other: Sequence[Node]) -> tuple[Node, ...]:
    """The nodes of both analyses, including empty nodes, in the order of their ids."""
    nodes = {node.id: node for node in other} | {node.id: node for node in one}

    def place(node: Node) -> tuple[int, ...]:
        return tuple(map(int, node.id.split(".")))

    return tuple(sorted(nodes.values(), key=place))


def compared_arcs(gold: list[Arc], system: list[Arc]) -> list[Arc]:
    """The arcs of both analyses, each once, with its status."""

    def key(arc: Arc) -> tuple[int, int, str]:
        return arc.head, arc.dependent, arc.label

    shared = {key(arc) for arc in gold} & {key(arc) for arc in system}
    arcs = [arc for arc in gold if key(arc) in shared]
    rest: dict[tuple[int, int], list[Arc]] = {}
    for arc in system:
        if key(arc) not in shared:
            rest.setdefault((arc.head, arc.dependent), []).append(arc)
    for arc in gold:
        if key(arc) in shared:
            continue
        twins = rest.get((arc.head, arc.dependent))
        if twins:
            label = f"{arc.label or '_'} → {twins.pop(0).label or '_'}"
            arcs.append(replace(arc, label=label, status="relabelled"))
        else:
            arcs.append(replace(arc, status="missed"))
    return arcs + [replace(arc, status="wrong") for twins in rest.values() for arc in twins]
