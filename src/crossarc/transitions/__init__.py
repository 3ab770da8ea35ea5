"""Transition systems: configurations, moves and oracles, one file a system."""

from crossarc.transitions.derivation import derive
from crossarc.transitions.registry import SYSTEMS, get_system

__all__ = ["SYSTEMS", "derive", "get_system"]
