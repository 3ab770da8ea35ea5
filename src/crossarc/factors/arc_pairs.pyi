from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossarc.factors.arcs import TreeFactors
from crossarc.features.edges import EdgeModel
from crossarc.learning.scorers import Scorer, Weights

_Ints = NDArray[np.int32]
_Longs = NDArray[np.int64]

PLACES: tuple[str, ...]

class SecondOrderFactors:
    words_seen: int
    arcs_kept: int
    moves: int
    def __init__(
        self,
        model: EdgeModel,
        coarse: TreeFactors,
        single_root: bool,
        *,
        heads: int = 8,
        margin: float = ...,
        threshold: float | None = None,
        starts: tuple[str, ...] = (),
        label_places: NDArray[np.uint8] | None = None,
        label_filter: tuple[Any, ...] = (),
    ) -> None: ...
    def find_trees(
        self,
        coarse: Scorer,
        scorer: Scorer,
        pair_scorer: Scorer,
        tokens: _Ints,
        starts: _Longs,
        heads: _Ints,
        labels: _Ints | None = None,
        given: _Ints | None = None,
    ) -> None: ...
    def count_kept(self, coarse: Scorer, tokens: _Ints, starts: _Longs, gold: _Ints) -> tuple[int, int]: ...
    def find_tree(
        self,
        coarse: Scorer,
        scorer: Scorer,
        pair_scorer: Scorer,
        tokens: _Ints,
        forbidden: NDArray[np.uint8],
    ) -> _Ints | None: ...
    def part_scores(
        self,
        coarse: Scorer,
        scorer: Scorer,
        pair_scorer: Scorer,
        tokens: _Ints,
        heads: _Ints,
        labels: _Ints | None = None,
    ) -> NDArray[np.float64]: ...
    def features_of(self, tokens: _Ints, place: str, h: int, d: int, third: int = -1) -> NDArray[np.uint64]: ...
    def label_features_of(self, tokens: _Ints, h: int, d: int) -> NDArray[np.uint64]: ...
    def learn(
        self,
        coarse: Weights,
        weights: Weights,
        pair_weights: Weights,
        tokens: _Ints,
        heads: _Ints,
        labels: _Ints | None,
        starts: _Longs,
        order: _Longs,
        cost: float,
        augment: bool = False,
    ) -> tuple[int, int]: ...
    def label_scores(self, label_scorer: Scorer, tokens: _Ints, heads: _Ints) -> NDArray[np.float64]: ...
