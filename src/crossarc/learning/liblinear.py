"""LIBLINEAR, through scikit-learn: multi-class linear support vector machines (Crammer and Singer 2001)."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

from crossarc.learning.instances import Ints, import_learner, instance_matrix
from crossarc.learning.scorers import Weights


def learn_liblinear(
    keys: NDArray[np.uint64], rows: Ints, actions: Ints, *, count: int, cost: float, seed: int
) -> tuple[Weights, float]:
    """Learn all instances at once; return the weights of `count` actions and the share of errors.

    `rows` are the features of the instances, as places in `keys`, and -1 for none. The memory this takes grows with
    features x actions: about 16 bytes for each.
    """
    svm = import_learner("sklearn.svm")
    classes = np.unique(actions)
    wrong = 0.0
    greatest = 1.0
    table = np.zeros((count, len(keys)), dtype=np.float32)
    if len(classes) > 1:
        matrix = instance_matrix(rows, len(keys))
        machine = svm.LinearSVC(C=cost, multi_class="crammer_singer", fit_intercept=False, random_state=seed, tol=0.1)
        with warnings.catch_warnings():
            # A thousand rounds are enough, and the last of them hardly matter.
            warnings.simplefilter("ignore", import_learner("sklearn.exceptions").ConvergenceWarning)
            machine.fit(matrix, actions)
        # Two classes have one row of weights, for the second.
        table[classes if len(classes) > 2 else classes[1:]] = machine.coef_
        greatest = float(np.abs(table).max())
        wrong = 1 - float(machine.score(matrix, actions))
    # Moves that no instance makes: zeros would beat all actions with negative weights.
    table[np.setdiff1d(np.arange(count), actions)] = -greatest
    filled = table.T != 0
    bounds = np.concatenate(([0], np.cumsum(filled.sum(axis=1)))).astype(np.int64)
    row_actions = np.nonzero(filled)[1].astype(np.int32)
    return Weights.of(count, (keys, bounds, row_actions, table.T[filled])), wrong
