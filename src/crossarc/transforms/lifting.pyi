import numpy as np
from numpy.typing import ArrayLike, NDArray

def lift(heads: ArrayLike, starts: ArrayLike | None = None) -> tuple[NDArray[np.int32], NDArray[np.bool_]]: ...
def reattach(
    heads: ArrayLike,
    labels: ArrayLike,
    targets: ArrayLike,
    starts: ArrayLike | None = None,
    *,
    passed: ArrayLike | None = None,
    crossing: bool = False,
) -> NDArray[np.int32]: ...
