# What decoders take besides scores. Only type checkers read this file.
from typing import TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

class Constraints(TypedDict, total=False):
    required: ArrayLike | None
    forbidden: ArrayLike | None
    threads: int

class Options(Constraints, total=False):
    single_root: bool
