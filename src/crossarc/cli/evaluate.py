"""`crossarc evaluate`: score a parsed file against gold."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crossarc.cli.arguments import Gold, IgnoreSubtypes, Json, Markdown, NoPunct, Punct, check_stdin
from crossarc.cli.console import Cell, Table, print_json, print_tables
from crossarc.errors import CrossarcError, UnknownName

if TYPE_CHECKING:
    from crossarc.evaluation import (
        Attachment,
        Breakdown,
        ClassScore,
        Confusion,
        EnhancedScores,
        GraphScores,
        Intervals,
        Score,
        Tokenization,
    )
    from crossarc.treebank import Sentence

TOKENIZATIONS = ("auto", "same", "align")
CONFUSIONS_SHOWN = 20


@dataclass(frozen=True)
class Report:
    """The scores; parts that were not requested, or do not apply, are None or empty.

    `trees_identical` says that both files have the same heads and labels, as when HEAD was copied from gold.
    """

    gold: str
    system: str
    setting: str
    note: str = ""
    trees_identical: bool = False
    attachment: Attachment | None = None
    tokenization: Tokenization | None = None
    graphs: GraphScores | None = None
    enhanced: EnhancedScores | None = None
    breakdowns: tuple[Breakdown, ...] = ()
    confusions: tuple[Confusion, ...] = field(default=())

    def to_dict(self) -> dict[str, Any]:
        """All parts by name, for JSON."""
        parts = {
            "attachment": self.attachment,
            "tokenisation": self.tokenization,
            "graphs": self.graphs,
            "enhanced": self.enhanced,
        }
        return {
            "gold": self.gold,
            "system": self.system,
            "setting": self.setting,
            "note": self.note,
            "trees_identical": self.trees_identical,
            **{name: part.to_dict() for name, part in parts.items() if part is not None},
            **({"breakdowns": [each.to_dict() for each in self.breakdowns]} if self.breakdowns else {}),
            **({"confusions": [each.to_dict() for each in self.confusions]} if self.confusions else {}),
        }


def evaluate(
    gold: Gold,
    system: Annotated[str, typer.Argument(metavar="SYSTEM", help="The file to score; - is standard input.")],
    no_punct: NoPunct = False,
    punct: Punct = "unicode",
    ignore_subtypes: IgnoreSubtypes = False,
    graph: Annotated[
        bool | None,
        typer.Option("--graph/--no-graph", help="Score the graphs too (DEPS, SDP), or not; default: if they differ."),
    ] = None,
    tokenization: Annotated[
        str,
        typer.Option(
            metavar="auto|same|align",
            help="'same' requires the same tokens; 'align' aligns words as in CoNLL 2018; 'auto' chooses.",
        ),
    ] = "auto",
    by: Annotated[
        str,
        typer.Option(metavar="NAMES", help="Break down by label, upos, length, depth, size, projectivity, crossing."),
    ] = "",
    confusion: Annotated[bool, typer.Option("--confusion", help="Show the most frequent label confusions.")] = False,
    pattern: Annotated[
        list[str] | None, typer.Option(metavar="NAME=REGEX", help="Score a class of graph arcs by label.")
    ] = None,
    kinds: Annotated[
        str | None,
        typer.Option(metavar="danish|enhanced", help="Score graphs by kind of arc, such as conj-shared or control."),
    ] = None,
    intervals: Annotated[
        bool, typer.Option("--intervals", help="Print 95% intervals of graph scores (bootstrap over sentences).")
    ] = False,
    json: Json = False,
    markdown: Markdown = False,
) -> None:
    """Score a parsed file against gold: attachment, exact match, non-projective edges, graphs, tokenization.

    If the tokens differ, words are aligned and scored by the metrics of the CoNLL 2018 shared task.

    \b
    $ crossarc evaluate gold.conllu parsed.conllu
    Attachment of parsed.conllu
                             all tokens   no punctuation
     LAS                          84.31            86.02
     UAS                          88.10            89.75
     label accuracy               91.20            92.11
     ...
    same tokens; all tokens; whole labels

    Graphs are scored when both files have them and they differ, or with --graph. If the trees are identical then, as
    when a parser of graphs left HEAD as it was, only the graphs are printed. With --kinds they are scored by kind of
    arc: 'danish' has primary, gapping, long-distance and anaphoric arcs, 'enhanced' has primary, conj-shared, relative,
    control, ellipsis and other arcs.

    \b
    $ crossarc evaluate gold.conllu parsed.conllu --kinds danish --intervals
    ...
    Graphs, labelled
     arcs                precision          recall              F1    gold  system
     all            92.2 91.6–92.7  87.5 86.8–88.1  89.8 89.2–90.3  10,565  10,027
     long-distance  95.4 93.5–97.2  87.6 85.0–90.2  91.4 89.2–93.3     502     461
     anaphoric      93.7 89.1–97.9  85.2 79.2–91.0  89.3 84.3–93.8     122     111
     ...
    beside each figure: its 95% interval, by bootstrap over sentences
    """
    if pattern or intervals or kinds is not None:
        if graph is False:
            raise CrossarcError("--kinds, --pattern and --intervals score graphs; leave out --no-graph")
        graph = True
    report = evaluate_files(
        gold,
        system,
        punctuation="none" if no_punct else "all",
        punctuation_by=punct,
        graph=graph,
        ignore_subtypes=ignore_subtypes,
        tokenization=tokenization,
        confusion=confusion,
        by=[name.strip() for name in by.split(",") if name.strip()],
        patterns=parse_patterns(pattern or []),
        kinds=kinds,
        intervals=intervals,
    )
    if json:
        print_json(report.to_dict())
    else:
        print_tables(tables_of(report), markdown=markdown)


def parse_patterns(given: list[str]) -> dict[str, str]:
    """The patterns NAME=REGEX of the command line."""
    patterns = {}
    for each in given:
        name, equals, expression = each.partition("=")
        if not (name and equals and expression):
            raise CrossarcError(f"--pattern {each!r}: write NAME=REGEX, for example anaphora=ref")
        patterns[name] = expression
    return patterns


def evaluate_files(
    gold: str,
    system: str,
    *,
    punctuation: Any = "all",
    punctuation_by: Any = "unicode",
    ignore_subtypes: bool = False,
    graph: bool | None = None,
    tokenization: str = "auto",
    by: list[str] | None = None,
    confusion: bool = False,
    patterns: dict[str, str] | None = None,
    kinds: str | None = None,
    intervals: bool = False,
) -> Report:
    """Score the files; with "auto", words are aligned if the tokens differ, and the report says so.

    With None for `graph`, graphs are scored if both files have them and they differ.
    """
    from crossarc.errors import AlignmentError
    from crossarc.evaluation import (
        Setting,
        Trees,
        break_down,
        confusions,
        evaluate_enhanced,
        evaluate_graphs,
        evaluate_tokenization,
        pair_trees,
        score_pair,
    )
    from crossarc.evaluation.trees import REMEDY, require_same_tokens
    from crossarc.treebank import read

    if tokenization not in TOKENIZATIONS:
        raise UnknownName("tokenization", tokenization, TOKENIZATIONS)
    check_stdin(gold, system)
    sentences = list(read(gold)), list(read(system))
    trees = Trees.of(sentences[0]), Trees.of(sentences[1])
    note = ""
    if tokenization == "auto":
        try:
            require_same_tokens(*trees)
        except AlignmentError as error:
            where = str(error).removesuffix(f"; {REMEDY}")
            tokenization, note = "align", f"The tokens differ, so words are aligned as in CoNLL 2018: {where}."
    if graph is None:
        graph, problem = graphs_need_scores(*sentences)
        graph = graph or (not (trees[0].heads >= 0).any() and any(sentence.has_graph for sentence in sentences[0]))
        note = " ".join(filter(None, [note, problem]))
    if tokenization == "align":
        unused = "Breakdowns and --no-punct need the same tokens and are left out."
        return Report(
            gold,
            system,
            "words aligned as in CoNLL 2018; all words; labels cut at ':'; universal features only",
            " ".join(filter(None, [note, unused if by or confusion or punctuation == "none" else ""])),
            tokenization=evaluate_tokenization(*sentences),
            enhanced=evaluate_enhanced(*sentences) if graph else None,
        )
    identical = bool((trees[0].heads >= 0).any()) and trees[0].same_arcs(trees[1])
    setting = Setting(punctuation, punctuation_by, ignore_subtypes)
    parts: dict[str, Any] = {}
    if not graph or (trees[0].heads >= 0).any():  # SDP files have graphs and no trees
        pair = pair_trees(*trees, **vars(setting))
        parts |= {"attachment": score_pair(pair, setting), "breakdowns": break_down(pair, by or [])}
        parts["confusions"] = confusions(pair) if confusion else ()
    if graph:
        parts["graphs"] = evaluate_graphs(*sentences, patterns=patterns, kinds=kinds, intervals=intervals)
        if all(sentence.format.name == "conllu" for side in sentences for sentence in side[:1]):
            parts["enhanced"] = evaluate_enhanced(*sentences)
    return Report(gold, system, str(setting), note, identical, **parts)


def graphs_need_scores(gold: list[Sentence], system: list[Sentence]) -> tuple[bool, str]:
    """Whether both sides have graphs that differ, and why they cannot be compared if one is malformed."""
    from crossarc.evaluation.graphs import graphs_differ

    try:
        return graphs_differ(gold, system), ""
    except CrossarcError as error:
        return False, f"The graphs are not scored: {error}."


def tables_of(report: Report) -> list[Table]:
    """The report as tables; the setting is below the first one."""
    tables: list[Table] = []
    identical = ""
    if report.trees_identical:
        identical = "The trees of both files are identical"
        identical += ": HEAD and DEPREL are not scored." if report.graphs is not None else "."
    if report.attachment is not None and not (report.trees_identical and report.graphs is not None):
        tables += attachment_tables(report.attachment, report.system)
    if report.tokenization is not None:
        rows: list[tuple[Cell, ...]] = [
            (name, score.precision, score.recall, score.f1, score.aligned_accuracy)
            for name, score in report.tokenization.scores.items()
        ]
        tables.append(
            Table(
                f"CoNLL 2018 metrics of {report.system}", ("metric", "precision", "recall", "F1", "aligned"), list(rows)
            )
        )
    if report.graphs is not None:
        tables += graph_tables(report.graphs)
    if report.enhanced is not None:
        scores = {"ELAS": report.enhanced.elas, "EULAS": report.enhanced.eulas}
        tables.append(
            Table(
                "Enhanced dependencies (IWPT 2020), paths through empty nodes collapsed",
                ("metric", "precision", "recall", "F1"),
                [(name, score.precision, score.recall, score.f1) for name, score in scores.items()],
            )
        )
    tables += [breakdown_table(each) for each in report.breakdowns]
    if report.confusions:
        shown = report.confusions[:CONFUSIONS_SHOWN]
        tables.append(
            Table(
                "Labels confused",
                ("gold", "system", "words", "on the right head"),
                [(each.gold, each.system, each.count, each.right_head) for each in shown],
                f"the {len(shown)} most frequent of {len(report.confusions)}; --json prints all",
            )
        )
    if tables:
        parts = [tables[0].note, report.setting, identical, report.note]
        tables[0].note = "\n".join(part for part in parts if part)
    return tables


def attachment_tables(result: Attachment, system: str) -> list[Table]:
    """Attachment with and without punctuation side by side, then the non-projective edges."""
    columns = (result.with_punctuation, result.without_punctuation)
    named = {
        "LAS": "las",
        "UAS": "uas",
        "label accuracy": "label_accuracy",
        "undirected UAS": "undirected_uas",
        "labelled exact match": "lem",
        "unlabelled exact match": "uem",
        "words": "words",
        "sentences": "sentences",
    }
    broken = f"{result.broken} of the system's sentences are not trees." if result.broken else ""
    edges = result.non_projective
    return [
        Table(
            f"Attachment of {system}",
            ("", "all tokens", "no punctuation"),
            [(name, *(getattr(column, attribute) for column in columns)) for name, attribute in named.items()],
            broken,
        ),
        Table(
            "Non-projective edges",
            ("precision", "recall", "in gold", "in system"),
            [(edges.precision, edges.recall, edges.gold, edges.system)],
        ),
    ]


def graph_tables(result: GraphScores) -> list[Table]:
    """Two tables, with labels and without: all arcs, then the classes."""
    notes = [f"exact match: {result.exact_match:.2f} labelled, {result.exact_match_unlabelled:.2f} unlabelled"]
    if result.labelled_intervals is not None:
        notes.append(
            f"beside each figure: its {result.labelled_intervals.confidence:.0%} interval, by bootstrap over sentences"
        )
    if result.kinds is not None:
        notes.append(f"kinds of arcs: {result.kinds}, by label and gold tree")
    tables = []
    for part in ("labelled", "unlabelled"):
        rows: list[tuple[Cell, ...]] = []
        for name, each in [("all", result), *result.classes.items()]:
            score, intervals = getattr(each, part), getattr(each, f"{part}_intervals")
            figures = [with_interval(score, intervals, metric) for metric in ("precision", "recall", "f1")]
            rows.append((name, *figures, score.gold, score.system))
        tables.append(Table(f"Graphs, {part}", ("arcs", "precision", "recall", "F1", "gold", "system"), list(rows)))
    tables[-1].note = "\n".join(notes)
    return tables


def with_interval(score: Score | ClassScore, intervals: Intervals | None, metric: str) -> Cell:
    """A score, with its interval if there is one: 84.2 79.8–88.1."""
    value: float | None = getattr(score, metric)
    if intervals is None or value is None:
        return value
    interval: tuple[float, float] | None = getattr(intervals, metric)
    return f"{value:.1f}" if interval is None else f"{value:.1f} {interval[0]:.1f}–{interval[1]:.1f}"


def breakdown_table(breakdown: Breakdown) -> Table:
    """A breakdown as a table: accuracy if gold and system have the same words in a bin, else precision and recall."""
    title = breakdown.title[0].upper() + breakdown.title[1:]
    scores = [(row.name, row.labelled, row.unlabelled.recall) for row in breakdown.rows]
    if not breakdown.of_edges:
        rows: list[tuple[Cell, ...]] = [(name, each.gold, each.recall, recall) for name, each, recall in scores]
        return Table(title, ("", "words", "LAS", "UAS"), list(rows))
    headings = ("", "in gold", "in system", "precision", "recall", "F1", "unlabelled recall")
    same = breakdown.same_positives
    rows = [
        (name, each.gold, each.system, each.precision, each.recall, each.f1 if same else None, recall)
        for name, each, recall in scores
    ]
    return Table(title, headings, list(rows))
