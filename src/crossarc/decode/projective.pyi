from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossarc.decode._options import Floats, Options
from crossarc.decode.decoder import Decoder

class Eisner(Decoder): ...

def eisner(scores: ArrayLike, lengths: ArrayLike | None = None, **options: Unpack[Options]) -> NDArray[np.int32]: ...
def projective_marginals(scores: ArrayLike, lengths: ArrayLike | None = None, **options: Unpack[Options]) -> Floats: ...
def projective_log_partition(
    scores: ArrayLike, lengths: ArrayLike | None = None, **options: Unpack[Options]
) -> float | Floats: ...
def projective_kbest(
    scores: ArrayLike, k: int, lengths: ArrayLike | None = None, **options: Unpack[Options]
) -> tuple[NDArray[np.int32], NDArray[np.float64]]: ...
