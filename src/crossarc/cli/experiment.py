"""`crossarc experiment`: compare parsers on treebanks, as defined in a TOML file."""

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
        str, typer.Option(metavar="DIR", envvar="CROSSARC_DATA", help="The folder with one folder per treebank.")
    ] = ".",
    jobs: Annotated[int, typer.Option("--jobs", "-j", metavar="N", min=1, help="The number of parallel jobs.")] = 1,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="PAGE.md", help="The page for the tables; default: print them."),
    ] = None,
    cache: Annotated[
        str | None, typer.Option(metavar="DIR", help="The folder for results; default: .cache beside the file.")
    ] = None,
    retry: Annotated[bool, typer.Option("--retry", help="Run failed jobs again.")] = False,
    rerun: Annotated[bool, typer.Option("--anew", help="Run all jobs again.")] = False,
) -> None:
    """Train and score parsers x treebanks x seeds.

    Results are cached: after an interruption the same command continues where it stopped.

    \b
    $ cat mine.toml
    title = "Crossing arcs in my treebanks"
    parsers = ["arc-hybrid", "swap", "mst"]
    treebanks = ["da_ddt", "nl_lassysmall"]     # folders with train.conllu, dev.conllu and test.conllu
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
    try:
        results, kept = run_experiment(plan, data, folder, jobs, retry=retry, rerun=rerun)
    except KeyboardInterrupt:
        print("crossarc: interrupted; finished jobs are cached, the same command continues", file=sys.stderr)
        raise typer.Exit(130) from None
    failed = [result for result in results if result.failed]
    text = tables(plan, results)
    for result in failed:
        print(f"failed: {result.job}: {result.error}", file=sys.stderr)
    ran = len(results) - kept
    print(f"{counted(len(results), 'job')}: {kept} cached, {ran} run, {len(failed)} failed", file=sys.stderr)
    if output is None:
        print(text, end="")
    else:
        write_page(output, name, plan, text, f"crossarc experiment {shlex.quote(file)}")
        print(f"{output}: written", file=sys.stderr)
    if failed:
        raise typer.Exit(1)


def run_experiment(
    plan: Experiment, data: str, cache: str, workers: int, *, retry: bool, rerun: bool
) -> tuple[list[Result], int]:
    """Run the jobs that are not cached; return all results and the number of cached ones."""
    from crossarc.experiments import run

    planned = plan.jobs(data)
    kept: set[str] = set()
    with progress_of(planned) as show:

        def report(news: Progress) -> None:
            if news.state == "kept":
                kept.add(news.job.key)
            show(news)

        results = run(planned, cache, workers=workers, retry=retry, rerun=rerun, report=report)
    return results, sum(result.job.key in kept for result in results)


@contextmanager
def progress_of(jobs: list[Job]) -> Iterator[Report]:
    """On a terminal, a bar over all jobs with the time left, and a line for each running job."""
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
                    # Cached jobs must not make the others look fast.
                    weights[key] = 0
                    bar.update(total, total=sum(weights.values()))
                done[key] = weights[key]
            bar.update(total, completed=sum(done.values()), description=f"{len(over)} of {len(weights)} jobs")

        yield show
