"""Graph parsers: their trees are the best by their own scores, and features are what the templates say."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from crossarc.errors import CrossarcError, ModelError
from crossarc.features.edges import load_edge_model, parse_edge_model
from crossarc.features.templates import TemplateError
from crossarc.parsers import Parser, load, write_model
from crossarc.parsers.settings import GRAPH_PRESETS
from crossarc.treebank import Corpus, Sentence, read

sys.path.append(str(Path(__file__).parents[1] / "decode"))
from forest import all_trees, tree_score, tree_scores


@pytest.fixture(scope="module")
def trained(example):
    """Each graph preset, trained a little: scores that are far from perfect make odd trees."""
    return {name: Parser(name, epochs=2).fit(example) for name in GRAPH_PRESETS}


def scores_of(model, sentence):
    """The scores of all arcs of a sentence."""
    return model.search().scores(model.arc_weights, model.attributes.encode(Corpus.of([sentence])))


def scrambled(example, size, seed):
    """The words of the treebank in no order that it has ever seen."""
    rng = np.random.default_rng(seed)
    words = [(s.forms[i], s.upos[i]) for s in read(example) for i in range(1, len(s) + 1)]
    chosen = [words[i] for i in rng.integers(len(words), size=size)]
    return Sentence.from_columns(
        forms=["", *(form for form, _ in chosen)],
        upos=["", *(tag for _, tag in chosen)],
        heads=[-1, *[0] * size],
        deprels=["", *["dep"] * size],
    )


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("name", ["mst", "eisner"])
def test_the_parse_is_the_best_of_all_trees(example, name, single_root):
    parser = Parser(name, epochs=2, single_root=single_root).fit(example)
    for size in range(1, 6):
        trees = all_trees(size, single_root, projective=name == "eisner")
        for seed in range(10):
            sentence = scrambled(example, size, seed)
            scores = scores_of(parser.model, sentence)
            (parsed,) = parser.parse([sentence])
            assert tree_score(scores, parsed.heads) == pytest.approx(tree_scores(scores, trees).max())


@pytest.mark.parametrize("combine", ["none", "mean", "product", "max", "min"])
def test_undirected_parses_are_the_best_undirected_trees(example, combine):
    """The best tree over the words, whatever its directions, and the best edge to the root."""
    how = {"mean": np.add, "product": np.multiply, "max": np.maximum, "min": np.minimum}
    parser = Parser("mst-undirected", epochs=2, combine=combine).fit(example)
    for size in range(2, 6):
        trees = all_trees(size)
        for seed in range(10):
            sentence = scrambled(example, size, seed)
            scores = scores_of(parser.model, sentence) / parser.model.arc_weights.unit
            inner = scores[1:, 1:]
            if combine == "none":
                assert (inner == inner.T).all()
            else:
                scores[1:, 1:] = how[combine](inner, inner.T) / (2 if combine == "mean" else 1)
            (parsed,) = parser.parse([sentence])
            (root,) = parsed.roots
            assert scores[root, 0] == pytest.approx(scores[1:, 0].max())
            words = scores.copy()
            words[:, 0] = 0
            assert tree_score(words, parsed.heads) == pytest.approx(tree_scores(words, trees).max())


def test_enhanced_trees_score_more_by_the_directed_model(example):
    parser = Parser("mst-undirected-lep", epochs=2).fit(example)
    model = parser.model
    plain = replace(model, settings=model.settings.model_copy(update={"enhance": 0}), directed_weights=None)
    directed = Parser("mst", epochs=2).fit(example).model
    turned = 0
    for seed in range(30):
        sentence = scrambled(example, 6, seed)
        scores = scores_of(directed, sentence)
        before, after = (next(iter(each.parse([sentence]))).heads for each in (plain, model))
        assert tree_score(scores, after) >= tree_score(scores, before) - 1e-6
        turned += int((before != after).any())
    assert turned > 5


def test_scores_depend_on_what_templates_name(example, tmp_path):
    own = tmp_path / "own.toml"
    own.write_text('distances = false\narcs = ["head.upos + dep.upos"]\nlabels = ["dep.upos"]')
    parser = Parser("mst", features=str(own), epochs=3).fit(example)
    rng = np.random.default_rng(1)
    found: dict[tuple[str, str, bool], float] = {}
    seen = set()
    for seed in range(20):
        sentence = scrambled(example, int(rng.integers(2, 9)), seed)
        scores = scores_of(parser.model, sentence)
        tags = ["<root>", *sentence.upos[1:]]
        for d in range(1, len(tags)):
            for h in range(len(tags)):
                if h != d:
                    score = found.setdefault((tags[h], tags[d], h < d), scores[d, h])
                    assert score == scores[d, h]
                    seen.add(score)
    assert len(seen) > 10


def test_templates_of_a_model():
    model = parse_edge_model(
        'arcs = ["head.form", "dep.form", "head.form + dep.upos", "head.upos + dep.form", "distance",\n'
        ' "head.upos + between.upos + dep.upos", "head.lemma + dep.upos"]\nlabels = ["dep.form + sib[-1].upos"]'
    )
    assert model.singles.tolist() == [[0, model.singles[0, 1]], [1, model.singles[0, 1]]]
    # A template and its mirror share their rows; one without a mirror has rows for one direction each.
    assert sorted(model.pairs[:, 2].tolist()) == [1, 2, 3, 3, 3, 3]
    assert model.pairs[-1, 3] == 1, "those with words between come last"
    assert len(model.templates) == 8


@pytest.mark.parametrize("name", ["mst", "mst-compact", "mst-table2"])
def test_models_that_come_with_crossarc(example, name):
    assert len(load_edge_model(name).templates) > 25
    assert Parser("mst", features=name, epochs=8).fit(example).evaluate(example).uas > 88


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            'arcs = ["head.form",\n "dop.form"]\nlabels = ["dep.form"]',
            r"m:2: template 'dop.form': .*did you mean 'dep'",
        ),
        ('arcs = ["head.fom"]\nlabels = ["dep.form"]', "m:1: .*did you mean 'form'"),
        ('arcs = ["head[9].form"]\nlabels = ["dep.form"]', "offsets of up to 4"),
        ('arcs = ["sib[1].form"]\nlabels = ["dep.form"]', "no address 'sib"),
        ('arcs = ["head.form"]\nlabels = ["sib.form"]', r"sib\[-1\] is the one on the left"),
        ('arcs = ["between.upos + distance"]\nlabels = ["dep.form"]', "only one term"),
        ('arcs = ["head.form"]', "no templates for labels"),
        ('arks = ["head.form"]', "did you mean 'arcs'"),
        ("arcs = [", "m: "),
    ],
)
def test_mistakes_in_models(text, message):
    with pytest.raises(TemplateError, match=message):
        parse_edge_model(text, "m")


def test_settings_that_mean_nothing_are_refused(trained, example):
    for options in ({"beam": 4}, {"fast": True}, {"explore": 0.5}, {"learner": "liblinear"}, {"transform": "head"}):
        with pytest.raises(CrossarcError, match=r"graph parsers|fast search"):
            Parser("mst", **options)
    with pytest.raises(CrossarcError, match="find the best tree without one"):
        list(trained["mst"].parse(example, beam=3))


@pytest.mark.parametrize("options", [{"learner": "perceptron"}, {"augment": True}])
def test_other_ways_to_learn(example, options):
    assert Parser("mst", epochs=8, **options).fit(example).evaluate(example).uas > 90


def test_going_on_from_a_model(example):
    sentences = list(read(example))
    first = Parser("mst", epochs=4).fit(sentences[:20])
    second = Parser("mst", epochs=4, inertia=0.5).fit(sentences[20:], init=first)
    assert set(first.model.labels) <= set(second.model.labels)
    assert second.evaluate(sentences[20:]).uas > first.evaluate(sentences[20:]).uas
    with pytest.raises(CrossarcError, match="cannot start from the weights"):
        Parser("arc-hybrid").fit(sentences, init=first)


@pytest.mark.parametrize("name", GRAPH_PRESETS)
def test_odd_sentences(trained, name):
    assert list(trained[name].parse([])) == []
    (one,) = trained[name].parse(read(["1\tzzz\t_\t_\t_\t_\t_\t_\t_\t_"]))
    assert one.heads.tolist() == [-1, 0]
    (long,) = trained[name].parse(read([f"{i}\tw{i}\t_\tNOUN\t_\t_\t_\t_\t_\t_" for i in range(1, 401)]))
    assert long.is_tree
    assert len(long.roots) == 1


def test_files_that_hold_no_parser(trained, tmp_path):
    path = tmp_path / "m.crossarc"
    manifest, arrays = trained["mst"].model.to_arrays()
    manifest |= trained["mst"].manifest_
    write_model(path, manifest, arrays)
    assert load(path).settings == trained["mst"].settings
    faults = [
        ({**manifest, "labels": []}, arrays),
        ({**manifest, "labels": manifest["labels"] * 9}, arrays),
        (manifest, {name: array for name, array in arrays.items() if name != "arcs.cells"}),
        (manifest, {**arrays, "arcs.places": np.ones_like(arrays["arcs.places"])}),
        (manifest, {**arrays, "labels.rows": arrays["labels.rows"][:, :-1]}),
        ({**manifest, "settings": {**manifest["settings"], "enhance": 3}}, arrays),
        ({**manifest, "features": "arcs = ['head.form']"}, arrays),
        ({**manifest, "settings": {**manifest["settings"], "system": "nothing"}}, arrays),
    ]
    for wrong, tables in faults:
        write_model(path, wrong, tables)
        with pytest.raises((ModelError, CrossarcError)):
            load(path)
