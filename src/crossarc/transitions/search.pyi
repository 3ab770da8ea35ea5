import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossarc.features.templates import FeatureModel
from crossarc.learning.learners import UpdateRule
from crossarc.learning.scorers import Scorer, Weights
from crossarc.transitions.system import TransitionSystem
from crossarc.transitions.targets import Targets

Ints = NDArray[np.int32]

def collect_actions(system: TransitionSystem, targets: Targets, label_count: int) -> NDArray[np.int64]: ...

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
    def train(
        self,
        weights: Weights,
        rule: UpdateRule,
        tokens: Ints,
        targets: Targets,
        order: NDArray[np.int64],
        explore: float = 0.0,
    ) -> tuple[int, int]: ...
    def parse(
        self,
        weights: Scorer,
        tokens: Ints,
        starts: NDArray[np.int64],
        heads: Ints,
        labels: Ints,
        root_label: int,
        annotated: bool = False,
        keep_root_links: bool = False,
        scored: bool = False,
    ) -> None: ...
    def parse_graphs(
        self, weights: Scorer, tokens: Ints, starts: NDArray[np.int64], root_label: int
    ) -> tuple[Ints, Ints, Ints, NDArray[np.int64]]: ...
    def keys_after(self, tokens: Ints, actions: Ints) -> NDArray[np.uint64]: ...
    def instances(
        self, tokens: Ints, targets: Targets, group_of: Ints | None = None
    ) -> tuple[NDArray[np.uint64], Ints, Ints]: ...
