import pytest
from hypothesis import given
from hypothesis import strategies as st

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
