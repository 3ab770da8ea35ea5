"""Neural parsers of graphs: which arcs beside the tree are kept, and how that is chosen."""

from dataclasses import replace

import numpy as np
import pytest

from crossarc.errors import ModelError
from crossarc.parsers import Parser, load, write_model
from crossarc.parsers.graphs import Arcs
from crossarc.parsers.model import quick_scores
from crossarc.parsers.neural.thresholds import GRID, Beside, choose_thresholds, right_labels
from crossarc.treebank import Corpus
from graph_treebank import graph_treebank

SMALL = {"hidden": 16, "lexical_size": 16, "tag_size": 16, "arc_size": 16, "label_size": 16}


@pytest.fixture(scope="module")
def graphs():
    return graph_treebank()


@pytest.fixture(scope="module")
def parser(graphs):
    return Parser("neural-graph", **SMALL, epochs=12, rate=0.01).fit(graphs)


# ---- thresholds


def beside(sets, scores):
    places = np.zeros(len(sets), dtype=np.int64)
    return Beside(places, places, places, np.array(sets), np.array(scores, dtype=np.float64))


def test_frequent_sets_have_a_threshold_of_their_own_and_rare_ones_the_common_one():
    rng = np.random.default_rng(1)
    scores = np.concatenate([rng.uniform(-3, 4, 4_000), [1.9, 2.1, -0.4]])
    sets = np.array([0, 1] * 2_000 + [2, 2, 3])
    right = np.concatenate([scores[:-3] > np.where(sets[:-3] == 0, -1.0, 2.0), [True, False, True]]).astype(np.int64)
    found = choose_thresholds(beside(sets, scores), right, np.array([1, 1, 1, 1, 1]), 0.5)
    assert found.dtype == np.float32
    assert found[:2] == pytest.approx([-1, 2], abs=0.25)
    assert found[2] == found[3] == found[4], "two arcs, one and none"


def test_without_shrinkage_a_threshold_gains_most_for_its_set():
    rng = np.random.default_rng(2)
    scores, sets, right = rng.normal(0, 2, 300), rng.integers(0, 3, 300), rng.integers(0, 3, 300)
    sizes, share = np.array([1, 2, 3]), 0.4
    right = np.minimum(right, sizes[sets])
    found = choose_thresholds(beside(sets, scores), right, sizes, share, shrinkage=0)

    def gain(chosen, threshold):
        kept = (sets == chosen) & (scores > threshold)
        return (right[kept] - share * sizes[chosen]).sum()

    for chosen, threshold in enumerate(found.tolist()):
        assert gain(chosen, threshold) == pytest.approx(max(gain(chosen, each) for each in GRID))


def test_right_labels_of_arcs():
    gold = Arcs(np.array([0, 2, 3]), *(np.array(each, dtype=np.int32) for each in ([2, 2, 1], [1, 1, 2], [0, 3, 1])))
    arcs = Beside(*(np.array(each) for each in ([0, 0, 1, 1], [1, 1, 2, 1], [2, 0, 1, 2], [1, 1, 0, 0])), np.zeros(4))
    right = right_labels(arcs, gold, np.array([0, 1, 3]), np.array([1, 0, 3], dtype=np.int32))
    assert right.tolist() == [2, 0, 1, 0]


def arcs_of(model, graphs):
    found = model.parse_graphs(Corpus.of(graphs))
    sentence = np.repeat(np.arange(len(graphs)), np.diff(found.starts))
    return set(zip(sentence.tolist(), *(each.tolist() for each in found[1:]), strict=True))


def test_a_threshold_is_that_of_one_set_beside_the_tree(parser, graphs):
    model = parser.model
    low = replace(model, thresholds=np.full(len(model.thresholds), -2.5, dtype=np.float32))
    everything = arcs_of(low, graphs)
    words = len(Corpus.of(graphs)["form"]) - len(graphs)
    closed = replace(model, thresholds=np.full(len(model.thresholds), 99, dtype=np.float32))
    tree = arcs_of(closed, graphs)
    assert len(tree) == words
    assert tree < everything
    (label,) = (number for number, name in enumerate(model.labels) if name == "nsubj:xsubj")
    (chosen,) = (place for place, begin in enumerate(model.set_starts[:-1]) if model.set_labels[begin] == label)
    thresholds = low.thresholds.copy()
    thresholds[chosen] = 99
    lost = everything - arcs_of(replace(model, thresholds=thresholds), graphs)
    assert lost
    assert lost == {arc for arc in everything - tree if arc[3] == label}


def test_thresholds_are_chosen_on_a_development_set(parser, graphs, tmp_path):
    dev = Corpus.of(graph_treebank(40, seed=2))
    hidden = replace(parser.model, thresholds=np.full(len(parser.model.thresholds), 4, dtype=np.float32))
    tuned = hidden.tuned(dev)
    assert quick_scores(tuned, dev)[0] > quick_scores(hidden, dev)[0] + 2
    assert tuned.tuned(dev) is tuned, "nothing better is found twice"
    again = Parser("neural-graph", **SMALL, epochs=12, rate=0.01).fit(graphs, dev=graph_treebank(40, seed=2))
    again.save(tmp_path / "m")
    assert load(tmp_path / "m").model.thresholds.tolist() == again.model.thresholds.tolist()


def stored(parser, path, drop=(), arrays=(), **manifest):
    """Write and load a model with other arrays or other entries of its manifest."""
    about, own = parser.model.to_arrays()
    own = {name: array for name, array in (own | dict(arrays)).items() if name not in drop}
    write_model(path, {**parser.manifest_, **about, **manifest}, own)
    return load(path)


def test_models_with_one_threshold_are_still_read(parser, tmp_path):
    old = stored(parser, tmp_path / "old", drop=["thresholds"], threshold=1.5)
    assert old.model.thresholds.tolist() == [1.5] * (len(parser.model.set_starts) - 1)


def test_damaged_thresholds_are_refused(parser, tmp_path):
    whole = parser.model.thresholds
    for fault in (whole[1:], whole.astype(np.float64), np.full_like(whole, np.nan), np.full_like(whole, np.inf)):
        with pytest.raises(ModelError, match="holds no parser"):
            stored(parser, tmp_path / "bad", arrays={"thresholds": fault})
    with pytest.raises(ModelError, match="holds no parser"):
        stored(parser, tmp_path / "bad", drop=["thresholds"])
    with pytest.raises(ModelError, match="holds no parser"):
        stored(parser, tmp_path / "bad", drop=["thresholds"], threshold="x")
