"""Enhanced dependencies over words that may differ: ELAS and EULAS of the IWPT 2020 and 2021 shared tasks.

Bouma, Seddah and Zeman (2020), Overview of the IWPT 2020 Shared Task on Parsing into Enhanced Universal Dependencies.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from crossarc.errors import TreebankError
from crossarc.evaluation.alignment import ROOT, Words, align_words
from crossarc.evaluation.scores import Score
from crossarc.evaluation.tokenization import UNALIGNED, gold_numbers
from crossarc.evaluation.trees import Counts, Source, encode, sentences_of
from crossarc.treebank.empty_nodes import collapse

if TYPE_CHECKING:
    from crossarc.treebank.sentence import Sentence

# Heads, dependents and labels.
Arcs = tuple[Counts, Counts, list[str]]


@dataclass(frozen=True)
class EnhancedScores:
    """ELAS over whole labels, EULAS over labels cut at the first colon."""

    elas: Score
    eulas: Score

    def to_dict(self) -> dict[str, Any]:
        """Everything by name, for JSON."""
        return {"ELAS": self.elas.to_dict(), "EULAS": self.eulas.to_dict()}


def evaluate_enhanced(gold: Source, system: Source) -> EnhancedScores:
    """Score the enhanced graphs of files or streams that hold the same text, whatever their tokens.

    Words are aligned as in the CoNLL 2018 shared task. An arc is right when its ends are aligned and the
    labels are the same. Arcs through empty nodes are collapsed first, see `collapse`.
    """
    # Each side is gone through twice, for its words and for its arcs.
    sentences = [list(sentences_of(source)) for source in (gold, system)]
    words = [Words.of(side) for side in sentences]
    left, right = align_words(words[0], words[1])
    sides = [arcs_of(side) for side in sentences]
    for name, (_, dependents, _) in zip(("gold", "system"), sides, strict=True):
        if len(words[0]) and not len(dependents):
            raise TreebankError(f"the {name} sentences have no graph: no arc in DEPS or the SDP columns")
    return score_arcs(sides[0], sides[1], gold_numbers(words[1], left, right))


def arcs_of(sentences: list[Sentence]) -> Arcs:
    """The collapsed arcs of all sentences, between numbers of words in the whole file."""
    heads, dependents = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    labels: list[str] = []
    before = -1
    for sentence in sentences:
        if sentence.has_graph:
            graph = collapse(sentence)
            heads.append(np.where(graph.heads > 0, graph.heads.astype(np.int64) + before, ROOT))
            dependents.append(graph.dependents.astype(np.int64) + before)
            labels += graph.labels
        before += len(sentence)
    return np.concatenate(heads), np.concatenate(dependents), labels


def cut_path(label: str) -> str:
    """A label, or each label of a joined one, up to its first colon.

    >>> cut_path("conj:and>nsubj:pass")
    'conj>nsubj'
    """
    return ">".join(step.split(":", 1)[0] for step in label.split(">"))


def score_arcs(gold: Arcs, system: Arcs, to_gold: Counts) -> EnhancedScores:
    """Count the arcs both sides have, in terms of gold words; an arc written twice counts once.

    The shared task's script counts pairs of equal arcs of a word. Once labels are cut a word can have an arc
    twice, and then m times n pairs count; so they do here.
    """
    names, labels = encode(gold[2], system[2])
    _, (short,) = encode([cut_path(name) for name in names])
    kinds, width = max(len(names), 1), int(max(gold[1].max(initial=0), system[1].max(initial=0), len(to_gold))) + 2
    totals: list[int] = []
    full: list[Counts] = []
    cut: list[tuple[Counts, Counts]] = []
    for (heads, dependents, _), label, numbers in ((gold, labels[0], None), (system, labels[1], to_gold)):
        once = np.unique((dependents * width + heads + 1) * kinds + label, return_index=True)[1]
        heads, dependents, label = heads[once], dependents[once], label[once]
        totals.append(len(once))
        if numbers is not None:
            heads, dependents = numbers[heads], numbers[dependents]
            known = (heads != UNALIGNED) & (dependents != UNALIGNED)
            heads, dependents, label = heads[known], dependents[known], label[known]
        pairs = (dependents * width + heads + 1) * kinds
        full.append(pairs + label)
        cut.append(np.unique(pairs + short[label], return_counts=True))
    (gold_keys, gold_counts), (system_keys, system_counts) = cut
    _, at_gold, at_system = np.intersect1d(gold_keys, system_keys, assume_unique=True, return_indices=True)
    return EnhancedScores(
        Score(len(np.intersect1d(full[0], full[1], assume_unique=True)), totals[0], totals[1]),
        Score(int((gold_counts[at_gold] * system_counts[at_system]).sum()), totals[0], totals[1]),
    )
