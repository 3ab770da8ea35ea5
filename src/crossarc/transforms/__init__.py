"""Reversible rewrites around a parser: what it cannot build is written into the labels before, and undone after."""

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
