"""The template language: what it compiles to, and what it says of mistakes."""

import numpy as np
import pytest

from crossarc.core.strings import ROOT, UNKNOWN
from crossarc.errors import UnknownName
from crossarc.features import ATTRIBUTES, Attributes, load_model, parse_model
from crossarc.features.attributes import shape
from crossarc.features.templates import TemplateError
from crossarc.treebank import Corpus, read_arrays

MODELS = [
    "stack",
    "arc-eager",
    "planar",
    "two-planar",
    "covington",
    "planar-undirected",
    "two-planar-undirected",
    "covington-undirected",
]


@pytest.mark.parametrize("name", MODELS)
def test_models_that_come_with_crossarc(name):
    model = load_model(name)
    assert len(model.templates) > 100
    assert model.attributes <= set(ATTRIBUTES)
    assert (model.addresses[:, 1] < np.arange(len(model.addresses))).all(), "an address comes behind its parent"


def test_tables():
    model = parse_model("""
        templates = ["s0.form + b0.upos", "b0.upos + s0.form", "s0.left[2].deprel", "distance(s0, b0)"]
        [addresses]
        s0 = "stack[0]"
        b0 = "buffer[0]"
    """)
    assert len(model.templates) == 3, "the same terms in another order are the same template"
    assert model.addresses.tolist() == [[0, -1, 0], [2, -1, 0], [6, 0, 1]]
    assert model.attributes == {"form", "upos"}


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("stack[0].frm", "no attribute 'frm'; did you mean 'form'"),
        ("stak[0].form", "no address 'stak"),
        ("stack[0].left.form", "no step 'left'"),
        ("stack[0].head[1].form", "no step 'head"),
        ("stack[0].left[4].form", "from 1, the outermost, to 3"),
        ("distance(stack[0])", "takes two addresses"),
        ("length(stack[0], buffer[0])", "no function 'length'"),
        ("stack[0]", "no attribute"),
        (" + ".join(["stack[0].form"] * 7), "joins 7 terms; 6 are the most"),
    ],
)
def test_mistakes_are_named_with_their_line(template, message):
    with pytest.raises(TemplateError, match=message) as caught:
        parse_model(f'templates = [\n  "stack[0].form",\n  "{template}",\n]', "my.toml")
    assert str(caught.value).startswith("my.toml:3: template ")


def test_models_that_are_none(tmp_path):
    with pytest.raises(TemplateError, match=r"my.toml: Invalid value"):
        parse_model("templates = [", "my.toml")
    with pytest.raises(TemplateError, match="no templates"):
        parse_model("", "my.toml")
    with pytest.raises(UnknownName, match="no feature model 'stak'; did you mean 'stack'"):
        load_model("stak")
    (tmp_path / "own.toml").write_text('templates = ["stack[0].form"]')
    assert load_model(str(tmp_path / "own.toml")).terms == (("stack[0].form",),)


def test_attributes(example):
    corpus = read_arrays(example)
    attributes = Attributes.fit(corpus)
    rows = attributes.encode(corpus)
    assert rows.shape == (len(corpus["form"]), len(ATTRIBUTES))
    assert (rows[corpus.starts[:-1]] == ROOT).all()
    assert (rows >= 1).all(), "nothing that was trained on is unknown"
    table = attributes.tables["suffix"]
    assert table.string(rows[2, ATTRIBUTES.index("suffix")]) == "ght"
    other = Corpus()
    other.feed(b"1\tzzyzx\tzzyzx\tNOUN\t_\t_\t0\troot\t_\t_\n\n", final=True)
    found = attributes.encode(other)[1]
    assert found[ATTRIBUTES.index("form")] == UNKNOWN
    assert found[ATTRIBUTES.index("upos")] == rows[4, ATTRIBUTES.index("upos")]


def test_shape():
    assert [shape(form) for form in ("Anna", "ABC-12345", "", "é")] == ["Xxx", "XX-99", "", "x"]
