import numpy as np
from numpy.typing import ArrayLike, NDArray

COSTS: tuple[str, ...]

def naive(
    n: int,
    left: ArrayLike,
    right: ArrayLike,
    labels: ArrayLike,
    *,
    single_root: bool = False,
    root_label: int = 0,
    loose_label: int | None = None,
) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...
def label_based(
    n: int,
    left: ArrayLike,
    right: ArrayLike,
    labels: ArrayLike,
    *,
    costs: str = "second",
    single_root: bool = False,
    root_label: int = 0,
    loose_label: int | None = None,
) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...
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
    single_root: bool = False,
    root_label: int = 0,
    loose_label: int | None = None,
) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...
def links_of(
    heads: ArrayLike, labels: ArrayLike, *, annotated: bool = False
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]: ...
