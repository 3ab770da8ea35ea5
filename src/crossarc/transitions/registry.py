"""The transition systems by name. A new one is one file and one line here; those of other packages are entry points."""

from __future__ import annotations

from typing import Literal

from crossarc.core.registry import Registry
from crossarc.errors import CrossarcError
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


def check_system(name: str, system: object) -> None:
    """Refuse anything but a transition system of that name."""
    if not (isinstance(system, type) and issubclass(system, TransitionSystem)):
        raise CrossarcError(f"the transition system {name!r} is {system!r}; it must be a subclass of TransitionSystem")


SYSTEMS: Registry[type[TransitionSystem]] = Registry(
    "transition system",
    "transition_systems",
    {
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
    },
    check_system,
)
# Systems that build graphs, in which words may have several heads.
GRAPH_SYSTEMS: Registry[type[TransitionSystem]] = Registry(
    "transition system of graphs",
    "graph_systems",
    {"dag-standard": DagStandard, "dag-eager": DagEager, "dag-covington": DagCovington},
    check_system,
)


def get_system(
    name: str, *, single_root: bool = True, root_links: Literal["all", "uncrossed", "none"] = "uncrossed"
) -> TransitionSystem:
    """Return the system of a name; an unknown name lists the valid ones. Only undirected systems use `root_links`."""
    return SYSTEMS[name](single_root=single_root, root_links=root_links)


def get_graph_system(
    name: str, *, single_root: bool = False, most_heads: int, most_parallel: int = 1, allows_cycles: bool = False
) -> TransitionSystem:
    """Return the system of a name that builds graphs with so many heads of a word and arcs between two at most."""
    return GRAPH_SYSTEMS[name](
        single_root=single_root, most_heads=most_heads, most_parallel=most_parallel, allows_cycles=allows_cycles
    )
