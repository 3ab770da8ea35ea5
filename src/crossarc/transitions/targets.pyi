import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]

class Targets:
    starts: NDArray[np.int64]
    def __init__(self, heads: Ints, labels: Ints, starts: NDArray[np.int64]) -> None: ...
    def __len__(self) -> int: ...

class GraphTargets(Targets):
    def __init__(
        self, heads: Ints, dependents: Ints, labels: Ints, arcs: NDArray[np.int64], starts: NDArray[np.int64]
    ) -> None: ...
