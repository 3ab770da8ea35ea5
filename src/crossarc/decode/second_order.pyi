from typing import Literal, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossarc.decode._options import Options

Places = NDArray[np.int64]

class PartScores:
    def arrange(self, n: int, dependents: ArrayLike, heads: ArrayLike, labels: ArrayLike = 1) -> None: ...
    def layout(self) -> tuple[Places, Places, Places, int]: ...
    def assign(self, values: ArrayLike) -> None: ...

class Carreras:
    single_root: bool
    score: float
    def __init__(self, single_root: bool = True) -> None: ...
    def tree(self, parts: PartScores) -> tuple[NDArray[np.int32], NDArray[np.int32]] | None: ...

class Reattacher:
    single_root: bool
    def __init__(self, single_root: bool = True) -> None: ...
    def improved(
        self, parts: PartScores, heads: ArrayLike, choices: ArrayLike, threshold: float = 0.0
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...
    def total(self, parts: PartScores, heads: ArrayLike, choices: ArrayLike) -> float: ...

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
