from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossarc.features.templates import FeatureModel
from crossarc.learning.learners import UpdateRule
from crossarc.learning.scorers import HashedWeights, PackedTable, PackedWeights, Weights
from crossarc.transitions.search import Greedy, Ints
from crossarc.transitions.system import TransitionSystem
from crossarc.transitions.targets import Targets

class StageWeights:
    moves: HashedWeights
    labels: Weights
    random: int
    def __init__(self, moves: HashedWeights, labels: Weights) -> None: ...
    def pack(self, threshold: float = 0.0) -> PackedStages: ...
    def to_arrays(self) -> dict[str, NDArray[Any]]: ...
    @staticmethod
    def from_arrays(arrays: Mapping[str, NDArray[Any]], moves: int, actions: int, cut: int) -> StageWeights: ...

class PackedStages:
    moves: PackedTable
    labels: PackedWeights
    def __init__(self, moves: PackedTable, labels: PackedWeights) -> None: ...
    def to_arrays(self) -> dict[str, NDArray[Any]]: ...
    @staticmethod
    def from_arrays(arrays: dict[str, NDArray[Any]], moves: int, actions: int) -> PackedStages: ...

class TwoStage(Greedy):
    move_templates: int
    def __init__(
        self,
        system: TransitionSystem,
        model: FeatureModel,
        moves: ArrayLike,
        labels: ArrayLike,
        attributes: int,
        move_templates: int,
        label_templates: int,
    ) -> None: ...
    def train(  # type: ignore[override]
        self,
        weights: StageWeights,
        rule: UpdateRule,
        tokens: Ints,
        targets: Targets,
        order: NDArray[np.int64],
        explore: float = 0.0,
    ) -> tuple[int, int]: ...
    def parse(  # type: ignore[override]
        self,
        weights: PackedStages,
        tokens: Ints,
        starts: NDArray[np.int64],
        heads: Ints,
        labels: Ints,
        root_label: int,
        annotated: bool = False,
        keep_root_links: bool = False,
        scored: bool = False,
    ) -> None: ...
    def weigh(
        self,
        weights: StageWeights,
        tokens: Ints,
        targets: Targets,
        sentences: int,
    ) -> NDArray[np.float64]: ...
