"""`crossarc experiment`: compare parsers on treebanks, as a TOML file says."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crossarc.cli.console import console, counted

if TYPE_CHECKING:
    from crossarc.experiments import Experiment, Job, Progress, Result
    from crossarc.experiments.runner import Report


def experiment(
    file: Annotated[str, typer.Argument(metavar="FILE.toml", help="The parsers, treebanks and seeds.")],
    data: Annotated[
        str, typer.Option(metavar="DIR", envvar="CROSSARC_DATA", help="The folder with a folder for each treebank.")
    ] = ".",
    jobs: Annotated[int, typer.Option("--jobs", "-j", metavar="N", min=1, help="How many jobs run at a time.")] = 1,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="PAGE.md", help="The page to put the tables on; else they are printed."),
    ] = None,
    cache: Annotated[
        str | None, typer.Option(metavar="DIR", help="Where results are kept; .cache beside the file if not given.")
    ] = None,
    retry: Annotated[bool, typer.Option("--retry", help="Run the jobs again that failed before.")] = False,
    anew: Annotated[bool, typer.Option("--anew", help="Run all jobs again.")] = False,
) -> None:
    """Train and score parsers x treebanks x seeds; results are kept, so a run goes on where it was cut off.

    \b
    $ cat mine.toml
    title = "Crossing arcs in my treebanks"
    parsers = ["arc-hybrid", "swap", "mst"]
    treebanks = ["da_ddt", "nl_lassysmall"]     # folders with train.conllu, dev.conllu and test.conllu
    seeds = [1, 2, 3]
    \b
    $ crossarc experiment mine.toml --data treebanks --jobs 2 --output results.md
    18 jobs: 2 kept, 16 run, 0 failed
    results.md: written
    """
    from crossarc.experiments import read_experiment, surroundings, tables, write_page

    plan, name = read_experiment(file), Path(file).stem
    if output is not None:
        surroundings(output, name, plan)  # refuses a page that has no place for them before anything runs
    folder = cache if cache is not None else str(Path(file).parent / ".cache")
    try:
        results, kept = run_experiment(plan, data, folder, jobs, retry=retry, anew=anew)
    except KeyboardInterrupt:
        print("crossarc: interrupted; what is finished is kept, the same command goes on from there", file=sys.stderr)
        raise typer.Exit(130) from None
    failed = [result for result in results if result.failed]
    text = tables(plan, results)
    for result in failed:
        print(f"failed: {result.job}: {result.error}", file=sys.stderr)
    ran = len(results) - kept
    print(f"{counted(len(results), 'job')}: {kept} kept, {ran} run, {len(failed)} failed", file=sys.stderr)
    if output is None:
        print(text, end="")
    else:
        write_page(output, name, plan, text, f"crossarc experiment {shlex.quote(file)}")
        print(f"{output}: written", file=sys.stderr)
    if failed:
        raise typer.Exit(1)


def run_experiment(
    plan: Experiment, data: str, cache: str, workers: int, *, retry: bool, anew: bool
) -> tuple[list[Result], int]:
    """Run what is not kept yet; gives all results and how many were kept."""
    from crossarc.experiments import run

    planned = plan.jobs(data)
    kept: set[str] = set()
    with progress_of(planned) as show:

        def report(news: Progress) -> None:
            if news.state == "kept":
                kept.add(news.job.key)
            show(news)

        results = run(planned, cache, workers=workers, retry=retry, anew=anew, report=report)
    return results, sum(result.job.key in kept for result in results)


@contextmanager
def progress_of(jobs: list[Job]) -> Iterator[Report]:
    """A bar over all jobs with the time left, and a line for each that runs; nothing but on a terminal."""
    screen = console(stderr=True)
    if not screen.is_terminal:
        yield lambda news: None
        return
    from rich.progress import BarColumn, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Bars(*columns, console=screen, transient=True) as bar:
        weights = {job.key: job.weight for job in jobs}
        total = bar.add_task(f"0 of {len(weights)} jobs", total=sum(weights.values()))
        lines: dict[str, TaskID] = {}
        done: dict[str, float] = dict.fromkeys(weights, 0.0)
        over: set[str] = set()

        def show(news: Progress) -> None:
            job, key, epochs = news.job, news.job.key, news.job.epochs
            if news.state == "started":
                lines[key] = bar.add_task(str(job), total=epochs)
            elif news.state == "epoch":
                bar.update(lines[key], completed=news.epoch)
                done[key] = weights[key] * news.epoch / epochs
            else:
                over.add(key)
                if key in lines:
                    bar.remove_task(lines.pop(key))
                if news.state == "kept":
                    # What was there already must not make the rest look fast.
                    weights[key] = 0
                    bar.update(total, total=sum(weights.values()))
                done[key] = weights[key]
            bar.update(total, completed=sum(done.values()), description=f"{len(over)} of {len(weights)} jobs")

        yield show
