"""Trees and tags for many sentences at once are what `replace` gives one by one."""

import numpy as np
import pytest

from crossarc.core.strings import StringTable
from crossarc.errors import TreebankError
from crossarc.treebank import Sentence, read
from crossarc.treebank.formats import FORMATS
from crossarc.treebank.text_writing import write_columns, write_trees

LABELS = ["a", "née", "x" * 40]


def trees_for(sentences, seed=1):
    random = np.random.default_rng(seed)
    lengths = [len(sentence) + 1 for sentence in sentences]
    starts = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    heads = np.concatenate([random.integers(0, n, n) for n in lengths]).astype(np.int32)
    labels = random.integers(0, len(LABELS), starts[-1]).astype(np.int32)
    return heads, labels, starts


def test_written_trees_are_replaced_columns(example):
    plain = [*read(example), Sentence(b"# none\r\n1\tA\t_\t_\t_\t_\t0\troot\t_\t_\r\n\r\n")]
    heads, labels, starts = trees_for(plain)
    written = write_trees(plain, heads, labels, starts, StringTable(LABELS))
    for sentence, got, begin, end in zip(plain, written, starts, starts[1:], strict=False):
        names = ["", *(LABELS[label] for label in labels[begin + 1 : end])]
        assert got == sentence.replace(heads=np.concatenate(([-1], heads[begin + 1 : end])), deprels=names)
        assert (got.source, got.line) == (sentence.source, sentence.line)
        assert list(got.deprels) == names


def test_long_sentences_and_none():
    rows = "".join(f"{i}\tw\t_\t_\t_\t_\t_\t_\t_\t_\n" for i in range(1, 20_001))
    sentence = Sentence(rows.encode() + b"\n")
    heads, labels, starts = trees_for([sentence])
    got = write_trees([sentence], heads, labels, starts, StringTable(LABELS))[0]
    assert got.heads[1:].tolist() == heads[1:].tolist()
    assert write_trees([], heads, labels, starts, StringTable(LABELS)) == []


def test_what_is_refused(example):
    plain = list(read(example))[:2]
    heads, labels, starts = trees_for(plain)
    names = StringTable(LABELS)
    for wrong in (heads + 100, heads - 100):
        with pytest.raises(ValueError, match="no head or no label"):
            write_trees(plain, wrong.astype(np.int32), labels, starts, names)
    with pytest.raises(ValueError, match="no head or no label"):
        write_trees(plain, heads, labels + np.int32(5), starts, names)
    with pytest.raises(ValueError, match=r"has \d+ words, its tree"):
        write_trees(plain[::-1], heads, labels, np.array([0, 1, 2]), names)
    for wrong in (starts[:-1], starts + 1):
        with pytest.raises(ValueError, match="2 sentences need 3 starts"):
            write_trees(plain, heads, labels, wrong, names)
    with pytest.raises(ValueError, match="2 sentences need 3 starts"):
        write_trees(plain, heads, labels[:-1], starts, names)


@pytest.mark.parametrize("name", FORMATS)
def test_formats(name):
    """Every format with columns for a tree takes one."""
    form = FORMATS[name]
    if not 0 <= form.index("head") < form.index("deprel"):
        with pytest.raises(TreebankError, match="has no columns for trees"):
            write_trees([next(iter(read_one(form)))], *trees_for(read_one(form)), StringTable(LABELS))
        return
    sentences = read_one(form)
    got = write_trees(sentences, *trees_for(sentences), StringTable(LABELS))
    assert set(got[0].deprels[1:]) <= set(LABELS)


def read_one(form):
    width = len(form.columns) if form.columns else 10
    row = ["_"] * width
    row[0] = "1"
    row[form.index("form")] = "word"
    return [Sentence("\t".join(row).encode() + b"\n\n", form)]


def test_ranges_empty_nodes_and_what_is_read_from_the_new_sentences():
    """The table of fields is right in all rows, as if the new bytes were parsed."""
    text = (
        b"\xef\xbb\xbf# a\n0.1\tz\t_\t_\t_\t_\t_\t_\t2:x\t_\n1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_\n"
        b"1\ta\t_\t_\t_\t_\t112\tdep\t0:root\tA=b\tc\n2\tb\t_\t_\t_\t_\t_\t_\t0.1:x\t_\r\n2.1\tc\t_\t_\t_\t_\t_\t_\t1:y\t_\n\n"
    )
    heads, labels = np.array([-1, 2, 0], np.int32), np.array([-1, 2, 1], np.int32)
    (got,) = write_trees([Sentence(text, source="f", line=3)], heads, labels, np.array([0, 3]), StringTable(LABELS))
    expected = text.replace(b"112\tdep", b"2\t" + b"x" * 40).replace(b"_\t_\t0.1", "0\tnée\t0.1".encode())
    assert bytes(got) == expected
    parsed = Sentence(expected, source="f", line=3)
    assert got.heads.tolist() == parsed.heads.tolist() == [-1, 2, 0]
    assert got.graph == parsed.graph
    for mine, theirs in zip(got.rows, parsed.rows, strict=True):
        assert (mine.line, mine.is_word, mine.is_range, mine.is_empty) == (
            theirs.line,
            theirs.is_word,
            theirs.is_range,
            theirs.is_empty,
        )
        assert [mine[column] for column in FORMATS["conllu"].columns] == [
            theirs[column] for column in FORMATS["conllu"].columns
        ]
    (again,) = write_trees([got], heads, labels * 0, np.array([0, 3]), StringTable(LABELS))
    assert again.deprels == ("", "a", "a")


def test_labels_that_are_no_fields_are_refused():
    sentences = read_one(FORMATS["conllu"])
    with pytest.raises(ValueError, match=r"the label 'a\\tb' has a tab or a line end"):
        write_trees(sentences, *trees_for(sentences), StringTable(["a\tb", "b", "c"]))


def test_tags_and_trees_together_and_what_stays(example):
    plain = list(read(example))
    heads, labels, starts = trees_for(plain)
    tags = np.where(np.arange(starts[-1]) % 3 == 0, -1, labels).astype(np.int32)
    names = StringTable(LABELS)
    columns = {"deprel": (labels, names), "lemma": (tags, names), "upos": (labels, names), "head": (heads, None)}
    written = write_columns(plain, starts, columns)
    trees = write_trees(plain, heads, labels, starts, names)
    for tree, got, begin, end in zip(trees, written, starts, starts[1:], strict=False):
        lemmas = [LABELS[tag] if tag >= 0 else old for tag, old in zip(tags[begin:end], tree.lemmas, strict=True)]
        assert got == tree.replace(lemmas=["", *lemmas[1:]], upos=tree.deprels)
        assert got.lemmas[1:] == tuple(lemmas[1:])
        assert got.heads.tolist() == tree.heads.tolist()
    tags[1] = len(LABELS)
    with pytest.raises(ValueError, match="word 1 of sentence 0 has a value without a name"):
        write_columns(plain, starts, {"upos": (tags, names)})
    with pytest.raises(ValueError, match="need"):
        write_columns(plain, starts, {"upos": (labels[:-1], names)})
