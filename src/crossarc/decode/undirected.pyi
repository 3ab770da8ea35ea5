from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossarc.decode.decoder import Decoder

def orient(edges: ArrayLike, lengths: ArrayLike | None = None, *, threads: int = 1) -> NDArray[np.int32]: ...

METHODS: dict[str, type]

class Spanner:
    comparisons: int

class Undirected(Decoder):
    method: str
    seed: int
    def __new__(cls, single_root: bool = True, method: str = "prim", seed: int = 0) -> Self: ...

def make_spanner(method: str, seed: int) -> Spanner: ...
def span(spanner: Spanner, n: int, ends: NDArray[np.int32], weights: NDArray[np.float64]) -> NDArray[np.int32]: ...
def undirected(
    scores: ArrayLike,
    lengths: ArrayLike | None = None,
    *,
    method: str = "prim",
    seed: int = 0,
    single_root: bool = True,
    required: ArrayLike | None = None,
    forbidden: ArrayLike | None = None,
    threads: int = 1,
) -> NDArray[np.int32]: ...
def spanning_tree(
    n: int | ArrayLike,
    edges: ArrayLike,
    weights: ArrayLike,
    offsets: ArrayLike | None = None,
    *,
    maximum: bool = True,
    method: str = "kruskal",
    seed: int = 0,
    required: ArrayLike | None = None,
    forbidden: ArrayLike | None = None,
    threads: int = 1,
) -> NDArray[np.integer]: ...
