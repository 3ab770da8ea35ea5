"""`crossarc crossval`: compare parsers by cross-validation on one treebank file."""

from __future__ import annotations

import os
import shlex
from typing import Annotated

import typer

from crossarc.cli.arguments import Json, check_policy
from crossarc.cli.console import counted, print_json, put, say
from crossarc.cli.jobs import Page, Rerun, Retry, Workers, run_jobs


def crossval(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The treebank; .gz and .zst work too.")],
    parser: Annotated[
        list[str],
        typer.Option(
            metavar="NAME[:SETTING=VALUE,...]",
            help="A preset (see crossarc parsers) with its settings; may be repeated. The first is the baseline.",
        ),
    ],
    folds: Annotated[int, typer.Option(metavar="N", min=2, help="The number of folds.")] = 10,
    epochs: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="The number of passes over the treebank; default: 10.")
    ] = None,
    seed: Annotated[
        int, typer.Option(metavar="N", min=0, help="The same seed gives the same folds and the same models.")
    ] = 1,
    setting: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="SETTING=VALUE", help="A setting of all parsers; may be repeated."),
    ] = None,
    against: Annotated[
        str,
        typer.Option(
            metavar="usual|all", help="The pairs to test: each with the first and the last with each, or all pairs."
        ),
    ] = "usual",
    parses: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Also write what the parsers give, by fold and in the order of the file."),
    ] = None,
    on_error: Annotated[
        str, typer.Option(metavar="POLICY", help="What to do with bad sentences: fail, skip or fix.")
    ] = "fail",
    jobs: Workers = 1,
    output: Page = None,
    json: Json = False,
    cache: Annotated[str, typer.Option(metavar="DIR", help="The folder for results.")] = ".cache",
    retry: Retry = False,
    rerun: Rerun = False,
) -> None:
    """Train and score parsers on the folds of one file.

    Each fold is parsed by a model that was trained on the others, and the scores are those of all folds together. A
    setting that a parser has of its own overrides --epochs, --seed and --set. Results are cached: after an interruption
    the same command continues where it stopped.

    --against all tests every pair of parsers. --parses DIR writes DIR/PARSER/fold-1.conllu and so on, and all sentences
    in the order of the file to DIR/PARSER.conllu, for crossarc evaluate, compare and draw.

    \b
    $ crossarc crossval train.conllu --parser eisner --parser mst \\
        --parser eisner:transform=head --parser eisner:transform=head,cap=30 \\
        --folds 10 --jobs 2 --output results.md
    train.conllu: 910 sentences, 20,166 words, no errors
    40 jobs: 0 cached, 40 run, 0 failed
    results.md: written
    """
    from crossarc.cli.train import validated
    from crossarc.experiments import (
        CrossValidation,
        candidates_of,
        fold_tables,
        gather,
        read_settings,
        surroundings,
        write_page,
        write_parses,
    )

    check_policy(on_error)
    common = read_settings(setting or [], "--set")
    if epochs is not None:
        common["epochs"] = epochs
    keep = parses is not None
    plan = CrossValidation(file, candidates_of(parser), folds, seed, common, on_error, against, keep)  # type: ignore[arg-type]
    name = plan.treebank.name
    if output is not None:
        surroundings(output, name, plan)  # refuses a page without markers before anything runs
    if parses is not None:
        os.makedirs(parses, exist_ok=True)  # before a long run
    sentences = validated(file, on_error)
    results = run_jobs(plan.jobs(sentences), cache, jobs, retry=retry, rerun=rerun)
    found = gather(plan, sentences, results)
    if parses is not None:
        say(f"{parses}: {counted(write_parses(plan, results, cache, parses), 'file')} written")
    if json:
        print_json(found.to_dict())
    elif output is None:
        put(fold_tables(found), end="")
    if output is not None:
        write_page(
            output,
            name,
            plan,
            fold_tables(found),
            command_of(file, parser, folds, epochs, seed, setting, on_error, against),
        )
        say(f"{output}: written")
    if found.failures:
        raise typer.Exit(1)


def command_of(
    file: str,
    parsers: list[str],
    folds: int,
    epochs: int | None,
    seed: int,
    settings: list[str] | None,
    on_error: str,
    against: str,
) -> str:
    """The command that makes the same page."""
    words = ["crossarc", "crossval", file, *(word for each in parsers for word in ("--parser", each))]
    words += ["--folds", str(folds)]
    words += ["--epochs", str(epochs)] if epochs is not None else []
    words += ["--seed", str(seed)] if seed != 1 else []
    words += [word for each in settings or [] for word in ("--set", each)]
    words += ["--on-error", on_error] if on_error != "fail" else []
    words += ["--against", against] if against != "usual" else []
    return shlex.join(words)
