"""Graphs as columns of predicates and their arguments, as SDP and CoNLL-2009 have them."""

from __future__ import annotations

from collections.abc import Iterable

from crossarc.errors import TreebankError
from crossarc.treebank.formats import SDP
from crossarc.treebank.graph import Graph, check_graph

Arc = tuple[int, int, str]


def argument_columns(arcs: Iterable[Arc], words: int) -> tuple[list[int], list[list[str]], list[Arc]]:
    """The predicates, the label of each word under each of them, and the arcs whose place was taken by another.

    Predicates are the words that are heads. Arcs from node 0 are in no column.

    >>> argument_columns([(0, 2, "root"), (2, 1, "ARG1"), (2, 1, "ARG2")], 2)
    ([2], [['_'], ['ARG1'], ['_']], [(2, 1, 'ARG2')])
    """
    inside = [arc for arc in arcs if arc[0]]
    predicates = sorted({head for head, _, _ in inside})
    column = {head: place for place, head in enumerate(predicates)}
    cells = [["_"] * len(predicates) for _ in range(words + 1)]
    second = []
    for head, dependent, label in inside:
        if cells[dependent][column[head]] != "_":
            second.append((head, dependent, label))
        else:
            cells[dependent][column[head]] = label
    return predicates, cells, second


def sdp_columns(graph: Graph, nodes: tuple[str, ...]) -> list[tuple[str, str, str]]:
    """TOP, PRED and the argument columns of each node, the latter as they follow FRAME, each after a tab.

    An arc from node 0 marks a top, whatever its label. SDP has room for one arc between two words in one direction.
    """
    check_graph(graph, nodes, SDP)
    predicates, cells, second = argument_columns(graph, len(nodes) - 1)
    if second:
        head, dependent, label = second[0]
        other = cells[dependent][predicates.index(head)]
        raise TreebankError(
            f"SDP has room for one arc from word {head} to word {dependent}, but there are two, {other!r} and "
            f"{label!r}; keep one of them, or convert the sentence to CoNLL-U first"
        )
    tops = {dependent for head, dependent, _ in graph if not head}
    marks = [["+" if word in chosen else "-" for word in range(len(nodes))] for chosen in (tops, set(predicates))]
    return list(zip(*marks, ["".join(f"\t{label}" for label in row) for row in cells], strict=True))
