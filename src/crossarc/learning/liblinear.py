"""LIBLINEAR, through scikit-learn: multi-class linear support vector machines (Crammer and Singer 2001)."""

from __future__ import annotations

import warnings

import numpy as np

from crossarc.learning.instances import Ints, import_learner, instance_matrix
from crossarc.learning.weights import Weights


def learn_liblinear(columns: Weights, rows: Ints, actions: Ints, *, cost: float, seed: int) -> float:
    """Learn all instances at once and put the weights into the table of their features; gives the share of errors.

    `rows` are the features of the instances, as row numbers of the table, and -1 for none. The memory this takes grows
    with features x actions: about 16 bytes for each.
    """
    svm = import_learner("sklearn.svm")
    classes = np.unique(actions)
    wrong = 0.0
    greatest = 1.0
    if len(classes) > 1:
        matrix = instance_matrix(rows, len(columns))
        machine = svm.LinearSVC(C=cost, multi_class="crammer_singer", fit_intercept=False, random_state=seed, tol=0.1)
        with warnings.catch_warnings():
            # A thousand rounds are enough, and the last of them hardly matter.
            warnings.simplefilter("ignore", import_learner("sklearn.exceptions").ConvergenceWarning)
            machine.fit(matrix, actions)
        table = np.ascontiguousarray(machine.coef_)
        if len(classes) == 2:  # one line that speaks for the second
            table, classes = table[:1], classes[1:]
        columns.assign(table, classes)
        greatest = float(np.abs(table).max())
        wrong = 1 - float(machine.score(matrix, actions))
    unseen = np.setdiff1d(np.arange(columns.actions), actions).astype(np.int32)
    # Moves that no instance makes: zeros would beat all actions that the features speak against.
    for action in unseen:
        columns.assign(np.full((1, len(columns)), -greatest), np.array([action], dtype=np.int32))
    return wrong
