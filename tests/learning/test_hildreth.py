"""The steps of MIRA from several wrong structures."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crossarc.learning.learners import least_steps


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 5), st.integers(0, 10_000))
def test_steps_meet_the_conditions_of_the_best(count, seed):
    """With steps at their least, what a margin lacks is nothing where a step is free, and the rest is bounded."""
    rng = np.random.default_rng(seed)
    differences = rng.integers(-2, 3, size=(count, 12)).astype(float)
    lacks = rng.normal(2, 3, size=count)
    most = float(rng.choice([0.01, 0.3, 10.0]))
    products = differences @ differences.T
    steps = least_steps(products, lacks, most)
    left = lacks - products @ steps
    assert ((steps >= 0) & (steps <= most)).all()
    for step, lack, norm in zip(steps, left, products.diagonal(), strict=True):
        if norm == 0:
            assert step == 0
        elif step == 0:
            assert lack <= 1e-4
        elif step == most:
            assert lack >= -1e-4
        else:
            assert abs(lack) <= 1e-4


def test_one_rival_is_the_closed_form():
    assert least_steps([[8.0]], [2.0], 1.0).tolist() == [0.25]
    assert least_steps([[8.0]], [2.0], 0.1).tolist() == [0.1]
    assert least_steps([[8.0]], [-2.0], 1.0).tolist() == [0]
