"""The instances of an oracle as a matrix, for learners that want them all at once."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossarc.errors import CrossarcError

Ints = NDArray[np.int32]


def import_learner(module: str) -> Any:
    """A module of scikit-learn or SciPy, or an error that says how to get it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise CrossarcError("this learner needs scikit-learn; run pip install 'crossarc[learn]'") from None


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
