import numpy as np
from numpy.typing import NDArray

from crossarc.decode.decoder import Decoder
from crossarc.factors.arcs import LabelledFactors
from crossarc.features.edges import EdgeModel
from crossarc.learning.scorers import Scorer, Weights

_Ints = NDArray[np.int32]
_Longs = NDArray[np.int64]

class GraphArcFactors(LabelledFactors):
    def __init__(
        self,
        model: EdgeModel,
        decoder: Decoder,
        label_places: NDArray[np.uint8],
        *,
        acyclic: bool = True,
        most_heads: int = ...,
        most_parallel: int = 1,
        lengths: _Ints | None = None,
        tag: int = -1,
    ) -> None: ...
    def find_graphs(
        self, scorer: Scorer, label_scorer: Scorer, tokens: _Ints, starts: _Longs, trees: _Ints
    ) -> tuple[_Longs, _Ints, _Ints, _Ints]: ...
    def learn(
        self,
        weights: Weights,
        label_weights: Weights,
        tokens: _Ints,
        starts: _Longs,
        arc_starts: _Longs,
        heads: _Ints,
        dependents: _Ints,
        labels: _Ints,
        trees: _Ints,
        order: _Longs,
        cost: float,
        augment: bool = False,
        missing: float = 1.0,
    ) -> tuple[int, int]: ...
