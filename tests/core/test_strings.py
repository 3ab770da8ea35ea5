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


@pytest.mark.parametrize("offsets", [[0, 2, 1, 3], [1, 3], [0, 2], [0, 4], [-1, 3], [0, -5, 3], []])
def test_bad_offsets(offsets):
    with pytest.raises(ValueError, match="strings are damaged"):
        StringTable.unpack(np.frombuffer(b"abc", dtype=np.uint8), np.array(offsets, dtype=np.int64))


@pytest.mark.parametrize("raw", [b"a\xff", b"\xc3", b"\xc3\xa9", b"aa"])
def test_bad_bytes(raw):
    """No UTF-8, a character cut in two, or a string that is there twice."""
    with pytest.raises(ValueError, match=r"strings are damaged|can't decode"):
        StringTable.unpack(np.frombuffer(raw, dtype=np.uint8), np.array([0, 1, len(raw)], dtype=np.int64))
