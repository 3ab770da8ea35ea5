"""Enhanced dependencies over words that may differ: ELAS and EULAS of the IWPT 2020 and 2021 shared tasks.

Bouma, Seddah and Zeman (2020), Overview of the IWPT 2020 Shared Task on Parsing into Enhanced Universal
Dependencies.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from crossarc.evaluation.alignment import ROOT, Words, align_words
from crossarc.evaluation.scores import Score
from crossarc.evaluation.tokenisation import UNALIGNED, gold_numbers
from crossarc.evaluation.trees import Counts, Source, sentences_of

if TYPE_CHECKING:
    from crossarc.treebank.sentence import Sentence

Arc = tuple[int, int, str]


@dataclass(frozen=True)
class EnhancedScores:
    """ELAS over whole labels, EULAS over labels cut at the first colon."""

    elas: Score
    eulas: Score

    def as_dict(self) -> dict[str, Any]:
        """Everything by name, for JSON."""
        return {"ELAS": self.elas.as_dict(), "EULAS": self.eulas.as_dict()}


def evaluate_enhanced(gold: Source, system: Source) -> EnhancedScores:
    """Score the enhanced graphs of files or streams that hold the same text, whatever their tokens.

    Words are aligned as in the CoNLL 2018 shared task. An arc is right when its ends are aligned and the
    labels are the same. Arcs through empty nodes are collapsed first, see `collapse`.
    """
    # Each side is gone through twice, for its words and for its arcs.
    sentences = [list(sentences_of(source)) for source in (gold, system)]
    words = [Words.of(side) for side in sentences]
    left, right = align_words(words[0], words[1])
    to_gold = gold_numbers(words[1], left, right)
    arcs = [arcs_of(side) for side in sentences]
    return EnhancedScores(*(score_arcs(arcs, to_gold, len(left), cut) for cut in (False, True)))


def arcs_of(sentences: list[Sentence]) -> list[Arc]:
    """The collapsed arcs of all sentences, between numbers of words in the whole file."""
    arcs: list[Arc] = []
    before = -1
    for sentence in sentences:
        for head, dependent, label in collapse(sentence):
            arcs.append((head + before if head else ROOT, dependent + before, label))
        before += len(sentence)
    return arcs


def collapse(sentence: Sentence) -> list[Arc]:
    """The graph as distinct arcs between words; a path through empty nodes is an arc with a joined label.

    3 -conj-> 5.1 -obj-> 6 becomes 3 -conj>obj-> 6. Paths pass no empty node twice; an empty node without head
    or without dependents leaves nothing behind.
    """
    if not sentence.has_graph:
        return []
    graph = sentence.graph
    if not sentence.empty_nodes:
        return list(dict.fromkeys(graph))
    word = [int(name) if name.isdigit() else -1 for name in graph.nodes]
    below: dict[int, list[tuple[int, str]]] = {}
    for head, dependent, label in graph:
        below.setdefault(head, []).append((dependent, label))
    found: dict[Arc, None] = {}
    for head, dependent, label in graph:
        if word[head] < 0:
            continue
        paths: list[tuple[tuple[int, ...], str]] = [((dependent,), label)]
        while paths:
            nodes, joined = paths.pop()
            if word[nodes[-1]] >= 0:
                found[word[head], word[nodes[-1]], joined] = None
                continue
            paths += [((*nodes, child), f"{joined}>{step}") for child, step in below.get(nodes[-1], ())
                      if child not in nodes]
    return sorted(found, key=lambda arc: arc[1])


def cut_path(label: str) -> str:
    """A label, or each label of a joined one, up to its first colon.

    >>> cut_path("conj:and>nsubj:pass")
    'conj>nsubj'
    """
    return ">".join(step.split(":", 1)[0] for step in label.split(">"))


def score_arcs(collected: list[list[Arc]], to_gold: Counts, aligned: int, cut: bool) -> Score:
    """Count the arcs both sides have, in terms of gold words.

    The shared task's script counts pairs of equal arcs of a word. Once labels are cut a word can have an arc
    twice, and then m times n pairs count; so they do here.
    """
    gold_arcs, system_arcs = collected
    labels: dict[str, int] = {}
    short: dict[str, int] = {}
    for arcs in collected:
        for _, _, label in arcs:
            if label not in short:
                name = cut_path(label) if cut else label
                short[label] = labels.setdefault(name, len(labels))

    def columns(arcs: list[Arc]) -> tuple[Counts, Counts, NDArray[np.int64]]:
        count = len(arcs)
        return (
            np.fromiter((arc[0] for arc in arcs), np.int64, count),
            np.fromiter((arc[1] for arc in arcs), np.int64, count),
            np.fromiter((short[arc[2]] for arc in arcs), np.int64, count),
        )

    keys = []
    for arcs, numbers in ((gold_arcs, None), (system_arcs, to_gold)):
        heads, dependents, names = columns(arcs)
        if numbers is not None:
            heads, dependents = numbers[heads], numbers[dependents]
            known = (heads != UNALIGNED) & (dependents != UNALIGNED)
            heads, dependents, names = heads[known], dependents[known], names[known]
        keys.append(np.unique(np.stack([dependents, heads, names], axis=1), axis=0, return_counts=True))
    (gold_keys, gold_counts), (system_keys, system_counts) = keys
    both, inverse = np.unique(np.concatenate([gold_keys, system_keys]), axis=0, return_inverse=True)
    inverse = inverse.ravel()
    pairs = np.bincount(inverse[:len(gold_keys)], gold_counts, len(both)) * np.bincount(
        inverse[len(gold_keys):], system_counts, len(both)
    )
    return Score(int(pairs.sum()), len(gold_arcs), len(system_arcs), aligned)
