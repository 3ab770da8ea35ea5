"""Gradients by hand equal finite differences, in float64."""

from itertools import pairwise

import numpy as np
import pytest

from crossarc.neural.encoder import Batch, Dropout, Encoder
from crossarc.neural.heads import ArcHead, BesideHead, LabelHead, TagHead
from crossarc.neural.kernels import arc_loss, choice_loss, head_loss, square_places
from crossarc.neural.layers import Adam, Embeddings, Linear, Vectors, leaky, leaky_back

STEP = 1e-6


def check(layer, loss_of, backward, samples=12):
    """Compare the gradients of some weights of each parameter; `loss_of` changes nothing."""
    adam = Adam(layer)
    backward()
    rng = np.random.default_rng(0)
    for name, parameter in adam.parameters.items():
        flat, gradient = parameter.value.reshape(-1), parameter.gradient.reshape(-1)
        assert np.abs(gradient).max() > 0, name
        for place in rng.choice(flat.size, min(samples, flat.size), replace=False):
            before = flat[place]
            losses = []
            for change in (STEP, -STEP):
                flat[place] = before + change
                parameter.packed.clear()
                losses.append(loss_of())
            flat[place] = before
            parameter.packed.clear()
            expected = (losses[0] - losses[1]) / (2 * STEP)
            assert gradient[place] == pytest.approx(expected, rel=1e-5, abs=1e-7), (name, place)


def numeric(function, x, samples=20):
    """The gradient of a function of an array at some places, and these places."""
    flat, rng = x.reshape(-1), np.random.default_rng(1)
    places = rng.choice(flat.size, min(samples, flat.size), replace=False)
    found = []
    for place in places:
        before = flat[place]
        flat[place] = before + STEP
        above = function()
        flat[place] = before - STEP
        found.append((above - function()) / (2 * STEP))
        flat[place] = before
    return places, np.array(found)


def check_head(head, vectors, run, backward):
    """Compare the gradients of the weights of a head and of the vectors; `run` gives what it did, and the loss."""
    check(head, lambda: run()[1], backward)
    places, expected = numeric(lambda: run()[1], vectors)
    assert backward().reshape(-1)[places] == pytest.approx(expected, rel=1e-5, abs=1e-7)


def test_linear():
    rng = np.random.default_rng(3)
    layer, x, weights = Linear(5, 7, rng, np.float64), rng.standard_normal((4, 5)), rng.standard_normal((4, 7))

    def loss():
        return (layer.forward(x) * weights).sum()

    check(layer, loss, lambda: layer.backward(x, weights))
    places, expected = numeric(loss, x)
    assert layer.backward(x, weights).reshape(-1)[places] == pytest.approx(expected, rel=1e-6)


def test_embeddings():
    rng = np.random.default_rng(4)
    layer, weights = Embeddings(6, 3, rng, 1.0, np.float64), rng.standard_normal((4, 3))
    numbers = np.array([[0, 1], [1, 1], [-1, 5], [-1, -1]], dtype=np.int32)

    def loss():
        out = np.empty((4, 3))
        layer.forward(numbers, out)
        return (out * weights).sum()

    check(layer, loss, lambda: layer.backward(numbers, weights), samples=18)
    assert layer.table.touched.tolist() == [1, 1, 0, 0, 0, 1]


def test_vectors():
    """Pretrained vectors stay as they are; the layer from them learns."""
    rng = np.random.default_rng(4)
    layer, weights = Vectors(rng.standard_normal((5, 4)), 3, rng), rng.standard_normal((4, 3))
    numbers, before = np.array([[0], [3], [3], [1]], dtype=np.int32), rng.standard_normal((4, 3))
    assert [name for name in Adam(layer).parameters if name.startswith("table")] == []

    def loss():
        out = before.copy()
        layer.forward(numbers, out)
        return (out * weights).sum()

    check(layer, loss, lambda: layer.backward(numbers, weights))


def test_leaky():
    x = np.array([-2.0, -0.5, 0.5, 3.0])
    assert leaky(x).tolist() == [-0.2, -0.05, 0.5, 3.0]
    assert leaky_back(leaky(x), np.ones(4)).tolist() == [0.1, 0.1, 1, 1]


SIZES = [[3, 1, 4, 4, 2], [6], [2, 2]]


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("dropout", [Dropout(0, 0), Dropout(0.3, 0.4)], ids=["whole", "dropout"])
@pytest.mark.parametrize(("layers", "between"), [(2, 0), (1, 3), (2, 3), (3, 2)])
def test_encoder(sizes, dropout, layers, between):
    rng = np.random.default_rng(5)
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    encoder = Encoder([(7, 5), (4, 3)], 4, layers, rng, np.float64, between=between)
    nodes = int(starts[-1])
    numbers = [rng.integers(-1, 7, (nodes, 2)).astype(np.int32), rng.integers(0, 4, (nodes, 1)).astype(np.int32)]
    numbers[0][0], numbers[1][0] = 3, 2
    weights = rng.standard_normal((nodes, 8 + between))
    batch = Batch(starts)

    def run():
        return encoder.learn_forward(numbers, batch, dropout, np.random.default_rng(9))

    def loss():
        return (run()[0] * weights).sum()

    check(encoder, loss, lambda: encoder.backward(weights, run()[1]))


@pytest.mark.parametrize("between", [0, 3])
def test_the_encoder_gives_the_same_without_dropout_and_with_distinct_words(between):
    rng = np.random.default_rng(6)
    starts = np.array([0, 3, 7, 9], dtype=np.int64)
    encoder = Encoder([(3, 5), (2, 3)], 4, 2, rng, between=between)
    numbers = [rng.integers(0, 3, (9, 1)).astype(np.int32), rng.integers(0, 2, (9, 1)).astype(np.int32)]
    batch = Batch(starts)
    learned, _ = encoder.learn_forward(numbers, batch, Dropout(0, 0), rng)
    assert np.array_equal(learned, encoder.forward(encoder.prepare(numbers), np.arange(9), batch))


@pytest.mark.parametrize("loss", ["heads", "arcs"])
@pytest.mark.parametrize("kinds", [0, 3])
def test_arcs(loss, kinds):
    rng = np.random.default_rng(7)
    starts = np.array([0, 4, 6, 12], dtype=np.int64)
    places = square_places(starts)
    head = ArcHead(5, 6, rng, np.float64, kinds=kinds)
    dependents = np.concatenate([np.repeat(np.arange(a, b), b - a) for a, b in pairwise(starts.tolist())])
    cells = kinds * dependents + rng.integers(0, kinds, len(dependents)) if kinds else None
    for parameter in (head.weight, head.as_head, head.near, *[head.kinds] * (kinds > 0)):
        parameter.value[:] = rng.standard_normal(parameter.value.shape)
    vectors = rng.standard_normal((12, 5))
    gold_heads = np.array([-1, 2, 0, 2, -1, 0, -1, 0, 1, 4, 1, 3], dtype=np.int32)
    gold_arcs = rng.integers(0, 2, int(places[-1])).astype(np.uint8)
    for sentence, size in enumerate(np.diff(starts).tolist()):
        square = gold_arcs[places[sentence] : places[sentence + 1]].reshape(size, size)
        np.fill_diagonal(square, 0)
        square[1:, 0] |= square[1:].sum(axis=1) == 0  # every word has a head
        square[2:, 1][square[2:, 1] > 0] = 2  # and some one in the tree

    def run():
        done = head.forward(vectors, starts, cells)
        if loss == "heads":
            return done, head_loss(done.scores, starts, places, gold_heads, 1.0)[0]
        return done, arc_loss(done.scores, starts, places, gold_arcs, 1.0, 0.5)[0]

    check_head(head, vectors, run, lambda: head.backward(vectors, run()[0]))


def test_labels():
    rng = np.random.default_rng(8)
    head = LabelHead(5, 6, 4, rng, np.float64)
    vectors = rng.standard_normal((6, 5))
    dependents, heads = np.array([1, 2, 4, 4], dtype=np.int32), np.array([0, 1, 3, 5], dtype=np.int32)
    gold = np.array([3, 0, 1, 1], dtype=np.int32)

    def run():
        done = head.forward(vectors, dependents, heads)
        return done, choice_loss(done.scores, gold, 1.0)[0]

    check_head(head, vectors, run, lambda: head.backward(vectors, run()[0]))


def test_arcs_beside_a_tree():
    rng = np.random.default_rng(8)
    head = BesideHead(5, 6, 3, 9, 4, rng, np.float64)
    head.trust.value[:] = rng.standard_normal(head.trust.value.shape)
    vectors, more, before = rng.standard_normal((6, 5)), rng.standard_normal((6, 4)), rng.standard_normal(4)
    nodes = np.array([[1, 0, 0], [2, 1, 0], [4, 3, 5], [4, 5, 4]], dtype=np.int32)
    numbers = np.array([[0, 4], [1, 4], [8, 8], [2, 5]], dtype=np.int32)
    gold = np.array([4, 0, 1, 0], dtype=np.int32)

    def run():
        done = head.forward(vectors, more, nodes, numbers, before)
        return done, choice_loss(done.scores, gold, 1.0)[0]

    check_head(head, vectors, run, lambda: head.backward(vectors, run()[0]))


def test_no_arcs_beside_a_tree():
    rng = np.random.default_rng(8)
    head, vectors = BesideHead(5, 6, 3, 9, 4, rng, np.float64), rng.standard_normal((6, 5))
    Adam(head)
    nothing = (np.zeros((0, width), dtype=np.int32) for width in (3, 2))
    done = head.forward(vectors, np.zeros((6, 4)), *nothing, np.zeros(0))
    assert done.scores.shape == (0, 5)
    assert (head.backward(vectors, done) == 0).all()


def test_tags():
    rng = np.random.default_rng(8)
    head = TagHead(4, [3, 5], rng, np.float64)
    vectors = rng.standard_normal((6, 7))
    gold = [rng.integers(0, count, 6).astype(np.int32) for count in (3, 5)]

    def run():
        scores = head.forward(vectors)
        return scores, sum(choice_loss(own, right, 1.0)[0] for own, right in zip(scores, gold, strict=True))

    def backward():
        gradient = np.ones_like(vectors)
        head.backward(vectors, run()[0], gradient)
        return gradient - 1

    check_head(head, vectors, run, backward)
