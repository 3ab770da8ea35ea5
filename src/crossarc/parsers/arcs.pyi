import numpy as np
from numpy.typing import NDArray

from crossarc.decode.decoder import Decoder
from crossarc.features.edges import EdgeModel
from crossarc.learning.scorer import Scorer
from crossarc.learning.weights import Weights

ARC_WEIGHTS: int
Ints = NDArray[np.int32]

class ArcParser:
    arcs: int
    pruned: int
    unpruned: int
    def __init__(
        self,
        model: EdgeModel,
        decoder: Decoder,
        columns: int,
        labels: NDArray[np.uint8],
        undirected: bool = False,
        combine: str = "none",
        *,
        lengths: Ints | None = None,
        tag: int = -1,
        joint: bool = False,
        rivals: int = 1,
        loss: str = "edges",
    ) -> None: ...
    def train(
        self,
        arcs: Weights,
        labels: Weights | None,
        tokens: Ints,
        heads: Ints,
        gold_labels: Ints,
        starts: NDArray[np.int64],
        order: NDArray[np.int64],
        cost: float,
        augment: bool = False,
    ) -> tuple[int, int]: ...
    def parse(
        self,
        arcs: Scorer,
        labels: Scorer | None,
        tokens: Ints,
        starts: NDArray[np.int64],
        heads: Ints,
        found: Ints,
        other: ArcParser | None = None,
        other_arcs: Scorer | None = None,
        rounds: int = 0,
    ) -> None: ...
    def scores(self, arcs: Scorer, tokens: Ints, labels: Scorer | None = None) -> NDArray[np.float64]: ...
    def features_of(
        self, tokens: Ints, h: int, d: int, heads: Ints
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]: ...
    def label_scores(self, labels: Scorer, tokens: Ints, heads: Ints) -> NDArray[np.float64]: ...
