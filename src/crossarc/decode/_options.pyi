# What decoders take besides scores. Only type checkers read this file.
from typing import TypedDict

from numpy.typing import ArrayLike

class Constraints(TypedDict, total=False):
    required: ArrayLike | None
    forbidden: ArrayLike | None
    threads: int

class Options(Constraints, total=False):
    single_root: bool
