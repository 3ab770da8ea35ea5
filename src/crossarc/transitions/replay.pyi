import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossarc.transitions.system import TransitionSystem

def replay(
    system: TransitionSystem, heads: ArrayLike, starts: ArrayLike
) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...
