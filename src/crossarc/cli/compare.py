"""`crossarc compare`: two parsed files against gold, with significance and the sentences that differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from crossarc.cli.arguments import Gold, IgnoreSubtypes, Json, Markdown, NoPunct, Punct, check_stdin
from crossarc.cli.console import Cell, Table, print_json, print_tables

if TYPE_CHECKING:
    from crossarc.evaluation import Comparison

LEVEL = 0.05


def compare(
    gold: Gold,
    a: Annotated[str, typer.Argument(metavar="A", help="The parsed file of the first system.")],
    b: Annotated[str, typer.Argument(metavar="B", help="The parsed file of the second system.")],
    metric: Annotated[
        str, typer.Option(metavar="NAME", help="The metric to judge by: las, uas, label, undirected, lem or uem.")
    ] = "las",
    no_punct: NoPunct = False,
    punct: Punct = "unicode",
    ignore_subtypes: IgnoreSubtypes = False,
    shuffles: Annotated[int, typer.Option(metavar="N", min=1, help="The number of shuffles and resamples.")] = 10_000,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="The seed of the shuffles.")] = 0,
    worst: Annotated[
        int, typer.Option(metavar="N", min=0, help="Show this many of the sentences that differ most.")
    ] = 10,
    fail_if_worse: Annotated[
        bool, typer.Option("--fail-if-worse", help="Exit with 1 if B is significantly worse than A (p < 0.05).")
    ] = False,
    json: Json = False,
    markdown: Markdown = False,
) -> None:
    """Compare two parsed files: differences, significance, wins by sentence, oracle score.

    \b
    $ crossarc compare gold.conllu malt.conllu ours.conllu
    Comparison of A (malt.conllu) and B (ours.conllu)
               A       B   B - A   95% from     to   p        p (t-test)
     LAS   83.19   85.60    2.41       2.01   2.80   0.0001   <0.0001
     UAS   85.87   88.02    2.15       1.77   2.54   0.0001   <0.0001
     ...
    B is significantly better in LAS (randomised comparator, p < 0.05)
    """
    comparison = compare_files(
        gold,
        a,
        b,
        metric=metric,
        punctuation="none" if no_punct else "all",
        punctuation_by=punct,
        ignore_subtypes=ignore_subtypes,
        shuffles=shuffles,
        seed=seed,
        worst=worst,
    )
    if json:
        print_json(comparison.to_dict())
    else:
        print_tables(tables_of(comparison, a, b), markdown=markdown)
    if fail_if_worse and comparison.is_worse(LEVEL):
        raise typer.Exit(1)


def compare_files(gold: str, a: str, b: str, **options: Any) -> Comparison:
    """Compare the files; the options are those of `crossarc.evaluation.compare`."""
    from crossarc.evaluation import compare as compare_systems

    check_stdin(gold, a, b)
    return compare_systems(gold, a, b, **options)


def tables_of(comparison: Comparison, a: str, b: str) -> list[Table]:
    """The differences, the wins by sentence, and the sentences that differ most."""
    figures: list[tuple[Cell, ...]] = []
    shares: list[tuple[Cell, ...]] = []
    for name, each in comparison.differences.items():
        low, high = each.bootstrap.low, each.bootstrap.high
        figures.append(
            (name.upper(), each.a, each.b, each.difference, low, high, show_p(each.p), show_p(each.t_test.p))
        )
        won = (each.share_a, each.share_b, each.share_ties)
        shares.append((name.upper(), *won, each.oracle, each.oracle_gain, each.oracle_gain_over_a))
    notes = [
        f"{result.broken} sentences of {side} are not trees."
        for side, result in (("A", comparison.a), ("B", comparison.b))
        if result.broken
    ]
    if comparison.trees_identical:
        notes.append("The trees of A and B are identical. Graphs are not compared: crossarc evaluate scores them.")
    chosen = comparison.chosen
    if chosen.p < LEVEL and chosen.difference:
        verdict = f"{'B' if chosen.difference > 0 else 'A'} is significantly better in {comparison.metric.upper()}"
    else:
        verdict = f"no significant difference in {comparison.metric.upper()}"
    tables = [
        Table(
            f"Comparison of A ({a}) and B ({b})",
            ("", "A", "B", "B - A", "95% from", "to", "p", "p (t-test)"),
            list(figures),
            "\n".join([f"{verdict} (randomised comparator, p < {LEVEL})", str(comparison.setting), *notes]),
        ),
        Table(
            "Sentences won, in percent, and the oracle that takes the better tree of each sentence",
            ("", "A wins", "B wins", "ties", "oracle", "over the better", "over A"),
            list(shares),
        ),
    ]
    if comparison.differing:
        tables.append(
            Table(
                f"Sentences that differ most in {comparison.metric.upper()}",
                ("sentence", "id", "place", "A right", "B right", "of"),
                [
                    (each.number, each.id, f"{each.source}:{each.line}", each.correct_a, each.correct_b, each.total)
                    for each in comparison.differing
                ],
            )
        )
    return tables


def show_p(p: float) -> str:
    """A p value with four decimals, or <0.0001.

    >>> show_p(0.04321), show_p(1e-9)
    ('0.0432', '<0.0001')
    """
    return "<0.0001" if p < 0.00005 else f"{p:.4f}"
