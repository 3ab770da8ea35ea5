from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossarc.decode._options import Options

def marginals(
    scores: ArrayLike, lengths: ArrayLike | None = None, **options: Unpack[Options]
) -> NDArray[np.float64]: ...
def log_partition(
    scores: ArrayLike, lengths: ArrayLike | None = None, **options: Unpack[Options]
) -> float | NDArray[np.float64]: ...
