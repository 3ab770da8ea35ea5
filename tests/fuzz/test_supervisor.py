"""The machine around the targets sees what it must see."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("resource")
if not Path("/proc/self/stat").exists():
    pytest.skip("workers are watched in /proc", allow_module_level=True)

from fuzz import results
from fuzz.supervisor import ROOT, Limits, Tally, supervise

BROKEN = str(Path(__file__).with_name("broken.py"))
LIMITS = Limits(cpu=0.5, wall=60, resident=250e6)

RIGHT = """
def prepare(folder): return folder
def make(seed, context): return seed
def check(given, context):
    assert given not in {wrong}
    return "odd" if given % 2 else "even"
"""


def target_file(folder, wrong=()):
    file = folder / "right.py"
    file.write_text(RIGHT.format(wrong=tuple(wrong)))
    return str(file)


def run(*arguments, **options):
    command = [sys.executable, "-m", "fuzz", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, **options)


@pytest.fixture(scope="module")
def broken():
    tally = Tally(BROKEN, 0)
    supervise([tally], inputs=18, limits=LIMITS, jobs=2)
    return {failure.seed: failure for failure in tally.failures}, tally


@pytest.mark.parametrize(
    ("seed", "what", "details"),
    [
        (3, "SIGSEGV", "ctypes"),
        (5, "ValueError: two", 'raise ValueError("two'),
        (7, "more than 0.5 CPU seconds", ""),
        (9, "MB", ""),
        (11, "exit code 0", ""),
        (13, "more than 0.5 CPU seconds", ""),
        (15, "SIGABRT", "of native code that cannot raise"),
        (17, "SIGABRT", "invalid literal"),
    ],
)
def test_what_is_wrong_is_seen_with_its_seed(broken, seed, what, details):
    failures, _ = broken
    assert what in failures[seed].what
    assert details in failures[seed].details


def test_what_is_right_is_tried_around_what_is_wrong(broken):
    failures, tally = broken
    assert sorted(failures) == [3, 5, 7, 9, 11, 13, 15, 17]
    assert tally.tried == 18
    assert tally.outcomes == {"right": 10}
    assert tally.cpu > 0.5  # of one that does not end; the other may wait for its child


def test_a_peak_between_two_looks_is_seen(tmp_path):
    file = tmp_path / "peak.py"
    held = 'held = b"\\1" * 400_000_000 if given == 2 else b""'
    file.write_text(RIGHT.format(wrong=()).replace("assert given not in ()", f"{held}; del held"))
    tally = Tally(str(file), 0)
    supervise([tally], inputs=4, limits=Limits(resident=250e6))
    assert [(failure.seed, "resident" in failure.what) for failure in tally.failures] == [(2, True)]


def test_a_deadlock_is_seen(tmp_path):
    file = tmp_path / "deadlock.py"
    file.write_text(
        "import time\n" + RIGHT.format(wrong=()).replace("assert given not in ()", "time.sleep(9 * (given == 1))")
    )
    tally = Tally(str(file), 0)
    supervise([tally], inputs=3, limits=Limits(wall=0.7))
    assert [(failure.seed, failure.what) for failure in tally.failures] == [(1, "more than 0.7 seconds")]
    assert tally.outcomes == {"even": 2}


def test_a_target_that_cannot_be_prepared_ends(tmp_path):
    file = tmp_path / "never.py"
    file.write_text(RIGHT.format(wrong=()).replace("return folder", "raise KeyError(folder)"))
    tally = Tally(str(file), 0)
    supervise([tally], inputs=5000)
    assert [failure.seed for failure in tally.failures] == [-1]
    assert tally.tried == 0


def test_a_target_that_fails_too_often_ends(tmp_path):
    tally = Tally(target_file(tmp_path, range(1000)), 0)
    supervise([tally], inputs=1000, limits=Limits(failures=3))
    assert len(tally.failures) == 3


def test_a_target_that_is_right_passes(tmp_path):
    done = run("run", target_file(tmp_path), "--inputs", 2500, "--jobs", 2)
    assert done.returncode == 0
    assert done.stderr == ""
    header, row = done.stdout.splitlines()
    assert header.split() == ["target", "tried", "failed", "CPU", "seconds", "inputs/s", "outcomes"]
    assert row.split()[:3] == ["right", "2,500", "0"]
    assert "even 1,250, odd 1,250" in row


def test_runs_add_up_and_go_on_with_new_seeds(tmp_path):
    file, target = tmp_path / "results.jsonl", target_file(tmp_path, [1100])
    assert run("run", target, "--inputs", 1000, "--results", file).returncode == 0
    again = run("run", target, "--inputs", 200, "--results", file)
    assert again.returncode == 1
    assert f"{target} 1100: AssertionError" in again.stderr
    tally = results.added_up(file)[target]
    assert (tally.first, tally.end, tally.tried) == (0, 1200, 1200)
    assert tally.outcomes == {"even": 599, "odd": 600}
    assert [json.loads(line)["first"] for line in file.read_text().splitlines()] == [0, 1000]
    assert run("table", file).stdout.splitlines()[1].split()[:3] == ["right", "1,200", "1"]


def test_a_failed_seed_can_be_replayed(tmp_path):
    target = target_file(tmp_path, [4])
    right = run("replay", target, 2, 3)
    assert (right.returncode, right.stdout) == (0, f"{target} 2: even\n{target} 3: odd\n")
    wrong = run("replay", target, 3, 4)
    assert wrong.returncode == 1
    assert "assert given not in" in wrong.stdout
    crashed = run("replay", BROKEN, 3)
    assert crashed.returncode == 1
    assert "Segmentation fault" in crashed.stderr
    assert "the process ended with -11" in crashed.stdout


def test_cpu_time_is_bounded_within_a_batch(tmp_path):
    file = tmp_path / "slow.py"
    file.write_text(RIGHT.format(wrong=()).replace("assert given not in ()", "sum(range(200_000))"))
    tally = Tally(str(file), 0)
    supervise([tally], seconds=1.0)
    assert 0.8 < tally.cpu < 5
    assert 50 < tally.tried < 1000
    assert not tally.failures


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_with_the_table(tmp_path, number):
    file = tmp_path / "results.jsonl"
    command = [
        sys.executable,
        "-m",
        "fuzz",
        "run",
        target_file(tmp_path),
        "--inputs",
        "1000000000",
        "--results",
        str(file),
    ]
    # Where tests run in the background, interrupts are ignored, also by what they start.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    signal.signal(signal.SIGINT, before)
    time.sleep(4)
    process.send_signal(number)
    out, messages = process.communicate(timeout=60)
    assert (process.returncode, messages) == (0, "")
    assert int(out.splitlines()[1].split()[1].replace(",", "")) > 100
    assert results.added_up(file)


def test_an_unknown_target_is_one_line():
    done = run("run", "nothing")
    assert done.returncode == 2
    assert done.stderr.startswith("fuzz: no target 'nothing'")
    assert len(done.stderr.splitlines()) == 1


def test_a_terminal_has_a_bar_and_a_pipe_none(tmp_path):
    import pty

    target = target_file(tmp_path)
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "fuzz", "run", target, "--inputs", "3000"]
    environment = {**os.environ, "TERM": "xterm"}
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=theirs, env=environment)
    os.close(theirs)
    shown = b""
    try:
        while chunk := os.read(ours, 4096):
            shown += chunk
    except OSError:  # the other end is closed
        pass
    process.communicate()
    assert b"inputs" in shown
    assert b"/3000" in shown
