"""Documents as JSON lines."""

import contextlib
import gzip
import io
import json
import logging
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossarc.errors import CrossarcError, TreebankError, UnknownName
from crossarc.treebank import Sentence, convert, read, read_json_documents, write_json_lines
from helpers import sentences, tree

TEXT = '{"id": "a", "text": "She left.", "tags": [1, null, 2.5]}\n\n{"text": "Ünï\\ud83d\\ude00", "n": {"x": true}}'
DOCUMENTS = [{"id": "a", "text": "She left.", "tags": [1, None, 2.5]}, {"text": "Ünï\U0001f600", "n": {"x": True}}]

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
any_text = st.text(st.characters(), max_size=20)  # lone surrogates and all
documents = st.fixed_dictionaries({"text": any_text}, optional={"id": values, "meta": values})


@pytest.mark.parametrize("text", [TEXT, TEXT + "\n", TEXT.replace("\n", "\r\n"), "\ufeff" + TEXT, "\n \n" + TEXT])
@pytest.mark.parametrize("size", [1, 5, 1 << 17])
def test_reading(text, size, monkeypatch):
    monkeypatch.setattr("crossarc.treebank.streams.BLOCK", size)
    assert list(read_json_documents(io.BytesIO(text.encode()))) == DOCUMENTS


def test_sources(tmp_path, monkeypatch):
    (tmp_path / "a.jsonl").write_text(TEXT, encoding="utf-8")
    (tmp_path / "packed").write_bytes(gzip.compress(TEXT.encode()))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))
    for source in (tmp_path / "a.jsonl", str(tmp_path / "packed"), "-", io.StringIO(TEXT), TEXT.split("\n")):
        assert list(read_json_documents(source)) == DOCUMENTS
    assert list(read_json_documents([])) == []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"She left.", r"<input>:2: this is not JSON \(Expecting value at column 1\); write one object on each line"),
        (b'{"text": "a"', "<input>:2: this is not JSON"),
        (b'["a"', "<input>:2: a list begins here; write each of its documents on a line of its own"),
        (b"[1]", "<input>:2: this is a list, not an object"),
        (b"3", "<input>:2: this is a number, not an object"),
        (b"null", "<input>:2: this is null, not an object"),
        (b'{"id": 1}', r"<input>:2: the document has no field 'text' with its text \(it has 'id'\); rename the field"),
        (b"{}", "it has none at all"),
        (b'{"text": ["a"]}', "<input>:2: the field 'text' is a list; it must be a string"),
        (b'{"text": null}', "the field 'text' is null"),
        (b'{"text": "a", "x": NaN}', "<input>:2: NaN is not JSON; write null"),
        (b'{"text": "a", "x": 1e999}', "<input>:2: the number 1e999 is too large; write it as a string"),
        (b'{"text": "\xff"}', "<input>:2: byte 0xff at column 11 is not UTF-8"),
        (b'{"text": ' + b"[" * 200_000, "<input>:2: the object has too many levels"),
        (b'{"text": "a", "x": ' + b"9" * 5000 + b"}", "<input>:2: .*digits"),
    ],
)
def test_bad_lines(line, message, caplog):
    data = b'{"text": "first"}\n' + line + b'\n{"text": "last"}\n'
    with pytest.raises(TreebankError, match=message):
        list(read_json_documents(io.BytesIO(data)))
    with caplog.at_level(logging.WARNING):
        found = list(read_json_documents(io.BytesIO(data), on_error="skip"))
    assert [document["text"] for document in found] == ["first", "last"]
    assert "left out" in caplog.text
    reported = []
    list(read_json_documents(io.BytesIO(data), on_error="skip", report=reported.append))
    assert len(reported) == 1


def test_the_field_of_the_text():
    lines = ['{"body": "Go."}', '{"other": 1}']
    assert list(read_json_documents(lines[:1], text="body")) == [{"body": "Go."}]
    assert list(read_json_documents(lines, text=None)) == [{"body": "Go."}, {"other": 1}]
    with pytest.raises(UnknownName, match="did you mean 'skip'"):
        read_json_documents(lines, on_error="skp")


@given(st.binary(max_size=60) | st.text('{}[]":,\\u0dtex1 \n', max_size=40).map(str.encode))
def test_any_bytes_are_read_or_refused(data):
    with contextlib.suppress(TreebankError):
        assert all(isinstance(document["text"], str) for document in read_json_documents(io.BytesIO(data)))


@given(st.lists(documents, max_size=3), st.lists(sentences(max_size=4), max_size=2))
def test_documents_come_back(written, parsed):
    out = io.BytesIO()
    assert write_json_lines(({**document, "sentences": parsed} for document in written), out) == len(written)
    again = list(read_json_documents(io.BytesIO(out.getvalue())))
    assert [{**document, "sentences": [each.to_dict() for each in parsed]} for document in written] == again
    for document in again:
        assert [Sentence.from_dict(each) for each in document["sentences"]] == parsed


MISC = [
    "TokenRange=3:14",
    "SpaceAfter=No|TokenRange=0:2|A=1",
    "TokenRange=1:2|TokenRange=1:2",
    "TokenRange=01:2",
    "x|=",
    "TokenRange=1:2:3",
    "A|TokenRange=5:6",
    'B="TokenRange": "0:0"|TokenRange=7:8',
    "NoTokenRange=1:2",
    "TokenRange=0:0|A|A",
    "_",
]


def in_json(sentence):
    """The lines of a sentence on its own, and within a document."""
    out = io.BytesIO()
    write_json_lines([sentence, {"n": 1, "sentences": [sentence]}], out)
    return out.getvalue().decode().split("\n")


def assert_written_as_dicts_are(sentence):
    own = json.dumps(sentence.to_dict(), ensure_ascii=False)
    assert in_json(sentence) == [own, f'{{"n": 1, "sentences": [{own}]}}', ""]


@given(sentences(max_size=6), st.lists(st.sampled_from(MISC), min_size=7, max_size=7), st.booleans())
def test_sentences_are_written_as_their_dicts_are(sentence, misc, has_ranges):
    if has_ranges:
        sentence = sentence.replace(misc=["", *misc][: len(sentence) + 1])
    assert_written_as_dicts_are(sentence)


def test_odd_fields_are_written_as_their_dicts_are():
    odd = [
        "_",
        "",
        "a=1|a=2",
        "|",
        "=",
        "a",
        "a|b=",
        '\x01"\\\x7f\x0c\x08',
        "TokenRange=1:2",
        "|".join(f"a{i}=é" for i in range(99)),
    ]
    for field in filter(None, odd):
        assert_written_as_dicts_are(
            tree([-1, 0], forms=["", "_"], lemmas=["", field], feats=["", field], misc=["", field])
        )
    for arcs in ("_", "0:root|0.1:a:b", "0", ":a", "1:|0:x", "01:a", "0:a||0:b"):
        assert_written_as_dicts_are(Sentence(f"1\ta\t_\t_\t_\t_\t_\troot\t{arcs}\t_\twith a tab\r\n\r\n".encode()))


@pytest.mark.parametrize("format", ["conllu", "conllx", "conll09", "sdp"])
def test_sentences_of_all_formats_are_written_as_their_dicts_are(example, format):
    for sentence in read(example):
        assert_written_as_dicts_are(convert(sentence, format))


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
def test_files(tmp_path, example, suffix):
    path = tmp_path / f"a.jsonl{suffix}"
    document = {"text": "all of it", "sentences": list(read(example))}
    assert write_json_lines([document], path) == 1
    (again,) = read_json_documents(path)
    assert [Sentence.from_dict(each) for each in again["sentences"]] == document["sentences"]


def test_lines_are_written_as_they_are_read(tmp_path, capfdbinary):
    line = '{"id": 1, "text": "Grüße \U0001f600", "sentences": []}\n'.encode()
    write_json_lines(read_json_documents(io.BytesIO(line)), "-")
    sys.stdout.flush()
    assert capfdbinary.readouterr().out == line


def test_writing_is_all_or_nothing(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("old")

    def broken():
        yield {"text": "a"}
        yield {"text": "b", "when": object()}

    with pytest.raises(TypeError, match="JSON cannot write <object"):
        write_json_lines(broken(), path)
    assert path.read_text() == "old"
    with pytest.raises(CrossarcError, match="no folder"):
        write_json_lines([], tmp_path / "no" / "a.jsonl")


def test_one_line_for_each_document():
    out = io.BytesIO()
    write_json_lines([{"text": "a\nb\u2028c", "sentences": [tree([-1, 0])]}, {}], out)
    assert out.getvalue().count(b"\n") == 2
    assert all(isinstance(json.loads(line), dict) for line in out.getvalue().split(b"\n")[:-1])
