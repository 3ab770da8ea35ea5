import numpy as np
from numpy.typing import ArrayLike, NDArray

class SparseChuLiuEdmonds:
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
