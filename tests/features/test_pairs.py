"""Templates of siblings and grandchildren: what they compile to, and what is said of mistakes."""

import pytest

from crossarc.features.edges import (
    MOST_TEMPLATES,
    fit_edge_model,
    load_edge_model,
    parse_edge_model,
    written_edge_model,
)
from crossarc.features.templates import TemplateError
from crossarc.treebank import Corpus, read

REST = '\narcs = ["head.form"]\nlabels = ["dep.form"]'


@pytest.mark.parametrize("name", ["carreras", "carreras-bohnet", "carreras-compact"])
def test_models_that_come_with_crossarc(name, example):
    model = load_edge_model(name)
    least = 3 if name.endswith("compact") else 15
    assert min(len(model.siblings), len(model.grandchildren)) > least
    assert list(model.terms) == ["arcs", "siblings", "grandchildren", "labels"]
    fitted = fit_edge_model(model, Corpus.of(read(example)))
    assert parse_edge_model(fitted.text).terms == fitted.terms
    assert not any("[*]" in term for terms in fitted.templates for term in terms), "each feature has its name"


def test_tables():
    model = parse_edge_model(
        'siblings = ["dep.form + sib.form", "sib.form + dep.form", "head.upos + sib[1].form + direction"]\n'
        'grandchildren = ["grand[-1].upos + dep.form"]' + REST
    )
    assert len(model.siblings) == 2, "the same terms in another order are the same template"
    assert len(model.grandchildren) == 1
    empty = model.siblings[0, 0]
    assert model.siblings[1, 1] == model.grandchildren[0, 1] == empty, "words that are not looked at"
    assert model.siblings[0, 1] == model.siblings[0, 2] == model.grandchildren[0, 2], "dep.form and sib.form look alike"
    assert len(model.templates) == 5
    assert written_edge_model({"distances": True, "siblings": ["a"]}).endswith('siblings = [\n  "a",\n]\n')


def test_models_without_pairs():
    model = load_edge_model("mst")
    assert len(model.siblings) == len(model.grandchildren) == 0
    assert list(model.terms) == ["arcs", "labels"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('siblings = ["dep.form +\\n grand.form"]', "no address 'grand"),
        ('siblings = ["dep.form"]', "a template of siblings looks at sib and at another word"),
        ('siblings = ["sib.form"]', "a template of siblings looks at sib and at another word"),
        ('grandchildren = ["grand.form + head.form"]', "a template of grandchildren looks at dep and at another word"),
        ('grandchildren = ["grand.form + sib.form"]', "m:1: template .* no address 'sib'"),
        ('siblings = ["dep.fom + sib.form"]', "m:1: template 'dep.fom .*did you mean 'form'"),
        ('siblings = ["dep.form + sib.form",\n "dep[9].form + sib.form"]', "m:2: .*offsets of up to 4"),
        ('siblings = ["dep.form + sib.form + distance"]', "no address"),
        ('siblings = ["dep.form + sib.deprel"]', "no attribute 'deprel'"),
        ('grandchildren = ["grand.child[1].form + dep.form"]', "no address"),
        ('siblinks = ["dep.form + sib.form"]', "did you mean 'siblings'"),
    ],
)
def test_mistakes(text, message):
    with pytest.raises(TemplateError, match=message):
        parse_edge_model(text + REST, "m")


def test_too_many_templates():
    many = [f'"dep.form + sib.feats[F{k}]"' for k in range(MOST_TEMPLATES + 1)]
    with pytest.raises(TemplateError, match=f"{MOST_TEMPLATES + 1} with dependents or siblings"):
        parse_edge_model(f"siblings = [{', '.join(many)}]" + REST)
    parse_edge_model(f"siblings = [{', '.join(many[1:])}]" + REST)
