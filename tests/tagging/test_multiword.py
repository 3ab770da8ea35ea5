"""Multiword tokens: a dictionary, then suffixes, and nothing else."""

import numpy as np
import pytest

from crossarc.tagging.multiword import MultiwordSplitter

TOKENS = [
    *[("du", ("de", "le"))] * 3,
    ("Au", ("À", "le")),
    ("au", ("à", "le")),
    *[(f"{stem}-lo", (f"{stem}r", "lo")) for stem in ("vende", "come", "ve", "le")],
    *[(f"{stem}ki", (stem, "ki")) for stem in ("evde", "yolda", "okulda", "burada", "sende")],
    *[(word, (word,)) for word in ("eski", "iki", "sanki", "belki", "rakı", "le", "de", "lo")],
    ("dos", ("de", "os")),
    ("dos", ("dos",)),
    ("dos", ("dos",)),
]


@pytest.fixture(scope="module")
def splitter():
    return MultiwordSplitter.learn(TOKENS)


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ("du", ("de", "le")),
        ("Du", ("De", "le")),
        ("DU", ("DE", "LE")),
        ("Au", ("À", "le")),
        ("perde-lo", ("perder", "lo")),
        ("Perde-lo", ("Perder", "lo")),
        ("masadaki", ("masada", "ki")),
        ("Masadaki", ("Masada", "ki")),
        ("dos", None),
        ("eski", None),
        ("teski", None),
        ("ki", None),
        ("lo", None),
        ("unseen", None),
        ("", None),
        ("İ", None),
    ],
)
def test_splits(splitter, form, words):
    assert splitter.split(form) == words
    assert splitter.split(form) == words, "from the memory"


def test_nothing_is_invented():
    splitter = MultiwordSplitter.learn([(word, (word,)) for word in ("don't", "can't", "won't", "a")])
    assert not splitter.forms
    assert not splitter.suffixes
    assert splitter.split("shan't") is None


def test_arrays(splitter):
    again = MultiwordSplitter.from_arrays(splitter.to_arrays())
    assert again.forms == splitter.forms
    assert again.suffixes == splitter.suffixes


@pytest.mark.parametrize("line", ["du\tde", "du\tde\t", "du\tde\tl\ne"])
def test_damaged_forms_are_refused(splitter, line):
    data = np.frombuffer(line.encode(), dtype=np.uint8)
    damaged = {**splitter.to_arrays(), "forms": data, "forms_offsets": np.array([0, len(data)])}
    with pytest.raises(ValueError, match="damaged"):
        MultiwordSplitter.from_arrays(damaged)


@pytest.mark.parametrize("line", ["lo\tx\t\tlo", "lo\t-1\t\tlo", "lo\t3\t", "lo\t3", "\t3\t\tlo"])
def test_damaged_suffixes_are_refused(splitter, line):
    data = np.frombuffer(line.encode(), dtype=np.uint8)
    damaged = {**splitter.to_arrays(), "suffixes": data, "suffixes_offsets": np.array([0, len(data)])}
    with pytest.raises((ValueError, LookupError)):
        MultiwordSplitter.from_arrays(damaged)
