"""Labels before the tree: the best label of each arc is chosen first and does not change afterwards."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossarc.core.arrays import as_int32, copied
from crossarc.decode.decoder import share
from crossarc.errors import DecodeError


def best_labels(scores: ArrayLike, *, threads: int = 1) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """The best label of every arc and its score, from scores with a last axis of labels; of equals the first.

    Returns float64 scores for any decoder, and int32 labels of the same shape to pick from with `labels_of`. Threads
    share a batch; its padding may hold anything, so it needs no lengths.

    >>> arcs, labels = best_labels(np.array([[[0, 0], [0, 0]], [[1, 2], [0, 0]]]))
    >>> arcs[1, 0].item(), labels[1, 0].item()
    (2.0, 1)
    """
    array = scores if isinstance(scores, np.ndarray) else copied(scores, "scores", DecodeError)
    if array.ndim not in (3, 4) or array.dtype.kind not in "fiu" or array.shape[-1] == 0:
        raise DecodeError(
            "labelled scores must be numbers of the shape (n + 1, n + 1, labels) or (sentences, N + 1, N + 1, labels), "
            f"not {array.dtype} {array.shape}"
        )
    batch = array if array.ndim == 4 else array[None]
    best = np.empty(batch.shape[:-1])
    labels = np.empty(batch.shape[:-1], dtype=np.int32)

    def choose(begin: int, end: int) -> None:
        chosen = batch[begin:end].argmax(axis=-1)  # a NaN is chosen first, so that the decoder finds it
        labels[begin:end] = chosen
        best[begin:end] = np.take_along_axis(batch[begin:end], chosen[..., None], axis=-1)[..., 0]

    share(threads, len(batch), lambda: choose)
    return (best, labels) if array.ndim == 4 else (best[0], labels[0])


def labels_of(heads: ArrayLike, labels: ArrayLike) -> NDArray[np.int32]:
    """The label of each word's arc, -1 where there is no head; `labels` has one for every possible arc.

    Heads may have one more axis before the last, as those of `kbest` have.

    >>> labels_of([-1, 2, 0], [[0, 0, 0], [5, 6, 7], [8, 9, 9]]).tolist()
    [-1, 7, 8]
    """
    trees, table = copied(heads, "heads", DecodeError), copied(labels, "labels", DecodeError)
    if trees.ndim == table.ndim >= 2:
        table = np.expand_dims(table, -3)
    size = table.shape[-1] if table.ndim else 0
    fits = trees.ndim and table.ndim == trees.ndim + 1 and table.shape[-2] == trees.shape[-1] == size
    if not fits or any(a not in (1, b) for a, b in zip(table.shape[:-2], trees.shape[:-1], strict=True)):
        raise DecodeError(f"labels of the shape {np.shape(labels)} do not go with heads of the shape {trees.shape}")
    for name, array in (("heads", trees), ("labels", table)):
        if array.dtype.kind not in "iu":
            raise DecodeError(f"{name} must be integers, not {array.dtype}")
    if trees.size and not (trees.min() >= -1 and trees.max() < size):
        raise DecodeError(f"heads must be -1 or a node 0..{size - 1}, not {trees.min()} to {trees.max()}")
    table = np.broadcast_to(table, (*trees.shape, size))
    chosen = np.take_along_axis(table, np.maximum(trees, 0)[..., None].astype(np.intp), axis=-1)[..., 0]
    found = as_int32(np.where(trees < 0, 0, chosen), "labels", DecodeError)
    found[trees < 0] = -1
    return found
