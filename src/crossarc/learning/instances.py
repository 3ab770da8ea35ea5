"""The instances of an oracle as a matrix, for learners that want them all at once."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossarc.errors import MissingDependency

Ints = NDArray[np.int32]


def import_learner(module: str) -> Any:
    """A module of scikit-learn or SciPy, or an error that says how to get it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise MissingDependency("this learner", "scikit-learn") from None


def number_features(matrix: NDArray[np.uint64], cut: int) -> tuple[NDArray[np.uint64], Ints]:
    """The keys that at least `cut` instances have, and for each instance their places among these, -1 for the rest."""
    keys, places, counts = np.unique(matrix, return_inverse=True, return_counts=True)
    often = counts >= cut
    numbers = np.where(often, np.cumsum(often) - 1, -1).astype(np.int32)
    return keys[often], numbers[places.reshape(matrix.shape)]


def instance_matrix(rows: Ints, columns: int) -> Any:
    """A sparse matrix, instances x columns, of ones: `rows` has the columns of each instance, -1 where none."""
    sparse = import_learner("scipy.sparse")
    there = rows >= 0
    ends = np.zeros(len(rows) + 1, dtype=np.int32 if there.sum() < 2**31 else np.int64)
    np.cumsum(there.sum(axis=1), out=ends[1:])
    indices = rows[there]
    matrix = sparse.csr_matrix((np.ones(len(indices)), indices, ends), shape=(len(rows), columns))
    matrix.sort_indices()
    return matrix
