from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossarc.decode._options import Floats, Options
from crossarc.decode.decoder import Decoder

class ChuLiuEdmonds(Decoder): ...

def mst(scores: ArrayLike, lengths: ArrayLike | None = None, **options: Unpack[Options]) -> NDArray[np.int32]: ...

class SparseChuLiuEdmonds:
    def __init__(self, n: int = 0, m: int = 0) -> None: ...
    @property
    def taken(self) -> int: ...

def mst_sparse(
    n: int | ArrayLike,
    dependents: ArrayLike,
    heads: ArrayLike,
    scores: ArrayLike,
    offsets: ArrayLike | None = None,
    **options: Unpack[Options],
) -> NDArray[np.int32]: ...
def checked_arcs(
    sizes: NDArray[np.int32], dependents: ArrayLike, heads: ArrayLike, scores: NDArray[np.float64]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...
def kbest(
    scores: ArrayLike, k: int, lengths: ArrayLike | None = None, **options: Unpack[Options]
) -> tuple[NDArray[np.int32], NDArray[np.float64]]: ...
def marginals(scores: ArrayLike, lengths: ArrayLike | None = None, **options: Unpack[Options]) -> Floats: ...
def log_partition(
    scores: ArrayLike, lengths: ArrayLike | None = None, **options: Unpack[Options]
) -> float | Floats: ...
