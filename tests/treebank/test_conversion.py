"""The four formats: each is read and written, and says what it cannot carry."""

import io
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossarc.errors import TreebankError
from crossarc.treebank import FORMATS, Sentence, convert, read, read_string, validate, write
from crossarc.treebank.conversion import describe_losses, with_predicted
from helpers import sentences

CONLLX = "1\tSnow\tsnow\tN\tNN\tsg\t2\tSBJ\t2\tSBJ\n2\tfalls\tfall\tV\tVBZ\tsg|3\t0\tROOT\t_\t_\n\n"
CONLL09 = (
    "1\tShe\tshe\tshe\tPRP\tPRP\t_\t_\t2\t2\tSBJ\tSBJ\t_\t_\tA0\tA0\n"
    "2\twants\twant\twant\tVBZ\tVBZ\t_\t_\t0\t0\tROOT\tROOT\tY\twant.01\t_\t_\n"
    "3\tto\tto\tto\tTO\tTO\t_\t_\t2\t2\tOPRD\tOPRD\t_\t_\tA1\t_\n"
    "4\tgo\tgo\tgo\tVB\tVBP\t_\t_\t3\t2\tIM\tIM\tY\tgo.01\t_\t_\n\n"
)
SDP = (
    "#SDP 2015\n#20000001\n"
    "1\tShe\tshe\tPRP\t-\t-\t_\tARG1\tARG1\n"
    "2\twants\twant\tVBZ\t+\t+\tv:e-i\t_\t_\n"
    "3\tto\tto\tTO\t-\t-\t_\t_\t_\n"
    "4\tgo\tgo\tVB\t-\t+\tv:e\tARG2\t_\n\n"
)
TEXTS = {"conllx": CONLLX, "conll09": CONLL09, "sdp": SDP}


@pytest.mark.parametrize("name", TEXTS)
def test_every_format_comes_back_byte_for_byte(name):
    out = io.BytesIO()
    write(read(io.StringIO(TEXTS[name])), out)
    assert out.getvalue().decode() == TEXTS[name]
    assert all(sentence.format.name == name for sentence in read(io.StringIO(TEXTS[name])))
    assert not [item for item in validate(io.StringIO(TEXTS[name])) if hasattr(item, "code")]


def test_conllx_columns():
    (sentence,) = read_string(CONLLX)
    assert sentence.upos == ("", "N", "V")
    assert sentence.xpos == ("", "NN", "VBZ")
    assert sentence.heads.tolist() == [-1, 2, 0]
    assert sentence.column("phead") == ("", "2", "_")
    assert sentence.misc == ("", "_", "_")


def test_conll09_graph():
    (sentence,) = read_string(CONLL09)
    assert sentence.heads.tolist() == [-1, 2, 0, 2, 3]
    assert list(sentence.graph) == [(2, 1, "A0"), (4, 1, "A0"), (2, 3, "A1")]
    assert sentence.column("pred") == ("", "_", "want.01", "_", "go.01")
    assert sentence.upos == sentence.xpos == ("", "PRP", "VBZ", "TO", "VB")


def test_predicted_columns():
    sentence = next(iter(read_string(CONLL09, "conll09")))
    predicted = with_predicted(sentence)
    assert (sentence.xpos[4], predicted.xpos[4]) == ("VB", "VBP")
    assert convert(predicted, "conllu").upos == predicted.column("ppos")
    assert predicted.heads.tolist() == sentence.heads.tolist()
    with pytest.raises(TreebankError, match="CoNLL-X has no predicted columns"):
        with_predicted(next(iter(read_string(CONLLX, "conllx"))))


def test_sdp_graph():
    (sentence,) = read_string(SDP)
    assert sentence.id == "20000001"
    assert list(sentence.graph) == [(2, 1, "ARG1"), (4, 1, "ARG1"), (0, 2, "root"), (2, 4, "ARG2")]
    assert sentence.heads.tolist() == [-1, -1, -1, -1, -1]


def test_wrong_number_of_arguments(malformed):
    with pytest.raises(
        TreebankError, match=r"arguments.sdp:7: sentence '22000002': 1 predicates, but 2 argument columns"
    ):
        list(read(malformed / "arguments.sdp"))
    bad = Sentence((malformed / "arguments.sdp").read_bytes().partition(b"\n\n")[2], "sdp")
    with pytest.raises(TreebankError, match="1 predicates need as many argument columns"):
        _ = bad.graph


def test_a_file_of_another_format_is_no_sdp(example):
    with pytest.raises(TreebankError, match="TOP and PRED are"):
        list(read(example, "sdp"))


def test_sdp_and_back_is_read_as_what_it_is(example):
    out = io.BytesIO()
    write(read(example), out, "sdp")
    back = io.BytesIO()
    write(read(io.BytesIO(out.getvalue())), back, "conllu")
    assert all(
        sentence.format.name == "conllu" and sentence.has_graph for sentence in read(io.BytesIO(back.getvalue()))
    )


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("conllx", "conllu", {"values of PHEAD": 1, "values of PDEPREL": 1}),
        (
            "conll09",
            "conllu",
            {
                "values of PLEMMA": 4,
                "values of PPOS": 4,
                "values of PHEAD": 4,
                "values of PDEPREL": 4,
                "values of PRED": 2,
            },
        ),
        ("sdp", "conllu", {"values of FRAME": 2}),
        ("sdp", "conllx", {"values of FRAME": 2, "arcs of the graph": 4, "comments": 2}),
    ],
)
def test_losses(source, target, expected):
    losses = Counter()
    (sentence,) = read_string(TEXTS[source], source)
    result = convert(sentence, target, losses)
    assert dict(losses) == expected
    assert result.format.name == target
    assert result.forms == sentence.forms
    text = describe_losses(losses, FORMATS[target])
    assert text.startswith(f"{FORMATS[target].title} cannot carry: ")


def test_example_losses(example):
    losses = Counter()
    for sentence in read(example):
        convert(sentence, "conllx", losses)
    assert losses["empty nodes"] == 1
    assert losses["multiword ranges"] == 2
    assert losses["comments"] == 80


def test_graph_survives_sdp_and_back(example):
    for sentence in read(example):
        if sentence.empty_nodes:
            continue
        back = convert(convert(sentence, "sdp"), "conllu")
        expected = [(head, dependent, "root" if head == 0 else label) for head, dependent, label in sentence.graph]
        assert sorted(back.graph) == sorted(expected)
        assert back.id == sentence.id


def test_tree_becomes_a_graph_where_there_is_none():
    (sentence,) = read_string(CONLLX)
    assert list(convert(sentence, "sdp").graph) == [(2, 1, "SBJ"), (0, 2, "root")]


@given(sentences(), st.sampled_from(sorted(FORMATS)), st.sampled_from(sorted(FORMATS)))
def test_all_pairs_convert(sentence, first, second):
    there = convert(convert(sentence, first), second)
    assert there.format.name == second
    assert there.forms == sentence.forms
    if "sdp" not in (first, second):
        assert there.heads.tolist() == sentence.heads.tolist()
        assert there.deprels == sentence.deprels


def test_sdp_files_begin_with_their_name(tmp_path, example):
    for source in (example, io.StringIO(SDP)):
        write(read(source), tmp_path / "a.sdp")
        assert (tmp_path / "a.sdp").read_text().count("#SDP 2015\n") == 1
        assert next(read(tmp_path / "a.sdp", "sdp")).id


def test_write_converts_by_extension(tmp_path, caplog):
    write(read(io.StringIO(CONLLX)), tmp_path / "a.conllu")
    assert "CoNLL-U cannot carry: 1 values of PHEAD" in caplog.text
    (sentence,) = read(tmp_path / "a.conllu")
    assert sentence.deprels == ("", "SBJ", "ROOT")
