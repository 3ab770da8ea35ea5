"""Graphs as a parser learns them: over words only, acyclic, projective, with a head for each word; and the way back.

| step | what it writes into labels | class |
|---|---|---|
| lemmas | `nmod:of` is `nmod:⟨lemma⟩` | `LabelLemmas` |
| empty nodes | a path 3 -conj-> 8.1 -nsubj-> 5 is 3 -conj>8.1>nsubj-> 5 | `EmptyNodes` |
| cycles | a reversed arc is `nsubj⇄` | `ArcReversal` |
| words without a head | an arc that is removed again is `∅` | `NullArcs` |
| crossing arcs | an arc lifted from an `obj` is `acl↑obj` | `GraphLifting` |

`encode` takes the steps in this order; `decode` undoes cycles before empty nodes, and lemmas at the end. Characters
of marks in labels of the treebank are escaped with `⇡`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from crossarc.errors import UnknownName
from crossarc.transforms.empty_nodes import EmptyNodes
from crossarc.transforms.graph_lifting import GraphLifting
from crossarc.transforms.label_lemmas import LabelLemmas
from crossarc.transforms.marks import arc_order
from crossarc.transforms.null_arcs import NullArcs
from crossarc.transforms.reversal import ArcReversal
from crossarc.treebank.empty_nodes import numbered_arcs, with_arcs
from crossarc.treebank.graph import Arc

if TYPE_CHECKING:
    from crossarc.treebank.sentence import Sentence

__all__ = ["Arc", "GraphTransform"]

EMPTY = ("collapse", "keep")
# The label of an arc whose label consists of marks only.
UNKNOWN = "dep"


class GraphTransform:
    """All transforms of graphs: `encode` sentences before training, `decode` what the parser builds.

    | option | meaning |
    |---|---|
    | `projective` | lift arcs until none cross (`GraphLifting`, with its order `lifting` and `numbers`) |
    | `acyclic` | reverse arcs until there are no cycles (`ArcReversal`); `reversal` is its rule |
    | `lemmas` | replace lemmas in labels by placeholders (`LabelLemmas`) |
    | `empty` | "collapse" writes empty nodes into labels (`EmptyNodes`); "keep" leaves them as they are |
    | `null_arcs` | give words without a head one (`NullArcs`) |

    The defaults are those of parsers: they find no more arcs with `numbers` above 1, although more gold arcs come back.

    With `empty="keep"` arcs of empty nodes are not learned, and `decode` keeps those that its sentence has.

    `decode` takes any arcs with any labels, and a word with a head keeps one unless it is that of a null arc. In SDP
    it keeps the first of several arcs from one word to another. Arcs between equal words are dropped by `encode`.
    `losses` counts the arcs that `encode` changed and those that do not come back.

    >>> from crossarc.treebank import Graph, Sentence
    >>> arcs = [(2, 1, "nsubj"), (4, 1, "nsubj"), (0, 2, "root"), (4, 3, "mark"), (2, 4, "xcomp")]
    >>> sentence = Sentence.from_columns(forms=["", "Ann", "wants", "to", "sing"], graph=Graph.from_arcs("01234", arcs))
    >>> transform = GraphTransform(projective=True)
    >>> encoded = transform.encode(sentence)
    >>> encoded[:2]
    [(2, 1, 'nsubj'), (2, 1, 'nsubj↑xcomp')]
    >>> transform.decode(sentence, encoded) == sentence
    True
    """

    def __init__(
        self,
        *,
        projective: bool,
        acyclic: bool = True,
        lemmas: bool = True,
        reversal: Literal["default", "paper"] = "default",
        empty: Literal["collapse", "keep"] = "collapse",
        null_arcs: bool = True,
        lifting: Literal["shortest", "root-last"] = "root-last",
        numbers: int = 1,
    ) -> None:
        if empty not in EMPTY:
            raise UnknownName("treatment of empty nodes", empty, EMPTY)
        self.empty = empty
        self.losses: Counter[str] = Counter()
        self.label_lemmas = LabelLemmas() if lemmas else None
        self.empty_nodes = EmptyNodes() if empty == "collapse" else None
        self.reversal = ArcReversal(reversal) if acyclic else None
        self.null_arcs = NullArcs() if null_arcs else None
        self.lifting = GraphLifting(lifting, acyclic=acyclic, numbers=numbers) if projective else None
        steps = (self.label_lemmas, self.empty_nodes, self.reversal, self.null_arcs, self.lifting)
        self.steps = [step for step in steps if step is not None]
        self.marks = re.compile("|".join(step.marks.any.pattern for step in self.steps) or "(?!)")
        for step in self.steps:
            step.losses = self.losses

    def encode(self, sentence: Sentence) -> list[Arc]:
        """The graph of a sentence as a parser learns it, in order of dependent, head and label."""
        n = len(sentence)
        arcs = list(dict.fromkeys(numbered_arcs(sentence)))
        ids = [token.id for token in sentence.empty_nodes]
        if self.empty_nodes:
            arcs = self.empty_nodes.restorable(n, arcs, ids)
        if self.label_lemmas:
            arcs = self.label_lemmas.encode(sentence, arcs)
        if not self.empty_nodes:
            arcs = [arc for arc in arcs if arc[0] <= n and arc[1] <= n]
        elif has_empty_nodes(sentence):
            arcs = self.empty_nodes.join(n, arcs, ids)
        kept = [arc for arc in arcs if arc[0] != arc[1]]
        if len(kept) < len(arcs):
            self.losses["arcs_dropped"] += len(arcs) - len(kept)
        if self.reversal:
            kept = self.reversal.encode(kept, sentence.heads.tolist())
        if self.null_arcs:
            kept = self.null_arcs.encode(n, kept)
        if self.lifting:
            kept = self.lifting.encode(n, kept)
        return sorted(kept, key=arc_order)

    def decode(self, sentence: Sentence, arcs: Iterable[Arc], *, complete: bool = False) -> Sentence:
        """The sentence with the graph that a parser built, without marks and with empty nodes.

        With `complete` all words can be reached from node 0, as in the graph before: where an arc that is reversed
        or removed would cut words off, another arc of the parser leads to them.
        """
        n = len(sentence)
        built = found = list(dict.fromkeys(arc for arc in arcs if 0 <= arc[0] <= n and 0 < arc[1] <= n))
        ids = [token.id for token in sentence.empty_nodes]
        marked = [label for label in {arc[2] for arc in found} if not self.is_plain(label)]
        asked = [step for step in self.steps if not all(map(step.is_plain, marked))]
        if self.lifting in asked:
            found = self.lifting.decode(n, found)
        if self.null_arcs in asked:
            found = self.null_arcs.decode(found)
        if self.reversal in asked:
            found = self.reversal.decode(found)
        if self.empty == "keep":
            kept = [arc for arc in numbered_arcs(sentence) if arc[0] > n or arc[1] > n] if ids else []
            if self.label_lemmas in asked:
                kept = [(head, dependent, self.label_lemmas.marks.escape(label)) for head, dependent, label in kept]
            found += kept
        elif self.empty_nodes in asked and has_empty_nodes(sentence):
            found, ids = self.empty_nodes.decode(n, found)
        else:
            ids = []
        if self.label_lemmas in asked:
            found = self.label_lemmas.decode(sentence, found)
        if marked:
            found = list(dict.fromkeys((*arc[:2], arc[2] or UNKNOWN) for arc in found))
        if complete:
            plain = ((*arc[:2], arc[2] if self.is_plain(arc[2]) else UNKNOWN) for arc in built)
            found = reach_words(n, found, plain)
        if sentence.format.index("deps") < 0:  # argument columns have room for one arc from a word to another
            pairs: dict[tuple[int, int], Arc] = {}
            for arc in found:
                pairs.setdefault(arc[:2], arc)
            found = list(pairs.values())
        return with_arcs(sentence, found, ids)

    def is_plain(self, label: str) -> bool:
        """Whether a label asks nothing of `decode`, so that it can be written as it is."""
        return self.marks.search(label) is None and label != ""


def reach_words(n: int, arcs: list[Arc], others: Iterable[Arc]) -> list[Arc]:
    """The arcs, and some others, so that node 0 reaches all words that it reaches by both. O(arcs).

    >>> reach_words(3, [(0, 1, "root"), (3, 2, "obj"), (2, 3, "acl")], [(0, 1, "root"), (1, 2, "dep"), (2, 3, "acl")])
    [(0, 1, 'root'), (3, 2, 'obj'), (2, 3, 'acl'), (1, 2, 'dep')]
    """
    below: dict[int, list[Arc]] = {}
    more: dict[int, list[Arc]] = {}
    for table, given in ((below, arcs), (more, others)):
        for arc in given:
            table.setdefault(arc[0], []).append(arc)
    seen, added = {0}, []
    near, far = [0], [0]  # nodes whose arcs, and whose other arcs, are still to be followed
    while near or far:
        if near:
            new = [arc[1] for arc in below.get(near.pop(), ()) if arc[1] not in seen]
        else:
            steps = [arc for arc in more.get(far[-1], ()) if arc[1] not in seen][:1]
            if not steps:
                far.pop()
            added += steps
            new = [arc[1] for arc in steps]
        seen.update(new)
        near += new
        far = new + far
    return arcs + added


def has_empty_nodes(sentence: Sentence) -> bool:
    """Whether a sentence can have empty nodes in its file."""
    return sentence.format.name == "conllu"
