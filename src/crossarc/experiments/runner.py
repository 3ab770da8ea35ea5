"""Run jobs in parallel processes, cache their results, and continue interrupted runs."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, Literal

from crossarc.experiments.jobs import RESULT_FORMAT, Job, unique
from crossarc.experiments.resources import single_threaded
from crossarc.treebank.streams import atomic_writer

COMMAND = [sys.executable, "-m", "crossarc.experiments.worker"]
LOG_LINES = 40  # of a failed job, stored with its error


@dataclass(frozen=True)
class Result:
    """The result of a job: its figures, or the error that ended it."""

    job: Job
    figures: dict[str, Any] | None
    error: str = ""
    log: tuple[str, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether there are no figures."""
        return self.figures is None


@dataclass(frozen=True)
class Progress:
    """An event of a job: `kept` for a result from the cache, `epoch` for the progress of a running job."""

    job: Job
    state: Literal["kept", "started", "epoch", "done", "failed"]
    epoch: int = 0


Report = Callable[[Progress], None]


def run(
    jobs: Iterable[Job],
    cache: str | os.PathLike[str],
    *,
    workers: int = 1,
    retry: bool = False,
    rerun: bool = False,
    report: Report = lambda progress: None,
) -> list[Result]:
    """Run the jobs that have no result in the cache; return the results of all jobs, in order.

    A failed job is recorded and does not affect the others. `retry` runs failed jobs again, `rerun` all jobs. An
    interrupted run stores nothing about running jobs; the next run starts them again.
    """
    jobs = list(jobs)
    folder = Path(cache)
    folder.mkdir(parents=True, exist_ok=True)
    results: dict[str, Result] = {}
    waiting: list[Job] = []
    for job in unique(jobs):
        kept = None if rerun else read_result(folder, job)
        if kept is None or (retry and kept.failed) or lacks_parses(folder, kept):
            waiting.append(job)
        else:
            results[job.key] = kept
            report(Progress(job, "kept"))
    waiting.sort(key=lambda job: -job.weight)  # a long job that starts last would keep only one worker busy
    processes = Processes()
    with ThreadPoolExecutor(max(1, workers)) as pool:
        futures = [pool.submit(run_job, job, folder, processes, report) for job in waiting]
        try:
            for future in as_completed(futures):
                result = future.result()
                results[result.job.key] = result
        except BaseException:
            processes.stop()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [replace(results[job.key], job=job) for job in jobs]


class Processes:
    """The running processes, so that an interrupted run can end them."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.running: set[subprocess.Popen[str]] = set()
        self.stopped = False

    def start(self, complaints: IO[bytes]) -> subprocess.Popen[str]:
        """Start a process, unless the run was stopped."""
        with self.lock:
            if self.stopped:
                raise Stopped
            process = subprocess.Popen(
                COMMAND,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=complaints,
                text=True,
                encoding="utf-8",
                env=single_threaded(),
                start_new_session=True,  # an interrupt from the terminal is for the runner alone
            )
            self.running.add(process)
            return process

    def wait(self, process: subprocess.Popen[str]) -> None:
        """Wait for the end of a process."""
        process.wait()
        with self.lock:
            self.running.discard(process)

    def stop(self) -> None:
        """End all processes and start no more."""
        with self.lock:
            self.stopped = True
            for process in self.running:
                process.kill()
                process.wait()


class Stopped(Exception):  # noqa: N818 - not an error
    """The run was stopped; running jobs are not recorded."""


def run_job(job: Job, folder: Path, processes: Processes, report: Report) -> Result:
    """Run one job in its process and store the result."""
    report(Progress(job, "started"))
    message: dict[str, Any] = {}
    with tempfile.TemporaryFile() as complaints:
        process = processes.start(complaints)
        assert process.stdin is not None
        assert process.stdout is not None
        # A process that dies at once does not read its job; its exit code says more.
        with contextlib.suppress(BrokenPipeError), process:
            process.stdin.write(job.order(folder) + "\n")
            process.stdin.flush()
            for line in process.stdout:
                if not line.endswith("\n"):  # the process was killed while it wrote
                    break
                message = json.loads(line)
                if "epoch" in message:
                    report(Progress(job, "epoch", message["epoch"]))
        processes.wait(process)
        complaints.seek(0)
        said = complaints.read().decode(errors="replace").strip().splitlines()
    if processes.stopped:
        raise Stopped
    figures, error = message.get("result"), message.get("error", "")
    if figures is None and not error:
        code = process.returncode
        how = f"killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
        error = f"{how}{': ' + said[-1] if said else ''}"
    result = Result(job, figures, error, () if figures else tuple(said[-LOG_LINES:]))
    keep_result(folder, result)
    report(Progress(job, "failed" if result.failed else "done"))
    return result


def keep_result(folder: Path, result: Result) -> None:
    """Write a result to the cache."""
    job = result.job
    told = {
        "format": RESULT_FORMAT,
        "key": job.key,
        "treebank": job.treebank.name,
        "part": job.part,
        "seed": job.seed,
        "settings": job.all_settings,
        "error": result.error,
        "log": result.log,
        "figures": result.figures,
    }
    told["digest"] = digest_of(told)
    with atomic_writer(folder / job.file_name) as file:
        file.write(json.dumps(told, indent=1, ensure_ascii=False).encode() + b"\n")


def lacks_parses(folder: Path, result: Result) -> bool:
    """Whether a result in the cache was made without the parses that are wanted now."""
    return result.job.keep_parses and not result.failed and not (folder / result.job.parses_name).exists()


def read_result(folder: Path, job: Job) -> Result | None:
    """The result of a job in the cache; None if there is none that is whole."""
    try:
        told = json.loads((folder / job.file_name).read_bytes())
        whole = told["key"] == job.key and told.pop("digest") == digest_of(told)
        return Result(job, told["figures"], told["error"]) if whole else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def digest_of(told: dict[str, Any]) -> str:
    """The SHA-256 of what a file of the cache tells."""
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()
