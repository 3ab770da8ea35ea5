"""The transition systems by name. A new one is one file and one line here."""

from __future__ import annotations

from typing import Literal

from crossarc.errors import UnknownName
from crossarc.transitions.link_systems import (
    Covington,
    CovingtonUndirected,
    DagCovington,
    DagEager,
    Planar,
    PlanarUndirected,
    TwoPlanar,
    TwoPlanarUndirected,
)
from crossarc.transitions.stack_systems import ArcEager, ArcHybrid, ArcStandard, DagStandard, Swap
from crossarc.transitions.system import TransitionSystem

SYSTEMS: dict[str, type[TransitionSystem]] = {
    "arc-standard": ArcStandard,
    "arc-eager": ArcEager,
    "arc-hybrid": ArcHybrid,
    "swap": Swap,
    "planar": Planar,
    "two-planar": TwoPlanar,
    "covington": Covington,
    "planar-undirected": PlanarUndirected,
    "two-planar-undirected": TwoPlanarUndirected,
    "covington-undirected": CovingtonUndirected,
}
# Systems that build graphs, in which words may have several heads.
GRAPH_SYSTEMS: dict[str, type[TransitionSystem]] = {
    "dag-standard": DagStandard,
    "dag-eager": DagEager,
    "dag-covington": DagCovington,
}


def get_system(
    name: str, *, single_root: bool = True, root_links: Literal["all", "uncrossed", "none"] = "uncrossed"
) -> TransitionSystem:
    """Return the system of a name; an unknown name lists the valid ones. Only undirected systems use `root_links`."""
    if name not in SYSTEMS:
        raise UnknownName("transition system", name, SYSTEMS)
    return SYSTEMS[name](single_root=single_root, root_links=root_links)


def get_graph_system(
    name: str, *, single_root: bool = False, most_heads: int, most_parallel: int = 1, allows_cycles: bool = False
) -> TransitionSystem:
    """Return the system of a name that builds graphs with so many heads of a word and arcs between two at most."""
    if name not in GRAPH_SYSTEMS:
        raise UnknownName("transition system", name, GRAPH_SYSTEMS)
    return GRAPH_SYSTEMS[name](
        single_root=single_root, most_heads=most_heads, most_parallel=most_parallel, allows_cycles=allows_cycles
    )
