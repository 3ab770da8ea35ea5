"""Learning from parts: steps are the smallest that give the margin, and only parts that differ change weights."""

import numpy as np
import pytest

from crossarc import decode
from crossarc.decode.spanning import ChuLiuEdmonds
from crossarc.decode.undirected import Undirected
from crossarc.factors.arcs import ARC_WEIGHTS, ArcFactors, JointFactors, LabelFactors, RoundFactors
from crossarc.features.edges import load_edge_model, parse_edge_model
from crossarc.learning.scorers import Weights

FREE = 1e9  # a cost that limits no step
ANYWHERE, LABELS = 3, 4
PLACES = np.full(LABELS, ANYWHERE, dtype=np.uint8)


def tokens_of(model, size):
    """Words that have nothing in common."""
    return np.arange(size * len(model.attributes), dtype=np.int32).reshape(size, -1)


def whole(gold):
    """Where the only sentence begins and ends, and the order of sentences."""
    return np.array([0, len(gold)]), np.array([0])


def margin(scores, gold, wrong):
    """By how much the scores of one tree are more than those of another."""
    words = np.arange(1, len(gold))
    return (scores[words, gold[1:]] - scores[words, wrong[1:]]).sum()


def random_tree(seed, size=8):
    return decode.mst(np.random.default_rng(seed).random((size, size)))


def after_a_step(factors, model, gold, augment=False):
    """The scores after one step of MIRA without a limit, from weights that are all 0; and what was wrong before."""
    weights, tokens = Weights(ARC_WEIGHTS, 1), tokens_of(model, len(gold))
    words, wrong = factors.learn(weights, tokens, gold, *whole(gold), FREE, augment)
    assert words == len(gold) - 1
    return factors.scores(weights.pack(averaged=False), tokens), wrong


def factors_of(kind, model):
    """Arcs all at once, or in a single round."""
    if kind == "arcs":
        return ArcFactors(model, ChuLiuEdmonds(True))
    return RoundFactors(model, ChuLiuEdmonds(True), 0, np.zeros(8 * len(model.attributes), dtype=np.int32))


@pytest.mark.parametrize("kind", ["arcs", "rounds"])
@pytest.mark.parametrize("augment", [True, False])
@pytest.mark.parametrize("features", ["mst", "mst-compact"])
def test_mira_takes_the_smallest_step_that_gives_the_margin(kind, augment, features):
    """After it the gold tree is better than the one it was moved from by as much as that has wrong heads."""
    model = load_edge_model(features)
    for seed in range(5):
        gold = random_tree(seed)
        found = decode.mst((np.arange(8)[None] != gold[:, None]).astype(float) * augment)
        assert (found != gold).any()
        scores, wrong = after_a_step(factors_of(kind, model), model, gold, augment)
        assert margin(scores, gold, found) == pytest.approx((found != gold).sum(), abs=0.01)
        if kind == "arcs" or not augment:
            assert wrong == (found != gold).sum()


@pytest.mark.parametrize("loss", ["edges", "heads"])
def test_undirected_factors_learn_from_edges(loss):
    """A right edge that points the wrong way is right, unless heads are to be counted."""
    model = load_edge_model("mst")
    found = decode.undirected(np.zeros((6, 6)))
    (root,) = np.flatnonzero(found == 0)
    new_root = int(np.flatnonzero(found == root)[-1])
    gold = found.copy()
    gold[new_root], gold[root] = 0, new_root
    scores, wrong = after_a_step(ArcFactors(model, Undirected(True), undirected=True, loss=loss), model, gold)
    assert wrong == 2
    assert scores[new_root, 0] - scores[root, 0] == pytest.approx({"edges": 1, "heads": 2}[loss], abs=0.01)


@pytest.mark.parametrize("augment", [True, False])
def test_joint_labels_share_the_margin_of_their_arcs(augment):
    """A right arc with a wrong label is one wrong part, of which the label alone is learned."""
    model = load_edge_model("mst-compact")
    factors = JointFactors(model, ChuLiuEdmonds(True), PLACES)
    gold = random_tree(1)
    predicted = decode.mst((np.arange(8)[None] != gold[:, None]).astype(float) * augment)
    labels = np.array([-1, 1, 0, 2, 3, 0, 1, 2], dtype=np.int32)
    tokens, weights, label_weights = tokens_of(model, 8), Weights(ARC_WEIGHTS, 1), Weights(LABELS, 1)
    _, wrong = factors.learn(weights, label_weights, tokens, gold, labels, *whole(gold), FREE, augment)
    chosen = np.where(labels == 0, 1, 0) if augment else np.zeros_like(labels)  # of equal labels the first
    chosen = np.where(augment & (predicted != gold), 0, chosen)
    assert wrong == ((predicted != gold) | (chosen != labels))[1:].sum()
    packed, packed_labels = weights.pack(averaged=False), label_weights.pack(averaged=False)
    arcs = ArcFactors(model, ChuLiuEdmonds(True)).scores(packed, tokens)
    words = np.arange(1, 8)
    by_gold, by_predicted = (factors.label_scores(packed_labels, tokens, tree)[words] for tree in (gold, predicted))
    gain = (by_gold[words - 1, labels[1:]] - by_predicted[words - 1, chosen[1:]]).sum()
    assert margin(arcs, gold, predicted) + gain == pytest.approx(wrong, abs=0.02)


def test_labels_are_learned_by_the_perceptron():
    """Keys of the gold label gain 1 and those of the one that was found lose 1, word by word."""
    model = load_edge_model("mst")
    factors, weights = LabelFactors(model, PLACES), Weights(LABELS, 1)
    gold, labels = random_tree(2), np.array([-1, 3, 0, 0, 3, 0, 2, 0], dtype=np.int32)
    tokens = tokens_of(model, 8)
    assert factors.learn(weights, tokens, gold, labels, *whole(gold)) == (7, 3)
    for d in range(1, 8):
        keys = factors.features_of(tokens, int(gold[d]), d, gold)
        own = [weights.scores(keys[k : k + 1]) for k in range(len(keys))]
        change = np.eye(LABELS)[labels[d]] - np.eye(LABELS)[0]
        alone = [row for k, row in enumerate(own) if keys[k] not in shared(factors, tokens, gold, d)]
        assert len(alone) > 10
        assert all((row == change).all() for row in alone)


def shared(factors, tokens, gold, word):
    """The keys that the labels of other words have too."""
    others = [d for d in range(1, len(gold)) if d != word]
    return {key for d in others for key in factors.features_of(tokens, int(gold[d]), d, gold).tolist()}


@pytest.mark.parametrize("limited", [False, True])
def test_enhancement_is_that_of_the_matrix(limited):
    """Trees of the arcs that lengths allow stay among them; a tree with a longer arc was found among all arcs."""
    model = parse_edge_model('arcs = ["head.form + dep.form", "head.form", "dep.form"]\nlabels = ["dep.form"]')
    rng = np.random.default_rng(5)
    lengths = np.full((5, 5), 2, dtype=np.int32) if limited else None
    weights, factors = Weights(ARC_WEIGHTS, 1), ArcFactors(model, ChuLiuEdmonds(True), lengths=lengths, tag=0)
    starts = np.array([0, 7, 14])
    tokens = rng.integers(0, 5, size=(14, 1)).astype(np.int32)
    trees = np.array([[-1, 2, 0, 2, 3, 4, 5], [-1, 2, 0, 2, 2, 2, 5]], dtype=np.int32)  # the second has a long arc
    for sentence, other in ((0, random_tree(1, 7)), (1, random_tree(2, 7))):
        factors.learn(weights, tokens, np.concatenate([other, other]), starts, np.array([sentence]), 0.0)
    scores = [ArcFactors(model, ChuLiuEdmonds(True)).scores(weights, tokens[k : k + 7]) for k in (0, 7)]
    for matrix in scores:
        np.fill_diagonal(matrix, 0)
    if limited:
        gap = np.abs(np.subtract.outer(np.arange(7), np.arange(7)))
        scores[0][(gap > 2) & (np.arange(7) > 0)] = -np.inf
    heads = trees.ravel().copy()
    factors.enhance_trees(weights, tokens, starts, heads, 4)
    expected = [decode.enhance(tree, matrix, rounds=4) for tree, matrix in zip(trees, scores, strict=True)]
    assert heads.tolist() == np.concatenate(expected).tolist()
    assert (heads != trees.ravel()).any()
