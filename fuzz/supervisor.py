"""Workers are started, watched and replaced: none of them lives longer than a thousand inputs or one failure."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
PAUSE = 0.03  # seconds between two looks at the workers
TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Limits:
    """What one input may cost, and how many inputs a worker takes."""

    cpu: float = 10
    wall: float = 300  # without CPU time: a deadlock
    resident: float = 2e9
    preparing: float = 120  # CPU seconds before the first input
    inputs: int = 1000
    failures: int = 100  # a target with more is given up


@dataclass(frozen=True)
class Failure:
    """A seed that failed (-1 before the first one), how, and the traceback or what the process wrote."""

    seed: int
    what: str
    details: str


@dataclass
class Tally:
    """What became of the inputs of a target."""

    target: str
    first: int
    end: int = 0  # the seed after the greatest one that was given to a worker
    tried: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)
    cpu: float = 0.0
    again: deque[Sequence[int]] = field(default_factory=deque)  # what is left of batches that failed

    def __post_init__(self) -> None:
        self.end = self.first


class Worker:
    """A process that tries some seeds of a target."""

    def __init__(self, tally: Tally, seeds: Sequence[int], limits: Limits) -> None:
        self.tally = tally
        self.seeds = seeds
        self.limits = limits
        self.place = TemporaryDirectory(prefix="fuzz-", ignore_cleanup_errors=True)
        self.messages = Path(self.place.name) / "messages"
        self.folder = Path(self.place.name) / "folder"
        self.folder.mkdir()
        self.pipe, theirs = os.pipe()
        os.set_blocking(self.pipe, False)
        with self.messages.open("wb") as messages:
            self.process = start(tally.target, seeds, theirs, self.folder, limits.resident, messages.fileno())
        os.close(theirs)
        self.rest = b""
        self.ready = False
        self.done = 0
        self.raised, self.trace = "", ""
        self.killed = ""
        self.mark = (0.0, time.monotonic())  # CPU and wall seconds when the seed under way began
        self.cpu = 0.0

    def look(self) -> bool:
        """Take what the worker wrote, and kill it if its input costs too much; False when it has ended."""
        moved = False
        try:
            while chunk := os.read(self.pipe, 1 << 16):
                moved = True
                *lines, self.rest = (self.rest + chunk).split(b"\n")
                self.take(lines)
            return False
        except BlockingIOError:
            pass
        if not self.killed:
            self.cpu, resident = costs(self.process.pid)
            if moved:
                self.mark = self.cpu, time.monotonic()
            self.killed = self.excess(self.cpu - self.mark[0], time.monotonic() - self.mark[1], resident)
            if self.killed:
                self.kill()
        return True

    def take(self, lines: list[bytes]) -> None:
        """Count outcomes."""
        if lines and lines[-1].startswith(b"!"):
            self.raised, self.trace = json.loads(lines.pop()[1:])
        if lines and not self.ready:
            self.ready = True
            lines = lines[1:]
        self.done += len(lines)
        self.tally.tried += len(lines)
        self.tally.outcomes.update(line.decode() for line in lines)

    def excess(self, cpu: float, wall: float, resident: float) -> str:
        """Of which resource the seed under way takes too much."""
        limits = self.limits
        if cpu > (limits.cpu if self.ready else limits.preparing):
            return f"more than {limits.cpu if self.ready else limits.preparing:g} CPU seconds"
        if wall > limits.wall:
            return f"more than {limits.wall:g} seconds"
        return f"more than {limits.resident / 1e6:,.0f} MB resident" if resident > limits.resident else ""

    def kill(self) -> None:
        """End the worker and what it started."""
        os.killpg(self.process.pid, signal.SIGKILL)

    def finish(self, stopped: bool = False) -> None:
        """Wait for the end of the process and write down what it says of the seed that was under way."""
        status, usage = os.wait4(self.process.pid, 0)[1:]
        code = self.process.returncode = os.waitstatus_to_exitcode(status)
        os.close(self.pipe)
        tally = self.tally
        tally.cpu += usage.ru_utime + usage.ru_stime
        messages = self.messages.read_text(errors="replace")
        self.place.cleanup()
        if stopped or (code == 0 and self.done == len(self.seeds)):
            return
        seed = self.seeds[min(self.done, len(self.seeds) - 1)] if self.ready else -1
        what = self.killed or self.raised or how_it_ended(code, messages)
        tally.failures.append(Failure(seed, what, self.trace or messages[-8000:]))
        if self.ready:
            tally.tried += 1
            if left := self.seeds[self.done + 1 :]:
                tally.again.append(left)


def start(
    target: str, seeds: Iterable[int], pipe: int, folder: Path, resident: float, messages: int | None
) -> subprocess.Popen[bytes]:
    """Start a worker, in a process group of its own."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return subprocess.Popen(
        [
            sys.executable,
            "-X",
            "faulthandler",
            "-m",
            "fuzz.worker",
            str(pipe),
            f"{resident:.0f}",
            target,
            *map(str, seeds),
        ],
        cwd=folder,
        # The order of sets is part of what a seed makes.
        env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": "0"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=messages,
        pass_fds=[pipe],
        start_new_session=True,
    )


def costs(pid: int) -> tuple[float, float]:
    """The CPU seconds of a process and its children, and the bytes that they have resident."""
    cpu = resident = 0.0
    todo = [str(pid)]
    while todo:
        process = Path("/proc", todo.pop())
        try:
            fields = (process / "stat").read_text().rpartition(")")[2].split()
            todo += [child for task in process.glob("task/*/children") for child in task.read_text().split()]
        except OSError:  # it has ended
            continue
        cpu += sum(map(int, fields[11:15])) / TICKS
        resident += int(fields[21]) * PAGE
    return cpu, resident


def how_it_ended(code: int, messages: str) -> str:
    """How a process ended, with the report of a sanitizer."""
    reports = [line for line in messages.splitlines() if "Sanitizer:" in line or "runtime error:" in line]
    way = signal.Signals(-code).name if code < 0 else f"exit code {code}"
    return f"{way}: {reports[0][:300]}" if reports else way


def supervise(
    tallies: Sequence[Tally],
    *,
    inputs: int | None = None,
    seconds: float | None = None,
    jobs: int = 1,
    limits: Limits | None = None,
    on_look: Callable[[], None] = lambda: None,
) -> None:
    """Try each target until it has had so many inputs or CPU seconds; an interrupt ends it earlier.

    At most `jobs` workers run at a time. The next worker is for the target that has had the least CPU time.
    """
    limits = limits or Limits()
    workers: list[Worker] = []

    def spent(tally: Tally) -> float:
        return tally.cpu + sum(worker.cpu for worker in workers if worker.tally is tally)

    def over(tally: Tally) -> bool:
        given_up = len(tally.failures) >= limits.failures or any(failure.seed < 0 for failure in tally.failures)
        return given_up or (seconds is not None and spent(tally) >= seconds)

    def is_open(tally: Tally) -> bool:
        return not over(tally) and (bool(tally.again) or inputs is None or tally.end - tally.first < inputs)

    def next_seeds(tally: Tally) -> Sequence[int]:
        if tally.again:
            return tally.again.popleft()
        left = limits.inputs if inputs is None else min(limits.inputs, tally.first + inputs - tally.end)
        tally.end += left
        return range(tally.end - left, tally.end)

    try:
        while True:
            while len(workers) < jobs and (ready := [tally for tally in tallies if is_open(tally)]):
                tally = min(ready, key=lambda tally: (sum(worker.tally is tally for worker in workers), spent(tally)))
                workers.append(Worker(tally, next_seeds(tally), limits))
            if not workers:
                return
            time.sleep(PAUSE)
            on_look()
            for worker in list(workers):
                if not worker.look():
                    workers.remove(worker)
                    worker.finish()
                elif seconds is not None and over(worker.tally) and not worker.killed:
                    workers.remove(worker)
                    worker.kill()
                    worker.finish(stopped=True)
    except KeyboardInterrupt:
        pass
    finally:
        for worker in workers:
            worker.kill()
            worker.finish(stopped=True)
