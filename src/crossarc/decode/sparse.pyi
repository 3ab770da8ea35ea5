import numpy as np
from numpy.typing import ArrayLike, NDArray

class SparseChuLiuEdmonds: ...

def mst_sparse(
    n: int,
    dependents: ArrayLike,
    heads: ArrayLike,
    scores: ArrayLike,
    *,
    single_root: bool = True,
    required: ArrayLike | None = None,
    forbidden: ArrayLike | None = None,
) -> NDArray[np.int32]: ...
