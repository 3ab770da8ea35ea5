import numpy as np
from numpy.typing import NDArray

from crossarc.decode.decoder import Decoder
from crossarc.factors.arcs import TreeFactors
from crossarc.features.edges import EdgeModel
from crossarc.learning.scorer import Scorer
from crossarc.learning.weights import Weights

Ints = NDArray[np.int32]

class RoundFactors(TreeFactors):
    def __init__(
        self,
        model: EdgeModel,
        decoder: Decoder,
        tag_column: int,
        round_of_tag: Ints,
        absorb: bool = True,
        *,
        lengths: Ints | None = None,
    ) -> None: ...
    def find_trees(self, scorer: Scorer, tokens: Ints, starts: NDArray[np.int64], heads: Ints) -> None: ...
    def learn(
        self,
        weights: Weights,
        tokens: Ints,
        heads: Ints,
        starts: NDArray[np.int64],
        order: NDArray[np.int64],
        cost: float,
        augment: bool = False,
    ) -> tuple[int, int]: ...
    def scores(self, scorer: Scorer, tokens: Ints) -> NDArray[np.float64]: ...
    def late_features_of(self, tokens: Ints, h: int, d: int, heads: Ints) -> NDArray[np.uint64]: ...
