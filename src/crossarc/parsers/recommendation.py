"""Which parser suits a treebank, by the figures of its summary."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from crossarc.errors import CrossarcError, StructureError
from crossarc.parsers.presets import make_settings
from crossarc.structure.summary import Summary, percent, summarise
from crossarc.treebank.sentence import Sentence

# Shares in percent where the advice changes.
FEW_EDGES = 0.3  # non-projective edges: fewer cost a projective parser less than it gains
MANY_EDGES = 5.0  # with more, non-projective trees are the rule and two planes a poor bet
NEARLY_ALL = 99.0  # of the sentences 2-planar
NOTABLE = 1.0  # of the nodes with several heads
SMALL = 1_000  # sentences
BEST, BEST_GRAPH = "neural-hybrid", "neural-graph"  # on nearly all treebanks tried


@dataclass(frozen=True)
class Recommendation:
    """Names of presets: an accurate parser that trains in minutes, a fast one, one for the graph or ""; and why.

    `best` is the most accurate parser, whatever its time.
    """

    accurate: str
    fast: str
    reason: str
    graph: str = ""
    best: str = ""

    def __str__(self) -> str:
        best = f"; most accurate, but slower: {self.best}" if self.best else ""
        beside = self.graph and self.graph != self.accurate
        graph = f"; for the graph: {self.graph}, most accurate {BEST_GRAPH}" if beside else ""
        return f"Recommended: {self.accurate} ({self.reason}){best}; fast: {self.fast}{graph}"


def recommend(summary: Summary) -> Recommendation:
    """Name parsers for a treebank.

    >>> found = recommend(Summary(
    ...     trees=1000, tree_words=20_000, projective=850, two_planar=998, non_projective_edges=200,
    ... ))
    >>> found.accurate, found.fast
    ('carreras-npa', 'two-planar')
    >>> found.reason
    '15% of the sentences are non-projective, all but 0.2% are 2-planar'
    """
    graph, graph_reason = recommend_graph(summary)
    if not summary.trees:
        if not summary.graphs.sentences:
            raise StructureError("no sentence has a tree or a graph: there is nothing to choose a parser for")
        graph, graph_reason = graph or "dag-eager", graph_reason or "there are graphs but no trees"
        return Recommendation(graph, "dag-standard", graph_reason, graph, BEST_GRAPH)
    accurate, fast, reason = recommend_tree(summary)
    if graph_reason:
        reason += f"; {graph_reason}"
    if summary.trees < SMALL:
        reason += f"; with only {summary.trees:,} sentences, better try several: crossarc experiment"
    return Recommendation(accurate, fast, reason, graph, BEST)


def recommend_tree(summary: Summary) -> tuple[str, str, str]:
    """The accurate and the fast parser for trees, and why."""
    edges = summary.non_projective_percent
    crossed = summary.trees - summary.projective
    beyond = summary.trees - summary.two_planar
    if not crossed:
        return "carreras", "arc-hybrid", "all sentences are projective"
    if edges < FEW_EDGES:
        return "carreras", "arc-hybrid", f"{shown(edges)} of the words have a non-projective edge"
    reason = f"{shown(summary.share(crossed))} of the sentences are non-projective"
    if edges > MANY_EDGES:
        reason += f", {shown(edges)} of the words have a non-projective edge"
        return "carreras-npa", "covington", reason
    if summary.share(summary.two_planar) >= NEARLY_ALL:
        reason += f", all but {shown(summary.share(beyond))} are 2-planar" if beyond else ", all are 2-planar"
        return "carreras-npa", "two-planar", reason
    return "carreras-npa", "covington", f"{reason}, {shown(summary.share(beyond))} are not 2-planar"


def recommend_graph(summary: Summary) -> tuple[str, str]:
    """The parser for the graph and why; "" where the tree says nearly all."""
    graphs = summary.graphs
    if graphs.multi_headed_percent < NOTABLE:
        return "", ""
    reason = f"{shown(graphs.multi_headed_percent)} of the words have several heads"
    crossed = percent(graphs.sentences - graphs.projective, graphs.sentences)
    # Graphs that are projective come back whole from shifting and reducing; others need the lists.
    name = "dag-eager" if crossed < 100 - NEARLY_ALL else "dag-covington"
    return name, f"{reason}, {shown(crossed)} of the graphs are not projective"


def shown(value: float) -> str:
    """A share as people say it: 15%, 3.4%, 0.2%, less than 0.1%."""
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
    ('arc-hybrid', 'all sentences are projective')
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
