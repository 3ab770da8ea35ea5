"""The programs for long life: they pass what is right, and see what is not."""

import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

pytest.importorskip("resource")
if not Path("/proc/self/stat").exists():
    pytest.skip("memory is read in /proc", allow_module_level=True)

import crossarc
from fuzz import covered, disk, jobs, kills, soak
from fuzz.jobs import Job

WRITES_AT_ONCE = """
import sys, time
with open("out", "w") as file:
    file.write("half")
    file.flush()
    time.sleep(0.5)
    file.write(" whole")
"""


class Script(Job):
    """Some lines of Python in the place of a command."""

    @property
    def command(self):
        return [sys.executable, "-c", *self.arguments]


@pytest.mark.parametrize("name", ["convert", "train arc-hybrid"])
def test_killed_commands_end_as_others_do(name):
    (job,) = jobs.jobs_named([name])
    found = kills.kill_job(job, 2, Random(0))
    assert (found.kills, found.wrong) == (2, [])


def test_a_part_of_a_file_is_seen():
    found = kills.kill_job(Script("script", (WRITES_AT_ONCE,), "out"), 4, Random(0))
    assert any("a part of out is visible" in wrong for wrong in found.wrong)


def test_other_bytes_are_seen():
    code = "import os; old = os.path.exists('begun'); open('begun', 'w'); import time; time.sleep(0.3)\n"
    found = kills.kill_job(Script("script", (code + "open('out', 'w').write(str(old))",), "out"), 4, Random(0))
    assert any("other bytes" in wrong for wrong in found.wrong)


@pytest.mark.parametrize("mounted", [False, True])
def test_full_disks_are_said_and_survived(mounted):
    if mounted and not disk.can_mount():
        pytest.skip("needs to mount a disk")
    tried, full, wrong = disk.fill(jobs.jobs_named(["convert"])[0], 3, mounted)
    assert wrong == []
    assert 0 < full < tried


def test_a_command_that_keeps_half_a_file_is_seen():
    code = "file = open('out', 'wb', buffering=0); file.write(b'x' * 4096); file.write(b'x' * 40960)"
    _, full, wrong = disk.fill(Script("script", (code,), "out"), 4, mounted=False)
    assert full
    assert any("a part of out is visible" in each for each in wrong)
    assert any("Traceback" in each for each in wrong)


def test_words_without_end_pass():
    nlp = crossarc.load("en")
    parts = list(soak.soaked(nlp, 3000, threads=2, seed=0, parts=3))
    assert len(parts) == 3
    assert parts[-1][0] >= 3000


def test_growing_memory_is_seen():
    assert soak.growth([100, 110, 111, 110, 109, 111, 110, 111, 110, 110]) == 1
    assert soak.growth([100 + 10 * part for part in range(10)]) == 80


def test_long_runs_are_scripts():
    for name in ("soak", "kills", "disk", "build"):
        done = subprocess.run(
            [sys.executable, "-m", f"fuzz.{name}", "--help"], capture_output=True, text=True, check=False
        )
        assert "python -m fuzz" in done.stdout + done.stderr


@pytest.mark.parametrize("name", covered.TARGETS)
def test_what_is_followed_holds_for_the_first_inputs(name):
    check, seeds = covered.TARGETS[name]()
    rng = Random(0)
    for seed in seeds:
        check(seed)
        for _ in range(5):
            at, size = rng.randrange(len(seed)), rng.randint(0, 8)
            check(seed[:at] + rng.randbytes(rng.randint(0, 4)) + seed[at + size :])
