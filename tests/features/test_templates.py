"""The template language: what it compiles to, and what it says of mistakes."""

from pathlib import Path

import numpy as np
import pytest

from crossarc.core.strings import ROOT, UNKNOWN
from crossarc.errors import UnknownName
from crossarc.features import ATTRIBUTES, Attributes, fit_model, load_model, parse_model
from crossarc.features.attributes import commonest_features, features_of
from crossarc.features.templates import TemplateError
from crossarc.parsers import PRESETS
from crossarc.parsers.presets import preset_names
from crossarc.treebank import Corpus, Sentence, read_arrays

RICH = sorted({PRESETS[name].settings["features"] for name in preset_names("moves")})
MODELS = [*RICH, *(f"{name}-compact" for name in RICH)]


@pytest.mark.parametrize("name", MODELS)
def test_models_that_come_with_crossarc(name):
    model = load_model(name)
    assert len(model.templates) > (15 if name.endswith("compact") else 80)
    assert set(model.attributes) <= {*ATTRIBUTES, "feats[*]"}
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
    assert model.attributes == ("form", "upos")


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("stack[0].frm", "no attribute 'frm'; did you mean 'form'"),
        ("stak[0].form", "no address 'stak"),
        ("stack[0].left.form", "no step 'left'"),
        ("stack[0].head[1].form", "no step 'head"),
        ("stack[0].left[4].form", "from 1, the outermost, to 3"),
        ("buffer[2147483647].form", "buffer\\[2147483647\\]: places go from 0, the nearest, to 99"),
        ("list1[100].form", "to 99"),
        (f"stack[{'9' * 5000}].form", "to 99"),
        (f"stack[0].right[{'9' * 5000}].form", "to 3"),
        ("distance(stack[0])", "takes two addresses"),
        ("length(stack[0], buffer[0])", "no function 'length'"),
        ("stack[0]", "no attribute"),
        ("deprel", "no attribute 'deprel'"),
        ("stack[0].left[1]", "no attribute 'left\\[1\\]'"),
        ("stack[0].upos[Case]", "upos\\[Case\\]: only feats, prefix and suffix take brackets"),
        ("stack[0].suffix[12]", "a number of letters from 1 to 9"),
        ("stack[0].feats[]", "the name of one feature, as in feats\\[Case\\]"),
        ("stack[0].feats[Case=Nom]", "the name of one feature"),
        ("stack[0].feat[Case]", "no attribute 'feat\\[Case\\]'; did you mean"),
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


def test_models_that_extend_others(tmp_path):
    base, more, odd = (str(tmp_path / name) for name in ("base.toml", "more.toml", "odd.toml"))
    Path(base).write_text('templates = ["s.form"]\n[addresses]\ns = "stack[0]"\n')
    Path(more).write_text(f'extends = "{base}"\ntemplates = ["s.upos"]\n[addresses]\ns = "stack[1]"\n')
    assert load_model(more).terms == (("s.form",), ("s.upos",))
    assert dict(load_model(more).names) == {"s": "stack[1]"}  # the model that extends has the last word
    with pytest.raises(TemplateError, match="must stand on its own"):  # as in a trained model
        parse_model(f'extends = "{base}"\n')
    Path(odd).write_text("extends = 3\n")
    with pytest.raises(TemplateError, match="write the name of one feature model"):
        load_model(odd)
    Path(base).write_text(f'extends = "{more}"\n')
    with pytest.raises(TemplateError, match="in a circle"):
        load_model(more)


def test_attributes(example):
    corpus = read_arrays(example)
    attributes = Attributes.fit(corpus)
    rows = attributes.encode(corpus)
    assert rows.shape == (len(corpus["form"]), len(ATTRIBUTES))
    assert (rows[corpus.starts[:-1]] == ROOT).all()
    assert (rows >= 1).all(), "nothing that was trained on is unknown"
    pieces = ("suffix[1]", "suffix", "suffix[5]", "prefix[2]")
    ends = Attributes.fit(corpus, pieces)
    shown = [ends.tables[name].string(int(ends.encode(corpus)[2, place])) for place, name in enumerate(pieces)]
    form = corpus.strings["form"].string(int(corpus["form"][2])).lower()
    assert shown == [form[-1:], form[-3:], form[-5:], form[:2]]
    table = attributes.tables["suffix"]
    assert table.string(rows[2, ATTRIBUTES.index("suffix")]) == "ght"
    other = Corpus.of([Sentence(b"1\tzzyzx\tzzyzx\tNOUN\t_\t_\t0\troot\t_\t_\n\n")])
    found = attributes.encode(other)[1]
    assert found[ATTRIBUTES.index("form")] == UNKNOWN
    assert found[ATTRIBUTES.index("upos")] == rows[4, ATTRIBUTES.index("upos")]


def corpus_of(*words):
    """A sentence whose words are given as the fields from FORM to FEATS, with blanks between them."""
    rows = [
        "\t".join([str(place), *word.split(), "0" if place == 1 else "1", "root" if place == 1 else "dep", "_", "_"])
        for place, word in enumerate(words, 1)
    ]
    return Corpus.of([Sentence(("\n".join(rows) + "\n\n").encode())])


def fitted(templates, corpus):
    """The templates that remain of some when they are fitted to a corpus."""
    text = f"templates = {templates}\n[addresses]\ns0 = 'stack[0]'\nb0 = 'buffer[0]'"
    model = fit_model(parse_model(text), corpus)
    assert parse_model(model.text).terms == model.terms
    assert (parse_model(model.text).slots == model.slots).all()
    return [" + ".join(terms) for terms in model.terms]


def test_single_features():
    assert features_of("_") == {}
    corpus = corpus_of("a a N n Case=Nom|Number=Sing", "b b N n Case=Acc", "c c V v _", "d d V v Number=Plur|refl")
    names = ("feats[Case]", "feats[Number]", "feats[refl]")
    attributes = Attributes.fit(corpus, names)
    rows = attributes.encode(corpus)
    shown = [[attributes.tables[name].string(int(row[place])) for place, name in enumerate(names)] for row in rows[1:]]
    assert shown == [["Nom", "Sing", "_"], ["Acc", "_", "_"], ["_", "_", "_"], ["_", "Plur", "refl"]]
    assert (rows[0] == ROOT).all()
    other = attributes.encode(corpus_of("e e N n Case=Nom|Number=Dual|Voice=Act"))[1]
    assert other[0] == rows[1, 0], "a feature is known even where the whole is not"
    assert other[1] == UNKNOWN


def test_each_feature_is_the_commonest_by_name():
    corpus = corpus_of("a a N n B=1|A=1", "b b N n B=2|C=1", "c c V v C=2|B=1", "d d V v A=2")
    assert commonest_features(corpus, 2) == ["B", "A"], "of two that are as common the first by name"
    templates = ["s0.form", "s0.feats[*]", "s0.feats[*] + b0.feats[*] + s0.upos"]
    assert fitted(templates, corpus) == [
        "s0.form",
        *(f"s0.feats[{name}]" for name in "BAC"),
        *(f"s0.feats[{name}] + b0.feats[{name}] + s0.upos" for name in "BAC"),
    ]
    assert fitted(templates, corpus_of("a a N n _", "b b V v _")) == ["s0.form"]
    plain = corpus_of(*["a a N n A=1", "b b V v A=2"] * 1000)
    assert fitted([*templates, "b0.feats[A]"], plain) == ["s0.form", "b0.feats[A]"], "the whole says as much"


def test_templates_without_what_the_treebank_lacks():
    templates = ["s0.form + s0.xpos", "s0.xpos + b0.upos", "s0.lemma", "s0.upos + s0.feats + s0.deprel", "b0.feats"]
    full = corpus_of("a a N n1 A=1", "b b N n2 _", "c d V v _")
    assert fitted(templates, full) == templates
    no_xpos = corpus_of("a a N _ A=1", "b b V _ _")
    assert fitted(templates, no_xpos)[:2] == ["s0.form + s0.upos", "s0.upos + b0.upos"]
    renamed = corpus_of("a a N x A=1", "b b V y _", "c c N x _")
    assert fitted(templates, renamed)[:2] == ["s0.form + s0.upos", "s0.upos + b0.upos"]
    bare = corpus_of("a _ _ _ _", "b _ _ _ _")
    assert fitted(templates, bare) == [
        "s0.form",
        "s0.suffix + b0.suffix[2]",
        "s0.prefix[5]",
        "s0.suffix[4] + s0.deprel",
        "b0.suffix[4]",
    ], "suffixes stand in for tags, except with the form they follow from"
    assert fitted(["distance(s0, b0)", "s0.feats[Case]"], bare) == ["distance(s0, b0)"]
    with pytest.raises(TemplateError, match="all words of the treebank are the same"):
        fitted(["b0.feats[*]", "s0.feats[Case]"], bare)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("bare", [False, True])
def test_fitted_models_stay_as_they_are(example, name, bare):
    corpus = read_arrays(example)
    if bare:
        corpus = corpus_of(*(f"{form} _ _ _ _" for form in corpus.strings["form"]))
    model = fit_model(load_model(name), corpus)
    assert fit_model(model, corpus).text == model.text
    rows = Attributes.fit(corpus, model.attributes).encode(corpus)
    assert all(len(np.unique(column[column > ROOT])) > 1 for column in rows.T), "every attribute tells words apart"
    assert len(model.attributes) >= 2
