"""Results as Markdown tables, and the pages with these tables."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, stdev
from typing import Protocol

from crossarc.errors import CrossarcError
from crossarc.experiments.comparisons import Cells, among_all_rows, duel_rows, values
from crossarc.experiments.definition import Experiment
from crossarc.experiments.metrics import Metric, get_metric
from crossarc.experiments.runner import Result
from crossarc.treebank.streams import atomic_writer

AMONG_ALL = {"counted": ("las", "uas"), "left out": ("las_no_punct", "uas_no_punct")}
HEADING = {"counted": "", "left out": ", no punct."}


def tables(experiment: Experiment, results: Sequence[Result]) -> str:
    """The overviews, comparisons, one table per treebank, and failed jobs."""
    cells: Cells = {}
    for result in results:
        cells.setdefault((result.job.name, result.job.treebank.name), []).append(result)
    treebanks = list(dict.fromkeys(result.job.treebank.name for result in results))
    parts = [overview(experiment, cells, treebanks, get_metric(name)) for name in experiment.overview]
    choices = ["counted", "left out"] if experiment.punctuation == "both" else [experiment.punctuation]
    parts += [duel_table(cells, treebanks, *pair, each) for pair in experiment.pairs for each in choices]
    parts += [
        among_all_table(experiment, cells, treebanks, name, each) for name in experiment.among_all for each in choices
    ]
    if experiment.columns:
        metrics = [get_metric(name) for name in experiment.columns]
        parts += [treebank_table(experiment, cells, treebank, metrics) for treebank in treebanks]
    failures = dict.fromkeys(f"- {result.job}: {result.error}" for result in results if result.failed)
    if failures:
        parts.append("Failed:\n\n" + "\n".join(failures))
    if any(result.figures for result in results):
        parts.append(footnote(experiment))
    return "\n\n".join(parts) + "\n"


def overview(experiment: Experiment, cells: Cells, treebanks: list[str], metric: Metric) -> str:
    """One metric of all parsers on all treebanks."""
    rows = [[name, *(cell(cells[name, each], metric) for each in treebanks)] for name in experiment.parsers]
    columns = ["parser", *treebanks]
    if len(treebanks) > 1:
        columns.append("mean")
        for row in rows:
            found = [values(cells[row[0], each], metric) for each in treebanks]
            row.append(metric.show(mean(map(mean, found))) if all(found) else "")  # never over fewer treebanks
    return f"**{metric.title}**\n\n" + markdown(columns, rows)


def duel_table(cells: Cells, treebanks: list[str], one: str, other: str, punctuation: str) -> str:
    """Two parsers sentence by sentence on all treebanks, with punctuation counted or left out."""
    columns = [f"{one} and {other}", *treebanks, *(["mean"] if len(treebanks) > 1 else [])]
    rows = duel_rows(cells, treebanks, one, other, no_punctuation=punctuation == "left out")
    return f"**{one} and {other}, sentence by sentence{HEADING[punctuation]}**\n\n" + markdown(columns, rows)


def among_all_table(experiment: Experiment, cells: Cells, treebanks: list[str], name: str, punctuation: str) -> str:
    """One parser and the mean of all, with punctuation counted or left out."""
    metrics = [get_metric(each) for each in AMONG_ALL[punctuation]]
    columns = ["treebank", *(title for metric in metrics for title in (metric.title, "mean of all", "SD"))]
    rows = among_all_rows(experiment, cells, treebanks, name, metrics)
    return f"**{name} among all parsers{HEADING[punctuation]}**\n\n" + markdown(columns, rows)


def treebank_table(experiment: Experiment, cells: Cells, treebank: str, metrics: list[Metric]) -> str:
    """All metrics of all parsers on one treebank."""
    rows = [[name, *(cell(cells[name, treebank], metric) for metric in metrics)] for name in experiment.parsers]
    title = f"**{treebank}**"
    figures = next(
        (each.figures for name in experiment.parsers for each in cells[name, treebank] if each.figures), None
    )
    if figures:
        learned, scored = figures["training"]["data"]["words"], figures["parsing"]["words"]
        edges = figures["scores"]["non_projective"]["gold"]
        title += f": {learned:,} training words, {scored:,} scored words with {edges:,} non-projective edges"
    return f"{title}\n\n" + markdown(["parser", *(metric.title for metric in metrics)], rows)


def cell(results: list[Result], metric: Metric) -> str:
    """The value of a metric; for several seeds the mean and the standard deviation; blank if there is none."""
    found = values(results, metric)
    if not found:
        return "failed" if all(result.failed for result in results) else ""
    spread = f" ± {metric.show(stdev(found))}" if len(found) > 1 else ""
    return metric.show(mean(found)) + spread


def footnote(experiment: Experiment) -> str:
    """The note that explains the metrics."""
    seeds = (
        f"Mean and standard deviation of {len(experiment.seeds)} seeds. "
        if len(experiment.seeds) > 1
        else f"Seed {experiment.seeds[0]}. "
    )
    comparator = (
        "The p values of pairs are two-sided, by the randomised comparator with 10,000 shuffles of sentences. "
        if experiment.pairs
        else ""
    )
    return (
        f"{seeds}Scored on {experiment.score}, gold tokens and tags, {what_is_counted(experiment)}. LAS, UAS: words "
        "with the right head, with and without the label; LEM: sentences with all heads and labels right; NP: "
        f"non-projective edges, labelled. {comparator}Tokens/s are per CPU second of one thread, without reading."
    )


def what_is_counted(experiment: Experiment) -> str:
    """A phrase that says whether punctuation counts in the tables."""
    compared = experiment.punctuation != "counted" and bool(experiment.pairs or experiment.among_all)
    if not compared and not any(name.endswith("_no_punct") for name in (*experiment.columns, *experiment.overview)):
        return "punctuation counted"
    return (
        "punctuation counted, but left out if a heading says no punct. (words whose characters all have a Unicode "
        "category P*)"
    )


def markdown(columns: Sequence[str], rows: Sequence[Sequence[str]], texts: Sequence[int] = (0,)) -> str:
    """A Markdown table; the columns in `texts` are text, the others are numbers."""

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(each.replace("|", "\\|") for each in cells) + " |"

    rule = "|" + "|".join("---" if place in texts else "---:" for place in range(len(columns))) + "|"
    return "\n".join([line(columns), rule, *map(line, rows)])


class Described(Protocol):
    """The parts of an experiment or a cross-validation that a new page needs."""

    @property
    def title(self) -> str:
        """The title of the page."""

    @property
    def note(self) -> str:
        """The text below the title."""


def surroundings(path: str | os.PathLike[str], name: str, experiment: Described) -> tuple[str, str]:
    """The text of a page before and after the tables of an experiment; for a new page, the title and the note.

    An existing page without markers is refused; call this before a long run.
    """
    page = Path(path)
    if not page.exists():
        note = f"{experiment.note.strip()}\n\n" if experiment.note.strip() else ""
        return f"# {experiment.title}\n\n{note}", "\n"
    begin, end = markers(name)
    before, found, rest = page.read_text(encoding="utf-8").partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise CrossarcError(f"{page}: the page has no markers for the tables; add the lines {begin} and {end}")
    return before, after


def markers(name: str) -> tuple[str, str]:
    """The lines before and after the tables of an experiment."""
    return f"<!-- begin experiment {name} -->", f"<!-- end experiment {name} -->"


def write_page(path: str | os.PathLike[str], name: str, experiment: Described, text: str, command: str) -> None:
    """Write tables to a page, between the markers of the experiment, or to a new page."""
    before, after = surroundings(path, name, experiment)
    begin, end = markers(name)
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with atomic_writer(path) as file:
        file.write(f"{before}{begin}\nMade by `{command}`.\n\n{text}{end}{after}".encode())
