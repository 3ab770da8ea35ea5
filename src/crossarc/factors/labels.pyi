import numpy as np
from numpy.typing import NDArray

from crossarc.features.edges import EdgeModel
from crossarc.learning.scorers import Scorer, Weights

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

class LabelFactors:
    def __init__(self, model: EdgeModel, label_places: NDArray[np.uint8]) -> None: ...
    def find_labels(self, scorer: Scorer, tokens: Ints, starts: Longs, heads: Ints, labels: Ints) -> None: ...
    def learn(
        self, weights: Weights, tokens: Ints, heads: Ints, labels: Ints, starts: Longs, order: Longs
    ) -> tuple[int, int]: ...
    def scores(self, scorer: Scorer, tokens: Ints, heads: Ints) -> NDArray[np.float64]: ...
    def features_of(self, tokens: Ints, h: int, d: int, heads: Ints) -> NDArray[np.uint64]: ...
