"""Scores of arcs and losses against naive versions; and what would lead out of the arrays."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossarc.neural.kernels import (
    DISTANCES,
    arc_loss,
    choice_loss,
    head_loss,
    log_probabilities,
    score_arcs,
    score_arcs_back,
    square_places,
)

KINDS = [np.float32, np.float64]
# Some sentences have no words, and some batches no sentence.
lengths = st.lists(st.integers(1, 8), min_size=0, max_size=5)
LIMITS = [1, 2, 3, 4, 6, 9, 15, 30]  # the greatest length of each class but the last


def starts_of(sizes):
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def distance_class(dependent, head):
    if head == 0:
        return 18
    found = sum(abs(head - dependent) > limit for limit in LIMITS)
    return found + 9 if head > dependent else found


def squares(flat, starts):
    """The square of each sentence."""
    places = square_places(starts)
    sizes = np.diff(starts)
    return [flat[places[i] : places[i + 1]].reshape(size, size) for i, size in enumerate(sizes)]


def ends_of(starts, kind, seed, size=5):
    rng = np.random.default_rng(seed)
    nodes = int(starts[-1])
    widths = [(nodes, size), (nodes, size), (nodes,), (nodes, DISTANCES)]
    return [rng.standard_normal(shape).astype(kind) for shape in widths]


def scored(ends, starts):
    places = square_places(starts)
    out = np.full(int(places[-1]), np.nan, dtype=ends[0].dtype)
    score_arcs(*ends, starts, places, out)
    return out


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sizes", [[], [1], [2, 1, 5], [40, 3], [7, 7]], ids=str)
def test_scores_of_arcs(kind, sizes):
    starts = starts_of(sizes)
    ends = ends_of(starts, kind, 1)
    dependents, heads, as_head, near = ends
    for begin, square in zip(starts[:-1], squares(scored(ends, starts), starts), strict=True):
        for d in range(len(square)):
            for h in range(len(square)):
                if d != h or d == 0:
                    expected = dependents[begin + d] @ heads[begin + h] + as_head[begin + h]
                    expected += near[begin + d, distance_class(d, h)]
                    assert square[d, h] == pytest.approx(expected, rel=1e-4, abs=1e-4), (d, h)


def test_a_sentence_has_the_same_scores_in_any_batch():
    starts = starts_of([9, 4, 17, 1, 2])
    ends = ends_of(starts, np.float32, 2)
    for begin, end, square in zip(starts[:-1], starts[1:], squares(scored(ends, starts), starts), strict=True):
        alone = scored([each[begin:end] for each in ends], starts_of([end - begin]))
        assert np.array_equal(alone.reshape(square.shape), square)


def test_gradients_of_scores_of_no_sentence():
    starts = starts_of([])
    ends = ends_of(starts, np.float64, 1)
    gradients = [np.zeros_like(each) for each in ends]
    score_arcs_back(np.zeros(0), *ends[:2], starts, square_places(starts), *gradients)
    assert not any(gradient.any() for gradient in gradients)


def naive_log_softmax(row):
    shifted = row - row.max()
    return shifted - np.log(np.exp(shifted).sum())


@pytest.mark.parametrize("kind", KINDS)
@given(sizes=lengths, seed=st.integers(0, 100))
def test_log_probabilities(kind, sizes, seed):
    starts = starts_of(sizes)
    places = square_places(starts)
    scores = (5 * np.random.default_rng(seed).standard_normal(int(places[-1]))).astype(kind)
    found = scores.copy()
    log_probabilities(found, starts, places)
    for square, given_ in zip(squares(found, starts), squares(scores.astype(np.float64), starts), strict=True):
        for word in range(1, len(square)):
            assert square[word, word] == -np.inf
            others = np.arange(len(square)) != word
            assert np.allclose(square[word, others], naive_log_softmax(given_[word, others]), atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
@given(sizes=lengths, seed=st.integers(0, 100), weight=st.sampled_from([1.0, 0.25]))
def test_the_loss_of_heads(kind, sizes, seed, weight):
    starts, rng = starts_of(sizes), np.random.default_rng(seed)
    places = square_places(starts)
    scores = (3 * rng.standard_normal(int(places[-1]))).astype(kind)
    gold = np.full(int(starts[-1]), -1, dtype=np.int32)
    loss = wrong = 0
    gradient = []
    for begin, square in zip(starts[:-1], squares(scores.astype(np.float64), starts), strict=True):
        n = len(square)
        expected = np.zeros((n, n))
        for word in range(1, n):
            head = rng.choice([other for other in range(n) if other != word])
            gold[begin + word] = head
            row = square[word].copy()
            row[word] = -np.inf
            logs = naive_log_softmax(row)
            loss -= logs[head]
            wrong += row.max() > row[head]
            expected[word] = weight * (np.exp(logs) - (np.arange(n) == head))
        gradient.append(expected.reshape(-1))
    found = head_loss(scores, starts, places, gold, weight)
    assert found[0] == pytest.approx(loss, rel=1e-4, abs=1e-4)
    assert found[1] == wrong
    assert np.allclose(scores, np.concatenate([[], *gradient]), atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("choice", [0.0, 1.5])
@given(sizes=lengths, seed=st.integers(0, 100))
def test_the_loss_of_arcs(kind, choice, sizes, seed):
    """Also that of words without a head."""
    starts, rng = starts_of(sizes), np.random.default_rng(seed)
    places = square_places(starts)
    scores = (3 * rng.standard_normal(int(places[-1]))).astype(kind)
    gold = rng.integers(0, 2, len(scores)).astype(np.uint8)
    loss = wrong = 0
    gradient = []
    both = zip(squares(scores.astype(np.float64), starts), squares(gold, starts), strict=True)
    for square, there in both:
        np.fill_diagonal(there, 0)
        expected = np.zeros(square.shape)
        for word in range(1, len(square)):
            others = np.flatnonzero(np.arange(len(square)) != word)
            row, right = square[word, others], there[word, others].astype(bool)
            likely = 1 / (1 + np.exp(-row))
            loss -= np.log(np.where(right, likely, 1 - likely)).sum()
            wrong += ((row > 0) != right).sum()
            expected[word, others] = likely - right
            if right.any():
                logs = naive_log_softmax(row)
                of_right = np.where(right, np.exp(logs), 0)
                loss -= choice * np.log(of_right.sum())
                expected[word, others] += choice * (np.exp(logs) - of_right / of_right.sum())
        gradient.append(0.5 * expected.reshape(-1))
    found = arc_loss(scores, starts, places, gold, 0.5, choice)
    assert found[0] == pytest.approx(loss, rel=1e-4, abs=1e-4)
    assert found[1] == wrong
    assert np.allclose(scores, np.concatenate([[], *gradient]), atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
@given(st.integers(0, 9), st.integers(1, 20), st.integers(0, 100))
def test_the_loss_of_choices(kind, rows, width, seed):
    rng = np.random.default_rng(seed)
    scores = (3 * rng.standard_normal((rows, width))).astype(kind)
    gold = rng.integers(0, width, rows).astype(np.int32)
    logs = np.array([naive_log_softmax(row) for row in scores.astype(np.float64)]).reshape(rows, width)
    wrong = (scores.max(axis=1, initial=-np.inf) > scores[np.arange(rows), gold]).sum()
    loss, mistakes = choice_loss(scores, gold, 2.0)
    assert loss == pytest.approx(-logs[np.arange(rows), gold].sum(), rel=1e-4, abs=1e-4)
    assert mistakes == wrong
    assert np.allclose(scores, 2 * (np.exp(logs) - np.eye(width)[gold]), atol=1e-5)


def test_great_scores_stay_finite():
    for kind in KINDS:
        scores = np.array([[3e4, -3e4, 0], [-1e30, -1e30, -1e30]], dtype=kind)
        loss, _ = choice_loss(scores, np.array([1, 0], dtype=np.int32), 1.0)
        assert np.isfinite(loss)
        assert np.isfinite(scores).all()


# ---- what would lead out of the arrays


STARTS = [[], [0], [1, 3], [0, 4], [0, 2], [0, 4, 3], [0, -1, 3], [0, 2**62, 3], [0, 1, 3], [0, 2**40]]


@pytest.mark.parametrize("starts", STARTS, ids=str)
def test_sentences_that_do_not_fit_their_squares_are_refused(starts):
    """The squares are those of one sentence of three nodes."""
    starts, places = np.array(starts, dtype=np.int64), np.array([0, 9], dtype=np.int64)
    scores, gold = np.zeros(9), np.zeros(3, dtype=np.int32)
    ends = ends_of(starts_of([3]), np.float64, 1)
    calls = [
        lambda: score_arcs(*ends, starts, places, scores),
        lambda: score_arcs_back(scores, *ends[:2], starts, places, *ends),
        lambda: log_probabilities(scores, starts, places),
        lambda: head_loss(scores, starts, places, gold, 1.0),
        lambda: arc_loss(scores, starts, places, np.zeros(9, dtype=np.uint8), 1.0, 1.0),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=r"fit|follow one another"):
            call()


@pytest.mark.parametrize("places", [[], [0], [0, 8], [0, 10], [1, 9], [-1, 9], [0, 9, 9], [0, 2**62]], ids=str)
def test_squares_that_do_not_fit_are_refused(places):
    starts, places = np.array([0, 3], dtype=np.int64), np.array(places, dtype=np.int64)
    with pytest.raises(ValueError, match="fit"):
        log_probabilities(np.zeros(9), starts, places)


def test_arrays_that_do_not_fit_are_refused():
    starts, places = np.array([0, 3], dtype=np.int64), np.array([0, 9], dtype=np.int64)
    scores, ends = np.zeros(9), ends_of(starts_of([3]), np.float64, 1)
    for place in range(4):
        for wrong in (ends[place][:2], np.concatenate([ends[place]] * 2)):
            with pytest.raises(ValueError, match="do not fit"):
                score_arcs(*ends[:place], wrong, *ends[place + 1 :], starts, places, scores)
            with pytest.raises(ValueError, match="do not fit"):
                score_arcs_back(scores, *ends[:2], starts, places, *ends[:place], wrong, *ends[place + 1 :])
    for place in (0, 1, 3):
        narrow = np.ascontiguousarray(ends[place][:, :-1])
        with pytest.raises(ValueError, match="do not fit"):
            score_arcs(*ends[:place], narrow, *ends[place + 1 :], starts, places, scores)
    for place in range(2):
        with pytest.raises(ValueError, match="do not fit"):
            score_arcs_back(scores, *ends[:place], ends[place][:2], *ends[place + 1 : 2], starts, places, *ends)
    with pytest.raises(ValueError, match="do not fit"):
        head_loss(scores, starts, places, np.zeros(2, dtype=np.int32), 1.0)
    with pytest.raises(ValueError, match="of each arc"):
        arc_loss(scores, starts, places, np.zeros(8, dtype=np.uint8), 1.0, 1.0)
    with pytest.raises(ValueError, match="2 rows have 3 gold columns"):
        choice_loss(np.zeros((2, 3)), np.zeros(3, dtype=np.int32), 1.0)


def test_gold_heads_and_labels_that_are_not_there_are_refused():
    starts, places = np.array([0, 3], dtype=np.int64), np.array([0, 9], dtype=np.int64)
    for head in (-1, 3, 2**31 - 1):
        gold = np.array([-1, 0, head], dtype=np.int32)
        with pytest.raises(ValueError, match=f"the gold head {head} in a sentence of 2 words"):
            head_loss(np.zeros(9), starts, places, gold, 1.0)
    for column in (-1, 3, 2**31 - 1):
        with pytest.raises(ValueError, match=f"no column {column} among 3"):
            choice_loss(np.zeros((1, 3)), np.array([column], dtype=np.int32), 1.0)
    with pytest.raises(ValueError, match="no column 0 among 0"):
        choice_loss(np.zeros((1, 0)), np.zeros(1, dtype=np.int32), 1.0)


def test_nothing_is_refused():
    starts, places = np.array([0, 3], dtype=np.int64), np.array([0, 9], dtype=np.int64)
    scores, ends = np.zeros(9), ends_of(starts_of([3]), np.float64, 1)
    with pytest.raises(TypeError):
        score_arcs(*ends, None, places, scores)
    with pytest.raises(TypeError):
        score_arcs(*ends[:3], None, starts, places, scores)
    with pytest.raises(TypeError):
        log_probabilities(scores, starts, None)
    with pytest.raises(TypeError):
        head_loss(scores, starts, places, None, 1.0)
    with pytest.raises(TypeError):
        choice_loss(np.zeros((2, 3)), None, 1.0)


def test_scores_that_are_no_numbers_stay_none():
    """A damaged checkpoint has such weights; the exponential shifted a negative number."""
    scores = np.full((2, 3), np.nan, dtype=np.float32)
    loss, _ = choice_loss(scores, np.array([0, 1], dtype=np.int32), 1.0)
    assert np.isnan(loss)
    assert np.isnan(scores).all()
