"""`crossarc experiment`: compare parsers on treebanks, as defined in a TOML file."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from crossarc.cli.console import put, say
from crossarc.cli.jobs import Page, Rerun, Retry, Workers, run_jobs


def experiment(
    file: Annotated[str, typer.Argument(metavar="FILE.toml", help="The parsers, treebanks and seeds.")],
    data: Annotated[
        str, typer.Option(metavar="DIR", envvar="CROSSARC_DATA", help="The folder with one folder per treebank.")
    ] = ".",
    jobs: Workers = 1,
    output: Page = None,
    cache: Annotated[
        str | None, typer.Option(metavar="DIR", help="The folder for results; default: .cache next to the file.")
    ] = None,
    retry: Retry = False,
    rerun: Rerun = False,
) -> None:
    """Train and score parsers x treebanks x seeds.

    Results are cached: after an interruption the same command continues where it stopped.

    \b
    $ cat mine.toml
    title = "Crossing arcs in my treebanks"
    parsers = ["arc-hybrid", "swap", "mst"]
    treebanks = ["da_ddt", "nl_lassysmall"]  # each a folder with train, dev, test
    seeds = [1, 2, 3]
    \b
    $ crossarc experiment mine.toml --data treebanks --jobs 2 --output results.md
    18 jobs: 2 cached, 16 run, 0 failed
    results.md: written
    """
    from crossarc.experiments import read_experiment, surroundings, tables, write_page

    plan, name = read_experiment(file), Path(file).stem
    if output is not None:
        surroundings(output, name, plan)  # refuses a page without markers before anything runs
    folder = cache if cache is not None else str(Path(file).parent / ".cache")
    results = run_jobs(plan.jobs(data), folder, jobs, retry=retry, rerun=rerun)
    text = tables(plan, results)
    if output is None:
        put(text, end="")
    else:
        write_page(output, name, plan, text, f"crossarc experiment {shlex.quote(file)}")
        say(f"{output}: written")
    if any(result.failed for result in results):
        raise typer.Exit(1)
