from typing import TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

COSTS: tuple[str, ...]
Ids = NDArray[np.int32]

class RootOptions(TypedDict, total=False):
    single_root: bool
    root_label: int
    loose_label: int | None

def naive(
    n: int, left: ArrayLike, right: ArrayLike, labels: ArrayLike, **roots: Unpack[RootOptions]
) -> tuple[Ids, Ids]: ...
def label_based(
    n: int,
    left: ArrayLike,
    right: ArrayLike,
    labels: ArrayLike,
    *,
    costs: str = "second",
    **roots: Unpack[RootOptions],
) -> tuple[Ids, Ids]: ...
def score_based(
    n: int,
    left: ArrayLike,
    right: ArrayLike,
    leftward: ArrayLike,
    rightward: ArrayLike,
    leftward_costs: ArrayLike,
    rightward_costs: ArrayLike,
    *,
    root_costs: ArrayLike | None = None,
    **roots: Unpack[RootOptions],
) -> tuple[Ids, Ids]: ...
def links_of(heads: ArrayLike, labels: ArrayLike, *, annotated: bool = False) -> tuple[Ids, Ids, Ids]: ...
