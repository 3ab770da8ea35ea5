from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossarc.structure.classes import Classes

def classify(heads: ArrayLike, starts: ArrayLike, *, errors: Literal["raise", "skip"] = "raise") -> Classes: ...
def checked_batch(heads: ArrayLike, starts: ArrayLike) -> tuple[NDArray[np.int32], NDArray[np.int64]]: ...
