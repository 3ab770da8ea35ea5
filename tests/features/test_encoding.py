"""The native attributes are what Python's own strings give."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from crossarc.core.strings import ROOT, UNKNOWN, StringTable
from crossarc.features import ATTRIBUTES, Attributes
from crossarc.features.attributes import features_of
from crossarc.features.encoding import Attribute
from crossarc.treebank import Corpus, read
from helpers import sentences


def shape(form):
    kinds = ["X" if c.isupper() else "x" if c.isalpha() else "9" if c.isdigit() else c for c in form]
    return "".join(kind for place, kind in enumerate(kinds) if kinds[max(0, place - 2) : place] != [kind, kind])


def prefix(length, form):
    return form[:length].lower()


def suffix(length, form):
    return form[-length:].lower()


def feature(name, feats):
    return features_of(feats).get(name, "_")


TWINS = {
    "form": str,
    "lemma": str,
    "lower": str.lower,
    "shape": shape,
    "prefix": partial(prefix, 3),
    "suffix": partial(suffix, 3),
    **{f"prefix[{n}]": partial(prefix, n) for n in (1, 2, 9)},
    **{f"suffix[{n}]": partial(suffix, n) for n in (1, 2, 9)},
    **{f"feats[{name}]": partial(feature, name) for name in ("Case", "Number[psor]", "a", "_")},
}
texts = st.text(st.characters(blacklist_categories=["Cs"]), max_size=12)
feats = st.lists(st.sampled_from(["Case", "a", "aa", "Number[psor]", "=", "Nom", "|", "_"]), max_size=9).map("".join)


@pytest.mark.parametrize("name", TWINS)
@given(texts | feats | st.text("aAσΣΟİIı9٣-.", max_size=9))
@example("")
@example("ΟΔΟΣ")
@example("İSTANBUL")
@example("Case=Nom|Case=|a=b=c")
def test_values(name, string):
    assert Attribute(name)(string) == TWINS[name](string)


def test_every_character():
    """No character but sigma needs `str.lower` itself."""
    lower, kind = Attribute("lower"), Attribute("shape")
    for code in range(0x110000):
        character = chr(code)
        if not 0xD800 <= code < 0xE000:
            assert lower(character) == character.lower()
            assert kind(character) == shape(character)


def test_shape():
    assert [Attribute("shape")(form) for form in ("Anna", "ABC-12345", "", "é")] == ["Xxx", "XX-99", "", "x"]


def expected(attributes, corpus):
    """The rows by looking each word up."""
    rows = []
    for i in range(corpus.starts[-1]):
        row = []
        for name, table in attributes.tables.items():
            column = Attribute(name).column
            number = int(corpus[column][i])
            known = number in (UNKNOWN, ROOT)
            row.append(number if known else table[TWINS.get(name, str)(corpus.strings[column].string(number))])
        rows.append(row)
    return rows


@given(st.lists(sentences(max_size=6), min_size=1, max_size=3), st.lists(sentences(max_size=6), max_size=3))
def test_rows(seen, other):
    names = (*ATTRIBUTES, "prefix[2]", "suffix[1]", "feats[Case]")
    attributes = Attributes.fit(Corpus.of(seen), names)
    assert list(attributes.tables["lower"]) == list(dict.fromkeys(map(str.lower, Corpus.of(seen).strings["form"])))
    for found in (seen, other):
        corpus = Corpus.of(found)
        assert attributes.encode(corpus).tolist() == expected(attributes, corpus)


def test_known_values_keep_their_numbers():
    table = StringTable(["bb", "c"])
    Attribute("lower").collect(StringTable(["A", "C", "Bb", "a"]), table)
    assert list(table) == ["bb", "c", "a"]


def test_threads_share_attributes(example):
    found = list(read(example))
    attributes = Attributes.fit(Corpus.of(found[: len(found) // 2]))
    right = attributes.encode(Corpus.of(found))
    with ThreadPoolExecutor(4) as pool:
        for rows in pool.map(lambda _: attributes.encode(Corpus.of(found)), range(16)):
            assert np.array_equal(rows, right)
