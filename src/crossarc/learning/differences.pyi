from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossarc.learning.weights import Weights

class Differences:
    def __init__(self, vectors: int = 1) -> None: ...
    def learn(
        self, weights: Weights, parts: Iterable[tuple[NDArray[np.uint64], int, int, float]], steps: ArrayLike
    ) -> NDArray[np.float64]: ...
