"""What it costs to store weights as a model file does: small ones left out, the others in 16 bits."""

from __future__ import annotations

from dataclasses import dataclass

from crossarc.learning.packed import PackedWeights
from crossarc.learning.weights import Weights


@dataclass(frozen=True)
class Storage:
    """What it cost to leave out small weights and to round the others: LAS on the development set, and bytes."""

    exact_las: float
    las: float
    exact_bytes: int
    bytes: int
    epoch: int = 0  # whose weights it was measured with, if not with those of the model

    def __str__(self) -> str:
        after = f", after epoch {self.epoch}" if self.epoch else ""
        sizes = f"{self.bytes / 1e6:.1f} MB of weights instead of {self.exact_bytes / 1e6:.1f}"
        return f"pruned and stored in 16 bits{after}: dev LAS {self.exact_las:.2f} -> {self.las:.2f}, {sizes}"


def exact_bytes(weights: Weights) -> int:
    """What weights would take in a file without pruning and rounding: a cell would be of 32 bits and its action."""
    arrays = weights.pack(averaged=False).to_arrays()
    return sum(array.nbytes * (2 if name == "cells" else 1) for name, array in arrays.items())


def stored_bytes(weights: PackedWeights) -> int:
    """What weights take in a file."""
    return sum(array.nbytes for array in weights.to_arrays().values())
