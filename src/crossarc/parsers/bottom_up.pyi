import numpy as np
from numpy.typing import NDArray

from crossarc.decode.decoder import Decoder
from crossarc.features.edges import EdgeModel
from crossarc.parsers.arcs import ArcParser

class BottomUp(ArcParser):
    def __init__(
        self,
        model: EdgeModel,
        decoder: Decoder,
        columns: int,
        labels: NDArray[np.uint8],
        tag_column: int,
        round_of_tag: NDArray[np.int32],
        absorb: bool = True,
        *,
        lengths: NDArray[np.int32] | None = None,
    ) -> None: ...
    def late_features_of(
        self, tokens: NDArray[np.int32], h: int, d: int, heads: NDArray[np.int32]
    ) -> NDArray[np.uint64]: ...
