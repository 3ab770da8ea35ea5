"""Trees laid end to end in flat arrays, and two or more files of them put side by side.

All figures over trees are sums over words, so the words of a whole file are in one array: entry k is the k-th word of
the file, its head a number within its own sentence. What needs the shape of a tree is computed once and kept.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from crossarc.errors import AlignmentError, TreebankError, UnknownName

if TYPE_CHECKING:
    from crossarc.treebank.sentence import Sentence

Source = str | os.PathLike[str] | Iterable["Sentence"]
Punctuation = Literal["all", "none"]
PunctuationBy = Literal["unicode", "upos"]
Mask = NDArray[np.bool_]
Ids = NDArray[np.int32]
Counts = NDArray[np.int64]
REMEDY = "evaluate_tokenization (--tokenization align of crossarc evaluate) scores files whose tokens differ"


def sentences_of(source: Source) -> Iterable[Sentence]:
    """The sentences of a file, or those given."""
    if isinstance(source, str | os.PathLike):
        from crossarc.treebank import read

        return read(source)
    return source


@dataclass(frozen=True)
class Place:
    """The place of a sentence: its id, the file and the line it starts on."""

    id: str
    source: str
    line: int

    def __str__(self) -> str:
        return f"{self.source or '<sentences>'}:{self.line}"


@dataclass(frozen=True, eq=False)
class Trees:
    """The trees of a file: `places`, `forms` and `rows` (heads from node 0) by sentence, the rest by word."""

    places: list[Place]
    forms: list[tuple[str, ...]]
    rows: list[NDArray[np.int32]]
    lengths: Counts
    heads: Counts
    labels: list[str]
    upos: list[str]

    @classmethod
    def of(cls, source: Source) -> Trees:
        """Lay out the sentences of a file or stream."""
        places: list[Place] = []
        forms: list[tuple[str, ...]] = []
        rows: list[NDArray[np.int32]] = []
        labels: list[str] = []
        upos: list[str] = []
        for sentence in sentences_of(source):
            places.append(Place(sentence.id, sentence.source, sentence.line))
            forms.append(sentence.forms)
            rows.append(sentence.heads)
            labels += sentence.deprels[1:]
            upos += sentence.upos[1:]
        lengths = np.array([len(row) - 1 for row in rows], dtype=np.int64)
        heads = np.concatenate([row[1:] for row in rows]).astype(np.int64) if rows else np.zeros(0, np.int64)
        # A head outside its sentence is no head; the reader refuses it in files, but not in sentences made by hand.
        heads[(heads < 0) | (heads > np.repeat(lengths, lengths))] = -1
        return cls(places, forms, rows, lengths, heads, labels, upos)

    def __len__(self) -> int:
        return len(self.lengths)

    @cached_property
    def starts(self) -> Counts:
        """Where each sentence's first word is in the flat arrays."""
        return np.cumsum(self.lengths) - self.lengths

    @cached_property
    def sentence(self) -> Counts:
        """The number of each word's sentence, from 0."""
        return np.repeat(np.arange(len(self), dtype=np.int64), self.lengths)

    def same_arcs(self, other: Trees) -> bool:
        """Whether all heads and labels are those of other trees over the same words."""
        return np.array_equal(self.heads, other.heads) and self.labels == other.labels

    def by_sentence(self, mask: Mask) -> Counts:
        """How many words of a mask each sentence has."""
        return np.bincount(self.sentence[mask], minlength=len(self)).astype(np.int64, copy=False)

    @cached_property
    def depths(self) -> Counts:
        """Each word's distance from node 0, -1 where a cycle or a missing head keeps it from getting there.

        Pointer doubling: after k rounds each word points 2^k heads up, so all trees of a file take
        O(words log(longest sentence)).
        """
        words = len(self.heads)
        root, nowhere = words, words + 1
        up = np.arange(words + 2, dtype=np.int64)
        up[:words] = np.where(self.heads > 0, np.repeat(self.starts, self.lengths) + self.heads - 1, root)
        up[:words][self.heads < 0] = nowhere
        steps = np.ones(words + 2, dtype=np.int64)
        steps[words:] = 0
        for _ in range(int(self.lengths.max(initial=1)).bit_length() + 1):
            if (up[:words] >= words).all():
                break
            steps += steps[up]
            up = up[up]
        return np.where(up[:words] == root, steps[:words], -1)

    @cached_property
    def is_tree(self) -> Mask:
        """For each sentence, whether every word hangs, through its heads, from node 0."""
        mask: Mask = self.by_sentence(self.depths < 0) == 0
        return mask

    @cached_property
    def non_projective(self) -> Mask:
        """For each word, whether its edge is non-projective; False in a sentence that is not a tree."""
        from crossarc.structure import non_projective_edges

        mask = np.zeros(len(self.heads), dtype=np.bool_)
        for number in np.flatnonzero(self.is_tree & (self.lengths > 2)).tolist():
            dependents = non_projective_edges(self.rows[number])
            if len(dependents):
                mask[self.starts[number] + np.asarray(dependents) - 1] = True
        return mask

    @cached_property
    def crossing(self) -> Mask:
        """For each word, whether the edge from its head crosses another; False in a sentence that is not a tree.

        Edges from node 0 are left aside: they cross nothing, and nothing crosses them.
        """
        from crossarc.structure import crossing_pairs

        mask = np.zeros(len(self.heads), dtype=np.bool_)
        for number in np.flatnonzero(self.is_tree & (self.lengths > 2)).tolist():
            pairs = np.asarray(crossing_pairs(self.rows[number]))
            if len(pairs):
                mask[self.starts[number] + pairs.ravel() - 1] = True
        return mask

    def require_trees(self) -> None:
        """Refuse the first sentence that is not a tree, with the reason."""
        bad = np.flatnonzero(~self.is_tree)
        if not len(bad):
            return
        number = int(bad[0])
        if (self.heads < 0).all():
            raise TreebankError(f"{self.places[number]}: the gold file has no trees; --graph scores its graphs")
        from crossarc.structure import describe_fault

        place = self.places[number]
        raise TreebankError(
            f"{place}: sentence {place.id or number + 1!r}: {describe_fault(self.rows[number])}; "
            f"the gold trees must be whole (crossarc validate shows all that are not)"
        )

    def punctuation(self, by: PunctuationBy) -> Mask:
        """For each word, whether it is punctuation."""
        if by == "upos":
            return np.fromiter((tag == "PUNCT" for tag in self.upos), np.bool_, len(self.upos))
        if by == "unicode":
            flat = list(chain.from_iterable(form[1:] for form in self.forms))
            known = {form: is_punctuation(form) for form in set(flat)}
            return np.fromiter(map(known.__getitem__, flat), np.bool_, len(flat))
        raise UnknownName("definition of punctuation", by, ("unicode", "upos"))


def is_punctuation(form: str) -> bool:
    """Whether a form has only characters of the Unicode categories P*, as eval.pl of CoNLL-X decides it.

    >>> is_punctuation("..."), is_punctuation("$"), is_punctuation("a.")
    (True, False, False)
    """
    return bool(form) and all(unicodedata.category(character)[0] == "P" for character in form)


def encode(*columns: Sequence[str]) -> tuple[tuple[str, ...], list[Ids]]:
    """Number the strings of several columns together; return the strings by number and each column as numbers."""
    numbers = {name: number for number, name in enumerate(dict.fromkeys(chain(*columns)))}
    return tuple(numbers), [np.fromiter(map(numbers.__getitem__, each), np.int32, len(each)) for each in columns]


def cut_subtypes(labels: Sequence[str]) -> list[str]:
    """The labels without what follows the first colon, in the order given."""
    short = {label: label.split(":", 1)[0] for label in set(labels)}
    return [short[label] for label in labels]


def require_same_tokens(gold: Trees, system: Trees) -> None:
    """Refuse files that do not have the same sentences and words, and say where they part."""
    for number, (ours, theirs) in enumerate(zip(gold.forms, system.forms, strict=False)):
        if ours == theirs:
            continue
        token = next(
            (k for k, pair in enumerate(zip(ours, theirs, strict=False)) if pair[0] != pair[1]),
            min(len(ours), len(theirs)),
        )
        left, right = (repr(each[token]) if token < len(each) else "missing" for each in (ours, theirs))
        raise AlignmentError(
            f"sentence {number + 1} ({gold.places[number]} and {system.places[number]}): token {token} is "
            f"{left} in gold and {right} in the system; {REMEDY}"
        )
    if len(gold) != len(system):
        longer, names = (gold, ("system", "gold")) if len(gold) > len(system) else (system, ("gold", "system"))
        count = min(len(gold), len(system))
        raise AlignmentError(
            f"the {names[0]} file ends after sentence {count}, but the {names[1]} file goes on at "
            f"{longer.places[count]} with {' '.join(longer.forms[count][1:4])!r}; {REMEDY}"
        )


@dataclass(frozen=True, eq=False)
class TreePair:
    """Gold trees and a system's trees over the same words, with their labels numbered alike.

    `counted` says which words the figures are about: all, or all but punctuation.
    """

    gold: Trees
    system: Trees
    labels: tuple[str, ...]
    gold_labels: Ids
    system_labels: Ids
    punctuation: Mask
    counted: Mask

    @cached_property
    def right_head(self) -> Mask:
        """For each word, whether the system has the gold head."""
        mask: Mask = self.gold.heads == self.system.heads
        return mask

    @cached_property
    def right_label(self) -> Mask:
        """For each word, whether the system has the gold label, with any head."""
        mask: Mask = self.gold_labels == self.system_labels
        return mask

    @cached_property
    def right(self) -> Mask:
        """For each word, whether the system has the gold head and label."""
        return self.right_head & self.right_label

    @cached_property
    def right_link(self) -> Mask:
        """For each word, whether the system links it with its gold head in either direction."""
        heads = self.gold.heads
        at_head = np.repeat(self.gold.starts, self.gold.lengths) + heads - 1
        word = np.arange(len(heads)) - np.repeat(self.gold.starts, self.gold.lengths) + 1
        turned: Mask = (heads > 0) & (self.system.heads[np.where(heads > 0, at_head, 0)] == word)
        return self.right_head | turned


def pair_trees(
    gold: Source | Trees,
    system: Source | Trees,
    *,
    punctuation: Punctuation = "all",
    punctuation_by: PunctuationBy = "unicode",
    ignore_subtypes: bool = False,
) -> TreePair:
    """Put a system's trees beside the gold trees; both must have the same tokens, and gold must be trees."""
    if punctuation not in ("all", "none"):
        raise UnknownName("choice of punctuation", punctuation, ("all", "none"))
    gold = gold if isinstance(gold, Trees) else Trees.of(gold)
    system = system if isinstance(system, Trees) else Trees.of(system)
    require_same_tokens(gold, system)
    if not len(gold):
        raise TreebankError("there are no sentences to score; both files are empty")
    gold.require_trees()
    cut = cut_subtypes if ignore_subtypes else list
    labels, (gold_labels, system_labels) = encode(cut(gold.labels), cut(system.labels))
    marks = gold.punctuation(punctuation_by)
    counted = ~marks if punctuation == "none" else np.ones_like(marks)
    return TreePair(gold, system, labels, gold_labels, system_labels, marks, counted)
