from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossarc.decode._options import Options

def projective_kbest(
    scores: ArrayLike, k: int, lengths: ArrayLike | None = None, **options: Unpack[Options]
) -> tuple[NDArray[np.int32], NDArray[np.float64]]: ...
