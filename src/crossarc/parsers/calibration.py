"""From scores to probabilities."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Scales:
    """What the scores of a model are multiplied by before they become probabilities."""

    trees: float = 1.0
    labels: float = 1.0
