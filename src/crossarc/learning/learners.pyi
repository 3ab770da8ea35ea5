from collections.abc import Iterable
from typing import Self

import numpy as np
from numpy.typing import NDArray

from crossarc.learning.scorers import Weights

class UpdateRule:
    def teach(self, weights: Weights, keys: NDArray[np.uint64], costs: NDArray[np.int32]) -> None: ...

class Perceptron(UpdateRule): ...

class Mira(UpdateRule):
    def __init__(self, cost: float) -> None: ...

class MaximumEntropy(UpdateRule):
    def __init__(self, learning_rate: float, l2: float) -> None: ...

def gradient_of(scores: NDArray[np.float32], costs: NDArray[np.int32]) -> NDArray[np.float64]: ...

class Differences:
    def __new__(cls) -> Self: ...
    def learn(self, weights: Weights, parts: Iterable[tuple[NDArray[np.uint64], int, float]], step: float) -> float: ...
