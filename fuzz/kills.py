"""Kill commands at random moments and run them again: the same bytes in the end, and never a part of a file.

python -m fuzz.kills --kills 100 [JOB...]
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from fuzz import jobs
from fuzz.jobs import Job

LONGEST_CHAIN = 5  # kills before a run may end


@dataclass
class Kills:
    """How often a job was killed and ended, and what was wrong."""

    job: Job
    kills: int = 0
    ends: int = 0
    wrong: list[str] = field(default_factory=list)


def main() -> int:
    """Kill the jobs that the arguments name and print a table."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.kills", description=__doc__)
    parser.add_argument(
        "jobs", nargs="*", metavar="JOB", help=f"{', '.join(job.name for job in jobs.JOBS)}; all if none"
    )
    parser.add_argument("--kills", type=int, default=5, help="how many of each job")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    failed = 0
    for job in jobs.jobs_named(arguments.jobs):
        found = kill_job(job, arguments.kills, Random(f"{job.name} {arguments.seed}"))
        print(f"{job.name:20} {found.kills:4} kills {found.ends:4} ends {len(found.wrong):4} wrong", flush=True)
        for wrong in found.wrong:
            print(f"  {wrong}")
        failed += bool(found.wrong)
    return int(failed > 0)


def kill_job(job: Job, kills: int, rng: Random) -> Kills:
    """Kill a job so many times, in chains that end with a run to the end."""
    found = Kills(job)
    with TemporaryDirectory(prefix="kills-") as place:
        folder = Path(place, "whole")
        jobs.prepare(folder)
        begin = time.monotonic()
        done = jobs.run(job, folder)
        seconds = time.monotonic() - begin
        if done.returncode:
            found.wrong.append(f"the first run ended with {done.returncode}: {done.stderr}")
            return found
        right, files = jobs.result(job, folder), jobs.files_of(folder)
        while found.kills < kills and len(found.wrong) < 10:
            folder = Path(place, f"chain {found.ends}")
            jobs.prepare(folder)
            for _ in range(min(rng.randint(1, LONGEST_CHAIN), kills - found.kills)):
                found.kills += killed(job, folder, rng.uniform(0, seconds))
                if jobs.result(job, folder) not in (None, right):
                    found.wrong.append(f"after {found.kills} kills: a part of {job.output} is visible")
            done = jobs.run(job, folder)
            found.ends += 1
            if done.returncode:
                found.wrong.append(f"after {found.kills} kills: exit code {done.returncode}: {done.stderr[-300:]}")
            elif jobs.result(job, folder) != right:
                found.wrong.append(f"after {found.kills} kills: other bytes")
            elif left := jobs.files_of(folder) - files:
                found.wrong.append(f"after {found.kills} kills: left behind: {', '.join(sorted(left))}")
    return found


def killed(job: Job, folder: Path, seconds: float) -> bool:
    """Start a job and kill it after some time; False if it ended before."""
    process = subprocess.Popen(
        job.command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        process.wait(seconds)
        return False
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return True


if __name__ == "__main__":
    sys.exit(main())
