from typing import Literal, Self, final, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

_Places = NDArray[np.int64]

@final
class PartScores:
    def arrange(self, n: int, dependents: ArrayLike, heads: ArrayLike, labels: ArrayLike = 1) -> None: ...
    def layout(self) -> tuple[_Places, _Places, _Places, int]: ...
    def assign(self, values: ArrayLike) -> None: ...

class Carreras:
    single_root: bool
    score: float
    def __new__(cls, single_root: bool = True) -> Self: ...
    def tree(self, parts: PartScores) -> tuple[NDArray[np.int32], NDArray[np.int32]] | None: ...

class Reattacher:
    single_root: bool
    def __new__(cls, single_root: bool = True) -> Self: ...
    def improved(
        self, parts: PartScores, heads: ArrayLike, choices: ArrayLike, threshold: float = 0.0
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...
    def total(self, parts: PartScores, heads: ArrayLike, choices: ArrayLike) -> float: ...

_Numbers = NDArray[np.int32]

@overload
def carreras(
    arcs: ArrayLike,
    siblings: ArrayLike,
    grandchildren: ArrayLike,
    lengths: ArrayLike | None = None,
    *,
    labelled: Literal[False] = False,
    single_root: bool = True,
    required: ArrayLike | None = None,
    forbidden: ArrayLike | None = None,
    threads: int = 1,
) -> _Numbers: ...
@overload
def carreras(
    arcs: ArrayLike,
    siblings: ArrayLike,
    grandchildren: ArrayLike,
    lengths: ArrayLike | None = None,
    *,
    labelled: Literal[True],
    single_root: bool = True,
    required: ArrayLike | None = None,
    forbidden: ArrayLike | None = None,
    threads: int = 1,
) -> tuple[_Numbers, _Numbers]: ...
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
    single_root: bool = True,
    required: ArrayLike | None = None,
    forbidden: ArrayLike | None = None,
    threads: int = 1,
) -> _Numbers: ...
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
    single_root: bool = True,
    required: ArrayLike | None = None,
    forbidden: ArrayLike | None = None,
    threads: int = 1,
) -> tuple[_Numbers, _Numbers]: ...
