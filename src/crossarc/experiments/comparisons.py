"""Tables that compare parsers: two sentence by sentence, or one with the mean of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean, stdev

import numpy as np
from numpy.typing import NDArray

from crossarc.evaluation import randomised_p
from crossarc.experiments.definition import Experiment
from crossarc.experiments.metrics import Metric
from crossarc.experiments.runner import Result

Cells = dict[tuple[str, str], list[Result]]
Counts = dict[str, NDArray[np.int64]]


@dataclass(frozen=True)
class Duel:
    """Two parsers on the same sentences of a treebank: percentages, as means over seeds, and p values.

    `wins` has the share of sentences that the first parser parses better by UAS, and the share of the second; the rest
    are ties. `oracle` is the UAS of an oracle that takes the better parse of each sentence, and `gain` its difference
    to the first parser. `las` and `uas` are the differences second - first; `las_p` and `uas_p` are their p values by
    the randomised comparator.
    """

    wins: tuple[float, float]
    oracle: float
    gain: float
    las: float
    las_p: float
    uas: float
    uas_p: float


def counts_by_sentence(result: Result, no_punctuation: bool) -> Counts | None:
    """The counted and the right words of each sentence; None if the result does not have them."""
    counts = (result.figures or {}).get("sentences")
    if counts and no_punctuation:
        counts = counts.get("without_punctuation")
    return {name: np.array(counts[name]) for name in ("words", "las", "uas")} if counts else None


def duel(one: Sequence[Result], other: Sequence[Result], *, no_punctuation: bool = False) -> Duel | None:
    """Compare two parsers sentence by sentence over their common seeds; None if there are none, or if one gives graphs.

    Sentences without counted words are left out. With several seeds, the randomised comparator swaps the parses of a
    sentence by all seeds together: the sample consists of sentences, not of seeds.
    """
    if any((each.figures or {}).get("graphs") for each in (*one, *other)):
        return None  # whose trees are those of gold
    counts = [[counts_by_sentence(each, no_punctuation) for each in pair] for pair in zip(one, other, strict=True)]
    pairs = [(a, b) for a, b in counts if a is not None and b is not None]
    if not pairs:
        return None
    words = pairs[0][0]["words"]
    counted = words > 0
    total = max(1, int(words.sum()))

    def share(better: Counts, worse: Counts) -> float:
        return 100 * float((better["uas"] > worse["uas"])[counted].mean()) if counted.any() else 0.0

    first, second = ({name: sum(pair[k][name] for pair in pairs) for name in ("las", "uas")} for k in (0, 1))
    scale = 100 / (total * len(pairs))
    better = sum(np.maximum(a["uas"], b["uas"]) for a, b in pairs)
    return Duel(
        wins=(mean(share(a, b) for a, b in pairs), mean(share(b, a) for a, b in pairs)),
        oracle=scale * float(np.sum(better)),
        gain=scale * float(np.sum(better - first["uas"])),
        las=scale * float(np.sum(second["las"] - first["las"])),
        las_p=randomised_p(first["las"], second["las"]),
        uas=scale * float(np.sum(second["uas"] - first["uas"])),
        uas_p=randomised_p(first["uas"], second["uas"]),
    )


def duel_rows(
    cells: Cells, treebanks: Sequence[str], one: str, other: str, *, no_punctuation: bool = False
) -> list[list[str]]:
    """The rows for two parsers: wins, oracle and differences by treebank, and means over treebanks.

    P values have no mean, since it would mean nothing.
    """
    duels = [
        duel(cells[one, treebank], cells[other, treebank], no_punctuation=no_punctuation) for treebank in treebanks
    ]
    columns = [duel_texts([each]) if each else [""] * 5 for each in duels]
    if len(treebanks) > 1:
        known = [each for each in duels if each]
        columns.append(duel_texts(known) if len(known) == len(duels) else [""] * 5)
    titles = [
        f"{one} better, % of sentences",
        f"{other} better, % of sentences",
        "UAS of the better parse",
        "LAS, second - first (p)",
        "UAS, second - first (p)",
    ]
    return [[title, *texts] for title, *texts in zip(titles, *columns, strict=True)]


def duel_texts(duels: Sequence[Duel]) -> list[str]:
    """The figures of one treebank as text, or the means of several."""

    def average(name: str) -> float:
        return float(mean(getattr(each, name) for each in duels))

    def difference(name: str) -> str:
        p = f" ({getattr(duels[0], name + '_p'):.4f})" if len(duels) == 1 else ""
        return f"{average(name):+.2f}{p}"

    return [
        *(f"{mean(each.wins[k] for each in duels):.1f}" for k in (0, 1)),
        f"{average('oracle'):.2f} ({average('gain'):+.2f})",
        difference("las"),
        difference("uas"),
    ]


def among_all_rows(
    experiment: Experiment, cells: Cells, treebanks: Sequence[str], parser: str, metrics: Sequence[Metric]
) -> list[list[str]]:
    """For each treebank the score of one parser, and the mean and standard deviation of all parsers."""
    rows = []
    for treebank in treebanks:
        row = [treebank]
        for metric in metrics:
            own = values(cells[parser, treebank], metric)
            of_all = [mean(each) for name in experiment.parsers if (each := values(cells[name, treebank], metric))]
            row.append(metric.show(mean(own)) if own else "")
            row.append(metric.show(mean(of_all)) if of_all else "")
            row.append(metric.show(stdev(of_all)) if len(of_all) > 1 else "")
        rows.append(row)
    return rows


def values(results: Sequence[Result], metric: Metric) -> list[float]:
    """The values of a metric in the results that have it."""
    found = [metric.find(result.figures) for result in results if result.figures is not None]
    return [value for value in found if value is not None]
