"""Run commands on disks of every size: a message, no part of a file, and the right bytes once there is room.

python -m fuzz.disk --sizes 12 [JOB...]

The disk is a small tmpfs, which only root can mount. Otherwise a limit on the size of files takes its place.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from fuzz import jobs
from fuzz.jobs import Job

PAGE = 4096
ROOMY = 1 << 30


def main() -> int:
    """Run the jobs that the arguments name and print a table."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.disk", description=__doc__)
    parser.add_argument(
        "jobs", nargs="*", metavar="JOB", help=f"{', '.join(job.name for job in jobs.JOBS)}; all if none"
    )
    parser.add_argument("--sizes", type=int, default=8, help="how many sizes of disks for each job")
    parser.add_argument("--limit", action="store_true", help="limit the size of files even if a disk can be mounted")
    arguments = parser.parse_args()
    failed = 0
    for job in jobs.jobs_named(arguments.jobs):
        tried, full, wrong = fill(job, arguments.sizes, not arguments.limit and can_mount())
        print(f"{job.name:20} {tried:4} disks {full:4} full {len(wrong):4} wrong", flush=True)
        for each in wrong:
            print(f"  {each}")
        failed += bool(wrong)
    return int(failed > 0)


def fill(job: Job, sizes: int, mounted: bool) -> tuple[int, int, list[str]]:
    """How many disks were tried, how many of them were full, and what was wrong."""
    wrong: list[str] = []
    with TemporaryDirectory(prefix="disk-") as place:
        folder = Path(place, "whole")
        jobs.prepare(folder)
        before = used(folder)
        done = jobs.run(job, folder)
        if done.returncode:
            return 0, 0, [f"the first run ended with {done.returncode}: {done.stderr}"]
        right, files = jobs.result(job, folder), jobs.files_of(folder)
        most = 16 * (used(folder) - before) + 4 * PAGE  # checkpoints are larger than models
        full = 0
        rooms = sorted({max(int(most ** (step / sizes)) // PAGE, not mounted) * PAGE for step in range(sizes + 1)})
        for room in rooms:
            target = Path(place, f"disk {room}")
            target.mkdir()
            with disk(target, room, before) if mounted else limit(room):
                if not mounted:
                    jobs.prepare(target)
                tried = run_limited(job, target, None if mounted else room)
                messages = tried.stderr.strip()
                if jobs.result(job, target) not in (None, right):
                    wrong.append(f"{room} bytes: a part of {job.output} is visible")
                if tried.returncode == 0 and jobs.result(job, target) != right:
                    wrong.append(f"{room} bytes: exit code 0 without the right output")
                if tried.returncode:
                    full += 1
                    if "Traceback" in messages or not any(text in messages for text in ("space", "too large", "room")):
                        wrong.append(f"{room} bytes: {messages[-400:]}")
                if mounted:
                    subprocess.run(["mount", "-o", f"remount,size={ROOMY}", target], check=True)
                again = jobs.run(job, target)
                if again.returncode or jobs.result(job, target) != right:
                    wrong.append(f"{room} bytes: with more room: exit code {again.returncode}: {again.stderr[-300:]}")
                elif left := jobs.files_of(target) - files:
                    wrong.append(f"{room} bytes: left behind: {', '.join(sorted(left))}")
    return len(rooms), full, wrong


def used(folder: Path) -> int:
    """The bytes of all files in a folder, in whole pages."""
    return sum(-(-path.stat().st_size // PAGE) * PAGE for path in folder.rglob("*") if path.is_file())


@contextmanager
def disk(target: Path, room: int, inputs: int) -> Iterator[None]:
    """A disk that has the inputs and some room."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={ROOMY}", "tmpfs", target], check=True)
    try:
        jobs.prepare(target)
        size = max(inputs, PAGE) + room
        subprocess.run(["mount", "-o", f"remount,size={size}", target], check=True)
        yield
    finally:
        subprocess.run(["umount", "-l", target], check=True)


@contextmanager
def limit(room: int) -> Iterator[None]:
    """Nothing: the limit is that of the process."""
    yield


def run_limited(job: Job, folder: Path, room: int | None) -> subprocess.CompletedProcess[str]:
    """Run a job whose files may have so many bytes."""

    def set_limit() -> None:
        if room is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))

    return subprocess.run(job.command, cwd=folder, capture_output=True, text=True, check=False, preexec_fn=set_limit)


def can_mount() -> bool:
    """Whether this process may mount a disk."""
    if os.geteuid():
        return False
    with TemporaryDirectory() as folder:
        if subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], check=False, capture_output=True).returncode:
            return False
        subprocess.run(["umount", folder], check=True)
    return True


if __name__ == "__main__":
    sys.exit(main())
