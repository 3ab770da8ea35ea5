"""The properties of a tree or graph: projective, planar, 2-planar; its gaps, crossings and cycles.

Trees are given as `heads`: n + 1 integers, node 0 the dummy root with heads[0] == -1, the words 1..n with heads in
0..n; several words may hang from node 0. Heads that are not a tree raise `StructureError`. Graphs are given as `Graph`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crossarc.core.lazy import lazily

if TYPE_CHECKING:
    from crossarc.structure.classes import Classes
    from crossarc.structure.graphs import (
        cycles,
        graph_crossing_pairs,
        is_acyclic,
        is_connected,
        is_projective_graph,
        multi_headed,
    )
    from crossarc.structure.summary import Graphs, Summary, summarise
    from crossarc.structure.trees import (
        classify,
        crossing_pairs,
        depths,
        describe_fault,
        edge_degree,
        find_cycles,
        gap_degree,
        gap_degrees,
        is_planar,
        is_projective,
        is_two_planar,
        is_well_nested,
        non_projective_edges,
        non_projective_mask,
        plane_count,
        planes,
    )

__all__ = [
    "Classes",
    "Graphs",
    "Summary",
    "classify",
    "crossing_pairs",
    "cycles",
    "depths",
    "describe_fault",
    "edge_degree",
    "find_cycles",
    "gap_degree",
    "gap_degrees",
    "graph_crossing_pairs",
    "is_acyclic",
    "is_connected",
    "is_planar",
    "is_projective",
    "is_projective_graph",
    "is_two_planar",
    "is_well_nested",
    "multi_headed",
    "non_projective_edges",
    "non_projective_mask",
    "plane_count",
    "planes",
    "summarise",
]

__getattr__, __dir__ = lazily(
    __name__,
    classes="Classes",
    graphs="cycles graph_crossing_pairs is_acyclic is_connected is_projective_graph multi_headed",
    summary="Graphs Summary summarise",
    trees=(
        "classify crossing_pairs depths describe_fault edge_degree find_cycles gap_degree gap_degrees is_planar "
        "is_projective is_two_planar is_well_nested non_projective_edges non_projective_mask plane_count planes"
    ),
)
