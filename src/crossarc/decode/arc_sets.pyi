from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

def best_graph(
    scores: ArrayLike,
    lengths: ArrayLike | None = None,
    *,
    labelled: bool = False,
    cycles: Literal["forbid", "allow"] = "forbid",
    most_heads: int | None = None,
    most_parallel: int | None = 1,
    single_root: bool = True,
    required: ArrayLike | None = None,
    forbidden: ArrayLike | None = None,
    threads: int = 1,
) -> NDArray[np.bool_]: ...
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
