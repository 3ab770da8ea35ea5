import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossarc.transitions.system import TransitionSystem
from crossarc.transitions.targets import GraphTargets

def replay(
    system: TransitionSystem, heads: ArrayLike, starts: ArrayLike
) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...
def replay_graphs(
    system: TransitionSystem, targets: GraphTargets
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]: ...
