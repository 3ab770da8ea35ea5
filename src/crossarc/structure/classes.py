"""The result of `classify`: the properties of each of many trees."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Classes:
    """One array per property, one entry per sentence; where `valid` is false the others are 0."""

    valid: NDArray[np.bool_]
    words: NDArray[np.int32]
    roots: NDArray[np.int32]
    depth: NDArray[np.int32]
    projective: NDArray[np.bool_]
    planar: NDArray[np.bool_]
    planes: NDArray[np.int32]
    gap_degree: NDArray[np.int32]
    well_nested: NDArray[np.bool_]
    edge_degree: NDArray[np.int32]
    non_projective: NDArray[np.int32]
    crossings: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.valid)
