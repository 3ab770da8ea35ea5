import numpy as np
from numpy.typing import NDArray

from crossarc.decode.decoder import Decoder
from crossarc.factors.arcs import TreeFactors
from crossarc.features.edges import EdgeModel
from crossarc.learning.scorers import Scorer, Weights

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

class GraphArcFactors(TreeFactors):
    def __init__(
        self,
        model: EdgeModel,
        decoder: Decoder,
        label_places: NDArray[np.uint8],
        *,
        acyclic: bool = True,
        most_heads: int = ...,
        most_parallel: int = 1,
        lengths: Ints | None = None,
        tag: int = -1,
    ) -> None: ...
    def find_graphs(
        self, scorer: Scorer, label_scorer: Scorer, tokens: Ints, starts: Longs, trees: Ints
    ) -> tuple[Longs, Ints, Ints, Ints]: ...
    def learn(
        self,
        weights: Weights,
        label_weights: Weights,
        tokens: Ints,
        starts: Longs,
        arc_starts: Longs,
        heads: Ints,
        dependents: Ints,
        labels: Ints,
        trees: Ints,
        order: Longs,
        cost: float,
        augment: bool = False,
        missing: float = 1,
    ) -> tuple[int, int]: ...
    def scores(self, scorer: Scorer, label_scorer: Scorer, tokens: Ints) -> NDArray[np.float64]: ...
    def label_scores(self, label_scorer: Scorer, tokens: Ints, heads: Ints) -> NDArray[np.float64]: ...
