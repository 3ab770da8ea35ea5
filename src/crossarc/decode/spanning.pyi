from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossarc.decode.decoder import Decoder, _OfMatrices, _SeveralOfMatrices

class ChuLiuEdmonds(Decoder): ...

mst: _OfMatrices[NDArray[np.int32]]

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

kbest: _SeveralOfMatrices
marginals: _OfMatrices[NDArray[np.float64]]
log_partition: _OfMatrices[float | NDArray[np.float64]]
