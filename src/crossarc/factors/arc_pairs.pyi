from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossarc.factors.arcs import TreeFactors
from crossarc.features.edges import EdgeModel
from crossarc.learning.scorers import Scorer, Weights

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

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
        tokens: Ints,
        starts: Longs,
        heads: Ints,
        labels: Ints | None = None,
        given: Ints | None = None,
    ) -> None: ...
    def count_kept(self, coarse: Scorer, tokens: Ints, starts: Longs, gold: Ints) -> tuple[int, int]: ...
    def find_tree(
        self,
        coarse: Scorer,
        scorer: Scorer,
        pair_scorer: Scorer,
        tokens: Ints,
        forbidden: NDArray[np.uint8],
    ) -> Ints | None: ...
    def part_scores(
        self,
        coarse: Scorer,
        scorer: Scorer,
        pair_scorer: Scorer,
        tokens: Ints,
        heads: Ints,
        labels: Ints | None = None,
    ) -> NDArray[np.float64]: ...
    def features_of(self, tokens: Ints, place: str, h: int, d: int, third: int = -1) -> NDArray[np.uint64]: ...
    def label_features_of(self, tokens: Ints, h: int, d: int) -> NDArray[np.uint64]: ...
    def learn(
        self,
        coarse: Weights,
        weights: Weights,
        pair_weights: Weights,
        tokens: Ints,
        heads: Ints,
        labels: Ints | None,
        starts: Longs,
        order: Longs,
        cost: float,
        augment: bool = False,
    ) -> tuple[int, int]: ...
    def label_scores(self, label_scorer: Scorer, tokens: Ints, heads: Ints) -> NDArray[np.float64]: ...
