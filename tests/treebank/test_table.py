"""Sentences as a table; most of this needs pandas."""

import sys

import pytest

from crossarc.errors import MissingDependency
from crossarc.treebank import read, to_table
from helpers import tree


def test_pandas_is_asked_for(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingDependency, match="pip install pandas"):
        to_table([])


def test_a_row_for_each_word(example):
    pytest.importorskip("pandas")
    sentences = list(read(example))
    table = to_table(iter(sentences))
    assert " ".join(table.columns) == "sentence sent_id id form lemma upos xpos feats head deprel deps misc"
    assert len(table) == sum(map(len, sentences))
    for number, sentence in enumerate(sentences, start=1):
        rows = table[table.sentence == number]
        assert set(rows.sent_id) == {sentence.id}
        assert rows.id.tolist() == list(range(1, len(sentence) + 1))
        assert rows.form.tolist() == list(sentence.forms[1:])
        assert rows.deprel.tolist() == list(sentence.deprels[1:])
        assert rows["head"].tolist() == sentence.heads[1:].tolist()


def test_heads_can_be_joined_with_ids():
    pytest.importorskip("pandas")
    table = to_table(tree([-1, 2, 0], forms=["", "She", "left"]))
    both = table.merge(table, left_on=["sentence", "head"], right_on=["sentence", "id"], suffixes=("", "_of_head"))
    assert both[["form", "form_of_head"]].values.tolist() == [["She", "left"]]


def test_no_sentences():
    pytest.importorskip("pandas")
    table = to_table([])
    assert len(table) == 0
    assert table["head"].dtype == "int64"
