import numpy as np
from numpy.typing import ArrayLike, NDArray

def enhance(
    heads: ArrayLike,
    scores: ArrayLike,
    lengths: ArrayLike | None = None,
    *,
    rounds: int | None = 5,
    required: ArrayLike | None = None,
    forbidden: ArrayLike | None = None,
    threads: int = 1,
) -> NDArray[np.int32]: ...
