"""What there is to draw: the nodes of a sentence in their order, and its arcs with what is special about each.

Everything that draws starts from a `Picture`, so that terminal, SVG and HTML agree on what is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from crossarc.draw.characters import ELLIPSIS, runs_right_to_left
from crossarc.errors import AlignmentError, StructureError
from crossarc.structure import non_projective_edges
from crossarc.treebank import Sentence

LONGEST_FORM = 40
NO_FORM = "∅"

Status = Literal["same", "missed", "wrong", "relabelled"]


@dataclass(frozen=True, slots=True)
class Node:
    """A word or an empty node: its id in the file, its form, its tags, and whether it has no head at all."""

    id: str
    form: str
    tags: tuple[str, ...] = ()
    empty: bool = False
    headless: bool = False


@dataclass(frozen=True, slots=True)
class Arc:
    """An arc between places in the picture; head 0 is the root.

    `extra` arcs are in the graph but not in the tree. `status` is what a comparison says of it: in both, only in the
    gold analysis (missed), only in the system's (wrong), or in both with different labels.
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


@dataclass(frozen=True, slots=True)
class Picture:
    """Nodes, of which the first is the root, and the arcs between them."""

    id: str
    text: str
    nodes: tuple[Node, ...]
    arcs: tuple[Arc, ...]
    comparison: bool = False

    @property
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
        """The form as a picture shows it: cut when it is very long, a sign for an empty node without one."""
        node = self.nodes[place]
        form = node.form or (NO_FORM if node.empty else "")
        return form if len(form) <= LONGEST_FORM else form[: LONGEST_FORM - 1] + ELLIPSIS

    def describe(self, arc: Arc) -> str:
        """The arc in words, for those who hover over it or have it read to them."""
        head = self.nodes[arc.head].form if arc.head else "root"
        notes = [note for note, holds in (
            ("crossing", arc.crossing),
            ("in the graph only", arc.extra),
            ("missed: only in gold", arc.status == "missed"),
            ("wrong: only in the system's", arc.status == "wrong"),
            ("label differs: gold → system", arc.status == "relabelled"),
        ) if holds]
        return f"{arc.label}: {self.nodes[arc.dependent].form} ← {head}" + (f" ({', '.join(notes)})" if notes else "")


def picture_of(sentence: Sentence, tags: Sequence[str] = ("upos",)) -> Picture:
    """The picture of a sentence: its tree, and what its graph has besides.

    A sentence without any tree shows its graph in the place of the tree.
    """
    nodes, places = nodes_of(sentence, tags)
    heads = sentence.heads
    deprels = sentence.deprels
    crossing = crossing_dependents(heads)
    arcs = [
        Arc(places[head], places[word], blank(deprels[word]), crossing=word in crossing)
        for word, head in enumerate(heads.tolist())
        if word and head >= 0
    ]
    additional = additional_arcs(sentence, {node.id: place for place, node in enumerate(nodes)}, arcs)
    if arcs:
        arcs += additional
    else:
        arcs = [replace(arc, extra=False) for arc in mark_crossing(additional)]
    if arcs:
        reached = {arc.dependent for arc in arcs}
        headless = [not node.empty and place not in reached for place, node in enumerate(nodes)]
        nodes = tuple(replace(node, headless=bool(place) and headless[place]) for place, node in enumerate(nodes))
    return Picture(sentence.id, sentence.text, nodes, tuple(arcs))


def nodes_of(sentence: Sentence, tags: Sequence[str]) -> tuple[tuple[Node, ...], list[int]]:
    """The nodes in surface order with the root first, and the place of each word among them."""
    columns = [sentence.column(name) for name in tags]
    nodes = [Node("0", "")]
    places = [0]
    forms = sentence.forms
    for row in sentence.rows if sentence.empty_nodes else sentence:
        if row.is_range:
            continue
        if row.is_empty:
            nodes.append(Node(row.id, blank(row.form), tuple(blank(row[name]) for name in tags), empty=True))
        else:
            word = len(places)
            places.append(len(nodes))
            nodes.append(Node(row.id, forms[word], tuple(blank(column[word]) for column in columns)))
    return tuple(nodes), places


def blank(value: str) -> str:
    """The value of a column, with nothing in the place of the underscore that stands for it."""
    return "" if value == "_" else value


def additional_arcs(sentence: Sentence, places: dict[str, int], tree: Sequence[Arc]) -> list[Arc]:
    """The arcs of the graph that the tree does not have.

    An arc whose label only refines that of the tree ("nmod:of" for "nmod") is the tree's own.
    """
    if not sentence.has_graph:
        return []
    graph = sentence.graph
    known = {(arc.head, arc.dependent): arc.label for arc in tree}
    arcs = []
    for head, dependent, label in graph:
        arc = Arc(places[graph.nodes[head]], places[graph.nodes[dependent]], blank(label), extra=True)
        same = known.get((arc.head, arc.dependent))
        if same is None or (label != same and not label.startswith(same + ":")):
            arcs.append(arc)
    return arcs


def crossing_dependents(heads: NDArray[np.int32]) -> set[int]:
    """The dependents of the non-projective edges; in what is no tree, of the arcs that cross another."""
    try:
        return set(non_projective_edges(heads).tolist())
    except StructureError:
        arcs = [Arc(head, word, "") for word, head in enumerate(heads.tolist()) if word and head >= 0]
        return {arc.dependent for arc in mark_crossing(arcs) if arc.crossing}


def mark_crossing(arcs: Sequence[Arc]) -> list[Arc]:
    """The arcs with `crossing` set where one crosses another; arcs from the root are left out of account."""
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
    """Two analyses of the same words in one picture."""
    check_same_words(gold, system)
    one, other = picture_of(gold, tags), picture_of(system, tags)
    nodes = merged_nodes(one, other)
    places = {node.id: place for place, node in enumerate(nodes)}
    arcs: list[Arc] = []
    for extra in (False, True):
        arcs += compared_arcs(moved_arcs(one, places, extra), moved_arcs(other, places, extra))
    arcs.sort(key=lambda arc: (arc.extra, arc.dependent, arc.status, arc.head, arc.label))
    return Picture(gold.id or system.id, gold.text or system.text, nodes, tuple(arcs), comparison=True)


def check_same_words(gold: Sentence, system: Sentence) -> None:
    """Refuse two sentences that are not the same words."""
    name = f"sentence {gold.id!r}" if gold.id else f"the sentence {gold.text!r}"
    if len(gold) != len(system):
        raise AlignmentError(
            f"{name} has {len(gold)} words in gold and {len(system)} in the system's file; only the same words can be compared"
        )
    for word, (form, other) in enumerate(zip(gold.forms, system.forms, strict=True)):
        if form != other:
            raise AlignmentError(f"{name}: word {word} is {form!r} in gold and {other!r} in the system's file")


def merged_nodes(one: Picture, other: Picture) -> tuple[Node, ...]:
    """The nodes of both, empty nodes of either included, in the order of their ids."""
    nodes = {node.id: node for node in other.nodes} | {node.id: node for node in one.nodes}

    def place(node: Node) -> tuple[int, ...]:
        return tuple(int(part) if part.isdecimal() else 0 for part in node.id.split("."))

    return tuple(sorted(nodes.values(), key=place))


def moved_arcs(picture: Picture, places: dict[str, int], extra: bool) -> list[Arc]:
    """The arcs of one kind with their ends renumbered."""
    return [
        replace(arc, head=places[picture.nodes[arc.head].id], dependent=places[picture.nodes[arc.dependent].id])
        for arc in picture.arcs
        if arc.extra == extra
    ]


def compared_arcs(gold: list[Arc], system: list[Arc]) -> list[Arc]:
    """The arcs of both, each once, with its status."""
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
