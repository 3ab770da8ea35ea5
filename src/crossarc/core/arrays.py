"""Arrays of integers from outside, as the kernels take them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

RANGE = np.iinfo(np.int32)


def as_int32(values: ArrayLike, name: str, error: type[Exception]) -> NDArray[np.int32]:
    """A contiguous int32 array of the same numbers; an `error` names the first one that is not an int32.

    NumPy wraps 2^32 + 2 to 2 and cuts 1.5 to 1, and a kernel would take either for a node.

    >>> as_int32([3, 2**32 + 2], "heads", ValueError)
    Traceback (most recent call last):
    ValueError: heads[1] is 4294967298, which is not the number of a word or label
    """
    array = np.asarray(values)
    if array.dtype == np.int32 or not array.size:
        return np.ascontiguousarray(array, dtype=np.int32)
    if array.dtype.kind not in "iu":
        raise error(f"{name} must be integers, not {array.dtype}")
    wide = (array < RANGE.min) | (array > RANGE.max)
    if wide.any():
        place = np.unravel_index(int(np.argmax(wide)), array.shape)
        cell = f"{name}[{', '.join(str(int(at)) for at in place)}]"
        raise error(f"{cell} is {array[place]}, which is not the number of a word or label")
    return np.ascontiguousarray(array, dtype=np.int32)
