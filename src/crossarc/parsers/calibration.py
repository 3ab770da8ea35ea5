"""From scores to probabilities: the scales that fit the scores of a model to its development set.

Probabilities are exp(scale * score), made to sum to 1. Scores of margin learners and perceptrons have no unit that
means anything of the kind, so the scale is the one under which the probabilities of the heads of parses, or of their
labels where the heads are right, fit best with which of them are right (the least log loss). One number does not change
which tree is the best, so parses stay what they are.

Beams have too few derivations to be fair about arcs: what all of them agree on is less sure than that. So the
marginals of transition parsers are flattened, raised to a power and made to sum to 1 again, and that power is found in
the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from crossarc.parsers.analysis import Analysis, Request, Scales
from crossarc.parsers.constraints import NONE
from crossarc.treebank.corpus import Corpus
from crossarc.treebank.sentence import Sentence

if TYPE_CHECKING:
    from crossarc.parsers.model import Model

ENOUGH_WORDS = 2_000  # to find a scale by
STEP = 1.5  # by which scales are tried
MOST_STEPS = 12
SURE = 0.999  # no probability is taken for more certain, so that one mistake does not count for everything


def calibrate(model: Model, gold: list[Sentence]) -> Scales:
    """Return the scales that fit a model, by sentences that it has not learned from."""
    # Sentences from all over: treebanks are often sorted by kinds of text.
    some = gold[:: max(1, sum(map(len, gold)) // ENOUGH_WORDS)]
    corpus, start = Corpus.of(some), model.usual_scales

    def parses(scales: Scales) -> Iterator[tuple[Analysis, Sentence]]:
        found = zip(model.analyse(corpus, [NONE] * len(some), Request(scales)), some, strict=True)
        return (each for each in found if not np.isnan(each[0].best.probability))

    def head_loss(found: Iterable[tuple[Analysis, Sentence]], power: float = 1.0) -> float:
        """The loss of the heads, their marginals raised to a power and made to sum to 1 again."""
        losses = []
        for analysis, sentence in found:
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

    trees = best_scale(lambda scale: head_loss(parses(replace(start, trees=scale))), start.trees)
    if model.scores_labels:
        return Scales(trees, best_scale(label_loss, start.labels))
    # One analysis serves for all powers: marginals that were not flattened only have to be raised to each.
    plain = list(parses(Scales(trees, trees, 1.0)))
    return Scales(trees, trees, best_scale(lambda power: head_loss(plain, power), start.arcs))


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
    return round(best, 6)


def log_loss(probabilities: np.ndarray, right: np.ndarray) -> float:
    """How much probabilities are worth against what turned out to be right; 0 is the best."""
    chances = np.clip(probabilities, 1 - SURE, SURE)
    return float(-np.log(np.where(right, chances, 1 - chances)).sum())
