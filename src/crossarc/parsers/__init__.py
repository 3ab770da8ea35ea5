"""Parsers, made of systems, decoders, features and weights, and the file that holds a trained one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crossarc.core.lazy import lazily

if TYPE_CHECKING:
    from crossarc.parsers.analysis import Analysis, ScoredTree
    from crossarc.parsers.constraints import Constraints, marked_constraints
    from crossarc.parsers.extensions import register
    from crossarc.parsers.parser import Parser, load
    from crossarc.parsers.presets import PRESETS, Preset
    from crossarc.parsers.scorers import ArcScorer
    from crossarc.parsers.settings import Settings

__all__ = [
    "PRESETS",
    "Analysis",
    "ArcScorer",
    "Constraints",
    "Parser",
    "Preset",
    "ScoredTree",
    "Settings",
    "load",
    "marked_constraints",
    "register",
]

__getattr__, __dir__ = lazily(
    __name__,
    analysis="Analysis ScoredTree",
    constraints="Constraints marked_constraints",
    extensions="register",
    parser="Parser load",
    presets="PRESETS Preset",
    scorers="ArcScorer",
    settings="Settings",
)
