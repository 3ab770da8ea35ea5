"""Learn the recommendations of `crossarc stats` from the tables of the results pages.

    python scripts/learn_advice.py            # writes src/crossarc/parsers/advice.toml
    python scripts/learn_advice.py --print    # prints it

Fast parsers of trees: the transition parser with the best mean LAS, for each interval of the share of words with a
non-projective edge in the training part. The number of intervals is the smallest that loses less than MARGIN against
one more; of the ways to divide the treebanks that are within MARGIN of the best, the one whose parsers find the most
non-projective edges is taken. Faster parsers are the best of those with FASTER times its speed. Parsers of graphs: the
best labelled F, by the number of graphs in the training part, of linear parsers and of all.

Gains and losses are means over the treebanks of the interval on which both parsers were measured, geometric means for
speeds and times. Speeds of different pages were measured on a busy machine: their ratios are rough.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from pathlib import Path
from statistics import geometric_mean, mean

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "src" / "crossarc" / "parsers" / "advice.toml"
MARGIN = 0.1  # of mean LAS or labelled F; one seed does not say more
FASTER = 2.0
MOST_INTERVALS = 3
ACCURATE, BEST = "carreras-npa", "neural-hybrid"
LINEAR_GRAPHS = ("dag-standard", "dag-eager", "dag-covington", "dag-mst")
COLUMNS = {"LAS": "score", "LF": "score", "NP recall": "np", "tokens/s": "speed", "training, CPU s": "training"}

Figures = dict[str, float]  # score, np, speed, training, as far as a page has them
Measured = dict[str, dict[str, Figures]]  # by treebank and parser


@dataclass(frozen=True)
class Table:
    """A Markdown table with the heading of its section and the last line of text above it."""

    heading: str
    title: str
    header: list[str]
    rows: list[list[str]]


@dataclass
class Interval:
    """Treebanks that get the same advice: the value below which they are, and their names."""

    below: float | None
    treebanks: list[str]
    parser: str
    choices: list[tuple[str, str]] = field(default_factory=list)


def tables_of(page: str) -> Iterator[Table]:
    """The tables of a page in docs."""
    heading = title = ""
    found: list[list[str]] = []
    for line in [*(ROOT / "docs" / page).read_text(encoding="utf-8").splitlines(), ""]:
        if line.startswith("|"):
            found.append([cell.strip().strip("`") for cell in line.strip("|").split("|")])
            continue
        if found:
            yield Table(heading, title, found[0], found[2:])
            found = []
        if line.startswith("## "):
            heading = line.removeprefix("## ")
        if line.strip():
            title = line.strip()


def number(cell: str) -> float | None:
    """The first number of a cell, None if it has none."""
    found = re.match(r"[-+]?[\d,]*\.?\d+", cell)
    return float(found[0].replace(",", "")) if found else None


def note(measured: Measured, treebank: str, parser: str, column: str, cell: str) -> None:
    """Keep a figure, unless an earlier page has it."""
    value = number(cell)
    if column in COLUMNS and value is not None:
        measured.setdefault(treebank, {}).setdefault(parser, {}).setdefault(COLUMNS[column], value)


def note_rows(measured: Measured, treebank: str, table: Table) -> None:
    """Keep the figures of a table with one parser in each row."""
    for parser, *cells in table.rows:
        for column, cell in zip(table.header[1:], cells, strict=True):
            note(measured, treebank, parser, column, cell)


def measured_trees() -> tuple[Measured, set[str]]:
    """The figures of parsers of trees, and the names of the transition parsers."""
    measured: Measured = {}
    for page in ("results/transitions.md", "results/crossing.md"):
        for table in tables_of(page):
            name = re.match(r"\*\*(\w+)\*\*: [\d,]+ training words", table.title)
            if name:
                note_rows(measured, name[1], table)
    transitions = {parser for parsers in measured.values() for parser in parsers}
    for table in tables_of("results/second-order.md"):
        column = table.title.strip("*")
        for parser, *cells in table.rows if column in COLUMNS else []:
            preset = ACCURATE if parser == "labels after" else parser  # the preset has labels after the tree
            for treebank, cell in zip(table.header[1:], cells, strict=True):
                if treebank != "mean" and preset != "labels joint":
                    note(measured, treebank, preset, column, cell)
    for table in tables_of("results/neural.md"):
        for treebank, parser, *cells in table.rows if table.header[:2] == ["treebank", "parser"] else []:
            for column, cell in zip(table.header[2:], cells, strict=True) if parser == BEST else []:
                note(measured, treebank, parser, column, cell)
    return measured, transitions


def measured_graphs() -> Measured:
    """The figures of parsers of graphs, from the first table of each treebank, which has default settings."""
    places = {"Danish": "da_ddt_graph", "English": "en_ewt"}
    measured: Measured = {}
    for table in tables_of("results/graphs.md"):
        treebank = places.get(table.heading, table.title.strip("*"))
        if "LF" in table.header and treebank not in measured:
            note_rows(measured, treebank, table)
    return measured


def shares_and_sizes() -> tuple[dict[str, float], dict[str, float]]:
    """The share of non-projective edges of training parts in percent, and the number of their graphs."""
    edges: dict[str, float] = {}
    crossed: dict[str, float] = {}
    graphs: dict[str, float] = {}
    for table in tables_of("results/transforms.md"):
        places = {"edges": edges, "non-projective edges": crossed}
        for treebank, cell, *_ in table.rows if table.header[1] in places else []:
            places[table.header[1]].setdefault(treebank, number(cell) or 0.0)
        for treebank, cell, *_ in table.rows if table.header[1] == "cyclic graphs" else []:
            graphs[treebank] = number(cell.split(" of ")[1]) or 0.0
    return {treebank: 100 * crossed[treebank] / edges[treebank] for treebank in edges}, graphs


def divide(places: Mapping[str, float], measured: Measured, candidates: Sequence[str]) -> list[Interval]:
    """The intervals of places, such as shares of edges, in which one candidate is best each."""
    order = sorted((name for name in measured if name in places), key=places.__getitem__)
    order = [name for name in order if any(parser in measured[name] for parser in candidates)]
    chosen: tuple[float, float, list[Interval]] | None = None
    for count in range(1, MOST_INTERVALS + 1):
        found = []
        for cuts in combinations(range(1, len(order)), count - 1):
            edges = [0, *cuts, len(order)]
            parts = [order[start:stop] for start, stop in pairwise(edges)]
            best = [best_of(part, measured, candidates) for part in parts]
            if None in best:
                continue
            pairs = [(name, parser) for part, parser in zip(parts, best, strict=True) for name in part]
            score = mean(measured[name][str(parser)]["score"] for name, parser in pairs)
            edges_found = mean(measured[name][str(parser)].get("np", 0.0) for name, parser in pairs)
            bounds: list[float | None] = [middle(places[order[cut - 1]], places[order[cut]]) for cut in cuts]
            intervals = [
                Interval(below, part, str(parser))
                for below, part, parser in zip([*bounds, None], parts, best, strict=True)
            ]
            found.append((score, edges_found, intervals))
        if not found:
            continue
        top = max(score for score, _, _ in found)
        if chosen is None or top >= max(chosen[0], 0) + MARGIN:
            good = [each for each in found if each[0] > top - MARGIN]
            chosen = (top, *max(good, key=lambda each: (each[1], each[0]))[1:])
        else:
            break
    if chosen is None:
        raise SystemExit("no candidate was measured on all treebanks of an interval")
    return chosen[2]


def best_of(treebanks: Sequence[str], measured: Measured, candidates: Sequence[str]) -> str | None:
    """The candidate with the best mean score of those that were measured on all treebanks."""
    everywhere = [
        parser for parser in candidates if all("score" in measured[name].get(parser, {}) for name in treebanks)
    ]
    return max(everywhere, key=lambda parser: mean(measured[name][parser]["score"] for name in treebanks), default=None)


def middle(low: float, high: float) -> float:
    """The geometric mean of two neighbours with two digits."""
    return float(f"{(low * high) ** 0.5:.2g}")


def faster_than(interval: Interval, measured: Measured, candidates: Sequence[str]) -> str | None:
    """The best candidate that is FASTER times as fast as the interval's parser, None if there is none."""
    timed = [name for name in interval.treebanks if "speed" in measured[name][interval.parser]]
    fast = [
        parser
        for parser in candidates
        if all("speed" in measured[name].get(parser, {}) for name in timed)
        and geometric_mean(measured[name][parser]["speed"] / measured[name][interval.parser]["speed"] for name in timed)
        >= FASTER
    ]
    return best_of(interval.treebanks, measured, fast)


def trade_off(interval: Interval, measured: Measured, parser: str, against: str) -> dict[str, object] | None:
    """The gains of a parser over another: score and recall as differences, speed and training time as ratios."""
    both = [name for name in measured if name in interval.treebanks and {parser, against} <= set(measured[name])]
    pairs = [(measured[name][parser], measured[name][against]) for name in both]
    if not pairs:
        return None
    found: dict[str, object] = {}
    for key, decimals in (("score", 1), ("np", 0), ("speed", 1), ("training", 1)):
        known = [(one[key], other[key]) for one, other in pairs if key in one and key in other]
        if known and decimals == 1 and key != "score":
            ratio = geometric_mean(one / other for one, other in known)
            found[key] = float(f"{ratio:.1f}") if ratio < 10 else round(ratio)
        elif known:
            found[key] = round(mean(one - other for one, other in known), decimals) + 0.0
    return found | {"treebanks": sorted(both)}


def advice() -> str:
    """The text of the file."""
    shares, sizes = shares_and_sizes()
    trees, transitions = measured_trees()
    names = sorted(transitions)
    # Where to cut is learned from the treebanks with transition parsers; the others add to the trade-offs.
    fast = divide(shares, {name: found for name, found in trees.items() if len(transitions & set(found)) > 1}, names)
    lines = [
        "# What each parser gains and loses, and where the advice changes. Made by scripts/learn_advice.py",
        "# from the tables in docs; do not edit.",
        "",
    ]
    low = 0.0
    for interval in fast:
        high = interval.below or float("inf")
        faster = faster_than(interval, trees, names)
        interval.treebanks = [name for name in trees if low <= shares[name] < high]
        interval.choices = [("most accurate", BEST), ("fast", interval.parser)]
        interval.choices += [("faster", faster)] if faster else []
        lines += shown("trees", interval, trees, ACCURATE)
        low = high
    graphs = measured_graphs()
    every = sorted(
        {parser for found in graphs.values() for parser in found if parser in (*LINEAR_GRAPHS, "neural-graph")}
    )
    linear, best = divide(sizes, graphs, LINEAR_GRAPHS), divide(sizes, graphs, every)
    bounds = sorted({each.below for each in (*linear, *best) if each.below is not None})
    for low, high in zip([0.0, *bounds], [*bounds, float("inf")], strict=True):
        accurate = next(each.parser for each in linear if high <= (each.below or float("inf")))
        top = next(each.parser for each in best if high <= (each.below or float("inf")))
        part = [name for name in graphs if low <= sizes[name] < high]
        interval = Interval(high if high < float("inf") else None, part, accurate)
        interval.choices = [("most accurate", top)] if top != accurate else []
        lines += shown("graphs", interval, graphs, accurate)
    return "\n".join(lines)


def shown(kind: str, interval: Interval, measured: Measured, accurate: str) -> list[str]:
    """The lines of an interval."""
    lines = [f"[[{kind}]]"]
    lines += [f"below = {interval.below:g}"] if interval.below is not None else []
    lines.append(f'accurate = "{accurate}"')
    for role, parser in interval.choices:
        gained = trade_off(interval, measured, parser, accurate) or {}
        lines += [f"[[{kind}.choices]]", f'role = "{role}"', f'parser = "{parser}"']
        lines += [f"{key} = {value}".replace("'", '"') for key, value in gained.items()]
    return [*lines, ""]


def main() -> None:
    """Write the file, or print it."""
    if "--print" in sys.argv[1:]:
        sys.stdout.write(advice())
        return
    TARGET.write_text(advice(), encoding="utf-8")


if __name__ == "__main__":
    main()
