from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossarc.decode._options import Constraints

def enhance(
    heads: ArrayLike,
    scores: ArrayLike,
    lengths: ArrayLike | None = None,
    *,
    rounds: int | None = 5,
    **constraints: Unpack[Constraints],
) -> NDArray[np.int32]: ...
