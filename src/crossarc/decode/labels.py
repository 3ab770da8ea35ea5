"""Labels before the tree: of each arc the best one is chosen first and never altered after."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossarc.errors import DecodeError


def best_labels(scores: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """The best label of every arc and its score, from scores with a last axis of labels; of equals the first.

    Gives float64 scores for any decoder, and int32 labels of the same shape to pick from with `labels_of`.

    >>> arcs, labels = best_labels(np.array([[[0, 0], [0, 0]], [[1, 2], [0, 0]]]))
    >>> arcs[1, 0].item(), labels[1, 0].item()
    (2.0, 1)
    """
    array = np.asarray(scores)
    if array.ndim not in (3, 4) or array.dtype.kind not in "fiu" or array.shape[-1] == 0:
        raise DecodeError(
            "labelled scores must be numbers of the shape (n + 1, n + 1, labels) or (sentences, N + 1, N + 1, labels), "
            f"not {array.dtype} {array.shape}"
        )
    labels = array.argmax(axis=-1)  # a NaN is chosen first, so that the decoder finds it
    best = np.take_along_axis(array, labels[..., None], axis=-1)[..., 0]
    return best.astype(np.float64), labels.astype(np.int32)


def labels_of(heads: ArrayLike, labels: ArrayLike) -> NDArray[np.int32]:
    """The label of each word's arc, -1 where there is no head; `labels` has one for every possible arc.

    >>> labels_of([-1, 2, 0], [[0, 0, 0], [5, 6, 7], [8, 9, 9]]).tolist()
    [-1, 7, 8]
    """
    trees = np.asarray(heads)
    table = np.asarray(labels)
    if table.shape != (*trees.shape, trees.shape[-1]):
        raise DecodeError(f"labels of the shape {table.shape} do not go with heads of the shape {trees.shape}")
    chosen = np.take_along_axis(table, np.maximum(trees, 0)[..., None].astype(np.intp), axis=-1)[..., 0]
    return np.where(trees < 0, -1, chosen).astype(np.int32)
