from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossarc.decode.decoder import Decoder

class ChuLiuEdmonds(Decoder): ...

def mst(
    scores: ArrayLike,
    lengths: ArrayLike | None = None,
    *,
    single_root: bool = True,
    required: ArrayLike | None = None,
    forbidden: ArrayLike | None = None,
    threads: int = 1,
) -> NDArray[np.int32]: ...

class SparseChuLiuEdmonds:
    def __new__(cls, n: int = 0, m: int = 0) -> Self: ...
    @property
    def taken(self) -> int: ...

def mst_sparse(
    n: int | ArrayLike,
    dependents: ArrayLike,
    heads: ArrayLike,
    scores: ArrayLike,
    offsets: ArrayLike | None = None,
    *,
    single_root: bool = True,
    required: ArrayLike | None = None,
    forbidden: ArrayLike | None = None,
    threads: int = 1,
) -> NDArray[np.int32]: ...
def checked_arcs(
    sizes: NDArray[np.int32], dependents: ArrayLike, heads: ArrayLike, scores: NDArray[np.float64]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...
def kbest(
    scores: ArrayLike,
    k: int,
    lengths: ArrayLike | None = None,
    *,
    single_root: bool = True,
    required: ArrayLike | None = None,
    forbidden: ArrayLike | None = None,
    threads: int = 1,
) -> tuple[NDArray[np.int32], NDArray[np.float64]]: ...
def marginals(
    scores: ArrayLike,
    lengths: ArrayLike | None = None,
    *,
    single_root: bool = True,
    required: ArrayLike | None = None,
    forbidden: ArrayLike | None = None,
    threads: int = 1,
) -> NDArray[np.float64]: ...
def log_partition(
    scores: ArrayLike,
    lengths: ArrayLike | None = None,
    *,
    single_root: bool = True,
    required: ArrayLike | None = None,
    forbidden: ArrayLike | None = None,
    threads: int = 1,
) -> float | NDArray[np.float64]: ...
