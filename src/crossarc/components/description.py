"""What the manifest of a model file holds: each key with its type and range, and the bounds of all numbers in arrays.

Each class of components names its description, and adds to that of its base what it keeps itself. So a file is checked
in one place, before anything is made of it.
"""

from __future__ import annotations

import reprlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from crossarc.errors import CrossarcError, ModelError

Clean = Annotated[str, StringConstraints(pattern=r"^[^\t\n\r]*$")]  # what a column can hold
Count = Annotated[int, Field(ge=0, lt=1 << 31)]
Number = Annotated[int, Field(ge=1, lt=1 << 31)]
Share = Annotated[float, Field(ge=0, le=1)]
Percent = Annotated[float, Field(ge=0, le=100.001)]  # sums of shares are not exact
Factor = Annotated[float, Field(ge=1e-6, le=1e6)]
Held = dict[str, Any]  # the manifest of a component inside another, which has a description of its own

GREATEST = 1e30  # of the numbers in arrays: sums of them, and of their products with scores, are finite
LONGEST = 500  # characters of the reason in a message
# Errors of code that reads a damaged file.
UNUSABLE = (
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    ArithmeticError,
    RecursionError,
    MemoryError,
    CrossarcError,
)


class Described(BaseModel):
    """Base of descriptions: all types are exact, and unknown keys are refused."""

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False, defer_build=True)


class Description(Described):
    """The manifest of a component."""

    kind: str
    format_version: Count | None = None  # of the file, in the manifest of the whole


def check_manifest(manifest: Mapping[str, Any], description: type[Described]) -> None:
    """Refuse a manifest that is not as described, with `ValueError`."""
    try:
        description.model_validate(manifest)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        key = ".".join(map(str, first["loc"]))
        if first["type"] == "missing":
            raise ValueError(f"its manifest has no {key}") from None
        if first["type"] == "extra_forbidden":
            raise ValueError(f"its manifest has {key}, which {description.__name__} does not describe") from None
        raise ValueError(f"{key} is {reprlib.repr(first['input'])}: {first['msg']}") from None


def check_numbers(arrays: Mapping[str, NDArray[Any]]) -> None:
    """Refuse arrays of numbers that are not finite, or so great that sums of them are not, with `ValueError`."""
    for name, array in arrays.items():
        if array.dtype.kind == "f" and array.size and not is_bounded(array):
            raise ValueError(f"{name} has numbers that are not finite, or above {GREATEST:g}")


def is_bounded(array: NDArray[Any]) -> bool:
    """Whether all numbers are finite and at most `GREATEST`, by their bits, which is fast for all kinds of numbers."""
    bits = array.reshape(-1).view(f"u{array.itemsize}")
    limit = np.array([1, -1], dtype=array.dtype) * array.dtype.type(min(GREATEST, float(np.finfo(array.dtype).max)))
    positive, negative = limit.view(bits.dtype)  # numbers with a sign are above all others as bits, or below them
    return bool(bits.view(f"i{array.itemsize}").max() <= positive and bits.max() <= negative)


@contextmanager
def reading(fault: str, remedy: str = "") -> Iterator[None]:
    """Make a `ModelError` of one line of what is raised because a file is damaged: the fault, why, and the remedy."""
    try:
        yield
    except ModelError:
        raise
    except UNUSABLE as error:
        reason = f"it has no {error}" if type(error) is KeyError else str(error) or type(error).__name__
        raise ModelError(f"{fault} ({one_line(reason)}){remedy}") from None


def one_line(text: str) -> str:
    """Return what a file says as a part of a message: not too long, with escapes for what cannot be printed."""
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text[:LONGEST])
