import numpy as np
from numpy.typing import NDArray

from crossarc.decode.decoder import Decoder, _OfMatrices, _SeveralOfMatrices

class Eisner(Decoder): ...

eisner: _OfMatrices[NDArray[np.int32]]
projective_marginals: _OfMatrices[NDArray[np.float64]]
projective_log_partition: _OfMatrices[float | NDArray[np.float64]]
projective_kbest: _SeveralOfMatrices
