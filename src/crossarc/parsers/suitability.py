"""Which preset suits a treebank, and how much of the treebank a parser can build."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from crossarc.decode import eisner
from crossarc.parsers.graph import GraphModel
from crossarc.parsers.recommendation import recommend_tree
from crossarc.parsers.settings import PRESETS
from crossarc.parsers.tag_order import Rounds, reachable_arcs, round_numbers, tag_attribute
from crossarc.parsers.transition import TransitionModel, system_of
from crossarc.structure import summarise
from crossarc.transforms.pseudo_projective import PseudoProjective
from crossarc.transitions.coverage import Coverage, coverage
from crossarc.treebank.corpus import Corpus
from crossarc.treebank.sentence import Sentence


def suitable_parser(sentences: Iterable[Sentence]) -> tuple[str, str]:
    """The preset that is recommended for a treebank, and why: the accurate one, or the fast one until that is there.

    >>> from crossarc.treebank import Sentence
    >>> suitable_parser([Sentence.from_columns(forms=["", "Hi"], heads=[-1, 0], deprels=["", "root"])] * 1000)
    ('arc-hybrid', 'all sentences are projective')
    """
    accurate, fast, reason = recommend_tree(summarise(sentences))
    return next(name for name in (accurate, fast) if name in PRESETS), reason


def coverage_of(model: TransitionModel | GraphModel, sentences: list[Sentence]) -> Coverage:
    """How much of the trees a parser could build if it made no mistake."""
    settings, single_root = model.settings, model.single_root
    trees = [sentence.heads for sentence in sentences]
    words = [len(sentence) for sentence in sentences]
    if isinstance(model, GraphModel):
        right = words
        if settings.system == "eisner":
            right = [projective_arcs(sentence) for sentence in sentences]
        elif model.rounds is not None and settings.absorb:
            right = arcs_in_rounds(model, model.rounds, sentences)
        return Coverage(len(trees), int(np.equal(right, words).sum()), sum(words), sum(right), 0)
    if settings.transform == "none":
        return coverage(system_of(settings, single_root), trees)
    transform = PseudoProjective(settings.transform)
    right = []
    for sentence in sentences:
        heads, _ = transform.decode(*transform.encode(sentence.heads, sentence.deprels))
        right.append(int((heads == sentence.heads)[1:].sum()))
    return Coverage(len(trees), int(np.equal(right, words).sum()), sum(words), sum(right), 0)


def arcs_in_rounds(model: GraphModel, rounds: Rounds, sentences: list[Sentence]) -> list[int]:
    """How many arcs of each tree can be found in rounds whose words are absorbed."""
    corpus = Corpus.of(sentences)
    tag = tag_attribute(model.features)
    numbers = round_numbers(rounds, corpus.strings[tag])[corpus[tag]]
    found = reachable_arcs(numbers, corpus["head"], corpus.starts, model.single_root)
    right: list[int] = np.add.reduceat(found, corpus.starts[:-1], dtype=np.int64).tolist()
    return right


def projective_arcs(sentence: Sentence) -> int:
    """How many arcs of a tree the projective tree that is most like it has."""
    if sentence.is_projective:
        return len(sentence)
    n = len(sentence)
    scores = np.zeros((n + 1, n + 1))
    scores[np.arange(1, n + 1), sentence.heads[1:]] = 1
    return int((eisner(scores, single_root=False) == sentence.heads)[1:].sum())
