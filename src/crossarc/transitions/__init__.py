"""Transition systems: configurations, moves and oracles, one file a system."""

from crossarc.transitions.coverage import Coverage, coverage
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
