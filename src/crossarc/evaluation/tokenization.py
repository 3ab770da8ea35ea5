"""Scores of whole pipelines, whose tokens may differ from gold: the metrics of the CoNLL 2018 shared task.

Zeman et al. (2018), CoNLL 2018 Shared Task: Multilingual Parsing from Raw Text to Universal Dependencies, section 6.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import eq
from typing import Any

import numpy as np

from crossarc.evaluation.alignment import NO_HEAD, ROOT, Words, align_words
from crossarc.evaluation.scores import Score
from crossarc.evaluation.trees import Counts, Mask, Source, cut_subtypes

CONTENT_RELATIONS = frozenset(
    {
        "acl",
        "advcl",
        "advmod",
        "amod",
        "appos",
        "ccomp",
        "compound",
        "conj",
        "csubj",
        "dep",
        "discourse",
        "dislocated",
        "expl",
        "fixed",
        "flat",
        "goeswith",
        "iobj",
        "list",
        "nmod",
        "nsubj",
        "nummod",
        "obj",
        "obl",
        "orphan",
        "parataxis",
        "reparandum",
        "root",
        "vocative",
        "xcomp",
    }
)
FUNCTIONAL_RELATIONS = frozenset({"aux", "case", "cc", "clf", "cop", "det", "mark"})
UNIVERSAL_FEATURES = frozenset(
    {
        "Abbr",
        "Animacy",
        "Aspect",
        "Case",
        "Definite",
        "Degree",
        "Evident",
        "Foreign",
        "Gender",
        "Mood",
        "NumType",
        "Number",
        "Person",
        "Polarity",
        "Polite",
        "Poss",
        "PronType",
        "Reflex",
        "Tense",
        "VerbForm",
        "Voice",
    }
)
UNALIGNED = -3


@dataclass(frozen=True)
class Tokenization:
    """The scores by the shared task's names: `result["LAS"].f1`."""

    scores: dict[str, Score]

    def __getitem__(self, name: str) -> Score:
        return self.scores[name]

    def to_dict(self) -> dict[str, Any]:
        """Everything by name, for JSON."""
        return {name: score.to_dict() for name, score in self.scores.items()}


def evaluate_tokenization(gold: Source, system: Source) -> Tokenization:
    """Score files or streams of sentences that hold the same text, whatever their tokens and sentences.

    Labels are cut at the first colon and only the universal features count, as in the shared task. Trees with
    several roots, which the task's script refuses, are scored by the same definitions; a missing head is
    wrong. Cost: linear, but quadratic in each stretch of overlapping multiword tokens.
    """
    return score_words(Words.of(gold), Words.of(system))


def score_words(gold: Words, system: Words) -> Tokenization:
    """The scores of files that are laid out already."""
    left, right = align_words(gold, system)
    aligned = len(left)
    left_list, right_list = left.tolist(), right.tolist()

    def same(ours: list[str], theirs: list[str]) -> Mask:
        """For each aligned pair, whether a column agrees."""
        pairs = map(eq, map(ours.__getitem__, left_list), map(theirs.__getitem__, right_list))
        return np.fromiter(pairs, np.bool_, aligned)

    def score(correct: Mask) -> Score:
        return Score(int(correct.sum()), len(gold), len(system), aligned)

    gold_relations, system_relations = cut_subtypes(gold.deprels), cut_subtypes(system.deprels)
    feats = universal_feats(gold.feats), universal_feats(system.feats)
    same_upos, same_xpos = same(gold.upos, system.upos), same(gold.xpos, system.xpos)
    same_feats, same_relation = same(*feats), same(gold_relations, system_relations)
    # A lemma that gold leaves open cannot be wrong.
    open_lemma = np.fromiter(map("_".__eq__, gold.lemmas), np.bool_, len(gold))
    same_lemma = same(gold.lemmas, system.lemmas) | open_lemma[left]
    same_head = heads_agree(gold, system, left, right)
    attached = same_head & same_relation

    gold_content, system_content = (
        marks(relations, CONTENT_RELATIONS) for relations in (gold_relations, system_relations)
    )
    content = gold_content[left]

    def content_score(correct: Mask) -> Score:
        return Score(
            int((correct & content).sum()), int(gold_content.sum()), int(system_content.sum()), int(content.sum())
        )

    child = attached & same_upos & same_feats
    same_children = functional_children_agree(
        gold,
        system,
        left,
        right,
        child,
        marks(gold_relations, FUNCTIONAL_RELATIONS),
        marks(system_relations, FUNCTIONAL_RELATIONS),
    )
    return Tokenization(
        {
            "Tokens": span_score(gold.token_starts, gold.token_ends, system.token_starts, system.token_ends),
            "Sentences": span_score(
                gold.sentence_starts, gold.sentence_ends, system.sentence_starts, system.sentence_ends
            ),
            "Words": Score(aligned, len(gold), len(system)),
            "UPOS": score(same_upos),
            "XPOS": score(same_xpos),
            "UFeats": score(same_feats),
            "AllTags": score(same_upos & same_xpos & same_feats),
            "Lemmas": score(same_lemma),
            "UAS": score(same_head),
            "LAS": score(attached),
            "CLAS": content_score(attached),
            "MLAS": content_score(child & same_children),
            "BLEX": content_score(attached & same_lemma),
        }
    )


def span_score(gold_starts: list[int], gold_ends: list[int], system_starts: list[int], system_ends: list[int]) -> Score:
    """The spans that both sides have."""
    width = max(gold_ends[-1:] + system_ends[-1:], default=0) + 1
    gold = np.array(gold_starts, dtype=np.int64) * width + np.array(gold_ends, dtype=np.int64)
    system = np.array(system_starts, dtype=np.int64) * width + np.array(system_ends, dtype=np.int64)
    return Score(len(np.intersect1d(gold, system)), len(gold), len(system))


def universal_feats(column: list[str]) -> list[str]:
    """Each FEATS with the universal features only, sorted."""
    short = {
        feats: "|".join(
            sorted(feature for feature in feats.split("|") if feature.split("=", 1)[0] in UNIVERSAL_FEATURES)
        )
        for feats in set(column)
    }
    return [short[feats] for feats in column]


def marks(relations: list[str], chosen: frozenset[str]) -> Mask:
    """For each word, whether its relation is one of the chosen."""
    known = {relation: relation in chosen for relation in set(relations)}
    return np.fromiter(map(known.__getitem__, relations), np.bool_, len(relations))


def gold_numbers(system: Words, left: Counts, right: Counts) -> Counts:
    """The gold word each word of the system is aligned with; the last entries serve ROOT and NO_HEAD."""
    numbers = np.full(len(system) + 2, UNALIGNED, dtype=np.int64)
    numbers[right] = left
    numbers[ROOT], numbers[NO_HEAD] = ROOT, UNALIGNED
    return numbers


def heads_agree(gold: Words, system: Words, left: Counts, right: Counts) -> Mask:
    """For each aligned pair, whether the system's head is aligned with the gold head, or both are roots."""
    mask: Mask = gold.heads[left] == gold_numbers(system, left, right)[system.heads[right]]
    return mask


def functional_children_agree(
    gold: Words,
    system: Words,
    left: Counts,
    right: Counts,
    agreed: Mask,
    gold_functional: Mask,
    system_functional: Mask,
) -> Mask:
    """For each aligned pair, whether the function words below it are the same, with the same tags.

    `agreed` says for each pair whether head, relation, UPOS and features are the same. The alignment keeps the
    order of words, so the two lists of children are equal exactly when they have the same length and each gold
    child has an agreeing partner.
    """

    def children(heads: Counts, chosen: Mask, words: int) -> Counts:
        return np.bincount(heads[chosen & (heads >= 0)], minlength=words)

    in_gold = children(gold.heads, gold_functional, len(gold))
    in_system = children(system.heads, system_functional, len(system))
    partners = left[agreed & gold_functional[left]]
    heads = gold.heads[partners]
    in_both = np.bincount(heads[heads >= 0], minlength=len(gold))
    mask: Mask = (in_gold[left] == in_system[right]) & (in_gold[left] == in_both[left])
    return mask
