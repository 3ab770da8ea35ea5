"""`crossarc stats`: statistics of a treebank, and a recommended parser."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crossarc.cli.arguments import Files, From, Json, Markdown, check_output, check_stdin
from crossarc.cli.console import Cell, Table, print_json, print_tables, put, show, tracked, wrapped

if TYPE_CHECKING:
    from crossarc.parsers.recommendation import Choice, Recommendation
    from crossarc.structure import Summary

WIDTH = 80


def stats(
    files: Files,
    source: From = None,
    plot: Annotated[
        str | None, typer.Option(metavar="FILE", help="Draw the classes, lengths and depths as .svg, .png or .pdf.")
    ] = None,
    json: Json = False,
    markdown: Markdown = False,
) -> None:
    """Describe treebanks: size, labels, classes of trees and graphs, depths and lengths; and recommend a parser.

    \b
    $ crossarc stats train.conllu
                                  train.conllu
     sentences                    4,508
     ...
     trees: projective            85.1%
     ...
    Recommended: carreras-npa (15% of the sentences are non-projective, ...)
    Compared with carreras-npa:
                                     LAS   NP recall   speed   training
     most accurate   neural-hybrid   +4.0          +7   0.4x    4.1x
     fast            covington       -2.4          -2   1.2x    0.5x
     faster          two-planar      -3.2         -14   2.7x    0.2x

    What the others gain and lose is the mean over treebanks like this one: LAS and the recall of non-projective (NP)
    edges in points; speed and the time of training as ratios, which are rough.
    """
    check_stdin(*files)
    if plot:
        from crossarc.cli.plots import check_plot, plot_summaries

        check_plot(plot)
        check_output(plot, *files)
    summaries = {path: summarise_file(path, source) for path in files}
    if plot:
        plot_summaries(summaries, plot)
    if json:
        print_json({path: summary.to_dict() | advice_as_json(summary) for path, summary in summaries.items()})
        return
    print_tables([stats_table(summaries)], markdown=markdown)
    for path, summary in summaries.items():
        print_advice(f"{short(path)}: " if len(summaries) > 1 else "", summary, markdown)


def summarise_file(path: str, source: str | None) -> Summary:
    """The figures of one file."""
    from crossarc.structure import summarise
    from crossarc.treebank import read

    with tracked(path) as file:
        return summarise(read(file, source))


def percent(value: float) -> str:
    """A percentage with one decimal, or with two if it is near 0 or 100."""
    return f"{value:.1f}%" if 0.05 <= value < 99.95 or value in (0, 100) else f"{value:.2f}%"


def short(path: str) -> str:
    """A path as a column title: the file and its folder."""
    return "/".join(PurePath(path).parts[-2:])


def advice(summary: Summary) -> Recommendation | str:
    """The recommendation, or the reason why there is none."""
    from crossarc.errors import StructureError
    from crossarc.parsers.recommendation import recommend

    try:
        return recommend(summary)
    except StructureError as error:
        return f"No recommendation: {error}"


def advice_as_json(summary: Summary) -> dict[str, Any]:
    """The recommendation as text and by name."""
    found = advice(summary)
    return {"advice": str(found), "recommendation": None if isinstance(found, str) else found.to_dict()}


def print_advice(name: str, summary: Summary, markdown: bool) -> None:
    """Print the recommendation with what other parsers gain and lose, in lines of 80 columns."""
    found = advice(summary)
    if isinstance(found, str):
        put(wrapped(f"{name}{found}", WIDTH))
        return
    put(wrapped(f"{name}Recommended: {found.accurate} ({found.reason})", WIDTH))
    print_choices(found.choices, "LAS", markdown)
    if found.graph and found.graph != found.accurate:
        top = ", the most accurate for so many graphs" if found.best_graph == found.graph else ""
        put(f"{name}For the graph: {found.graph}{top}")
    print_choices(found.graph_choices, "labelled F", markdown)


def print_choices(choices: Sequence[Choice], score: str, markdown: bool) -> None:
    """Print what other parsers gain and lose, one in each row."""
    if not choices:
        return
    table = Table(f"Compared with {choices[0].against}:", ["", "", score, "NP recall", "speed", "training"])
    for each in choices:
        points = ("" if each.score is None else f"{each.score:+.1f}", "" if each.np is None else f"{each.np:+.0f}")
        ratios = ("" if ratio is None else f"{ratio:g}x" for ratio in (each.speed, each.training))
        table.rows.append((each.role, each.parser, *points, *ratios))
    if all(each.np is None for each in choices):
        table.columns = [column for column in table.columns if column != "NP recall"]
        table.rows = [(*row[:3], *row[4:]) for row in table.rows]
    print_tables([table], markdown=markdown)
    names = ", ".join(sorted({name for each in choices for name in each.treebanks}))
    if names:
        several = "Means over " if "," in names else "On "
        put(wrapped(f"{several}{names}, as far as measured; speed and training time are rough.", WIDTH) + "\n")


def stats_table(summaries: dict[str, Summary]) -> Table:
    """One column per file, one row per figure; rows of graphs only if there are graphs."""
    rows: dict[str, list[Cell]] = {}
    for summary in summaries.values():
        for name, value in figures(
            summary, any(each.graphs.sentences + each.graphs.unusable for each in summaries.values())
        ).items():
            rows.setdefault(name, []).append(value)
    table = Table("", ["", *map(short, summaries)], [[name, *map(show, values)] for name, values in rows.items()])
    table.note = "Planar and 2-planar ignore arcs from the root; classes and depths are those of the usable trees."
    return table


def figures(summary: Summary, graphs: bool) -> dict[str, Cell]:
    """The figures of a summary with their names."""
    share = summary.share
    rows: dict[str, Cell] = {
        "sentences": summary.sentences,
        "words": summary.words,
        "multiword ranges / empty nodes": f"{summary.ranges:,} / {summary.empty_nodes:,}",
        "labels / UPOS / XPOS": f"{summary.labels:,} / {summary.upos:,} / {summary.xpos:,}",
        "sentence length, mean / max": f"{summary.sentence_length_mean:.1f} / {summary.sentence_length_max:,}",
        "sentences without a usable tree": summary.unusable,
        "sentences with several roots": percent(share(summary.several_roots)),
        "trees: projective": percent(share(summary.projective)),
        "trees: planar": percent(share(summary.planar)),
        "trees: 2-planar": percent(share(summary.two_planar)),
        "trees: beyond 2-planar": percent(share(summary.trees - summary.two_planar)),
        "planes needed, max": summary.planes_max,
        "well-nested": percent(share(summary.well_nested)),
        "gap degree at most 1 / max": f"{percent(share(summary.gap_degree_at_most_1))} / {summary.gap_degree_max}",
        "edge degree, max": summary.edge_degree_max,
        "non-projective edges": f"{summary.non_projective_edges:,} ({percent(summary.non_projective_percent)})",
        "crossing pairs of arcs": summary.crossing_pairs,
        "tree depth, mean / max": f"{summary.depth_mean:.1f} / {summary.depth_max:,}",
        "dependency length, mean / max": f"{summary.dependency_length_mean:.1f} / {summary.dependency_length_max:,}",
    }
    if not summary.trees:  # blank, not zero
        rows |= dict.fromkeys(list(rows)[list(rows).index("sentences with several roots") :])
    if graphs:
        graph = summary.graphs
        of_all = 100 / max(1, graph.sentences)
        found: dict[str, Cell] = {
            "graphs": graph.sentences,
            "graphs that cannot be read": graph.unusable,
            "graphs that differ from the tree": percent(graph.differing * of_all),
            "nodes with several heads": f"{graph.multi_headed:,} ({percent(graph.multi_headed_percent)})",
            "arcs per node": graph.arcs_per_node,
            "cyclic graphs": percent(graph.cyclic * of_all),
            "projective graphs": percent(graph.projective * of_all),
        }
        rows |= {
            name: value if graph.sentences or index < 2 else None for index, (name, value) in enumerate(found.items())
        }
    return rows
