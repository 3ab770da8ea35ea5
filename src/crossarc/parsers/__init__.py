"""What assembles systems, decoders, features and weights into parsers, and the file a trained one is kept in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crossarc.core.lazy import lazily

if TYPE_CHECKING:
    from crossarc.parsers.analysis import Analysis, ScoredTree
    from crossarc.parsers.constraints import Constraints, marked_constraints
    from crossarc.parsers.parser import Parser, load
    from crossarc.parsers.presets import PRESETS
    from crossarc.parsers.scorers import ArcScorer
    from crossarc.parsers.settings import Settings

__all__ = [
    "PRESETS",
    "Analysis",
    "ArcScorer",
    "Constraints",
    "Parser",
    "ScoredTree",
    "Settings",
    "load",
    "marked_constraints",
]

__getattr__, __dir__ = lazily(
    __name__,
    analysis="Analysis ScoredTree",
    constraints="Constraints marked_constraints",
    parser="Parser load",
    presets="PRESETS",
    scorers="ArcScorer",
    settings="Settings",
)
