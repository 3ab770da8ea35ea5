"""Reversible rewrites around a parser: structures that it cannot build are written into labels and restored later."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crossarc.core.lazy import lazily

if TYPE_CHECKING:
    from crossarc.transforms.empty_nodes import EmptyNodes
    from crossarc.transforms.graph_lifting import GraphLifting
    from crossarc.transforms.graphs import GraphTransform
    from crossarc.transforms.label_lemmas import LabelLemmas
    from crossarc.transforms.null_arcs import NullArcs
    from crossarc.transforms.pseudo_projective import ENCODINGS, PseudoProjective
    from crossarc.transforms.reversal import ArcReversal
    from crossarc.transforms.tree_only import TreeOnly

__all__ = [
    "ENCODINGS",
    "ArcReversal",
    "EmptyNodes",
    "GraphLifting",
    "GraphTransform",
    "LabelLemmas",
    "NullArcs",
    "PseudoProjective",
    "TreeOnly",
]

__getattr__, __dir__ = lazily(
    __name__,
    empty_nodes="EmptyNodes",
    graph_lifting="GraphLifting",
    graphs="GraphTransform",
    label_lemmas="LabelLemmas",
    null_arcs="NullArcs",
    pseudo_projective="ENCODINGS PseudoProjective",
    reversal="ArcReversal",
    tree_only="TreeOnly",
)
