import numpy as np
from numpy.typing import NDArray

from crossarc.decode.decoder import Decoder
from crossarc.factors.arcs import Ints, Longs, TreeFactors
from crossarc.features.edges import EdgeModel
from crossarc.learning.scorers import Scorer, Weights

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
        label_places: NDArray[np.uint8] | None = None,
    ) -> None: ...
    def find_trees(
        self, scorer: Scorer, tokens: Ints, starts: Longs, heads: Ints, label_scorer: Scorer | None = None
    ) -> None: ...
    def learn(
        self,
        weights: Weights,
        tokens: Ints,
        heads: Ints,
        starts: Longs,
        order: Longs,
        cost: float,
        augment: bool = False,
        label_scorer: Scorer | None = None,
    ) -> tuple[int, int]: ...
    def scores(self, scorer: Scorer, tokens: Ints) -> NDArray[np.float64]: ...
    def late_features_of(
        self, tokens: Ints, h: int, d: int, heads: Ints, labels: Ints | None = None
    ) -> NDArray[np.uint64]: ...
