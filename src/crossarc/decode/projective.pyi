import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossarc.decode.decoder import Decoder

class Eisner(Decoder): ...

def eisner(
    scores: ArrayLike,
    lengths: ArrayLike | None = None,
    *,
    single_root: bool = True,
    required: ArrayLike | None = None,
    forbidden: ArrayLike | None = None,
    threads: int = 1,
) -> NDArray[np.int32]: ...
def projective_marginals(
    scores: ArrayLike,
    lengths: ArrayLike | None = None,
    *,
    single_root: bool = True,
    required: ArrayLike | None = None,
    forbidden: ArrayLike | None = None,
    threads: int = 1,
) -> NDArray[np.float64]: ...
def projective_log_partition(
    scores: ArrayLike,
    lengths: ArrayLike | None = None,
    *,
    single_root: bool = True,
    required: ArrayLike | None = None,
    forbidden: ArrayLike | None = None,
    threads: int = 1,
) -> float | NDArray[np.float64]: ...
def projective_kbest(
    scores: ArrayLike,
    k: int,
    lengths: ArrayLike | None = None,
    *,
    single_root: bool = True,
    required: ArrayLike | None = None,
    forbidden: ArrayLike | None = None,
    threads: int = 1,
) -> tuple[NDArray[np.int32], NDArray[np.float64]]: ...
