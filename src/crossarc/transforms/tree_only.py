"""Trees from graphs, as a baseline for parsers of graphs (Sagae and Tsujii 2008, section 3.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from crossarc.errors import StructureError, UnknownName
from crossarc.transforms.graphs import GraphTransform
from crossarc.transforms.null_arcs import NULL
from crossarc.treebank.empty_nodes import with_arcs
from crossarc.treebank.graph import Arc

if TYPE_CHECKING:
    from crossarc.treebank.sentence import Sentence

KEEP = ("head", "closest")


class TreeOnly:
    """Keeps one head of each word, so that a tree results.

    With "head" it is the one in HEAD and DEPREL. With "closest" it is the closest head in the graph, the left one of
    two that are as close, after cycles were broken by `ArcReversal`; arcs of an acyclic graph, one for each word, are
    a tree. `lemmas` and `empty` are those of `GraphTransform`. `losses` counts the arcs left out. O(words + arcs)
    without cycles.

    >>> from crossarc.treebank import Graph, Sentence
    >>> arcs = [(2, 1, "nsubj"), (4, 1, "nsubj"), (0, 2, "root"), (4, 3, "mark"), (2, 4, "xcomp")]
    >>> sentence = Sentence.from_columns(forms=["", "Ann", "wants", "to", "sing"], graph=Graph.from_arcs("01234", arcs))
    >>> TreeOnly("closest").encode(sentence)
    [(2, 1, 'nsubj'), (0, 2, 'root'), (4, 3, 'mark'), (2, 4, 'xcomp')]
    """

    def __init__(
        self,
        keep: Literal["head", "closest"] = "head",
        *,
        lemmas: bool = True,
        empty: Literal["collapse", "keep"] = "collapse",
    ) -> None:
        if keep not in KEEP:
            raise UnknownName("choice of heads", keep, KEEP)
        self.keep = keep
        self.graphs = GraphTransform(projective=False, lemmas=lemmas, empty=empty) if keep == "closest" else None
        self.losses: Counter[str] = self.graphs.losses if self.graphs else Counter()

    def encode(self, sentence: Sentence) -> list[Arc]:
        """One arc for each word, in order of the words."""
        if not self.graphs:
            if not sentence.is_tree:
                raise StructureError(f"sentence {sentence.id!r} is not a tree; crossarc validate says why")
            heads = sentence.heads.tolist()
            self.losses["heads_dropped"] += max(len(sentence.graph) - len(sentence), 0)
            return [(heads[word], word, sentence.deprels[word]) for word in range(1, len(sentence) + 1)]
        arcs = self.graphs.encode(sentence)
        closest: dict[int, Arc] = {}
        for arc in sorted(arcs, key=lambda arc: (arc[2] == NULL, abs(arc[0] - arc[1]), arc[0], arc[2])):
            closest.setdefault(arc[1], arc)
        self.losses["heads_dropped"] += len(arcs) - len(closest)
        return [closest[word] for word in sorted(closest)]

    def decode(self, sentence: Sentence, arcs: Iterable[Arc]) -> Sentence:
        """The sentence with these arcs as its graph."""
        return self.graphs.decode(sentence, arcs) if self.graphs else with_arcs(sentence, arcs)

    def is_plain(self, label: str) -> bool:
        """Whether a label asks nothing of `decode`."""
        return not self.graphs or self.graphs.is_plain(label)
