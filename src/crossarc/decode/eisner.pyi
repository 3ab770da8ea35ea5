import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossarc.decode.decoder import Decoder

class Eisner(Decoder): ...

def eisner(
    scores: ArrayLike,
    lengths: ArrayLike | None = None,
    *,
    single_root: bool = True,
    required: ArrayLike | None = None,
    forbidden: ArrayLike | None = None,
    threads: int = 1,
) -> NDArray[np.int32]: ...
