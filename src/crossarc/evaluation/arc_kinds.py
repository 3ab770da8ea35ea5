"""Kinds of arcs in graphs: which of them are in the tree, and why the others are there.

A set of kinds gives each arc of a graph exactly one kind. Gold arcs and system arcs follow the same rules: the kind is
found from the label of the arc and, where a tree is needed, from the gold tree. A system needs no tree of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crossarc.errors import TreebankError, UnknownName

if TYPE_CHECKING:
    from crossarc.treebank.sentence import Sentence

# Head, dependent and label of arcs between words, 0 being the root and -1 an empty node.
Arcs = Sequence[tuple[int, int, str]]

EMPTY = -1
SUBJECTS = ("nsubj", "csubj")


@dataclass(frozen=True)
class KindSet:
    """A set of kinds: their names in order, and a function from a gold sentence and arcs to the kind of each arc."""

    names: tuple[str, ...]
    kinds_of: Callable[[Sentence, Arcs], list[str]]


def danish_kinds(gold: Sentence, arcs: Arcs) -> list[str]:
    """The kinds of the Copenhagen Dependency Treebank, which its labels show.

    `<x>` fills a gap, `[x]` is long-distance, `ref` is anaphoric; arcs with any other label are primary.
    """
    return [danish_kind(label) for _, _, label in arcs]


def danish_kind(label: str) -> str:
    """The kind of an arc of the Copenhagen Dependency Treebank.

    >>> [danish_kind(label) for label in ("subj", "<subj>", "[subj]", "ref")]
    ['primary', 'gapping', 'long-distance', 'anaphoric']
    """
    if re.fullmatch("<.+>", label):
        return "gapping"
    if re.fullmatch(r"\[.+\]", label):
        return "long-distance"
    return "anaphoric" if label == "ref" else "primary"


def enhanced_kinds(gold: Sentence, arcs: Arcs) -> list[str]:
    """The kinds of enhanced Universal Dependencies, by the gold tree; see `GoldTree.kind`.

    A word whose arc of the tree is not among the arcs has another one in its place: its first arc of the kind "other",
    by head and label, is primary. So a word with a wrong head is an error of primary arcs.
    """
    tree = GoldTree(gold)
    kinds = [tree.kind(*arc) for arc in arcs]
    attached = {arc[1] for arc, kind in zip(arcs, kinds, strict=True) if kind == "primary"}
    for k in sorted(range(len(arcs)), key=lambda k: (arcs[k][1], arcs[k][0], arcs[k][2])):
        if kinds[k] == "other" and arcs[k][1] not in attached:
            kinds[k] = "primary"
            attached.add(arcs[k][1])
    return kinds


class GoldTree:
    """The tree of a gold sentence, with the questions that the kinds of arcs ask."""

    def __init__(self, sentence: Sentence) -> None:
        if not sentence.is_tree:
            place = f"{sentence.source or '<input>'}:{sentence.line}: sentence {sentence.id!r}"
            raise TreebankError(f"{place}: the heads are not a tree, but these kinds of arcs need the gold tree")
        self.heads: list[int] = sentence.heads.tolist()
        self.labels = sentence.deprels
        self.bases = [label.split(":", 1)[0] for label in self.labels]

    def first_conjunct(self, word: int) -> int:
        """The first word of the coordination that a word is in, else the word itself."""
        while word and self.bases[word] == "conj":
            word = self.heads[word]
        return word

    def kind(self, head: int, dependent: int, label: str) -> str:
        """The first kind of an arc that applies.

        primary      the arc goes from the head of the dependent in the tree
        ellipsis     one of its ends is an empty node
        control      a subject that an xcomp shares with the verb above it, see `is_controlled`
        relative     `ref`, or an arc from inside a relative clause to the word that it modifies
        conj-shared  a dependent that conjuncts share, or a head that they share, see `is_shared`
        other        everything else
        """
        if EMPTY in (head, dependent):
            return "ellipsis"
        if head == self.heads[dependent]:
            return "primary"
        if self.is_controlled(head, dependent, label):
            return "control"
        if label == "ref" or self.is_relative(head, dependent):
            return "relative"
        return "conj-shared" if self.is_shared(head, dependent) else "other"

    def is_controlled(self, head: int, dependent: int, label: str) -> bool:
        """Whether the arc is a subject that its head takes from a verb above.

        The label has the base nsubj or csubj. Either its subtype is xsubj, or arcs of the tree labelled xcomp and
        conj, at least one of them xcomp, lead from the head up to the head of the dependent.
        """
        base, *subtypes = label.split(":")
        if base not in SUBJECTS:
            return False
        if "xsubj" in subtypes:
            return True
        passed = False
        while head and self.bases[head] in ("xcomp", "conj"):
            passed = passed or self.bases[head] == "xcomp"
            head = self.heads[head]
            if passed and head == self.heads[dependent]:
                return True
        return False

    def is_relative(self, head: int, dependent: int) -> bool:
        """Whether the head is in a relative clause that modifies the dependent, or the coordination it is in.

        Relative clauses have the subtype relcl: acl:relcl, advcl:relcl.
        """
        first = self.first_conjunct(dependent)
        while head:
            above = self.heads[head]
            if self.labels[head].split(":")[1:2] == ["relcl"] and self.first_conjunct(above) == first:
                return True
            head = above
        return False

    def is_shared(self, head: int, dependent: int) -> bool:
        """Whether coordination explains the arc.

        Let f be the first conjunct of the dependent, or the dependent itself if it is in no coordination. The head of
        the arc is the head of f, or a word in the same coordination as the head of f.
        """
        above = self.heads[self.first_conjunct(dependent)]
        return self.first_conjunct(head) == self.first_conjunct(above)


KINDS = {
    "danish": KindSet(("primary", "gapping", "long-distance", "anaphoric"), danish_kinds),
    "enhanced": KindSet(("primary", "conj-shared", "relative", "control", "ellipsis", "other"), enhanced_kinds),
}


def kind_set(name: str) -> KindSet:
    """The set of kinds of that name; an unknown one lists the valid ones."""
    if name not in KINDS:
        raise UnknownName("set of kinds", name, KINDS)
    return KINDS[name]
