"""Is the difference between two systems more than chance, and how exact is a score? Answers from counts by sentence.

The three tests take, for every sentence, how much system A and system B have right and out of how much; the score of a
system is the sum of the right divided by the sum of the totals. `score_intervals` takes the counts of one system. The
same seed gives the same answer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossarc.errors import StructureError

Figures = NDArray[np.float64]

# Counts, or fractions of them, between which no sum, ratio or square overflows.
LEAST, MOST = 1e-9, 1e15


@dataclass(frozen=True)
class Bootstrap:
    """The difference B - A in percentage points, the interval that holds it, and the two-sided p value."""

    difference: float
    low: float
    high: float
    confidence: float
    p: float


@dataclass(frozen=True)
class TTest:
    """A paired t-test: the statistic (positive where B is better), degrees of freedom, two-sided p value."""

    t: float
    df: int
    p: float


@dataclass(frozen=True)
class Intervals:
    """The intervals that hold precision, recall and F1 in percent, None where nothing is counted."""

    precision: tuple[float, float] | None
    recall: tuple[float, float] | None
    f1: tuple[float, float] | None
    confidence: float


def randomised_p(correct_a: ArrayLike, correct_b: ArrayLike, *, shuffles: int = 10_000, seed: int = 0) -> float:
    """The two-sided p value of stratified shuffling (Noreen 1989; Bikel's randomised comparator).

    A shuffle swaps the outputs of A and B in each sentence with probability 1/2; p is the share of shuffles
    whose difference is at least as great as the one seen, with one added to both sides so that it is never 0.

    The sum over sentences of a random sign times the difference depends only on how many sentences have each
    absolute difference, and the number of plus signs among k of them is binomial. So one draws a binomial for
    each distinct difference instead of a coin for each sentence: O(shuffles x distinct differences).

    >>> randomised_p([5, 3, 4], [5, 3, 4])
    1.0
    """
    a, b = checked(correct_a, correct_b)
    if shuffles < 1:
        raise StructureError(f"{shuffles} shuffles; at least 1 is needed")
    sizes, counts = np.unique(np.abs(b - a), return_counts=True)
    sizes, counts = sizes[sizes > 0], counts[sizes > 0]
    rng = np.random.default_rng(seed)
    swapped = rng.binomial(counts, 0.5, size=(shuffles, len(sizes)))
    sums = np.abs((2 * swapped - counts) @ sizes)
    observed = abs(float((b - a).sum()))
    # Counts are whole numbers and exact; the tolerance serves callers who pass fractions.
    reached = int((sums >= observed - 1e-9 * max(observed, 1.0)).sum())
    return (reached + 1) / (shuffles + 1)


def paired_bootstrap(
    correct_a: ArrayLike,
    correct_b: ArrayLike,
    total: ArrayLike,
    *,
    resamples: int = 10_000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Bootstrap:
    """The interval of the difference B - A over sentences drawn with replacement (Efron and Tibshirani 1993).

    Sentences with the same difference and total are interchangeable, so a resample is one multinomial draw
    over the distinct pairs of the two: O(resamples x distinct pairs), whatever the number of sentences.
    """
    a, b, all_words = checked(correct_a, correct_b, total)
    check_share(np.maximum(a, b), all_words)
    if not all_words.sum():
        check_sampling(resamples, confidence)
        return Bootstrap(0.0, 0.0, 0.0, confidence, 1.0)
    gains, sizes = resampled_sums([b - a, all_words], resamples, confidence, seed)
    differences = 100 * np.divide(gains, sizes, out=np.zeros(resamples), where=sizes > 0)
    low, high = middle(differences, confidence)
    tail = min(int((differences <= 0).sum()), int((differences >= 0).sum()))
    p = min(1.0, 2 * (tail + 1) / (resamples + 1))
    return Bootstrap(100 * float((b - a).sum() / all_words.sum()), low, high, confidence, p)


def score_intervals(
    gold: ArrayLike,
    recalled: ArrayLike,
    system: ArrayLike,
    precise: ArrayLike,
    *,
    resamples: int = 10_000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Intervals:
    """The intervals of precision, recall and F1 over sentences drawn with replacement (Efron and Tibshirani 1993).

    Each sentence has so many items in `gold`, of which `recalled` are found, and so many in `system`, of which
    `precise` are right. The interval holds the middle of the scores of all resamples; resamples without items are left
    out. Sentences with the same counts are interchangeable, so the cost depends only on the distinct ones.

    >>> score_intervals([2, 2, 0, 1], [2, 1, 0, 1], [2, 2, 1, 1], [2, 1, 0, 1]).recall
    (50.0, 100.0)
    """
    columns = checked(gold, recalled, system, precise)
    check_share(columns[1], columns[0])
    check_share(columns[3], columns[2])
    in_gold, found, in_system, right = resampled_sums(columns, resamples, confidence, seed)
    with np.errstate(invalid="ignore"):  # 0 / 0 is not a number, and left out
        recall, precision = 100 * found / in_gold, 100 * right / in_system
        f1 = np.where(precision + recall == 0, 0.0, 2 * precision * recall / (precision + recall))

    def interval(values: Figures) -> tuple[float, float] | None:
        known = values[~np.isnan(values)]
        return middle(known, confidence) if len(known) else None

    return Intervals(interval(precision), interval(recall), interval(f1), confidence)


def resampled_sums(columns: list[Figures], resamples: int, confidence: float, seed: int) -> list[Figures]:
    """The sums of columns of counts over as many sentences drawn with replacement, for each resample.

    Sentences with the same counts are interchangeable, so a resample is one multinomial draw over the distinct rows.
    """
    check_sampling(resamples, confidence)
    sums = np.zeros((resamples, len(columns)))
    if not len(columns[0]):
        return list(sums.T)
    kinds, counts = np.unique(np.stack(columns, axis=1), axis=0, return_counts=True)
    rng = np.random.default_rng(seed)
    step = max(1, 4_000_000 // len(kinds))
    for first in range(0, resamples, step):
        rows = slice(first, min(first + step, resamples))
        sums[rows] = rng.multinomial(len(columns[0]), counts / len(columns[0]), size=rows.stop - first) @ kinds
    return list(sums.T)


def check_sampling(resamples: int, confidence: float) -> None:
    """Refuse impossible numbers of resamples and levels of confidence."""
    if resamples < 1 or not 0 < confidence < 1:
        raise StructureError(f"{resamples} resamples with confidence {confidence}; need at least 1, and 0 < c < 1")


def middle(values: Figures, confidence: float) -> tuple[float, float]:
    """The ends of the interval that holds the middle of some values."""
    low, high = np.quantile(values, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)


def paired_t_test(correct_a: ArrayLike, correct_b: ArrayLike, total: ArrayLike) -> TTest:
    """The two-sided paired t-test over sentence scores; sentences of which nothing counts are left out.

    Without any difference, or with fewer than two sentences, there is nothing to test and p is 1.
    """
    a, b, all_words = checked(correct_a, correct_b, total)
    check_share(np.maximum(a, b), all_words)
    counted = all_words > 0
    return t_test((b[counted] - a[counted]) / all_words[counted])


def t_test(differences: NDArray[Any]) -> TTest:
    """The two-sided t-test of differences whose mean is 0 by chance."""
    n = len(differences)
    if n < 2 or not differences.any():
        return TTest(0.0, max(n - 1, 0), 1.0)
    mean, spread = float(differences.mean()), float(differences.std(ddof=1))
    if spread <= 1e-15 * abs(mean):
        return TTest(math.copysign(math.inf, mean), n - 1, 0.0)
    t = mean / (spread / math.sqrt(n))
    return TTest(t, n - 1, t_tails(t, n - 1))


def t_tails(t: float, df: float) -> float:
    """The probability that Student's t with `df` degrees of freedom is at least as far from 0 as `t`.

    >>> round(t_tails(2.0, 10), 6)
    0.073388
    """
    if math.isinf(t):
        return 0.0
    a, x, rest = df / 2, df / (df + t * t), t * t / (df + t * t)
    # Near t = 0, x is 1 to the last bit and only the rest still knows t.
    return incomplete_beta(a, 0.5, x) if x <= (a + 1) / (a + 2.5) else 1 - incomplete_beta(0.5, a, rest)


def incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function I_x(a, b), by its continued fraction in Lentz's form.

    The fraction converges fast for x < (a + 1) / (a + b + 2); the symmetry I_x(a, b) = 1 - I_(1-x)(b, a)
    serves the rest.
    """
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(b, a, 1 - x)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)) / a
    tiny = 1e-300
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1) or tiny)
    value = d
    for m in range(1, 10_000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / (1 + term * d or tiny)
            c = 1 + term / c or tiny
            value *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return front * value


def checked(*columns: ArrayLike) -> list[Figures]:
    """The columns as arrays of one length; refuse values that are no counts or shares of counts."""
    arrays = [np.asarray(column, dtype=np.float64) for column in columns]
    if any(array.ndim != 1 or array.shape != arrays[0].shape for array in arrays):
        raise StructureError(f"counts by sentence need one length, not {', '.join(str(a.shape) for a in arrays)}")
    if not all(np.isfinite(array).all() for array in arrays):
        raise StructureError("counts by sentence must be finite numbers")
    if not all(((array == 0) | ((array >= LEAST) & (array <= MOST))).all() for array in arrays):
        raise StructureError(f"counts by sentence must be 0, or numbers from {LEAST:g} to {MOST:g}")
    return arrays


def check_share(right: Figures, total: Figures) -> None:
    """Refuse counts of which a sentence has more right than there are."""
    wrong = np.flatnonzero(right > total)
    if len(wrong):
        at = wrong[0]
        raise StructureError(f"counts by sentence: {right[at]:g} are right of {total[at]:g} in sentence {at + 1}")
