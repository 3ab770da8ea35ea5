"""From scores to probabilities: the scales that fit the scores of a model to its development set.

Probabilities are exp(scale * score), made to sum to 1. Scores of margin learners and perceptrons have no such
unit, so the scale is the one under which the probabilities of the heads of parses, or of their
labels where the heads are right, fit best with which of them are right (the least log loss). One number does not change
which tree is the best, so parses stay what they are.

Beams have too few derivations to be fair about arcs: an arc that is in all of them is still not certain. So the
marginals of transition parsers are flattened, raised to a power and made to sum to 1 again, and that power is found in
the same way.

A sample of the sentences is enough, and its scores are computed once for all scales where scales do not change them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from crossarc.parsers.analysis import Analysis, Request, Scales
from crossarc.treebank.corpus import Corpus
from crossarc.treebank.sentence import Sentence

if TYPE_CHECKING:
    from crossarc.parsers.model import TreeModel

ENOUGH_WORDS = 1_000  # to find a scale by; see the table in docs/results/confidence.md
STEP = 1.5  # by which scales are tried
MOST_STEPS = 12
DIGITS = 6  # of a scale
SURE = 0.999  # no probability is taken for more certain, so that one mistake does not count for everything


def calibrate(model: TreeModel, gold: list[Sentence]) -> Scales:
    """Return the scales that fit a model, by sentences that it has not learned from."""
    some, start = sample_of(gold), model.usual_scales
    analyse = model.analyser(Corpus.of(some))

    def parses(scales: Scales) -> list[tuple[Analysis, Sentence]]:
        found = zip(analyse(Request(scales)), some, strict=True)
        return [each for each in found if not np.isnan(each[0].best.probability)]

    @cache
    def unflattened(scale: float) -> list[tuple[Analysis, Sentence]]:
        """The parses by a scale of trees, which serve for all powers."""
        return parses(replace(start, trees=scale, arcs=1.0))

    def head_loss(scale: float, power: float) -> float:
        """The loss of the heads, their marginals raised to a power and made to sum to 1 again."""
        losses = []
        for analysis, sentence in unflattened(round(scale, DIGITS)):
            marginals = analysis.marginals[1:] ** power
            marginals /= marginals.sum(axis=1, keepdims=True)
            chances = marginals[np.arange(len(sentence)), analysis.best.heads[1:]].clip(0.0, 1.0)
            losses.append(log_loss(chances, (analysis.best.heads == sentence.heads)[1:]))
        return sum(losses)

    def label_loss(scale: float) -> float:
        losses = []
        for analysis, sentence in parses(replace(start, labels=scale)):
            tree = analysis.best
            right = (tree.heads == sentence.heads)[1:]
            named = np.array(tree.deprels[1:]) == np.array(sentence.deprels[1:])
            losses.append(log_loss(tree.label_probabilities[1:][right], named[right]))
        return sum(losses)

    trees = best_scale(lambda scale: head_loss(scale, start.arcs), start.trees)
    if model.scores_labels:
        return Scales(trees, best_scale(label_loss, start.labels))
    return Scales(trees, trees, best_scale(lambda power: head_loss(trees, power), start.arcs))


def sample_of(gold: list[Sentence]) -> list[Sentence]:
    """Return enough sentences to find a scale by, from all over: treebanks are often sorted by kinds of text."""
    return gold[:: max(1, sum(map(len, gold)) // ENOUGH_WORDS)]


def best_scale(loss: Callable[[float], float], start: float) -> float:
    """Return the scale with the least loss, by a search downhill from a start in steps of one factor."""
    best, least = start, loss(start)
    for factor in (STEP, 1 / STEP):
        moved = False
        for _ in range(MOST_STEPS):
            found = loss(best * factor)
            if not found < least:
                break
            best, least, moved = best * factor, found, True
        if moved:
            break
    return round(best, DIGITS)


def log_loss(probabilities: np.ndarray, right: np.ndarray) -> float:
    """The log loss of probabilities, given which of the events are right; 0 is the best."""
    chances = np.clip(probabilities, 1 - SURE, SURE)
    return float(-np.log(np.where(right, chances, 1 - chances)).sum())
