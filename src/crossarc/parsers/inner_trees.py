"""Trees inside the graphs that parsers give, with arcs and labels like those of the trees in training."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from crossarc.components.description import check_manifest
from crossarc.core.strings import StringTable
from crossarc.parsers.description import Inner
from crossarc.treebank.corpus import Corpus
from crossarc.treebank.sentence import Sentence
from crossarc.treebank.text_writing import write_trees

FOREIGN = "dep"  # the label of an arc of a tree that is not in the graph, where a graph contains no tree


@dataclass(frozen=True)
class InnerTrees:
    """The relation between the trees and the graphs of a treebank.

    `shares` has for each label in graphs the share of its arcs that are in trees too, between 0 and 1 and never one of
    the two, and `deprels` the label that most of these have there: `conj:and` in a graph is `conj` in the tree. If
    there are no trees, both are empty.
    """

    single_root: bool
    shares: dict[str, float] = field(default_factory=dict)
    deprels: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, sentences: Iterable[Sentence], single_root: bool) -> InnerTrees:
        """Return what sentences show; `single_root` holds if they have no trees."""
        arcs: Counter[str] = Counter()
        labels: dict[str, Counter[str]] = {}
        roots = set()
        for sentence in sentences:
            if not sentence.is_tree:
                continue
            heads, deprels = sentence.heads.tolist(), sentence.deprels
            roots.add(heads.count(0))
            for head, dependent, label in arcs_between_words(sentence):
                arcs[label] += 1
                if heads[dependent] == head:
                    labels.setdefault(label, Counter())[deprels[dependent]] += 1
        return cls(
            roots == {1} if roots else single_root,
            {label: round((sum(labels.get(label, {}).values()) + 1) / (arcs[label] + 2), 6) for label in sorted(arcs)},
            {label: min(found, key=lambda name: (-found[name], name)) for label, found in sorted(labels.items())},
        )

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> InnerTrees:
        """Return what a model file holds; a ValueError if it is damaged."""
        check_manifest(stored, Inner)
        return cls(**stored)

    def to_dict(self) -> dict[str, Any]:
        """Return it as a model file holds it."""
        return asdict(self)

    def share_of(self, label: str) -> float:
        """Return the share of a label; of one that training did not have, that of its part before the colon."""
        return self.shares.get(label, self.shares.get(label.partition(":")[0], 0.5))

    def deprel_of(self, label: str) -> str:
        """Return the label that an arc of a graph has in a tree."""
        if label in self.deprels:
            return self.deprels[label]
        base = label.partition(":")[0]
        return base if base in self.deprels.values() else label

    def write(self, sentences: list[Sentence]) -> list[Sentence]:
        """Return the sentences with the best tree inside the graph of each in HEAD and DEPREL.

        The best tree has the labels that are most often in trees, or the shortest arcs if nothing is known of trees.
        Arcs that the tree needs and the graph does not have are labelled "dep".
        """
        from crossarc.parsers.graphs import Graphs

        graphs = Graphs.from_lists(Corpus.of(sentences), map(arcs_between_words, sentences))
        arcs, deprels = graphs.arcs, [self.deprel_of(name) for name in graphs.names]
        names = StringTable([*dict.fromkeys([*deprels, FOREIGN])])
        numbers = np.array([names[name] - names.reserved for name in deprels], dtype=np.int32)
        columns = (arcs.heads, arcs.dependents, arcs.labels)
        scores = None
        if self.shares:
            scores = np.log(np.array([self.share_of(name) for name in graphs.names]))[arcs.labels]
        from crossarc.decode.graph_trees import trees_in_graphs  # only graphs need decoders

        heads, found = trees_in_graphs(graphs.sizes, arcs.starts, *columns, scores, single_root=self.single_root)
        labels = np.full_like(found, names[FOREIGN] - names.reserved)
        labels[found >= 0] = numbers[found[found >= 0]]
        return write_trees(sentences, heads, labels, graphs.corpus.starts, names)


def arcs_between_words(sentence: Sentence) -> list[tuple[int, int, str]]:
    """Return the arcs of the graph of a sentence that no empty node has a part in."""
    graph = sentence.graph
    if not sentence.empty_nodes:
        return list(graph)
    word = [int(name) if name.isdigit() else -1 for name in graph.nodes]
    return [(word[head], word[tail], label) for head, tail, label in graph if word[head] >= 0 and word[tail] >= 0]
