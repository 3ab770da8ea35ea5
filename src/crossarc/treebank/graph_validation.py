"""Faults of graphs: arcs written twice, words that cannot be reached, cycles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from crossarc.treebank.fields import arcs_of
from crossarc.treebank.sentence import Sentence

SHOWN = 10  # nodes named in a finding

Fault = tuple[int, str, str]  # line, code, what


def arc_faults(sentence: Sentence, *, acyclic: bool = False, one_root: bool = False) -> Iterator[Fault]:
    """The faults of a graph that can be read; malformed ones are left to other checks.

    Each arc is there once. Each node can be reached from node 0, except in SDP and CoNLL-2009, where words outside of
    the graph are common. With `acyclic` there are no cycles; an arc from a node to itself is one. With `one_root` node
    0 is the head of one node at most, with any number of labels.
    """
    if arcs_of(sentence) is None:
        return
    if not sentence.has_graph:
        yield sentence[1].line, "no-graph", "the sentence has no graph"
        return
    graph = sentence.graph
    nodes = graph.nodes
    rows = {row.id: row.line for row in sentence.rows}
    for (head, dependent, label), count in Counter(graph).items():
        if count > 1:
            what = f"the arc {nodes[head]} -{label}-> {nodes[dependent]} is there {count} times"
            yield rows[nodes[dependent]], "duplicate-arc", what
    below: list[list[int]] = [[] for _ in nodes]
    for head, dependent, _ in graph:
        below[head].append(dependent)
    if not sentence.format.extra:
        lost = unreachable(below)
        if lost:
            names = ", ".join(nodes[node] for node in lost[:SHOWN])
            more = f" and {len(lost) - SHOWN} more" if len(lost) > SHOWN else ""
            what = f"no path from node 0 leads to node{'s' * (len(lost) > 1)} {names}{more}"
            yield rows[nodes[lost[0]]], "unreachable", what
    roots = sorted(set(below[0]))
    if one_root and len(roots) > 1:
        what = (
            f"node 0 is the head of {len(roots)} nodes in the graph: {', '.join(nodes[node] for node in roots[:SHOWN])}"
        )
        yield rows[nodes[roots[1]]], "several-graph-roots", what
    if acyclic:
        cycle = find_cycle(below)
        if cycle:
            path = " -> ".join(nodes[node] for node in [*cycle, cycle[0]])
            yield rows[nodes[cycle[0]]], "graph-cycle", f"the arcs form a cycle {path}"


def unreachable(below: Sequence[Sequence[int]]) -> list[int]:
    """The nodes that no path from node 0 leads to; `below` has the dependents of each node.

    >>> unreachable([[1], [], [3], [2]])
    [2, 3]
    """
    met = [False] * len(below)
    met[0] = True
    waiting = [0]
    while waiting:
        for node in below[waiting.pop()]:
            if not met[node]:
                met[node] = True
                waiting.append(node)
    return [node for node, known in enumerate(met) if not known]


def find_cycle(below: Sequence[Sequence[int]]) -> list[int]:
    """A cycle from head to dependent that begins with its smallest node, [] if there is none. O(nodes + arcs).

    >>> find_cycle([[1], [2], [3], [1]])
    [1, 2, 3]
    """
    done = [False] * len(below)
    for start in range(len(below)):
        if done[start]:
            continue
        path, on_path = [start], {start}
        ahead = [iter(below[start])]
        while path:
            node = next((node for node in ahead[-1] if not done[node]), None)
            if node is None:
                done[path[-1]] = True
                on_path.remove(path.pop())
                ahead.pop()
            elif node in on_path:
                cycle = path[path.index(node) :]
                smallest = cycle.index(min(cycle))
                return cycle[smallest:] + cycle[:smallest]
            else:
                path.append(node)
                on_path.add(node)
                ahead.append(iter(below[node]))
    return []
