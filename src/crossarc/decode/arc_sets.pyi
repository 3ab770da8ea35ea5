from typing import Literal, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossarc.decode._options import Constraints, Options

def best_graph(
    scores: ArrayLike,
    lengths: ArrayLike | None = None,
    *,
    labelled: bool = False,
    cycles: Literal["forbid", "allow"] = "forbid",
    most_heads: int | None = None,
    most_parallel: int | None = 1,
    **options: Unpack[Options],
) -> NDArray[np.bool_]: ...
def enhance(
    heads: ArrayLike,
    scores: ArrayLike,
    lengths: ArrayLike | None = None,
    *,
    rounds: int | None = 5,
    **constraints: Unpack[Constraints],
) -> NDArray[np.int32]: ...
