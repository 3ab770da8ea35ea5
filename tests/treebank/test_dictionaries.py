"""Sentences as plain dicts, and back."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossarc.errors import CrossarcError, TreebankError, UnknownName
from crossarc.treebank import FORMATS, Sentence, convert, read, read_string
from helpers import fields, sentences, tree

TEXT = """\
# newpar
# sent_id = gap-1
# text = Can't wait, Ana tea
0.1\tfirst\t_\t_\t_\t_\t_\t_\t3:dep\t_
1-2\tCan't\t_\t_\t_\tTypo=Yes\t_\t_\t_\tTokenRange=10:15
1\tCa\tcan\tAUX\tMD\t_\t3\taux\t3:aux\t_
2\tn't\tnot\tPART\tRB\tPolarity=Neg\t3\tadvmod\t3:advmod\t_
3\twait\twait\tVERB\tVB\tMood=Inf|VerbForm=Inf\t0\troot\t0:root\tSpaceAfter=No|Draft|TokenRange=16:20
3.1\tdrinks\tdrink\tVERB\t_\t_\t_\t_\t0:root|3:parataxis\tCopyOf=3
4\t_\t_\tPROPN\tNNP\t_\t_\t_\t3.1:nsubj:pass\tnote\twith a tab

"""


def copied(sentence):
    """The sentence after writing it as JSON and reading it back."""
    return Sentence.from_dict(json.loads(json.dumps(sentence.to_dict())))


def test_what_a_dict_holds():
    (sentence,) = read_string(TEXT)
    plain = sentence.to_dict()
    assert plain["id"] == "gap-1"
    assert plain["text"] == "Can't wait, Ana tea"
    assert "format" not in plain
    assert [token["form"] for token in plain["tokens"]] == ["Ca", "n't", "wait", "_"]
    assert plain["tokens"][2] == {
        "id": 3,
        "form": "wait",
        "lemma": "wait",
        "upos": "VERB",
        "xpos": "VB",
        "feats": {"Mood": "Inf", "VerbForm": "Inf"},
        "head": 0,
        "deprel": "root",
        "deps": [[0, "root"]],
        "misc": {"SpaceAfter": "No", "Draft": None, "TokenRange": "16:20"},
        "start": 16,
        "end": 20,
    }
    assert plain["tokens"][3] | {"misc": {}} == {
        "id": 4,
        "form": "_",
        "lemma": "_",
        "upos": "PROPN",
        "xpos": "NNP",
        "feats": {},
        "head": None,
        "deprel": None,
        "deps": [["3.1", "nsubj:pass"]],
        "misc": {},
    }
    assert [(each["id"], each["form"], each["start"]) for each in plain["ranges"]] == [("1-2", "Can't", 10)]
    assert [(each["id"], each["deps"]) for each in plain["empty_nodes"]] == [
        ("0.1", [[3, "dep"]]),
        ("3.1", [[0, "root"], [3, "parataxis"]]),
    ]
    assert Sentence.from_dict(plain).raw == TEXT.encode()
    assert copied(sentence) == sentence


@pytest.mark.parametrize(
    ("feats", "plain"), [("a=1|a=2", "a=1|a=2"), ("a", {"a": None}), ("=", "="), ("a=b=c", {"a": "b=c"}), ("a|", "a|")]
)
def test_feats_of_odd_forms(feats, plain):
    sentence = tree([-1, 0], feats=["", feats])
    assert sentence.to_dict()["tokens"][0]["feats"] == plain
    assert copied(sentence) == sentence


@pytest.mark.parametrize(
    ("deps", "plain"),
    [("x", "x"), ("01:a", [["01", "a"]]), ("1:a|", "1:a|"), ("1:", [[1, ""]]), ("1:a:b", [[1, "a:b"]])],
)
def test_deps_of_odd_forms(deps, plain):
    sentence = tree([-1, 0], deps=["", deps])
    assert sentence.to_dict()["tokens"][0]["deps"] == plain
    assert copied(sentence) == sentence


@st.composite
def with_other_rows(draw, sentence):
    """The sentence with multiword ranges and empty nodes, which have any text in their columns."""
    n = len(sentence)
    ends = draw(st.dictionaries(st.integers(1, n), st.integers(1, 3), max_size=2))
    empty = draw(st.dictionaries(st.integers(0, n), st.integers(1, 2), max_size=2))
    rest = st.lists(fields, min_size=9, max_size=9)
    lines = list(sentence.comments)
    covered = 0
    for word in range(n + 1):
        if word:
            if word in ends and covered < word < (last := min(n, word + ends[word])):
                lines.append("\t".join([f"{word}-{last}", *draw(rest)]))
                covered = last
            lines.append("\t".join(sentence[word][column] for column in sentence.format.columns))
        lines += ["\t".join([f"{word}.{k}", *draw(rest)]) for k in range(1, empty.get(word, 0) + 1)]
    return Sentence("\n".join([*lines, "", ""]).encode())


@given(sentences().flatmap(with_other_rows))
def test_any_sentence_comes_back(sentence):
    assert copied(sentence) == sentence
    assert [each["id"] for each in sentence.to_dict()["ranges"]] == [token.id for token in sentence.ranges]


@given(sentences(max_size=5))
def test_any_sentence_of_other_formats_comes_back(sentence):
    for name in FORMATS:
        other = convert(sentence, name)
        assert copied(other) == other


@pytest.mark.parametrize("name", FORMATS)
def test_the_example_comes_back(example, name):
    for sentence in read(example):
        sentence = convert(sentence, name)
        assert copied(sentence) == sentence
        plain = sentence.to_dict()
        assert plain.get("format", "conllu") == name
        arcs = {
            (arc[0], int(sentence.node_ids[arc[1]])) for arc in sentence.graph if sentence.node_ids[arc[1]].isdigit()
        }
        if name in ("sdp", "conll09"):
            assert {(head, token["id"]) for token in plain["tokens"] for head, _ in token["deps"]} == arcs


def test_other_formats_have_their_own_columns():
    old = Sentence(b"1\tgo\t_\tV\tVB\t_\t0\tROOT\t0\tROOT\n\n", "conllx")
    assert old.to_dict()["tokens"][0] == {
        "id": 1,
        "form": "go",
        "lemma": None,
        "upos": "V",
        "xpos": "VB",
        "feats": {},
        "head": 0,
        "deprel": "ROOT",
        "phead": "0",
        "pdeprel": "ROOT",
    }
    graph = Sentence(b"#22\n1\tgo\tgo\tVB\t+\t+\t_\t_\n2\ton\ton\tRP\t-\t-\t_\tARG1\n\n", "sdp")
    plain = graph.to_dict()
    assert plain["id"] == "22"
    assert plain["tokens"][1] == {
        "id": 2,
        "form": "on",
        "lemma": "on",
        "upos": "RP",
        "xpos": "RP",
        "top": "-",
        "pred": "-",
        "frame": None,
        "deps": [[1, "ARG1"]],
        "arguments": ["ARG1"],
    }
    assert copied(graph) == graph
    broken = Sentence(b"1\tgo\tgo\tVB\t+\t-\t_\tARG1\n\n", "sdp")
    assert broken.to_dict()["tokens"][0]["deps"] == []
    assert copied(broken) == broken


def test_few_keys_are_enough():
    sentence = Sentence.from_dict(
        {"id": "s", "text": "So be it", "tokens": [{"form": "So"}, {"form": "be", "head": 0}]}
    )
    assert sentence.comments == ("# sent_id = s", "# text = So be it")
    assert sentence.heads.tolist() == [-1, -1, 0]
    assert Sentence.from_dict({"id": "7", "format": "sdp", "tokens": [{"form": "So", "xpos": "A"}]}).comments == ("#7",)


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        ({}, TreebankError, "the dict has no tokens"),
        ({"format": "xml", "tokens": []}, UnknownName, "no format 'xml'"),
        ({"tokens": [{"form": "a\tb"}]}, TreebankError, "token 1: form is 'a\\\\tb'; a field holds neither"),
        ({"tokens": [{"form": 3}]}, TreebankError, "token 1: form is 3"),
        ({"tokens": [{"form": "a", "head": True}]}, TreebankError, "token 1: head is True"),
        ({"tokens": [{"form": "a", "deps": [1]}]}, TreebankError, r"token 1: deps is \[1\]"),
        (
            {"tokens": [{"form": "a"}], "ranges": [{"id": "2-3", "form": "x"}]},
            TreebankError,
            "'2-3' belongs to no word",
        ),
        ({"tokens": [{"form": "a"}], "empty_nodes": [{"id": "x"}]}, TreebankError, "'x' belongs to no word"),
        ({"tokens": [{"form": "a"}], "comments": ["text"]}, TreebankError, "begins with '#'"),
        ({"tokens": [{"form": "a"}], "text": "two\nlines"}, TreebankError, "begins with '#'"),
        ({"tokens": [{"form": "a", "id": 2}]}, TreebankError, "number the words"),
    ],
)
def test_dicts_that_are_no_sentence(data, error, message):
    with pytest.raises(error, match=message):
        Sentence.from_dict(data)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tokens": 1.5}, "tokens is 1.5; it must be a list of dicts"),
        ({"tokens": [5]}, "tokens is .5.; it must be a list of dicts"),
        ({"ranges": True}, "ranges is True; it must be a list of dicts"),
        ({"empty_nodes": {"a": 1}}, "empty_nodes is"),
        ({"comments": 7}, "comments is 7; it must be a list of lines"),
        ({"format": []}, "no format"),
        ({"format": "sdp", "tokens": [{"form": "x", "arguments": 5}]}, "arguments is 5; it must be a list"),
        ({"tokens": [{"id": "a\nb", "form": "x"}]}, "holds neither tabs nor line ends"),
    ],
)
def test_dicts_of_other_types(change, message):
    with pytest.raises(CrossarcError, match=message) as error:
        Sentence.from_dict({"tokens": [{"form": "Go"}], **change})
    assert "\n" not in str(error.value)


def test_a_sentence_is_a_dict():
    with pytest.raises(CrossarcError, match="a sentence is a dict, not"):
        Sentence.from_dict(["Go"])
