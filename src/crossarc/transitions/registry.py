"""The transition systems by name. A new one is one file and one line here."""

from __future__ import annotations

from crossarc.errors import UnknownName
from crossarc.transitions.arc_eager import ArcEager
from crossarc.transitions.arc_hybrid import ArcHybrid
from crossarc.transitions.arc_standard import ArcStandard
from crossarc.transitions.swap import Swap
from crossarc.transitions.system import TransitionSystem

SYSTEMS: dict[str, type[TransitionSystem]] = {
    "arc-standard": ArcStandard,
    "arc-eager": ArcEager,
    "arc-hybrid": ArcHybrid,
    "swap": Swap,
}


def get_system(name: str, *, single_root: bool = True) -> TransitionSystem:
    """The system of that name; an unknown one lists the valid ones."""
    if name not in SYSTEMS:
        raise UnknownName("transition system", name, SYSTEMS)
    return SYSTEMS[name](single_root=single_root)
