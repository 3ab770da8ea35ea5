"""Inference over score matrices: trees and graphs from the scores of arcs of any model."""

from crossarc.decode.arc_sets import best_graph, enhance
from crossarc.decode.graph_trees import tree_in_graph, trees_in_graphs
from crossarc.decode.labels import best_labels, labels_of
from crossarc.decode.projective import eisner, projective_kbest, projective_log_partition, projective_marginals
from crossarc.decode.second_order import carreras, reattach
from crossarc.decode.spanning import kbest, log_partition, marginals, mst, mst_sparse
from crossarc.decode.undirected import orient, spanning_tree, undirected

__all__ = [
    "best_graph",
    "best_labels",
    "carreras",
    "eisner",
    "enhance",
    "kbest",
    "labels_of",
    "log_partition",
    "marginals",
    "mst",
    "mst_sparse",
    "orient",
    "projective_kbest",
    "projective_log_partition",
    "projective_marginals",
    "reattach",
    "spanning_tree",
    "tree_in_graph",
    "trees_in_graphs",
    "undirected",
]
