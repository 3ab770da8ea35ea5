"""Commands that run jobs: their options, the run with its progress bars, and the summary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from crossarc.cli.console import bar_width, console, counted, say

if TYPE_CHECKING:
    from crossarc.experiments import Job, Progress, Result
    from crossarc.experiments.runner import Report

Workers = Annotated[int, typer.Option("--jobs", "-j", metavar="N", min=1, help="The number of parallel jobs.")]
Page = Annotated[
    str | None,
    typer.Option("--output", "-o", metavar="PAGE.md", help="The page for the tables; default: print them."),
]
Retry = Annotated[bool, typer.Option("--retry", help="Run failed jobs again.")]
Rerun = Annotated[bool, typer.Option("--anew", help="Run all jobs again.")]


def run_jobs(jobs: Sequence[Job], cache: str, workers: int, *, retry: bool, rerun: bool) -> list[Result]:
    """Run the jobs that are not cached, print failures and a summary, and return all results."""
    from crossarc.experiments import run

    kept: set[str] = set()
    try:
        with progress_of(jobs) as show:

            def report(news: Progress) -> None:
                if news.state == "kept":
                    kept.add(news.job.key)
                show(news)

            results = run(jobs, cache, workers=workers, retry=retry, rerun=rerun, report=report)
    except KeyboardInterrupt:
        say("crossarc: interrupted; finished jobs are cached, the same command continues")
        raise typer.Exit(130) from None
    failed = [result for result in results if result.failed]
    for result in failed:
        say(f"failed: {result.job}: {result.error}")
    cached = sum(result.job.key in kept for result in results)
    ran = len(results) - cached
    say(f"{counted(len(results), 'job')}: {cached} cached, {ran} run, {len(failed)} failed")
    return results


@contextmanager
def progress_of(jobs: Sequence[Job]) -> Iterator[Report]:
    """On a terminal, a bar over all jobs with the time left, and a line for each running job."""
    screen = console(stderr=True)
    if not screen.is_terminal:
        yield lambda news: None
        return
    from rich.progress import BarColumn, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width(screen, 60)),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
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
