import numpy as np
from numpy.typing import NDArray

from crossarc.decode.decoder import Decoder
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

ARC_WEIGHTS: int
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

class TreeFactors:
    arcs: int
    pruned: int
    unpruned: int

class ArcFactors(TreeFactors):
    def __init__(
        self,
        model: EdgeModel,
        decoder: Decoder,
        *,
        undirected: bool = False,
        combine: str = "none",
        lengths: Ints | None = None,
        tag: int = -1,
        k_best: int = 1,
        loss: str = "edges",
    ) -> None: ...
    def find_trees(self, scorer: Scorer, tokens: Ints, starts: Longs, heads: Ints) -> None: ...
    def enhance_trees(self, scorer: Scorer, tokens: Ints, starts: Longs, heads: Ints, rounds: int) -> None: ...
    def learn(
        self, weights: Weights, tokens: Ints, heads: Ints, starts: Longs, order: Longs, cost: float, augment: bool = ...
    ) -> tuple[int, int]: ...
    def scores(self, scorer: Scorer, tokens: Ints) -> NDArray[np.float64]: ...
    def features_of(self, tokens: Ints, h: int, d: int) -> NDArray[np.uint64]: ...

class JointFactors(TreeFactors):
    def __init__(
        self,
        model: EdgeModel,
        decoder: Decoder,
        label_places: NDArray[np.uint8],
        *,
        lengths: Ints | None = None,
        tag: int = -1,
        k_best: int = 1,
    ) -> None: ...
    def find_trees(
        self, scorer: Scorer, label_scorer: Scorer, tokens: Ints, starts: Longs, heads: Ints, labels: Ints
    ) -> None: ...
    def learn(
        self,
        weights: Weights,
        label_weights: Weights,
        tokens: Ints,
        heads: Ints,
        labels: Ints,
        starts: Longs,
        order: Longs,
        cost: float,
        augment: bool = False,
    ) -> tuple[int, int]: ...
    def scores(self, scorer: Scorer, label_scorer: Scorer, tokens: Ints) -> NDArray[np.float64]: ...
    def label_scores(self, label_scorer: Scorer, tokens: Ints, heads: Ints) -> NDArray[np.float64]: ...

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
