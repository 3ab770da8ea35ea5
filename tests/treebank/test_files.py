"""Reading and writing: bytes for bytes, whatever the container."""

import copy
import gzip
import io
import os
import pickle
import random
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossarc.errors import CrossarcError, TreebankError, UnknownName
from crossarc.treebank import FORMATS, Sentence, read, read_arrays, read_string, write
from crossarc.treebank.formats import format_of_content, format_of_path
from crossarc.treebank.streams import atomic_writer
from helpers import sentences

LINE = "1\tHej\thej\tINTJ\t_\t_\t0\troot\t_\t_"
ODD_WORD = "a\u2028b\u0085c\u00a0d\x0be\u200f\U0001f9d1\u200d\U0001f33e"
ODD_FILES = {
    "plain": f"# a\n{LINE}\n\n",
    "two": f"{LINE}\n\n{LINE}\n\n",
    "crlf": f"# a\r\n{LINE}\r\n\r\n{LINE}\r\n\r\n",
    "no final empty line": f"{LINE}\n\n{LINE}\n",
    "no final newline": f"{LINE}\n\n{LINE}",
    "crlf without end": f"{LINE}\r\n\r\n{LINE}",
    "tab in misc": f"{LINE}\tmore\t\tand more\n\n",
    "many empty lines": f"\n\n{LINE}\n\n\n\n{LINE}\n\n\n",
    "white lines": f"{LINE}\n \t\n{LINE}\n\n",
    "byte order mark": f"\ufeff# a\n{LINE}\n\n",
    "byte order mark on a token": f"\ufeff{LINE}\n\n",
    "odd unicode": "# \u2028\u0085\x0b\x0c\x1c\n" + LINE.replace("Hej", ODD_WORD) + "\n\n",
    "nul": f"{LINE.replace('Hej', chr(0))}\n\n",
    "empty fields": "1\tHej\t\t\t\t\t_\t\t\t\n\n",
    "comments before blank": f"# a\n\n# b\n{LINE}\n\n",
}


def rewritten(data: bytes, **options) -> bytes:
    out = io.BytesIO()
    write(read(io.BytesIO(data), **options), out)
    return out.getvalue()


@pytest.mark.parametrize("name", ODD_FILES)
def test_odd_files_come_back_byte_for_byte(name):
    data = ODD_FILES[name].encode()
    assert rewritten(data) == data


@pytest.mark.parametrize("name", ODD_FILES)
@pytest.mark.parametrize("size", [1, 2, 7, 64])
def test_block_size_does_not_matter(name, size, monkeypatch):
    data = ODD_FILES[name].encode()
    lines = [sentence.line for sentence in read(io.BytesIO(data))]
    monkeypatch.setattr("crossarc.treebank.streams.BLOCK", size)
    assert rewritten(data) == data
    assert [sentence.line for sentence in read(io.BytesIO(data))] == lines


def test_real_treebanks_come_back_byte_for_byte(treebanks):
    for path in treebanks:
        assert rewritten(path.read_bytes()) == path.read_bytes(), path


def test_example_comes_back_byte_for_byte(example):
    assert rewritten(example.read_bytes()) == example.read_bytes()
    assert len(list(read(example))) == 40


@given(st.lists(sentences(), min_size=1, max_size=4), st.booleans())
def test_generated_files_come_back(written, crlf):
    data = b"".join(sentence.raw for sentence in written)
    data = data.replace(b"\n", b"\r\n") if crlf else data
    assert rewritten(data) == data
    assert list(read(io.BytesIO(data))) == written


@given(st.binary(max_size=200))
def test_any_bytes_parse_or_raise_our_error(data):
    for name in FORMATS:
        try:
            list(read(io.BytesIO(data), name, check="all"))
        except CrossarcError as error:
            assert "<input>:" in str(error)


pieces = st.sampled_from(
    ["\t", "\n", "\r\n", "_", "0", "1", "2", "3", "1-2", "2.1", "#", " ", "x", ":", "|", "é", "+", "-", "Y"]
)


@given(
    st.lists(pieces, max_size=60).map("".join),
    st.sampled_from(sorted(FORMATS)),
    st.sampled_from(["fail", "skip", "fix"]),
)
def test_near_files_parse_or_raise_our_error(text, name, policy):
    data = text.encode()
    try:
        for sentence in read(io.BytesIO(data), name, check="all", on_error=policy, report=lambda finding: None):
            assert sentence.is_tree or sentence.format.name == "sdp"
            assert sentence.forms is not None
            assert sentence.graph is not None
    except TreebankError:
        assert policy == "fail"


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
def test_compression(tmp_path, example, suffix):
    path = tmp_path / f"a.conllu{suffix}"
    assert write(read(example), path) == 40
    assert list(read(path)) == list(read(example))
    first = path.read_bytes()
    write(read(example), path)
    assert path.read_bytes() == first
    renamed = tmp_path / "renamed"
    renamed.write_bytes(first)
    assert rewritten(renamed.read_bytes()) == example.read_bytes()


def test_several_gzip_members(example):
    data = example.read_bytes()
    assert rewritten(gzip.compress(data) + gzip.compress(data)) == data + data


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_damaged_compression(tmp_path, example, suffix):
    path = tmp_path / f"a.conllu{suffix}"
    write(read(example), path)
    data = path.read_bytes()
    for broken, message in (
        (data[:-20], "end too early"),
        (data[:40] + b"!" * 40 + data[80:], "damaged|end too early"),
    ):
        path.write_bytes(broken)
        with pytest.raises(TreebankError, match=message):
            list(read(path))


def test_sources(example, monkeypatch):
    expected = list(read(example))
    text = example.read_text(encoding="utf-8")
    assert list(read(str(example))) == expected
    assert list(read(io.StringIO(text))) == expected
    assert list(read(text.split("\n"))) == expected
    assert list(read(line.encode() for line in text.split("\n"))) == expected
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert list(read("-")) == expected
    with pytest.raises(TypeError, match="BytesIO"):
        list(read(text.encode()))
    with pytest.raises(FileNotFoundError):
        list(read("no such file"))


def test_empty_input():
    assert list(read(io.BytesIO(b""))) == []
    assert list(read([])) == []
    assert list(read(io.BytesIO(b"\n\n"))) == []
    assert len(read_arrays(io.BytesIO(b""))) == 0


def test_bad_options():
    with pytest.raises(UnknownName, match="did you mean 'skip'"):
        read("x", on_error="skipp")
    with pytest.raises(UnknownName, match="valid: all, graph, syntax, tree"):
        read("x", check="everything")


def test_joined_files_get_their_empty_line():
    first, second = read_string(LINE), read_string("\ufeff" + LINE + "\n")
    out = io.BytesIO()
    write([*first, *second, *first], out)
    assert out.getvalue().decode() == f"{LINE}\n\n{LINE}\n\n{LINE}"


def test_writing_is_all_or_nothing(tmp_path, example):
    path = tmp_path / "out.conllu"
    path.write_text("old")

    def interrupted():
        yield from list(read(example))[:3]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(interrupted(), path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.conllu"]
    write(read(example), path)
    assert path.read_bytes() == example.read_bytes()


def test_a_file_can_be_rewritten_in_place(tmp_path, example):
    path = tmp_path / "a.conllu"
    path.write_bytes(example.read_bytes())
    link = tmp_path / "link.conllu"
    link.symlink_to(path)
    write(read(link), link)
    assert link.is_symlink()
    assert path.read_bytes() == example.read_bytes()


def test_a_read_only_file_is_not_replaced(tmp_path, example):
    path = tmp_path / "a.conllu"
    path.write_bytes(b"old")
    path.chmod(0o444)
    with pytest.raises(CrossarcError, match="read-only"):
        write(read(example), path)
    assert path.read_bytes() == b"old"
    path.chmod(0o640)
    write(read(example), path)
    assert path.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize(
    ("name", "message"), [("a.conllu.bz2", "only .gz and .zst"), ("no/a.conllu", "no folder"), (".", "a folder")]
)
def test_targets_that_cannot_be(tmp_path, example, name, message):
    with pytest.raises(CrossarcError, match=message):
        write(read(example), tmp_path / name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("start", "message"),
    [(b"BZh91AY", "bzip2"), (b"\xfd7zXZ\x00", "xz"), (b"PK\x03\x04abc", "zip"), (b"\xff\xfe1\x00", "UTF-16")],
)
def test_files_of_other_kinds(start, message):
    with pytest.raises(TreebankError, match=message):
        list(read(io.BytesIO(start + b"rest of it")))


def test_devices_are_written_to_directly():
    with atomic_writer(os.devnull) as file:
        file.write(b"x")
    assert not os.path.isfile(os.devnull), "the device was replaced by a file"


def test_long_sentence():
    n = 100_000
    data = "".join(f"{i}\tw{i}\t_\tX\t_\t_\t{i - 1}\tdep\t_\t_\n" for i in range(1, n + 1)).encode() + b"\n"
    (sentence,) = read(io.BytesIO(data))
    assert len(sentence) == n
    assert sentence.is_tree
    assert sentence.raw == data


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a.conllu", "conllu"),
        ("A.CONLLU.gz", "conllu"),
        ("b.conllx.zst", "conllx"),
        ("c.conll06", "conllx"),
        ("d.conll09", "conll09"),
        ("e.sdp", "sdp"),
        ("f.conll", None),
        ("g", None),
    ],
)
def test_format_of_path(path, name):
    found = format_of_path(path)
    assert (found and found.name) == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (LINE, "conllu"),
        ("# a comment\n" + LINE, "conllu"),
        ("1\ta\t_\tN\tN\t_\t0\tROOT\t0\tROOT\n", "conllx"),
        ("1\ta\ta\ta\tN\tN\t_\t_\t0\t0\tROOT\tROOT\t_\t_\n", "conll09"),
        ("#SDP 2015\n#1\n1\ta\ta\tN\t-\t-\t_\n", "sdp"),
        ("#1\n1\ta\ta\tN\t+\t-\t_\n", "sdp"),
        ("", "conllu"),
    ],
)
def test_format_of_content(text, name):
    assert format_of_content(text.encode()).name == name


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("length", [*range(1, 140), 1000])
def test_fields_of_any_length(length, end):
    """Lines are split 64 bytes at a time; tabs and line ends are found at every place of these."""
    rows = [
        ["1", "a" * length, "b", "N", "_", "_", "0", "root", "_", "_"],
        ["2", "é", "c" * length, "N", "_", "_", "1", "dep", "_", "x\ty\t" + "z" * length],
        ["3", "e", "f", "N", "_", "_", "1", "d" * length, "_", "_"],
    ]
    for ends in (end * 2, end, ""):
        text = end.join("\t".join(row) for row in rows) + ends
        (sentence,) = read(io.BytesIO(text.encode()), "conllu")
        assert [[token[column] for column in FORMATS["conllu"].columns] for token in sentence] == rows
    with pytest.raises(TreebankError, match=r":2: .*9 columns instead of 10"):
        Sentence(text.replace("\tx\ty\t", "").encode())


@pytest.mark.parametrize("name", FORMATS)
def test_formats_are_compared_by_identity(name):
    """Copies are the same object, in this process and in others."""
    assert copy.deepcopy(FORMATS[name]) is FORMATS[name]
    assert pickle.loads(pickle.dumps(FORMATS[name])) is FORMATS[name]


def test_arrays_agree_with_sentences(example, treebanks):
    sample = [example, *random.Random(1).sample(treebanks, 4)]
    for path in sample:
        corpus = read_arrays(path)
        starts = corpus.starts
        assert starts.dtype == np.int64
        columns = {name: corpus[name] for name in (*corpus.strings, "head")}
        for i, sentence in enumerate(read(path)):
            part = slice(starts[i], starts[i + 1])
            assert (columns["head"][part] == sentence.heads).all()
            for name, table in corpus.strings.items():
                found = [table.string(k) for k in columns[name][part]]
                assert found[0] == "<root>"
                assert found[1:] == list(sentence.column(name)[1:])
        assert len(corpus) == i + 1


def test_arrays_follow_the_policy(malformed):
    path = malformed / "columns-few.conllu"
    with pytest.raises(TreebankError, match=r"columns-few.conllu:6: sentence 's1': 9 columns instead of 10"):
        read_arrays(path)
    assert len(read_arrays(path, on_error="skip", report=lambda finding: None)) == 1
    fixed = read_arrays(path, on_error="fix", report=lambda finding: None)
    assert fixed["head"].tolist() == [-1, 0, -1, 0, 1, 1]
