"""Graphs by arcs with labels: the decoder's graph, and steps that give the margin between whole graphs."""

import numpy as np
import pytest

from crossarc import decode
from crossarc.decode.spanning import ChuLiuEdmonds
from crossarc.factors.arcs import ARC_WEIGHTS
from crossarc.factors.graph_arcs import GraphArcFactors
from crossarc.features.edges import load_edge_model
from crossarc.learning.scorers import Weights

FREE = 1e9  # a cost that limits no step
ANYWHERE, LABELS, SIZE = 3, 4, 8
PLACES = np.full(LABELS, ANYWHERE, dtype=np.uint8)
STARTS, FIRST = np.array([0, SIZE]), np.array([0])
NO_TREES = np.zeros(0, dtype=np.int32)


def tokens_of(model):
    """Words that have nothing in common."""
    return np.arange(SIZE * len(model.attributes), dtype=np.int32).reshape(SIZE, -1)


def random_graph(seed):
    """Random arcs as sorted (dependent, head, label), acyclic, with a single root and some parallel arcs."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(-0.5, 1, size=(SIZE, SIZE, LABELS))
    return np.argwhere(decode.best_graph(scores, labelled=True, most_heads=3, most_parallel=2))


def columns_of(graph):
    """Where the arcs of the only sentence begin and end, heads, dependents and labels."""
    dependents, heads, labels = np.ascontiguousarray(graph.T.astype(np.int32))
    return np.array([0, len(graph)]), heads, dependents, labels


def all_scores(factors, weights, label_weights, tokens):
    """The scores of all arcs with all labels, [dependent, head, label]; -inf where there is none."""
    best = factors.scores(weights, label_weights, tokens)
    scores = np.full((SIZE, SIZE, LABELS), -np.inf)
    for head in range(SIZE):
        words = np.array([d for d in range(1, SIZE) if d != head])
        heads = np.full(SIZE, head, dtype=np.int32)
        heads[head] = 0 if head else -1
        labels = factors.label_scores(label_weights, tokens, heads)[words]
        scores[words, head] = (best[words, head] - labels.max(axis=1))[:, None] + labels
    return scores


def total(scores, graph):
    """The score of a graph."""
    return scores[tuple(graph.T)].sum()


@pytest.mark.parametrize("most_parallel", [1, 2])
@pytest.mark.parametrize("acyclic", [True, False])
@pytest.mark.parametrize("single_root", [True, False])
def test_graphs_are_those_of_the_decoder(most_parallel, acyclic, single_root):
    """After some learning, which leaves positive and negative scores."""
    model = load_edge_model("mst-compact")
    limits = {"acyclic": acyclic, "most_heads": 3, "most_parallel": most_parallel}
    factors = GraphArcFactors(model, ChuLiuEdmonds(single_root), PLACES, **limits)
    tokens = tokens_of(model)
    added = 0
    for seed in range(4):
        weights, label_weights = Weights(ARC_WEIGHTS, 1), Weights(LABELS, 1)
        for step in range(3):
            data = (tokens, STARTS, *columns_of(random_graph(10 * seed + step)), NO_TREES, FIRST)
            factors.learn(weights, label_weights, *data, 0.1, True)
        packed = weights.pack(averaged=False), label_weights.pack(averaged=False)
        starts, heads, dependents, labels = factors.find_graphs(*packed, tokens, STARTS, NO_TREES)
        assert starts.tolist() == [0, len(heads)]
        cycles = "forbid" if acyclic else "allow"
        options = {"single_root": single_root, "cycles": cycles, "most_heads": 3, "most_parallel": most_parallel}
        twin = decode.best_graph(all_scores(factors, *packed, tokens), labelled=True, **options)
        assert sorted(zip(dependents, heads, labels, strict=True)) == [tuple(arc) for arc in np.argwhere(twin)]
        added += len(heads) - (SIZE - 1)
    assert added


@pytest.mark.parametrize("missing", [0.5, 1, 3])
@pytest.mark.parametrize("augment", [True, False])
def test_mira_takes_the_smallest_step_that_gives_the_margin(augment, missing):
    """The loss is 1 for a wrong arc and `missing` for one that is not found."""
    model = load_edge_model("mst")
    tokens = tokens_of(model)
    options = {"most_heads": 3, "most_parallel": 2}
    for seed in range(5):
        gold = random_graph(seed)
        before = np.zeros((SIZE, SIZE, LABELS)) + augment
        before[tuple(gold.T)] -= augment * (1 + missing)
        found = np.argwhere(decode.best_graph(before, labelled=True, **options))
        theirs, ours = ({tuple(arc) for arc in graph.tolist()} for graph in (found, gold))
        factors = GraphArcFactors(model, ChuLiuEdmonds(True), PLACES, **options)
        weights, label_weights = Weights(ARC_WEIGHTS, 1), Weights(LABELS, 1)
        data = (tokens, STARTS, *columns_of(gold), NO_TREES, FIRST)
        arcs, wrong = factors.learn(weights, label_weights, *data, FREE, augment, missing)
        assert arcs == len(ours) + len(theirs)
        assert wrong == len(ours ^ theirs) > 0
        packed = weights.pack(averaged=False), label_weights.pack(averaged=False)
        scores = all_scores(factors, *packed, tokens)
        loss = len(theirs - ours) + missing * len(ours - theirs)
        assert total(scores, gold) - total(scores, found) == pytest.approx(loss, abs=0.03)


def test_arcs_that_share_nothing_have_a_bias():
    """A step that takes wrong arcs away lowers all arcs of their direction and distance."""
    model = load_edge_model("mst-compact")
    factors = GraphArcFactors(model, ChuLiuEdmonds(True), PLACES)
    weights, label_weights = Weights(ARC_WEIGHTS, 1), Weights(LABELS, 1)
    chain = np.array([[d, d - 1, 0] for d in range(1, SIZE)])
    factors.learn(weights, label_weights, tokens_of(model), STARTS, *columns_of(chain), NO_TREES, FIRST, 0.01, True)
    others = tokens_of(model) + 10_000
    scores = factors.scores(weights.pack(averaged=False), label_weights.pack(averaged=False), others)
    assert scores[2, 6] < 0
    assert scores[2, 1] > scores[6, 2]


def test_nothing_is_learned_from_what_is_right():
    model = load_edge_model("mst-compact")
    factors = GraphArcFactors(model, ChuLiuEdmonds(True), PLACES, most_heads=3, most_parallel=2)
    data = (tokens_of(model), STARTS, *columns_of(random_graph(3)), NO_TREES, FIRST)
    weights, label_weights = Weights(ARC_WEIGHTS, 1), Weights(LABELS, 1)
    shares = [factors.learn(weights, label_weights, *data, FREE, False)[1] for _ in range(30)]
    assert shares[0] > 0
    assert shares[-1] == 0
    before = [weights.to_arrays(), label_weights.to_arrays()]
    factors.learn(weights, label_weights, *data, FREE, False)
    after = [weights.to_arrays(), label_weights.to_arrays()]
    for old, new in zip(before, after, strict=True):
        assert all((old[name] == new[name]).all() for name in old if name not in ("now", "counts"))


def test_heads_that_are_no_tree_do_not_lead_in_a_circle():
    """Trees are given by parsers, which check them; should one be none, the graph is none, but memory stays whole."""
    model = load_edge_model("mst-compact")
    factors = GraphArcFactors(model, ChuLiuEdmonds(True), PLACES, most_heads=SIZE)
    tokens = tokens_of(model)
    weights, label_weights = Weights(ARC_WEIGHTS, 1), Weights(LABELS, 1)
    for seed in range(3):
        factors.learn(
            weights, label_weights, tokens, STARTS, *columns_of(random_graph(seed)), NO_TREES, FIRST, 0.1, True
        )
    packed = weights.pack(averaged=False), label_weights.pack(averaged=False)
    cyclic = np.array([-1, 2, 3, 1, 5, 4, 7, 6], dtype=np.int32)
    _, heads, dependents, _ = factors.find_graphs(*packed, tokens, STARTS, cyclic)
    arcs = set(zip(dependents.tolist(), heads.tolist(), strict=True))
    assert set(enumerate(cyclic.tolist()[1:], 1)) <= arcs
    assert len(heads) >= SIZE - 1
