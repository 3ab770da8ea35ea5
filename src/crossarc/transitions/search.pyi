from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossarc.features.templates import FeatureModel
from crossarc.learning.updates import UpdateRule
from crossarc.learning.weights import Scorer, Weights
from crossarc.transitions.system import TransitionSystem

Ints = NDArray[np.int32]

def collect_actions(
    system: TransitionSystem, heads: Ints, labels: Ints, starts: NDArray[np.int64], label_count: int
) -> NDArray[np.int64]: ...

class Greedy:
    system: TransitionSystem
    model: FeatureModel
    def __init__(
        self, system: TransitionSystem, model: FeatureModel, moves: ArrayLike, labels: ArrayLike, attributes: int
    ) -> None: ...
    def train(
        self,
        weights: Weights,
        rule: UpdateRule,
        tokens: Ints,
        heads: Ints,
        labels: Ints,
        starts: NDArray[np.int64],
        order: NDArray[np.int64],
        explore: float = 0.0,
        seed: int = 1,
    ) -> tuple[int, int]: ...
    def parse(
        self,
        places: NDArray[Any],
        cells: NDArray[Any],
        tokens: Ints,
        starts: NDArray[np.int64],
        heads: Ints,
        labels: Ints,
        root_label: int,
        annotated: bool = False,
        keep_root_links: bool = False,
    ) -> None: ...
    def instances(
        self,
        columns: Weights,
        tokens: Ints,
        heads: Ints,
        labels: Ints,
        starts: NDArray[np.int64],
        tag: int,
        group_of: Ints,
    ) -> tuple[Ints, Ints, Ints]: ...
    def parse_by(
        self,
        scorer: Scorer,
        tokens: Ints,
        starts: NDArray[np.int64],
        heads: Ints,
        labels: Ints,
        root_label: int,
        tag: int,
        annotated: bool = False,
        keep_root_links: bool = False,
    ) -> None: ...
