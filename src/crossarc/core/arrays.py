"""Arrays of integers from outside, as the kernels take them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

RANGE = np.iinfo(np.int32)


def copied(values: ArrayLike, name: str, error: type[Exception]) -> NDArray[Any]:
    """A contiguous copy of an array, or nested lists as one.

    Another thread may write to an array while it is in use: what is checked must be what is used.
    """
    if type(values) is np.ndarray:
        return values.copy()
    try:
        return np.array(values, order="C")
    except ValueError:
        raise error(f"{name} must be an array, or rows of one length") from None


def as_int32(values: ArrayLike, name: str, error: type[Exception]) -> NDArray[np.int32]:
    """A contiguous int32 copy of the same numbers; an `error` names the first one that is not an int32.

    NumPy wraps 2^32 + 2 to 2 and cuts 1.5 to 1, and a kernel would take either for a node.

    >>> as_int32([3, 2**32 + 2], "heads", ValueError)
    Traceback (most recent call last):
    ValueError: heads[1] is 4294967298, which is not the number of a word or label
    """
    array = copied(values, name, error)
    if array.dtype == np.int32 or not array.size:
        return array.astype(np.int32, copy=False)
    if array.dtype.kind not in "iu":
        raise error(f"{name} must be integers, not {array.dtype}")
    wide = (array < RANGE.min) | (array > RANGE.max)
    if wide.any():
        place = np.unravel_index(int(np.argmax(wide)), array.shape)
        cell = f"{name}[{', '.join(str(int(at)) for at in place)}]"
        raise error(f"{cell} is {array[place]}, which is not the number of a word or label")
    return array.astype(np.int32)
