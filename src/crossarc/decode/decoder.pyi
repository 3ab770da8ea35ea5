from collections.abc import Callable
from typing import Protocol, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

_Result = TypeVar("_Result", covariant=True)

class Decoder:
    single_root: bool
    def __new__(cls, single_root: bool = True) -> Self: ...
    def twin(self) -> Decoder: ...

class Matrices: ...

# The functions of one matrix of scores, or of a batch of them, all take the same arguments.
class _OfMatrices(Protocol[_Result]):
    def __call__(
        self,
        scores: ArrayLike,
        lengths: ArrayLike | None = None,
        *,
        single_root: bool = True,
        required: ArrayLike | None = None,
        forbidden: ArrayLike | None = None,
        threads: int = 1,
    ) -> _Result: ...

class _SeveralOfMatrices(Protocol):
    def __call__(
        self,
        scores: ArrayLike,
        k: int,
        lengths: ArrayLike | None = None,
        *,
        single_root: bool = True,
        required: ArrayLike | None = None,
        forbidden: ArrayLike | None = None,
        threads: int = 1,
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]: ...

def decode(
    decoder: Decoder,
    scores: ArrayLike,
    lengths: ArrayLike | None = None,
    required: ArrayLike | None = None,
    forbidden: ArrayLike | None = None,
    threads: int = 1,
) -> NDArray[np.int32]: ...
def share(threads: int, size: int, new_worker: Callable[[], Callable[[int, int], None]]) -> None: ...
def checked_count(value: object, name: str, least: int = 1) -> int: ...
def checked_sizes(n: object, single: bool, least: int, most: int, what: str) -> NDArray[np.int32]: ...
def checked_offsets(offsets: ArrayLike, graphs: int, m: int) -> NDArray[np.int64]: ...
def checked_numbers(values: ArrayLike, name: str) -> NDArray[np.float64]: ...
