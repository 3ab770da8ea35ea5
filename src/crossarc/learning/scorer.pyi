from typing import Self

import numpy as np
from numpy.typing import NDArray

class Scorer:
    actions: int
    unit: float
    def for_thread(self) -> Self: ...
    def scores(self, keys: NDArray[np.uint64], group: int = 0) -> NDArray[np.float32]: ...
