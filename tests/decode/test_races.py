"""What functions take is copied before it is checked, and no loop runs past an array that another thread writes."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from crossarc import decode
from crossarc.core.arrays import as_int32
from crossarc.decode.decoder import Matrices, checked_numbers, checked_offsets, checked_sizes
from crossarc.decode.spanning import checked_arcs
from crossarc.decode.undirected import checked_edges, checked_indices
from crossarc.errors import DecodeError, StructureError
from crossarc.structure import classify
from crossarc.structure.trees import checked_batch, checked_heads

ROOT = Path(__file__).resolve().parents[2]
HEADS = np.array([-1, 2, 0], dtype=np.int32)
LENGTHS = np.array([1, 2], dtype=np.int32)
OFFSETS = np.array([0, 1, 2], dtype=np.int64)
EDGES = np.array([[0, 1], [1, 2]], dtype=np.int32)
NUMBERS = np.zeros(2)
SCORES = np.zeros((2, 3, 3))
STARTS = np.array([0, 3], dtype=np.int64)


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        (HEADS, lambda: [as_int32(HEADS, "heads", DecodeError)]),
        (HEADS, lambda: [checked_heads(HEADS)]),
        (HEADS, lambda: checked_batch(HEADS, STARTS)),
        (STARTS, lambda: checked_batch(HEADS, STARTS)),
        (LENGTHS, lambda: [Matrices(SCORES, LENGTHS).lengths]),
        (LENGTHS, lambda: [checked_sizes(LENGTHS, False, 0, 9, "words")]),
        (OFFSETS, lambda: [checked_offsets(OFFSETS, 2, 2)]),
        (NUMBERS, lambda: [checked_numbers(NUMBERS, "scores")]),
        (LENGTHS, lambda: checked_arcs(np.array([2, 2]), LENGTHS, LENGTHS, NUMBERS)),
        (EDGES, lambda: [checked_edges(np.array([3]), np.array([0, 2]), EDGES, NUMBERS.copy(), True)]),
        (OFFSETS, lambda: [checked_indices(OFFSETS, 9, "required")]),
    ],
)
def test_what_is_checked_is_a_copy(given, taken):
    assert not any(np.shares_memory(given, array) for array in taken())


def test_starts_that_wrap_around_do_not_rise():
    far = np.array([0, 2**62, 2**63 - 1, -(2**63), -(2**62), 3])
    with pytest.raises(StructureError, match="starts must go from 0 to the 3 entries"):
        classify(HEADS, far)


def test_no_function_crashes_or_hangs_while_its_arrays_are_written():
    """Each of them for a moment; `python -m fuzz.targets.races` gives the rate of crashes."""
    command = [sys.executable, "-m", "fuzz.targets.races", "--child", "0", "--seconds", "0.1"]
    done = subprocess.run(command, cwd=ROOT, timeout=120, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-1000:]


def test_more_trees_than_a_result_holds_are_refused():
    for search in (decode.kbest, decode.projective_kbest):
        with pytest.raises(DecodeError, match=r"1000000000 trees for each of 1 sentences of up to 1 words"):
            search(np.zeros((2, 2)), 10**9)
        with pytest.raises(DecodeError, match="ask for fewer trees"):
            search(np.zeros((0, 2, 2)), 10**30)


def test_room_for_trees_grows_with_those_that_are_found():
    """A million trees are asked for where there are few; room for all of them would not fit."""
    code = """
import resource, numpy as np
from pathlib import Path
from crossarc import decode
decode.kbest, decode.projective_kbest  # which are imported when they are used
used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 800_000_000,) * 2)
for search, trees in ((decode.kbest, 625), (decode.projective_kbest, 143)):
    heads, scores = search(np.zeros((6, 6)), 1_000_000)
    assert (scores > -np.inf).sum() == trees, (scores > -np.inf).sum()
"""
    done = subprocess.run([sys.executable, "-c", code], timeout=120, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-1000:]
