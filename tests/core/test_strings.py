import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from crossarc.core.strings import ROOT, UNKNOWN, StringTable


@given(st.lists(st.text(st.characters(blacklist_categories=["Cs"]), max_size=20)))
def test_table_is_a_dict_of_ids(strings):
    table = StringTable(strings)
    twin: dict[str, int] = {}
    for string in strings:
        twin.setdefault(string, len(twin) + table.reserved)
    assert list(table) == list(twin)
    assert {string: table[string] for string in twin} == twin
    assert [table.string(number) for number in twin.values()] == list(twin)


def test_many_strings():
    table = StringTable(str(i) for i in range(100_000))
    assert len(table) == 100_002
    assert all(table[str(i)] == i + 2 for i in range(0, 100_000, 997))
    assert table["100000"] == UNKNOWN


def test_reserved_names_are_ordinary_words_in_the_data():
    table = StringTable(["<root>"])
    assert table["<root>"] == 2 != ROOT
    assert "<unknown>" not in table
    with pytest.raises(IndexError, match="0 to 2"):
        table.string(3)


@given(st.lists(st.text(st.characters(blacklist_categories=["Cs"]), max_size=9), max_size=9, unique=True))
def test_packed_strings_come_back(strings):
    data, offsets = StringTable(strings).pack()
    assert (data.dtype, offsets.dtype, len(offsets)) == (np.uint8, np.int64, len(strings) + 1)
    assert list(StringTable.unpack(data, offsets)) == strings


@given(
    npst.arrays(st.sampled_from([np.uint8, np.int64]), npst.array_shapes(min_dims=0, max_dims=2, min_side=0)),
    npst.arrays(st.sampled_from([np.int64, np.uint8]), npst.array_shapes(min_dims=0, max_dims=2, min_side=0)),
)
def test_any_arrays_as_strings(data, offsets):
    try:
        table = StringTable.unpack(data, offsets)
    except ValueError:
        return
    packed = table.pack()
    assert np.array_equal(packed[0], data)
    assert np.array_equal(packed[1], offsets)


@pytest.mark.parametrize(
    "offsets",
    # The differences of the last ones wrap around, and none is negative.
    [[0, 2, 1, 3], [1, 3], [0, 2], [0, 4], [-1, 3], [0, -5, 3], [], [0, 2**63 - 1, -3, 3], [0, 2**63 - 1, -(2**63), 3]],
)
def test_bad_offsets(offsets):
    with pytest.raises(ValueError, match="strings are damaged"):
        StringTable.unpack(np.frombuffer(b"abc", dtype=np.uint8), np.array(offsets, dtype=np.int64))


@pytest.mark.parametrize("raw", [b"a\xff", b"\xc3", b"\xc3\xa9", b"aa"])
def test_bad_bytes(raw):
    """No UTF-8, a character cut in two, or a string that is there twice."""
    with pytest.raises(ValueError, match=r"strings are damaged|can't decode"):
        StringTable.unpack(np.frombuffer(raw, dtype=np.uint8), np.array([0, 1, len(raw)], dtype=np.int64))


def strings_that_collide(count):
    """Strings of 16 bytes that have one hash, if each process hashes them in the same way: by blocks of eight bytes."""

    def mixed(state, word):
        state = (state ^ word) * np.uint64(0x9E3779B97F4A7C15)
        return state ^ (state >> np.uint64(29))

    rng = np.random.default_rng(0)
    start = np.uint64(16 * 0xD6E8FEB86659FD93 % 2**64)
    found = np.zeros((0, 16), dtype=np.uint8)
    while len(found) < count:
        first = rng.integers(0x20, 0x7F, size=(1_000_000, 8), dtype=np.uint8)
        last = np.uint64(0x0123456789ABCDEF) ^ mixed(start, first.view(np.uint64)[:, 0])
        both = np.hstack([first, last[:, None].view(np.uint8)])
        found = np.concatenate([found, both[((both >= 0x20) & (both < 0x7F)).all(axis=1)]])
    return [row.tobytes().decode() for row in found[:count]]


def test_strings_made_to_collide_are_as_fast_as_others():
    """A table with them took 20,000 times 10,000 steps."""
    hostile = strings_that_collide(20_000)
    assert len(set(hostile)) == len(hostile)
    others = [string[::-1] for string in hostile]

    def seconds(strings):
        begin = time.process_time()
        assert len(StringTable(strings)) == len(strings) + 2
        return time.process_time() - begin

    assert min(seconds(hostile) for _ in range(3)) < 5 * min(seconds(others) for _ in range(3))


def test_the_order_of_ids_does_not_depend_on_the_process():
    """Slots have random places in each process; ids and what is stored do not."""
    code = "from crossarc.core.strings import StringTable; print(StringTable(map(str, range(999))).pack()[0].tobytes())"
    runs = {subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout for _ in range(2)}
    assert runs == {repr(StringTable(map(str, range(999))).pack()[0].tobytes()).encode() + b"\n"}
