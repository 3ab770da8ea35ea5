from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossarc.features.templates import FeatureModel
from crossarc.learning.scorers import PackedTable, PackedWeights, Scorer
from crossarc.transitions.system import TransitionSystem

_Ints = NDArray[np.int32]

class Greedy:
    system: TransitionSystem
    model: FeatureModel
    label_templates: int
    tag_column: int
    @property
    def action_count(self) -> int: ...
    def __init__(
        self, system: TransitionSystem, model: FeatureModel, moves: ArrayLike, labels: ArrayLike, attributes: int
    ) -> None: ...
    def set_places(self, places: ArrayLike) -> None: ...
    def parse(
        self,
        weights: Scorer | PackedStages,
        tokens: _Ints,
        starts: NDArray[np.int64],
        heads: _Ints,
        labels: _Ints,
        root_label: int,
        annotated: bool = False,
        keep_root_links: bool = False,
        scored: bool = False,
    ) -> None: ...
    def parse_graphs(
        self, weights: Scorer, tokens: _Ints, starts: NDArray[np.int64], root_label: int
    ) -> tuple[_Ints, _Ints, _Ints, NDArray[np.int64]]: ...
    def keys_after(self, tokens: _Ints, actions: _Ints) -> NDArray[np.uint64]: ...

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

class Beam(Greedy):
    width: int
    probabilities: bool
    mean: bool
    def __init__(
        self,
        system: TransitionSystem,
        model: FeatureModel,
        moves: ArrayLike,
        labels: ArrayLike,
        attributes: int,
        width: int,
        *,
        probabilities: bool = False,
        mean: bool = False,
    ) -> None: ...
    def parse_best(
        self,
        scorer: Scorer,
        tokens: _Ints,
        root_label: int,
        annotated: bool,
        keep_root_links: bool,
        scored: bool,
        scale: float,
        by_probability: bool,
        required: _Ints | None = None,
        forbidden: NDArray[np.int8] | None = None,
    ) -> tuple[_Ints, _Ints, NDArray[np.float64], NDArray[np.float64]]: ...
