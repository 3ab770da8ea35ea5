"""Parsers that score arcs: the steps of MIRA, what undirected parsers learn from, and how they find spanning trees."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from crossarc import decode
from crossarc.errors import CrossarcError
from crossarc.factors.arcs import ARC_WEIGHTS
from crossarc.learning.scorers import Weights
from crossarc.parsers import Parser
from crossarc.parsers.presets import preset_names
from crossarc.treebank import Corpus, Sentence, read
from helpers import scrambled


def one_step(search, model, gold, augment=False):
    """The weights after one step of MIRA without a limit, from weights that are all 0."""
    weights = Weights(ARC_WEIGHTS, 1)
    tokens = np.arange(len(gold) * len(model.attributes.tables), dtype=np.int32).reshape(len(gold), -1)
    whole = np.array([0, len(gold)])
    search.learn(weights, tokens, gold, whole, np.array([0]), 1e9, augment)
    return search.scores(weights.pack(averaged=False), tokens)


@pytest.mark.parametrize("augment", [True, False])
@pytest.mark.parametrize("features", ["mst", "mst-compact"])
def test_mira_takes_the_smallest_step_that_gives_the_margin(example, augment, features):
    """After it the gold tree is better than the one it was moved from by as much as that has wrong heads."""
    model = Parser("mst", epochs=1, features=features).fit(example).model
    for seed in range(5):
        gold = decode.mst(np.random.default_rng(seed).random((8, 8)))
        matrix = (np.arange(8)[None] != gold[:, None]).astype(float) * augment
        predicted = decode.mst(matrix)
        assert (predicted != gold).any()
        scores = one_step(model.finder.factors(None), model, gold, augment)
        words = np.arange(1, 8)
        margin = (scores[words, gold[1:]] - scores[words, predicted[1:]]).sum()
        assert margin == pytest.approx((predicted != gold).sum(), abs=0.01)


@pytest.mark.parametrize("loss", ["edges", "heads"])
def test_undirected_parsers_learn_from_edges(example, loss):
    """A right edge that points the wrong way is right, unless heads are to be counted."""
    model = Parser("mst-undirected", epochs=1, loss=loss, single_root=True).fit(example).model
    predicted = decode.undirected(np.zeros((6, 6)))
    (root,) = np.flatnonzero(predicted == 0)
    new_root = int(np.flatnonzero(predicted == root)[-1])
    gold = predicted.copy()
    gold[new_root], gold[root] = 0, new_root
    scores = one_step(model.finder.factors(None), model, gold)
    assert scores[new_root, 0] - scores[root, 0] == pytest.approx({"edges": 1, "heads": 2}[loss], abs=0.01)


@pytest.mark.parametrize("parser", [name for name in preset_names("arcs") if name != "mst-combined"])
def test_one_step_counts(example, parser):
    """The weights after the last step are part of the mean: one sentence seen once is parsed right."""
    sentence = list(read(example))[3]
    trained = Parser(parser, epochs=1, cut=1).fit([sentence])
    assert trained.evaluate([sentence]).uas > 60


def with_method(model, method):
    """The same model with another way to find spanning trees."""
    finder = getattr(model.finder, "undirected", model.finder)
    changed = replace(finder, settings=model.settings.model_copy(update={"method": method}))
    return replace(model, finder=changed if finder is model.finder else replace(model.finder, undirected=changed))


METHODS = ("prim", "kruskal", "boruvka", "kkt")


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("preset", ["mst-undirected", "mst-undirected-df", "mst-undirected-lep"])
@pytest.mark.parametrize("lengths", [True, False])
def test_all_methods_find_the_same_trees(example, preset, lengths, single_root):
    """Where lengths prune, prim goes through all pairs of words and the others through the edges that are left."""
    options = {"lengths": lengths, "single_root": single_root, "epochs": 2}
    trained = Parser(preset, **options).fit(example)
    sentences = [*read(example), *(scrambled(example, size, size) for size in range(1, 30))]
    found = {}
    for method in METHODS:
        trained.model.reset_notes()
        model = with_method(trained.model, method)
        heads, labels = model.parse(Corpus.of(sentences))
        found[method] = (heads.tolist(), labels.tolist(), model.lengths.so_far if lengths else None)
    assert all(each == found["prim"] for each in found.values())
    assert not lengths or found["kkt"][2].pruned > 0


def test_pruned_graphs_never_fill_a_square(example):
    """What a search with lengths reserves grows with the edges that are left, not with the square of the words."""
    model = Parser("mst-undirected-lep", epochs=1, lengths=True).fit(example).model
    model = replace(model, long_sentence=10_000)
    words = list(read(example)) * 60
    forms = [form for s in words for form in s.forms[1:]]
    tags = [tag for s in words for tag in s.upos[1:]]
    size = len(forms)
    long = Sentence.from_columns(
        forms=["", *forms], upos=["", *tags], heads=[-1, *[0] * size], deprels=["", *["dep"] * size]
    )
    tokens, starts = model.attributes.encode(Corpus.of([long])), np.array([0, size + 1])
    tracemalloc.start()
    heads, _ = model.parse_tokens(tokens, starts)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size > 3_000
    assert (heads[1:] == 0).sum() == 1
    assert peak < size * 4_000
    assert model.lengths.so_far.pruned > 0.9 * model.lengths.so_far.arcs


def test_method_and_loss_are_of_undirected_parsers(example):
    for options in ({"method": "kkt"}, {"loss": "heads"}):
        with pytest.raises(CrossarcError, match="undirected parsers; mst has none"):
            Parser("mst", **options)
    with pytest.raises(CrossarcError, match="always count wrong heads"):
        Parser("mst-undirected-df", loss="heads")
    with pytest.raises(CrossarcError, match="setting method"):
        Parser("mst-undirected", method="dijkstra")
