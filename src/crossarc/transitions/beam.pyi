from numpy.typing import ArrayLike

from crossarc.features.templates import FeatureModel
from crossarc.transitions.search import Greedy
from crossarc.transitions.system import TransitionSystem

class Beam(Greedy):
    width: int
    def __init__(
        self,
        system: TransitionSystem,
        model: FeatureModel,
        moves: ArrayLike,
        labels: ArrayLike,
        attributes: int,
        width: int,
    ) -> None: ...
