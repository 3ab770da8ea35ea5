"""Tables that set parsers against each other: two of them sentence by sentence, or one beside all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean, stdev

import numpy as np

from crossarc.experiments.definition import Experiment
from crossarc.experiments.metrics import Metric, get_metric
from crossarc.experiments.runner import Result

Cells = dict[tuple[str, str], list[Result]]
AMONG_ALL = ("las", "uas")


@dataclass(frozen=True)
class Duel:
    """Two parsers on the same sentences, all in percent.

    `wins` is the share of sentences that the one parses better by UAS, and the share that the other does; the rest are
    level. `oracle` is the UAS of one who takes the better parse of each sentence, and `gain` how much more than the
    first parser's that is.
    """

    wins: tuple[float, float]
    oracle: float
    gain: float


def duel(one: Result, other: Result) -> Duel | None:
    """Compare two results sentence by sentence; None if one of them failed or does not tell about sentences."""
    told = [each.figures["sentences"] for each in (one, other) if each.figures and "sentences" in each.figures]
    if len(told) < 2:
        return None
    words = np.array(told[0]["words"])
    a, b = (np.array(each["uas"]) for each in told)
    oracle = 100 * float(np.maximum(a, b).sum() / words.sum())
    wins = (100 * float((a > b).mean()), 100 * float((b > a).mean()))
    return Duel(wins, oracle, oracle - 100 * float(a.sum() / words.sum()))


def duel_rows(cells: Cells, treebanks: Sequence[str], one: str, other: str) -> list[list[str]]:
    """For two parsers the sentences each wins, and the oracle, by treebank; means over seeds, and over treebanks."""
    columns: list[list[float] | None] = []
    for treebank in treebanks:
        pairs = zip(cells[one, treebank], cells[other, treebank], strict=True)
        found = [each for each in (duel(*pair) for pair in pairs) if each is not None]
        columns.append([mean(row) for row in zip(*((*d.wins, d.oracle, d.gain) for d in found), strict=True)] or None)
    if len(treebanks) > 1:
        known = [column for column in columns if column is not None]
        columns.append([mean(row) for row in zip(*known, strict=True)] if len(known) == len(treebanks) else None)
    rows = [[f"{one} better, % of sentences"], [f"{other} better, % of sentences"], ["UAS of the better parse"]]
    for column in columns:
        texts = ["", "", ""]
        if column is not None:
            texts = [f"{column[0]:.1f}", f"{column[1]:.1f}", f"{column[2]:.2f} ({column[3]:+.2f})"]
        for row, text in zip(rows, texts, strict=True):
            row.append(text)
    return rows


def among_all_rows(experiment: Experiment, cells: Cells, treebanks: Sequence[str], parser: str) -> list[list[str]]:
    """For each treebank what one parser scores, beside the mean and the standard deviation of all parsers."""
    rows = []
    for treebank in treebanks:
        row = [treebank]
        for metric in map(get_metric, AMONG_ALL):
            own = values(cells[parser, treebank], metric)
            of_all = [mean(each) for name in experiment.parsers if (each := values(cells[name, treebank], metric))]
            row.append(metric.show(mean(own)) if own else "")
            row.append(metric.show(mean(of_all)) if of_all else "")
            row.append(metric.show(stdev(of_all)) if len(of_all) > 1 else "")
        rows.append(row)
    return rows


def values(results: Sequence[Result], metric: Metric) -> list[float]:
    """A figure of the results that have it."""
    found = [metric.find(result.figures) for result in results if result.figures is not None]
    return [value for value in found if value is not None]
