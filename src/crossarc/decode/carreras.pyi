import numpy as np
from numpy.typing import NDArray

from crossarc.decode.part_scores import PartScores

class Carreras:
    single_root: bool
    score: float
    def __init__(self, single_root: bool = True) -> None: ...
    def tree(self, parts: PartScores) -> tuple[NDArray[np.int32], NDArray[np.int32]] | None: ...
