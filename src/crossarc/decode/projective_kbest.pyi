import numpy as np
from numpy.typing import ArrayLike, NDArray

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
