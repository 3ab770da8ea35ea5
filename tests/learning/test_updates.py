"""The update rules: each step against its formula, and what counts as a rare feature."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp

from crossarc.errors import CrossarcError
from crossarc.learning.learners import MaximumEntropy, Mira, Perceptron, gradient_of
from crossarc.learning.scorers import Weights


def keys_of(*numbers):
    return np.array(numbers, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)


def costs_of(*costs):
    return np.array(costs, dtype=np.int32)


STATE = keys_of(1, 2, 3)
decisions = st.integers(1, 6).flatmap(
    lambda n: st.tuples(
        st.lists(st.floats(-30, 30, width=32), min_size=n, max_size=n),
        st.lists(st.integers(-1, 3), min_size=n, max_size=n).filter(lambda costs: max(costs) >= 0),
    )
)


def test_the_perceptron_steps_only_when_wrong():
    weights = Weights(3, 1)
    Perceptron().teach(weights, STATE, costs_of(1, 0, 0))  # all scores are 0: the first is best, and wrong
    assert weights.scores(STATE).tolist() == [-3, 3, 0]
    Perceptron().teach(weights, STATE, costs_of(1, 0, 0))
    assert weights.scores(STATE).tolist() == [-3, 3, 0]
    Perceptron().teach(weights, STATE, costs_of(1, -1, 0))  # what is not legal is not a mistake
    assert weights.scores(STATE).tolist() == [-3, 3, 0]


@pytest.mark.parametrize("cost", [1, 4])
def test_mira_just_reaches_its_margin(cost):
    """Crammer et al. (2006): the step is (loss - margin) / |difference of features|^2, here 2 x 3, and at most C."""
    weights = Weights(2, 1)
    Mira(10.0).teach(weights, STATE, costs_of(cost, 0))
    step = cost**0.5 / 6
    assert weights.scores(STATE) == pytest.approx([-3 * step, 3 * step])
    assert weights.scores(STATE)[1] - weights.scores(STATE)[0] == pytest.approx(cost**0.5)
    before = weights.scores(STATE)
    Mira(10.0).teach(weights, STATE, costs_of(cost, 0))
    assert weights.scores(STATE) == pytest.approx(before, abs=1e-6)
    Mira(10.0).teach(weights, keys_of(3, 4), costs_of(cost, 0))  # half known: the margin there is only partly reached
    assert weights.scores(keys_of(3, 4)) @ [-1, 1] == pytest.approx(cost**0.5)


def test_mira_is_capped_and_takes_the_worst_rival():
    weights = Weights(3, 1)
    Mira(0.01).teach(weights, STATE, costs_of(0, 1, 4))
    assert weights.scores(STATE) == pytest.approx([0.03, 0, -0.03])


@given(decisions)
def test_the_gradient_against_finite_differences(decision):
    scores, costs = np.array(decision[0]), np.array(decision[1], dtype=np.int32)
    legal = costs >= 0
    right = costs == costs[legal].min()

    def loss(scores):
        return logsumexp(scores[legal]) - logsumexp(scores[right])

    gradient = gradient_of(scores.astype(np.float32), costs)
    for a, found in enumerate(gradient):
        nudge = np.eye(len(scores))[a] * 1e-4
        assert found == pytest.approx((loss(scores + nudge) - loss(scores - nudge)) / 2e-4, abs=1e-5)


def test_the_gradient_of_hopeless_scores():
    assert gradient_of(np.array([5000, -5000], dtype=np.float32), costs_of(1, 0)).tolist() == [1, -1]


def test_maximum_entropy_follows_the_gradient():
    weights = Weights(3, 1, squares=True)
    rule = MaximumEntropy(0.1, 0.0)
    rule.teach(weights, STATE, costs_of(0, 1, -1))  # probabilities of a half: the gradient is -0.5 and 0.5
    step = 0.1 * 0.5 / np.sqrt(1 + 0.25)
    assert weights.scores(STATE) == pytest.approx([3 * step, -3 * step, 0])
    for _ in range(300):
        rule.teach(weights, STATE, costs_of(0, 1, -1))
    difference = weights.scores(STATE) @ [1, -1, 0]
    assert 0.98 < 1 / (1 + np.exp(-difference)) < 0.995  # what is as good as certain is left alone
    held = Weights(3, 1, squares=True)
    for _ in range(300):
        MaximumEntropy(0.1, 0.1).teach(held, STATE, costs_of(0, 1, -1))
    assert held.scores(STATE) @ [1, -1, 0] < 0.8 * difference


@pytest.mark.parametrize("rule", [Perceptron(), Mira(1.0), MaximumEntropy(0.1, 0.0)])
@pytest.mark.parametrize("cut", [1, 2, 3])
def test_a_feature_counts_from_its_cut_th_update(rule, cut):
    weights = Weights(2, cut, squares=True)
    for update in range(1, 4):
        assert len(weights) == (3 if update > cut else 0)
        rule.teach(weights, STATE, costs_of(update % 2, 1 - update % 2) if len(weights) else costs_of(1, 0))
    assert len(weights) == 3


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 2)), min_size=1, max_size=30))
def test_averages_and_packed_weights(updates):
    """The average over all steps, the same table made again from it, and what packing leaves of it."""
    weights = Weights(3, 1)
    everything = keys_of(*range(1, 11))
    sums = np.zeros((10, 3))
    for number, gold in updates:
        costs = np.ones(3, dtype=np.int32)
        costs[gold] = 0
        Perceptron().teach(weights, everything[number : number + 1], costs)
        # A change counts from its own step on, so that the last one is not in vain.
        sums += np.array([weights.scores(everything[k : k + 1]) for k in range(10)])
    expected = sums / len(updates)
    again = Weights.of(3, weights.averages())
    found = np.array([again.scores(everything[k : k + 1]) for k in range(10)])
    assert found == pytest.approx(expected, abs=1e-6)
    table = weights.pack()
    for k in range(10):
        packed = table.scores(everything[k : k + 1]) * table.unit
        assert packed == pytest.approx(expected[k], abs=table.unit)


def test_bad_decisions():
    with pytest.raises(ValueError, match="one of them legal"):
        Perceptron().teach(Weights(2), STATE, costs_of(-1, -1))
    with pytest.raises(ValueError, match="a cost for each action"):
        Perceptron().teach(Weights(2), STATE, costs_of(0, 1, 1))
    with pytest.raises(ValueError, match="something must be legal"):
        gradient_of(np.zeros(1, dtype=np.float32), costs_of(-1))
    with pytest.raises(ValueError, match="weights with squares are needed"):
        MaximumEntropy(0.1, 0.0).teach(Weights(2), STATE, costs_of(0, 1))
    with pytest.raises(CrossarcError, match="70,000 actions"):
        Weights(70_000)
