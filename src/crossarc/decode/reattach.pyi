import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossarc.decode.part_scores import PartScores

class Reattacher:
    single_root: bool
    def __init__(self, single_root: bool = True) -> None: ...
    def improved(
        self, parts: PartScores, heads: ArrayLike, choices: ArrayLike, threshold: float = 0.0
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...
    def total(self, parts: PartScores, heads: ArrayLike, choices: ArrayLike) -> float: ...
