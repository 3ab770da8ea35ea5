"""The recommended parser for a treebank, by the figures of its summary."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from crossarc.errors import CrossarcError, StructureError
from crossarc.parsers.presets import make_settings
from crossarc.structure.summary import Summary, percent, summarise
from crossarc.treebank.sentence import Sentence

# Shares in percent where the advice changes and no results page says where; the others are in advice.toml.
FEW_EDGES = 0.3  # non-projective edges: fewer cost a projective parser less than it gains
MANY_EDGES = 5.0  # with more, most trees are non-projective
NEARLY_ALL = 99.0  # of the graphs projective, of the trees 2-planar
NOTABLE = 1.0  # of the nodes with several heads
SMALL = 1_000  # sentences


@dataclass(frozen=True)
class Choice:
    """A parser for some purpose, and what it gains over another: `against`, measured on `treebanks`.

    `score` (LAS, of graphs labelled F) and `np`, the recall of non-projective edges, are differences in points; `speed`
    and `training`, the time that it takes, are ratios. None is for what was not measured.
    """

    role: str
    parser: str
    against: str
    score: float | None = None
    np: float | None = None
    speed: float | None = None
    training: float | None = None
    treebanks: tuple[str, ...] = ()


@cache
def advice() -> dict[str, Any]:
    """The table that scripts/learn_advice.py made from the results pages."""
    text = files("crossarc.parsers").joinpath("advice.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def advised(kind: str, value: float) -> tuple[str, tuple[Choice, ...]]:
    """The accurate parser of "trees" with such a share of edges, or of so many "graphs", and the other choices."""
    found = next(each for each in advice()[kind] if value < each.get("below", math.inf))
    choices = [
        Choice(**{**each, "against": found["accurate"], "treebanks": tuple(each.get("treebanks", ()))})
        for each in found.get("choices", ())
    ]
    return found["accurate"], tuple(choices)


@dataclass(frozen=True)
class Recommendation:
    """Names of presets: an accurate parser that trains in minutes, a fast one, one for the graph or ""; and why.

    `best` is the most accurate parser, whatever its time, and `best_graph` that of graphs. `choices` have what the
    other parsers of trees gain and lose, `graph_choices` those of graphs.
    """

    accurate: str
    fast: str
    reason: str
    graph: str = ""
    best: str = ""
    best_graph: str = ""
    choices: tuple[Choice, ...] = ()
    graph_choices: tuple[Choice, ...] = ()

    def __str__(self) -> str:
        best = f"; most accurate, but slower: {self.best}" if self.best else ""
        graph = ""
        if self.graph and self.graph != self.accurate:
            top = f", most accurate {self.best_graph}" if self.best_graph != self.graph else ""
            graph = f"; for the graph: {self.graph}{top}"
        return f"Recommended: {self.accurate} ({self.reason}){best}; fast: {self.fast}{graph}"

    def to_dict(self) -> dict[str, Any]:
        """Everything by name, for JSON."""
        return asdict(self)


def recommend(summary: Summary) -> Recommendation:
    """Name parsers for a treebank.

    >>> found = recommend(Summary(
    ...     trees=1000, tree_words=20_000, projective=850, two_planar=998, non_projective_edges=200,
    ... ))
    >>> found.accurate, found.fast
    ('carreras-npa', 'covington')
    >>> found.reason
    '15% of the sentences are non-projective, all but 0.2% are 2-planar'
    """
    graph, graph_reason = recommend_graph(summary)
    top, graph_choices = best_graph(summary, graph)
    if not summary.trees:
        if not summary.graphs.sentences:
            raise StructureError("no sentence has a tree or a graph: there is nothing to choose a parser for")
        graph, graph_reason = graph or "dag-eager", graph_reason or "there are graphs but no trees"
        return Recommendation(
            graph, "dag-standard", graph_reason, graph, top, best_graph=top, graph_choices=graph_choices
        )
    accurate, fast, reason = recommend_tree(summary)
    if graph_reason:
        reason += f"; {graph_reason}"
    if summary.trees < SMALL:
        reason += f"; with only {summary.trees:,} sentences, better try several: crossarc experiment"
    _, choices = advised("trees", summary.non_projective_percent)
    best = next((each.parser for each in choices if each.role == "most accurate"), "")
    return Recommendation(accurate, fast, reason, graph, best, top, choices, graph_choices if graph else ())


def recommend_tree(summary: Summary) -> tuple[str, str, str]:
    """The accurate and the fast parser for trees, and why."""
    edges = summary.non_projective_percent
    crossed = summary.trees - summary.projective
    beyond = summary.trees - summary.two_planar
    accurate, choices = advised("trees", edges)
    fast = next(each.parser for each in choices if each.role == "fast")
    if not crossed:
        return "carreras", fast, "all sentences are projective"
    if edges < FEW_EDGES:
        return "carreras", fast, f"{shown(edges)} of the words have a non-projective edge"
    reason = f"{shown(summary.share(crossed))} of the sentences are non-projective"
    if edges > MANY_EDGES:
        return accurate, fast, f"{reason}, {shown(edges)} of the words have a non-projective edge"
    if summary.share(summary.two_planar) >= NEARLY_ALL:
        return (
            accurate,
            fast,
            reason + (f", all but {shown(summary.share(beyond))} are 2-planar" if beyond else ", all are 2-planar"),
        )
    return accurate, fast, f"{reason}, {shown(summary.share(beyond))} are not 2-planar"


def best_graph(summary: Summary, graph: str) -> tuple[str, tuple[Choice, ...]]:
    """The most accurate parser for so many graphs, and what it gains over the other one."""
    accurate, choices = advised("graphs", summary.graphs.sentences)
    best = next((each.parser for each in choices if each.role == "most accurate"), accurate)
    return best, choices if graph == accurate else ()


def recommend_graph(summary: Summary) -> tuple[str, str]:
    """The parser for the graph and why; "" where the tree says nearly all."""
    graphs = summary.graphs
    if graphs.multi_headed_percent < NOTABLE:
        return "", ""
    reason = f"{shown(graphs.multi_headed_percent)} of the words have several heads"
    crossed = percent(graphs.sentences - graphs.projective, graphs.sentences)
    # Graphs that are projective come back whole from shifting and reducing; of the others,
    # which of the linear parsers is best depends on how many there are.
    name = "dag-eager" if crossed < 100 - NEARLY_ALL else advised("graphs", graphs.sentences)[0]
    return name, f"{reason}, {shown(crossed)} of the graphs are not projective"


def shown(value: float) -> str:
    """A share as text: 15%, 3.4%, 0.2%, less than 0.1%."""
    if 0 < value < 0.05:
        return "less than 0.1%"
    return f"{value:.0f}%" if value >= 9.95 else f"{value:.1f}%"


def suitable_parser(sentences: Iterable[Sentence], **options: Any) -> tuple[str, str]:
    """Return the preset that is recommended for a treebank, and why: the accurate one, or the fast one.

    The fast one is taken where only that has the settings in the options.

    >>> sentences = [Sentence.from_columns(forms=["", "Hi"], heads=[-1, 0], deprels=["", "root"])] * 1000
    >>> suitable_parser(sentences)
    ('carreras', 'all sentences are projective')
    >>> suitable_parser(sentences, beam=8)
    ('planar', 'all sentences are projective')
    """
    accurate, fast, reason = recommend_tree(summarise(sentences))
    return next((name for name in (accurate, fast) if has_settings(name, options)), accurate), reason


def has_settings(parser: str, options: dict[str, Any]) -> bool:
    """Return whether a parser has these settings."""
    try:
        make_settings(parser, **options)
    except CrossarcError:
        return False
    return True
