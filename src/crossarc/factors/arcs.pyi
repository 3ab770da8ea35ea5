import numpy as np
from numpy.typing import NDArray

from crossarc.decode.decoder import Decoder
from crossarc.features.edges import EdgeModel
from crossarc.learning.scorers import Scorer, Weights

_Ints = NDArray[np.int32]
_Longs = NDArray[np.int64]

class LabelFactors:
    def __init__(self, model: EdgeModel, label_places: NDArray[np.uint8]) -> None: ...
    def find_labels(self, scorer: Scorer, tokens: _Ints, starts: _Longs, heads: _Ints, labels: _Ints) -> None: ...
    def learn(
        self, weights: Weights, tokens: _Ints, heads: _Ints, labels: _Ints, starts: _Longs, order: _Longs
    ) -> tuple[int, int]: ...
    def scores(self, scorer: Scorer, tokens: _Ints, heads: _Ints) -> NDArray[np.float64]: ...
    def features_of(self, tokens: _Ints, h: int, d: int, heads: _Ints) -> NDArray[np.uint64]: ...

ARC_WEIGHTS: int

class TreeFactors:
    arcs: int
    pruned: int
    unpruned: int
    def __init__(
        self,
        model: EdgeModel,
        decoder: Decoder,
        undirected: bool,
        combine: str,
        lengths: _Ints | None,
        tag: int,
        learner: object,
    ) -> None: ...

class ArcFactors(TreeFactors):
    def __init__(
        self,
        model: EdgeModel,
        decoder: Decoder,
        *,
        undirected: bool = False,
        combine: str = "none",
        lengths: _Ints | None = None,
        tag: int = -1,
        loss: str = "edges",
    ) -> None: ...
    def find_trees(self, scorer: Scorer, tokens: _Ints, starts: _Longs, heads: _Ints) -> None: ...
    def enhance_trees(self, scorer: Scorer, tokens: _Ints, starts: _Longs, heads: _Ints, rounds: int) -> None: ...
    def learn(
        self,
        weights: Weights,
        tokens: _Ints,
        heads: _Ints,
        starts: _Longs,
        order: _Longs,
        cost: float,
        augment: bool = ...,
    ) -> tuple[int, int]: ...
    def scores(self, scorer: Scorer, tokens: _Ints) -> NDArray[np.float64]: ...
    def features_of(self, tokens: _Ints, h: int, d: int) -> NDArray[np.uint64]: ...

class LabelledFactors(TreeFactors):
    def __init__(
        self,
        model: EdgeModel,
        decoder: Decoder,
        label_places: NDArray[np.uint8],
        lengths: _Ints | None,
        tag: int,
    ) -> None: ...
    def scores(self, scorer: Scorer, label_scorer: Scorer, tokens: _Ints) -> NDArray[np.float64]: ...
    def label_scores(self, label_scorer: Scorer, tokens: _Ints, heads: _Ints) -> NDArray[np.float64]: ...

class JointFactors(LabelledFactors):
    def __init__(
        self,
        model: EdgeModel,
        decoder: Decoder,
        label_places: NDArray[np.uint8],
        *,
        lengths: _Ints | None = None,
        tag: int = -1,
    ) -> None: ...
    def find_trees(
        self, scorer: Scorer, label_scorer: Scorer, tokens: _Ints, starts: _Longs, heads: _Ints, labels: _Ints
    ) -> None: ...
    def learn(
        self,
        weights: Weights,
        label_weights: Weights,
        tokens: _Ints,
        heads: _Ints,
        labels: _Ints,
        starts: _Longs,
        order: _Longs,
        cost: float,
        augment: bool = False,
    ) -> tuple[int, int]: ...

class RoundFactors(TreeFactors):
    def __init__(
        self,
        model: EdgeModel,
        decoder: Decoder,
        tag_column: int,
        round_of_tag: _Ints,
        absorb: bool = True,
        *,
        lengths: _Ints | None = None,
        label_places: NDArray[np.uint8] | None = None,
    ) -> None: ...
    def find_trees(
        self, scorer: Scorer, tokens: _Ints, starts: _Longs, heads: _Ints, label_scorer: Scorer | None = None
    ) -> None: ...
    def learn(
        self,
        weights: Weights,
        tokens: _Ints,
        heads: _Ints,
        starts: _Longs,
        order: _Longs,
        cost: float,
        augment: bool = False,
        label_scorer: Scorer | None = None,
    ) -> tuple[int, int]: ...
    def scores(self, scorer: Scorer, tokens: _Ints) -> NDArray[np.float64]: ...
    def late_features_of(
        self, tokens: _Ints, h: int, d: int, heads: _Ints, labels: _Ints | None = None
    ) -> NDArray[np.uint64]: ...
