import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossarc.features.templates import FeatureModel
from crossarc.learning.scorers import Scorer
from crossarc.transitions.search import Greedy, Ints
from crossarc.transitions.system import TransitionSystem

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
        tokens: Ints,
        root_label: int,
        annotated: bool,
        keep_root_links: bool,
        scored: bool,
        scale: float,
        by_probability: bool,
        required: Ints | None = None,
        forbidden: NDArray[np.int8] | None = None,
    ) -> tuple[Ints, Ints, NDArray[np.float64], NDArray[np.float64]]: ...
