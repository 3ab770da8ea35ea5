from typing import Literal, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossarc.decode._options import Options

Numbers = NDArray[np.int32]

@overload
def carreras(
    arcs: ArrayLike,
    siblings: ArrayLike,
    grandchildren: ArrayLike,
    lengths: ArrayLike | None = None,
    *,
    labelled: Literal[False] = False,
    **options: Unpack[Options],
) -> Numbers: ...
@overload
def carreras(
    arcs: ArrayLike,
    siblings: ArrayLike,
    grandchildren: ArrayLike,
    lengths: ArrayLike | None = None,
    *,
    labelled: Literal[True],
    **options: Unpack[Options],
) -> tuple[Numbers, Numbers]: ...
@overload
def reattach(
    arcs: ArrayLike,
    siblings: ArrayLike,
    grandchildren: ArrayLike,
    heads: ArrayLike,
    labels: None = None,
    lengths: ArrayLike | None = None,
    *,
    threshold: float = 0.0,
    **options: Unpack[Options],
) -> Numbers: ...
@overload
def reattach(
    arcs: ArrayLike,
    siblings: ArrayLike,
    grandchildren: ArrayLike,
    heads: ArrayLike,
    labels: ArrayLike,
    lengths: ArrayLike | None = None,
    *,
    threshold: float = 0.0,
    **options: Unpack[Options],
) -> tuple[Numbers, Numbers]: ...
