"""Undirected parsers with directed ones: models that are reused, and how directed features are learned."""

import numpy as np
import pytest

from crossarc import decode
from crossarc.errors import CrossarcError
from crossarc.parsers import Parser, load
from crossarc.treebank import Corpus, read


@pytest.fixture(scope="module")
def directed(example):
    return Parser("mst", epochs=3).fit(example)


def heads_of(parser, sentences):
    return [sentence.heads.tolist() for sentence in parser.parse(sentences)]


def test_a_directed_model_is_reused(example, directed, tmp_path):
    """The parser is the same as one that trains a directed model too, and the file has both."""
    training = Parser("mst-undirected-lep", epochs=3).fit(example)
    reusing = Parser("mst-undirected-lep", epochs=3).fit(example, directed=directed)
    assert reusing.model.finder.directed.weights is directed.model.finder.weights
    assert heads_of(reusing, example) == heads_of(training, example)
    reusing.save(tmp_path / "both")
    assert heads_of(load(tmp_path / "both"), example) == heads_of(training, example)


def test_a_directed_model_of_more_data_keeps_its_words(example, directed):
    """Words have the numbers of the directed model, or its weights would mean others."""
    some = list(read(example))[:15]
    parser = Parser("mst-undirected-lep", epochs=2).fit(some, directed=directed)
    assert parser.model.labels == directed.model.labels
    for name, table in directed.model.attributes.tables.items():
        assert list(parser.model.attributes.tables[name])[: len(list(table))] == list(table)


@pytest.mark.parametrize(
    ("preset", "options", "reason"),
    [
        ("arc-hybrid", {}, "is a 'arc-hybrid'; it must be an 'mst'"),
        ("eisner", {}, "is a 'eisner'; it must be an 'mst'"),
        ("mst", {"features": "mst-compact"}, "has other features"),
        ("mst", {"labels": "joint"}, "together with their labels"),
    ],
)
def test_directed_models_of_another_kind_are_refused(example, preset, options, reason):
    other = Parser(preset, epochs=1, **options).fit(example)
    with pytest.raises(CrossarcError, match=reason):
        Parser("mst-undirected-lep", epochs=1).fit(example, directed=other)


def test_directed_models_that_nothing_asks_for_are_refused(example, directed):
    for name in ("mst-undirected", "mst", "swap"):
        with pytest.raises(CrossarcError, match="take mst-undirected-lep"):
            Parser(name, epochs=1).fit(example, directed=directed)
    first = Parser("mst-undirected-lep", epochs=1).fit(example)
    with pytest.raises(CrossarcError, match="leave one of the two out"):
        Parser("mst-undirected-lep", epochs=1).fit(example, directed=directed, init=first)


def test_directed_models_of_other_labels_are_refused(example):
    sentences = list(read(example))
    renamed = [s.replace(deprels=["", *(f"x{label}" for label in s.deprels[1:])]) for s in sentences]
    other = Parser("mst", epochs=1).fit(renamed)
    with pytest.raises(CrossarcError, match=r"never seen labels of this treebank \("):
        Parser("mst-undirected-lep", epochs=1).fit(sentences, directed=other)


def test_the_command(example, directed, tmp_path, run_crossarc):
    directed.save(tmp_path / "directed")
    options = ["--train", example, "-o", tmp_path / "m", "--epochs", 2, "--directed", tmp_path / "directed"]
    assert run_crossarc("train", "--parser", "mst-undirected-lep", *options)[0] == 0
    code, _, err = run_crossarc("train", "--parser", "mst-undirected", *options)
    assert code == 2
    assert "take mst-undirected-lep" in err
    assert load(tmp_path / "m").model.finder.directed.weights.unit == directed.model.finder.weights.unit


def test_resuming_looks_at_the_directed_model(example, directed, tmp_path):
    def die(epoch):
        if epoch.number > 1:
            raise KeyboardInterrupt

    state = tmp_path / "state"
    with pytest.raises(KeyboardInterrupt):
        Parser("mst-undirected-lep", epochs=3).fit(example, directed=directed, checkpoint=state, on_epoch=die)
    resumed = Parser("mst-undirected-lep", epochs=3).fit(example, directed=directed, checkpoint=state, resume=True)
    at_once = Parser("mst-undirected-lep", epochs=3).fit(example, directed=directed)
    assert heads_of(resumed, example) == heads_of(at_once, example)
    with pytest.raises(KeyboardInterrupt):
        Parser("mst-undirected-lep", epochs=3).fit(example, directed=directed, checkpoint=state, on_epoch=die)
    with pytest.raises(CrossarcError, match="the directed model differs"):
        Parser("mst-undirected-lep", epochs=3).fit(example, checkpoint=state, resume=True)


@pytest.mark.parametrize("combine", ["mean", "product", "max", "min"])
def test_directed_features_learned_from_directed_trees(example, directed, combine):
    """The variant of footnote 9: the weights are those of `mst`, only the trees are found without directions."""
    parser = Parser("mst-undirected-df", epochs=3, directed_training=True, combine=combine).fit(example)
    assert parser.model.finder.weights.to_arrays()["cells"].tolist() == (
        directed.model.finder.weights.to_arrays()["cells"].tolist()
    )
    assert heads_of(parser, example) != heads_of(directed, example)
    plain = Parser("mst-undirected-df", epochs=3, combine=combine).fit(example)
    assert heads_of(parser, example) != heads_of(plain, example)


@pytest.mark.parametrize("combine", ["mean", "product", "max", "min"])
def test_combined_directions_beside_several_roots(example, combine):
    """Edges of words and of the root are weighed on one scale, that of true scores, whatever unit the model keeps."""
    how = {"mean": lambda a, b: (a + b) / 2, "product": np.multiply, "max": np.maximum, "min": np.minimum}
    parser = Parser("mst-undirected-df", epochs=2, combine=combine, single_root=False).fit(example)
    model = parser.model
    for sentence in read(example):
        scores = model.finder.factors(None).scores(model.finder.weights, model.attributes.encode(Corpus.of([sentence])))
        scores[1:, 1:] = how[combine](scores[1:, 1:], scores[1:, 1:].T)
        np.fill_diagonal(scores, -np.inf)
        best = decode.undirected(scores, single_root=False)
        (parsed,) = parser.parse([sentence])
        words = np.arange(1, len(sentence) + 1)
        assert scores[words, parsed.heads[1:]].sum() == pytest.approx(scores[words, best[1:]].sum())


def test_settings_of_undirected_parsers_are_refused_elsewhere():
    for options in ({"combine": "mean"}, {"enhance": 5}, {"directed_training": True}):
        for name in ("mst", "eisner", "swap"):
            with pytest.raises(CrossarcError, match="belongs to undirected parsers"):
                Parser(name, **options)
    for name in ("mst-undirected", "mst-undirected-lep"):
        with pytest.raises(CrossarcError, match="take mst-undirected-df"):
            Parser(name, directed_training=True)
