"""The picture of `crossarc stats --plot`."""

from __future__ import annotations

import importlib.util
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from crossarc.cli.stats import short
from crossarc.errors import MissingDependency, UnknownName
from crossarc.treebank.streams import atomic_writer

if TYPE_CHECKING:
    from crossarc.structure import Summary

CLASSES = {"projective": "projective", "planar": "planar only", "two_planar": "2-planar only", "other": "beyond"}
HATCHES = ("", "///", "...", "xxx")
SPREADS = {
    "sentence_length": "words in a sentence",
    "dependency_length": "length of a dependency",
    "depth": "depth of a tree",
}
ENDINGS = (".svg", ".png", ".pdf")


def check_plot(output: str) -> None:
    """Refuse a picture that cannot be drawn, before any work is done."""
    ending = PurePath(output).suffix.lower()
    if ending not in ENDINGS:
        raise UnknownName("kind of picture", ending or output, ENDINGS)
    if importlib.util.find_spec("matplotlib") is None:
        raise MissingDependency("drawing plots", "matplotlib")


def plot_summaries(summaries: dict[str, Summary], output: str) -> None:
    """Draw the classes of trees and the distributions of lengths and depths of all files."""
    import matplotlib
    from matplotlib.figure import Figure

    ending = PurePath(output).suffix.lower()
    matplotlib.rcParams["svg.hashsalt"] = "crossarc"  # the same figures give the same file
    figure = Figure(figsize=(11, 3.2 + 0.3 * len(summaries)), layout="constrained")
    axes = figure.subplots(1, 1 + len(SPREADS), width_ratios=[1.5, 1, 1, 1])
    draw_classes(axes[0], summaries)
    for axis, (name, title) in zip(axes[1:], SPREADS.items(), strict=True):
        draw_spread(axis, {path: summary.histograms.get(name, []) for path, summary in summaries.items()}, title)
    if len(summaries) > 1:
        lines, names = axes[1].get_legend_handles_labels()
        figure.legend(lines, names, loc="outside upper right", ncols=3, fontsize="small", frameon=False)
    metadata = {"Date": None} if ending == ".svg" else {}
    with atomic_writer(output) as file:
        figure.savefig(file, format=ending[1:], metadata=metadata, dpi=150)


def draw_classes(axis: Any, summaries: dict[str, Summary]) -> None:
    """One bar per file, split by class; the classes differ in colour and hatching."""
    names = [short(path) for path in summaries]
    left = [0.0] * len(names)
    for (key, title), hatch, shade in zip(CLASSES.items(), HATCHES, (0.85, 0.65, 0.45, 0.25), strict=True):
        shares = [summary.share(summary.partition[key]) for summary in summaries.values()]
        axis.barh(names, shares, left=left, label=title, hatch=hatch, color=(shade, shade, 1.0), edgecolor="black")
        left = [place + share for place, share in zip(left, shares, strict=True)]
    axis.set_xlabel("% of the trees")
    axis.invert_yaxis()
    axis.legend(fontsize="small", ncols=2, loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False)


def draw_spread(axis: Any, histograms: dict[str, list[int]], title: str) -> None:
    """The share of sentences or words by value, up to the 99th percentile."""
    longest = 1
    styles = ("-", "--", ":", "-.")
    for index, (path, counts) in enumerate(histograms.items()):
        total = sum(counts)
        if not total:
            continue
        seen = 0
        for value, count in enumerate(counts):
            seen += count
            if seen >= 0.99 * total:
                longest = max(longest, value)
                break
        axis.plot(range(len(counts)), [100 * count / total for count in counts], styles[index % 4], label=short(path))
    axis.set_xlim(0, longest)
    axis.set_ylim(bottom=0)
    axis.set_xlabel(title)
    axis.set_ylabel("%")
