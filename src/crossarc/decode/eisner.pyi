from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossarc.decode._options import Options
from crossarc.decode.decoder import Decoder

class Eisner(Decoder): ...

def eisner(scores: ArrayLike, lengths: ArrayLike | None = None, **options: Unpack[Options]) -> NDArray[np.int32]: ...
