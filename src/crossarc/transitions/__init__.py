"""Transition systems: configurations, moves and oracles, one file a system."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crossarc.core.lazy import lazily
from crossarc.transitions.coverage import Coverage, coverage  # the function has the name of its module

if TYPE_CHECKING:
    from crossarc.transitions.derivation import derive
    from crossarc.transitions.registry import GRAPH_SYSTEMS, SYSTEMS, get_graph_system, get_system
    from crossarc.transitions.system import Configuration, replay

__all__ = [
    "GRAPH_SYSTEMS",
    "SYSTEMS",
    "Configuration",
    "Coverage",
    "coverage",
    "derive",
    "get_graph_system",
    "get_system",
    "replay",
]

__getattr__, __dir__ = lazily(
    __name__,
    derivation="derive",
    registry="GRAPH_SYSTEMS SYSTEMS get_graph_system get_system",
    system="Configuration replay",
)
