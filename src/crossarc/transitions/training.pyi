from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossarc.learning.learners import UpdateRule
from crossarc.learning.scorers import HashedWeights, Weights
from crossarc.transitions.search import Greedy, PackedStages, TwoStage
from crossarc.transitions.system import Targets, TransitionSystem

_Ints = NDArray[np.int32]

def collect_actions(system: TransitionSystem, targets: Targets, label_count: int) -> NDArray[np.int64]: ...
def instances(
    search: Greedy, tokens: _Ints, targets: Targets, group_of: _Ints | None = None
) -> tuple[NDArray[np.uint64], _Ints, _Ints]: ...
def train(
    search: Greedy,
    weights: Weights | StageWeights,
    rule: UpdateRule,
    tokens: _Ints,
    targets: Targets,
    order: NDArray[np.int64],
    explore: float = 0.0,
) -> tuple[int, int]: ...
def weigh(
    search: TwoStage, weights: StageWeights, tokens: _Ints, targets: Targets, sentences: int
) -> NDArray[np.float64]: ...

class StageWeights:
    moves: HashedWeights
    labels: Weights
    random: int
    def __init__(self, moves: HashedWeights, labels: Weights) -> None: ...
    def pack(self, threshold: float = 0.0) -> PackedStages: ...
    def to_arrays(self) -> dict[str, NDArray[Any]]: ...
    @staticmethod
    def from_arrays(arrays: Mapping[str, NDArray[Any]], moves: int, actions: int, cut: int) -> StageWeights: ...
