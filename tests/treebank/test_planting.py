"""Trees for many sentences at once are what `replace` gives one by one."""

import numpy as np
import pytest

from crossarc.core.strings import StringTable
from crossarc.errors import TreebankError
from crossarc.treebank import Sentence, read
from crossarc.treebank.formats import FORMATS
from crossarc.treebank.planting import plant_trees

LABELS = ["a", "née", "x" * 40]


def trees_for(sentences, seed=1):
    random = np.random.default_rng(seed)
    lengths = [len(sentence) + 1 for sentence in sentences]
    starts = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    heads = np.concatenate([random.integers(0, n, n) for n in lengths]).astype(np.int32)
    labels = random.integers(0, len(LABELS), starts[-1]).astype(np.int32)
    return heads, labels, starts


def test_planted_trees_are_replaced_columns(example):
    plain = [*read(example), Sentence(b"# none\r\n1\tA\t_\t_\t_\t_\t0\troot\t_\t_\r\n\r\n")]
    heads, labels, starts = trees_for(plain)
    planted = plant_trees(plain, heads, labels, starts, StringTable(LABELS))
    for sentence, got, begin, end in zip(plain, planted, starts, starts[1:], strict=False):
        names = ["", *(LABELS[label] for label in labels[begin + 1 : end])]
        assert got == sentence.replace(heads=np.concatenate(([-1], heads[begin + 1 : end])), deprels=names)
        assert (got.source, got.line) == (sentence.source, sentence.line)
        assert list(got.deprels) == names


def test_long_sentences_and_none():
    rows = "".join(f"{i}\tw\t_\t_\t_\t_\t_\t_\t_\t_\n" for i in range(1, 20_001))
    sentence = Sentence(rows.encode() + b"\n")
    heads, labels, starts = trees_for([sentence])
    got = plant_trees([sentence], heads, labels, starts, StringTable(LABELS))[0]
    assert got.heads[1:].tolist() == heads[1:].tolist()
    assert plant_trees([], heads, labels, starts, StringTable(LABELS)) == []


def test_what_is_refused(example):
    plain = list(read(example))[:2]
    heads, labels, starts = trees_for(plain)
    names = StringTable(LABELS)
    for wrong in (heads + 100, heads - 100):
        with pytest.raises(ValueError, match="no head or no label"):
            plant_trees(plain, wrong.astype(np.int32), labels, starts, names)
    with pytest.raises(ValueError, match="no head or no label"):
        plant_trees(plain, heads, labels + np.int32(5), starts, names)
    with pytest.raises(ValueError, match=r"has \d+ words, its tree"):
        plant_trees(plain[::-1], heads, labels, np.array([0, 1, 2]), names)


@pytest.mark.parametrize("name", FORMATS)
def test_formats(name):
    """Every format with columns for a tree takes one."""
    form = FORMATS[name]
    if not 0 <= form.index("head") < form.index("deprel"):
        with pytest.raises(TreebankError, match="has no columns for trees"):
            plant_trees([next(iter(read_one(form)))], *trees_for(read_one(form)), StringTable(LABELS))
        return
    sentences = read_one(form)
    got = plant_trees(sentences, *trees_for(sentences), StringTable(LABELS))
    assert set(got[0].deprels[1:]) <= set(LABELS)


def read_one(form):
    width = len(form.columns) if form.columns else 10
    row = ["_"] * width
    row[0] = "1"
    row[form.index("form")] = "word"
    return [Sentence("\t".join(row).encode() + b"\n\n", form)]
