"""Graph parsers: what a step of learning changes, and how undirected parsers find spanning trees."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from crossarc.errors import CrossarcError
from crossarc.parsers import Parser
from crossarc.parsers.settings import GRAPH_PRESETS
from crossarc.treebank import Corpus, Sentence, read
from helpers import scrambled


@pytest.mark.parametrize("parser", [name for name in GRAPH_PRESETS if name != "mst-combined"])
def test_one_step_counts(example, parser):
    """The weights after the last step are part of the mean: one sentence seen once is parsed right."""
    sentence = list(read(example))[3]
    trained = Parser(parser, epochs=1, cut=1).fit([sentence])
    assert trained.evaluate([sentence]).uas > 60


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
        settings = trained.model.settings.model_copy(update={"method": method})
        model = replace(trained.model.anew(), settings=settings)
        heads, labels = model.parse_corpus(Corpus.of(sentences))
        found[method] = (heads.tolist(), labels.tolist(), model.tally.sum)
    assert all(each == found["prim"] for each in found.values())
    assert (found["kkt"][2].pruned > 0) == lengths


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
    assert model.tally.sum.pruned > 0.9 * model.tally.sum.arcs


def test_method_and_loss_are_of_undirected_parsers(example):
    for options in ({"method": "kkt"}, {"loss": "heads"}):
        with pytest.raises(CrossarcError, match="undirected graph parsers; mst has none"):
            Parser("mst", **options)
    with pytest.raises(CrossarcError, match="always count wrong heads"):
        Parser("mst-undirected-df", loss="heads")
    with pytest.raises(CrossarcError, match="setting method"):
        Parser("mst-undirected", method="dijkstra")
