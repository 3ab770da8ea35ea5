"""LIBSVM, through scikit-learn: support vector machines with a polynomial kernel, one for each tag of the next word.

A slow reference for small treebanks, in the manner of Nivre et al. (2006): training takes time quadratic in the
instances, and parsing time linear in the support vectors.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossarc.learning.instances import Ints, import_learner, instance_matrix
from crossarc.learning.scorers import SupportVectors
from crossarc.parsers.moves.learners import Instances
from crossarc.parsers.moves.settings import MoveSettings

TOLERANCE = 0.1
# (gamma * x * y + coef0) ** degree. With a hundred templates this is about half linear; kernels that are more quadratic
# were worse.
KERNEL: dict[str, Any] = {"degree": 2, "gamma": 0.01, "coef0": 1.0}


def libsvm(settings: MoveSettings, found: Instances) -> tuple[SupportVectors, float]:
    """Return the support vectors that LIBSVM learns for each part of speech."""
    data = (found.keys, found.rows, found.actions, found.groups, found.group_of)
    arrays, wrong = learn_libsvm(*data, cost=settings.cost or 0.0, **KERNEL)
    return SupportVectors(arrays, found.action_count), wrong


def learn_libsvm(
    keys: NDArray[np.uint64],
    rows: Ints,
    actions: Ints,
    groups: Ints,
    group_of: Ints,
    *,
    cost: float,
    degree: int,
    gamma: float,
    coef0: float,
) -> tuple[dict[str, NDArray[Any]], float]:
    """Learn a machine for each group; return the arrays of `SupportVectors` and the share of errors in training.

    `rows` are the features of the instances, as places in `keys`, and -1 for none; groups share no features. The kernel
    is (gamma * x * y + coef0) ** degree.
    """
    svm = import_learner("sklearn.svm")
    matrix = instance_matrix(rows, len(keys))
    shapes, classes, sizes, coefficients, intercepts = [], [], [], [], []
    features, vectors = [], []
    wrong = 0
    for group in range(int(group_of.max()) + 1):
        chosen = np.flatnonzero(groups == group)
        kinds = np.unique(actions[chosen])
        if len(kinds) < 2:  # nothing to decide; a group without any instance takes the most frequent action
            only = kinds if len(kinds) else np.array([np.bincount(actions).argmax()])
            shapes.append((0, 1))
            classes.append(only)
            sizes.append(np.zeros(1))
            continue
        kernel = {"kernel": "poly", "degree": degree, "gamma": gamma, "coef0": coef0}
        machine = svm.SVC(C=cost, **kernel, tol=TOLERANCE, cache_size=500)
        machine.fit(matrix[chosen], actions[chosen])
        wrong += int((machine.predict(matrix[chosen]) != actions[chosen]).sum())
        # For two classes scikit-learn turns the signs.
        sign = -1 if len(kinds) == 2 else 1
        shapes.append((len(machine.support_), len(kinds)))
        classes.append(kinds)
        sizes.append(machine.n_support_)
        coefficients.append(sign * machine.dual_coef_.toarray().T.ravel())
        intercepts.append(sign * machine.intercept_)
        support = rows[chosen[machine.support_]]
        there = support >= 0
        features.append(support[there])
        vectors.append(np.repeat(np.arange(len(support)), there.sum(axis=1)))
    feature = join(features, np.int32)
    vector = join(vectors, np.int32)
    feature_keys = keys[feature]
    order = np.lexsort((vector, feature_keys))
    known, counts = np.unique(feature_keys, return_counts=True)
    arrays: dict[str, NDArray[Any]] = {
        "keys": known,
        "starts": np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
        "vectors": vector[order],
        "group_of": group_of,
        "shapes": np.array(shapes, dtype=np.int32),
        "classes": join(classes, np.int32),
        "sizes": join(sizes, np.int32),
        "coefficients": join(coefficients, np.float32),
        "intercepts": join(intercepts, np.float64),
        "kernel": np.array([gamma, coef0, degree], dtype=np.float64),
    }
    return arrays, wrong / max(1, len(actions))


def join(parts: list[Any], dtype: Any) -> NDArray[Any]:
    """Arrays one after the other, and an empty one for none."""
    return np.concatenate([np.zeros(0), *parts]).astype(dtype)
