"""Empty nodes (8.1): paths through them as arcs between words, and sentences with other empty nodes.

Here words have the numbers 1 to n, as their ids say, and empty nodes the numbers after n, in the order of the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from crossarc.errors import TreebankError
from crossarc.treebank.graph import Arc, Graph
from crossarc.treebank.sentence import Sentence


class Path(NamedTuple):
    """A way from a word, or node 0, to a word: the empty nodes between them, and one label more than these."""

    head: int
    empty: tuple[int, ...]
    labels: tuple[str, ...]
    dependent: int


def numbered_arcs(sentence: Sentence) -> list[Arc]:
    """The arcs of a sentence's graph, with empty nodes numbered after the words."""
    graph = sentence.graph
    n = len(sentence)
    if len(graph.nodes) == n + 1:
        return list(graph)
    numbers = node_numbers(graph.nodes)
    return [(numbers[head], numbers[dependent], label) for head, dependent, label in graph]


def node_numbers(nodes: Sequence[str]) -> list[int]:
    """The number of each node of a graph: words by their ids, then empty nodes."""
    following = sum(name.isdigit() for name in nodes)
    numbers = []
    for name in nodes:
        if name.isdigit():
            numbers.append(int(name))
        else:
            numbers.append(following)
            following += 1
    return numbers


def find_paths(n: int, arcs: Iterable[Arc]) -> Iterator[Path]:
    """All paths from word to word, or from node 0, that pass only empty nodes, and none of these twice.

    An arc between words is a path as well. The cost is that of the paths.

    >>> list(find_paths(2, [(1, 2, "obj"), (1, 3, "conj"), (3, 2, "obj")]))[1]
    Path(head=1, empty=(3,), labels=('conj', 'obj'), dependent=2)
    """
    arcs = list(arcs)
    below: dict[int, list[tuple[int, str]]] = {}
    for head, dependent, label in arcs:
        if head > n:
            below.setdefault(head, []).append((dependent, label))
    for head, dependent, label in arcs:
        if head > n:
            continue
        if dependent <= n:
            yield Path(head, (), (label,), dependent)
            continue
        started: list[tuple[tuple[int, ...], tuple[str, ...]]] = [((dependent,), (label,))]
        while started:
            empty, labels = started.pop()
            for node, step in reversed(below.get(empty[-1], ())):
                if node <= n:
                    yield Path(head, empty, (*labels, step), node)
                elif node not in empty:
                    started.append(((*empty, node), (*labels, step)))


def collapse(sentence: Sentence) -> Graph:
    """The graph as arcs between words only, where a path through empty nodes is an arc with a joined label.

    3 -conj-> 5.1 -obj-> 6 becomes 3 -conj>obj-> 6, as in the IWPT 2020 shared task (Bouma, Seddah and Zeman 2020).
    Paths pass no empty node twice; an empty node without head or without dependents leaves nothing behind.
    """
    graph = sentence.graph
    if not sentence.empty_nodes:
        return graph
    paths = find_paths(len(sentence), numbered_arcs(sentence))
    found = dict.fromkeys((path.head, path.dependent, ">".join(path.labels)) for path in paths)
    return Graph.from_arcs((name for name in graph.nodes if name.isdigit()), found)


def with_empty_nodes(sentence: Sentence, ids: Iterable[str]) -> Sentence:
    """The sentence with empty nodes of these ids only; new ones have "_" in all columns.

    >>> sentence = Sentence.from_columns(forms=["", "tea", "coffee"])
    >>> with_empty_nodes(sentence, ["1.1"]).node_ids
    ('0', '1', '1.1', '2')
    """
    wanted = sorted(ids, key=lambda name: tuple(map(int, name.split("."))))
    present = [token.id for token in sentence.empty_nodes]
    if wanted == present:
        return sentence
    if sentence.format.name != "conllu":
        raise TreebankError(f"{sentence.format.title} has no empty nodes; convert the sentence to CoNLL-U first")
    old = {}
    kept = []
    for line in sentence.raw.splitlines(keepends=True):
        name = line.partition(b"\t")[0]
        if b"." in name and line[:1].isdigit():
            old[name.decode()] = line
        else:
            kept.append(line)
    newline = b"\r\n" if b"\r\n" in sentence.raw else b"\n"
    new: dict[bytes, list[bytes]] = {}
    for node in wanted:
        row = old.get(node, node.encode() + b"\t_" * (len(sentence.format.columns) - 1) + newline)
        new.setdefault(node.partition(".")[0].encode(), []).append(row)
    first = next(k for k, line in enumerate(kept) if line[:1].isdigit())
    lines = [*kept[:first], *new.get(b"0", ())]
    for line in kept[first:]:
        lines.append(line if line.endswith((b"\n", b"\r")) else line + newline)
        lines += new.get(line.partition(b"\t")[0], ())
    return Sentence(b"".join(lines), sentence.format, source=sentence.source, line=sentence.line)


def with_arcs(sentence: Sentence, arcs: Iterable[Arc], empty: Sequence[str] = ()) -> Sentence:
    """The sentence with these arcs as its graph; `empty` has the ids of its empty nodes, in the order of the file."""
    sentence = with_empty_nodes(sentence, empty)
    nodes = sentence.node_ids
    if empty:
        places = {number: place for place, number in enumerate(node_numbers(nodes))}
        arcs = [(places[head], places[dependent], label) for head, dependent, label in arcs]
    return sentence.replace(graph=Graph.from_arcs(nodes, arcs))
