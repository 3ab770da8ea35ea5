"""Two systems against the same gold trees: figures, significance, who wins where, the oracle of both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from crossarc.errors import UnknownName
from crossarc.evaluation.attachment import METRICS, Attachment, Setting, score_pair, sentence_counts
from crossarc.evaluation.scores import Figures, Share, percent, plain_fields
from crossarc.evaluation.significance import Bootstrap, TTest, paired_bootstrap, paired_t_test, randomised_p
from crossarc.evaluation.trees import Counts, Punctuation, PunctuationBy, Source, TreePair, Trees, pair_trees


@dataclass(frozen=True)
class Difference(Figures):
    """One metric of A and B, and how sure the difference B - A is.

    `p` is that of the randomised comparator, over sentences. `wins_a`, `wins_b` and `ties` count sentences.
    `oracle` is the score of taking, for each sentence, the better tree of the two.
    """

    metric: str
    a: float
    b: float
    p: float
    bootstrap: Bootstrap
    t_test: TTest
    sentences: int
    wins_a: int
    wins_b: int
    ties: int
    oracle: float

    @property
    def difference(self) -> float:
        """B - A in percentage points."""
        return self.b - self.a

    @property
    def oracle_gain(self) -> float:
        """The gain of the oracle over the better of the two."""
        return self.oracle - max(self.a, self.b)

    @property
    def oracle_gain_over_a(self) -> float:
        """The gain of the oracle over A."""
        return self.oracle - self.a

    # The sentences, in percent, where A is better, where B is better, where both are equally good.
    share_a = Share("wins_a", "sentences")
    share_b = Share("wins_b", "sentences")
    share_ties = Share("ties", "sentences")


@dataclass(frozen=True)
class DifferingSentence:
    """A sentence that A and B do differently well: number from 1, id, place in gold, right words of each, total."""

    number: int
    id: str
    source: str
    line: int
    correct_a: int
    correct_b: int
    total: int


@dataclass(frozen=True)
class Comparison:
    """The scores of A and B, their differences by metric, and the sentences that differ most."""

    setting: Setting
    metric: str
    a: Attachment
    b: Attachment
    differences: dict[str, Difference]
    differing: tuple[DifferingSentence, ...]
    trees_identical: bool = False  # A and B have the same heads and labels; their graphs may differ

    @property
    def chosen(self) -> Difference:
        """The difference in the chosen metric."""
        return self.differences[self.metric]

    def is_worse(self, level: float = 0.05) -> bool:
        """Whether B is significantly worse than A in the chosen metric."""
        return self.chosen.difference < 0 and self.chosen.p < level

    def to_dict(self) -> dict[str, Any]:
        """Everything by name, for JSON."""
        return plain_fields(self)


def compare(
    gold: Source | Trees,
    a: Source | Trees,
    b: Source | Trees,
    *,
    metric: str = "las",
    punctuation: Punctuation = "all",
    punctuation_by: PunctuationBy = "unicode",
    ignore_subtypes: bool = False,
    shuffles: int = 10_000,
    seed: int = 0,
    worst: int = 10,
) -> Comparison:
    """Compare systems A and B; LAS, UAS and the chosen metric are tested for significance.

    Wins, ties and the oracle are those of Levi et al. (2016), Table 2. `worst` sentences with the greatest
    difference in the number of right words are named, whichever system has the better of them.
    """
    if metric not in METRICS:
        raise UnknownName("metric", metric, METRICS)
    gold = gold if isinstance(gold, Trees) else Trees.of(gold)
    setting = Setting(punctuation, punctuation_by, ignore_subtypes)
    pairs = [pair_trees(gold, each, **vars(setting)) for each in (a, b)]
    differences = {
        name: compare_metric(pairs[0], pairs[1], name, shuffles=shuffles, seed=seed)
        for name in dict.fromkeys(("las", "uas", metric))
    }
    return Comparison(
        setting,
        metric,
        score_pair(pairs[0], setting),
        score_pair(pairs[1], setting),
        differences,
        differing_sentences(pairs[0], pairs[1], metric, worst),
        pairs[0].system.same_arcs(pairs[1].system),
    )


def compare_metric(a: TreePair, b: TreePair, metric: str, *, shuffles: int, seed: int) -> Difference:
    """The difference of two systems in one metric."""
    right_a, total = sentence_counts(a, metric)
    right_b, _ = sentence_counts(b, metric)
    counted, words = total > 0, int(total.sum())
    return Difference(
        metric=metric,
        a=percent(int(right_a.sum()), words),
        b=percent(int(right_b.sum()), words),
        p=randomised_p(right_a, right_b, shuffles=shuffles, seed=seed),
        bootstrap=paired_bootstrap(right_a, right_b, total, resamples=shuffles, seed=seed),
        t_test=paired_t_test(right_a, right_b, total),
        sentences=int(counted.sum()),
        wins_a=int((right_a > right_b).sum()),
        wins_b=int((right_b > right_a).sum()),
        ties=int((counted & (right_a == right_b)).sum()),
        oracle=percent(int(np.maximum(right_a, right_b).sum()), words),
    )


def differing_sentences(a: TreePair, b: TreePair, metric: str, count: int) -> tuple[DifferingSentence, ...]:
    """The sentences that differ most, the earlier ones first among equals."""
    right_a, total = sentence_counts(a, metric)
    right_b, _ = sentence_counts(b, metric)
    gaps: Counts = np.abs(right_a - right_b)
    order = np.argsort(-gaps, kind="stable")[: max(count, 0)]
    return tuple(
        DifferingSentence(
            number + 1,
            place.id,
            place.source,
            place.line,
            int(right_a[number]),
            int(right_b[number]),
            int(total[number]),
        )
        for number in order[gaps[order] > 0].tolist()
        for place in (a.gold.places[number],)
    )
