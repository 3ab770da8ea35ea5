"""The tables of a cross-validation in Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from crossarc.experiments.crossvalidation import CrossValidated, GraphRow, Row
from crossarc.experiments.tables import markdown

SMALLEST_P = 0.0001
MEASURES = ("precision", "recall", "f1")


def fold_tables(found: CrossValidated) -> str:
    """The treebank, the scores, the paired tests, the times and the failed jobs."""
    parts = [treebank_table(found)]
    trees = [(name, row) for name, row in zip(names_of(found), found.rows, strict=True) if not (row and row.graphs)]
    if trees:
        parts.append(score_table(trees))
    graphs = [(name, row.graphs) for name, row in zip(names_of(found), found.rows, strict=True) if row and row.graphs]
    if graphs:
        parts.append(graph_table(graphs))
    if found.tests:
        parts.append(test_table(found))
    parts.append(time_table(found))
    if found.failures:
        parts.append("Failed:\n\n" + "\n".join(f"- {each}" for each in found.failures))
    return "\n\n".join([*parts, footnote(found)]) + "\n"


def treebank_table(found: CrossValidated) -> str:
    """The size of the treebank and its non-projective edges."""
    size = found.treebank
    edges = f"{size.np_edges:,} ({size.np_edges_percent:.2f}%)"
    row = [found.plan.treebank.name, f"{size.sentences:,}", edges, f"{size.np_sentences_percent:.2f}%"]
    return "**Treebank**\n\n" + markdown(["treebank", "sentences", "NP edges", "sentences with NP edges"], [row])


def score_table(named: Sequence[tuple[str, Row | None]]) -> str:
    """The scores of parsers of trees; the precision of a parser without non-projective edges is blank."""
    rows = [[name, *(scores_of(row) if row else ["failed", "", "", "", ""])] for name, row in named]
    return "**Scores**\n\n" + markdown(["parser", "LAS", "LEM", "NP precision", "NP recall", "NP edges found"], rows)


def graph_table(named: Sequence[tuple[str, GraphRow]]) -> str:
    """The scores of parsers of graphs."""
    rows = []
    for name, row in named:
        scores = [getattr(score, measure) for score in (row.labelled, row.unlabelled) for measure in MEASURES]
        rows.append([name, *(f"{score:.2f}" for score in (*scores, row.exact_match))])
    return "**Graphs**\n\n" + markdown(["parser", "LP", "LR", "LF", "UP", "UR", "UF", "whole graphs"], rows)


def scores_of(row: Row) -> list[str]:
    """The scores of a parser as text."""
    edges = row.scores.non_projective
    shares = ("" if each is None else f"{each:.2f}" for each in (edges.precision, edges.recall))
    return [f"{row.scores.las:.2f}", f"{row.scores.lem:.2f}", *shares, f"{edges.system:,}"]


def test_table(found: CrossValidated) -> str:
    """The differences of pairs of parsers with their significance."""
    rows = [
        [
            each.parser,
            each.against,
            f"{each.difference:+.2f}",
            show_p(each.p),
            each.level,
            f"{each.lem_difference:+.2f}",
            show_p(each.lem_p),
        ]
        for each in found.tests
    ]
    columns = ["parser", "against", "LAS difference", "p", "significance", "LEM difference", "p of LEM"]
    return "**Significance**\n\n" + markdown(columns, rows, texts=(0, 1, 4))


def show_p(p: float) -> str:
    """A p value as text."""
    return f"{p:.4f}" if p >= SMALLEST_P else f"< {SMALLEST_P}"


def time_table(found: CrossValidated) -> str:
    """The CPU seconds of each parser, and how they compare with those of the last."""
    last = found.rows[-1]
    rows = [
        [name, *(times_of(row, last) if row else ["failed", "", "", ""])]
        for name, row in zip(names_of(found), found.rows, strict=True)
    ]
    columns = ["parser", "training, CPU s", "ratio to the last", "parsing, CPU s", "ratio to the last"]
    return "**Time**\n\n" + markdown(columns, rows)


def times_of(row: Row, last: Row | None) -> list[str]:
    """The times of a parser as text."""

    def ratio(own: float, other: float | None) -> str:
        return f"{own / other:.2f}" if other else ""

    return [
        f"{row.training_seconds:,.1f}",
        ratio(row.training_seconds, last.training_seconds if last else None),
        f"{row.parsing_seconds:,.2f}",
        ratio(row.parsing_seconds, last.parsing_seconds if last else None),
    ]


def names_of(found: CrossValidated) -> list[str]:
    """The names of the parsers."""
    return [each.name for each in found.plan.candidates]


def footnote(found: CrossValidated) -> str:
    """The note that explains the figures."""
    pairs = f"{len(found.tests)} pair{'s' * (len(found.tests) > 1)}"
    tests = (
        "Significance: two-sided paired t-tests over sentences, on the number of words with the right head and label, "
        f"and for LEM on whether all are right; {pairs}, p values not corrected for their number. "
        if found.tests
        else ""
    )
    graphs = (
        "LP, LR, LF: precision, recall and F of labelled arcs of graphs; UP, UR, UF: unlabelled. Parsers of graphs are "
        "not tested for significance. "
        if any(row and row.graphs for row in found.rows)
        else ""
    )
    return (
        f"{found.plan.folds} folds of the sentences at random, seed {found.plan.seed}; each fold is parsed by a model "
        "that was trained on the others, last epoch. Scores count all folds together, with the tags of the file, "
        "punctuation counted. LAS: words with the right head and label; LEM: sentences with all heads and labels "
        "right; NP: non-projective. NP precision: NP edges of the parser whose head and label are right; NP recall: NP "
        f"edges of gold whose head and label the parser has. {graphs}{tests}Times are sums over folds, of one thread; "
        "parsing is without reading."
    )
