"""Inference over score matrices: trees and graphs from the scores of arcs of any model."""

from crossarc.decode.best_graph import best_graph
from crossarc.decode.chu_liu_edmonds import mst
from crossarc.decode.eisner import eisner
from crossarc.decode.enhancement import enhance
from crossarc.decode.graph_trees import tree_in_graph, trees_in_graphs
from crossarc.decode.kbest import kbest
from crossarc.decode.labels import best_labels, labels_of
from crossarc.decode.matrix_tree import log_partition, marginals
from crossarc.decode.orientation import orient
from crossarc.decode.projective import projective_log_partition, projective_marginals
from crossarc.decode.projective_kbest import projective_kbest
from crossarc.decode.second_order import carreras, reattach
from crossarc.decode.sparse import mst_sparse
from crossarc.decode.undirected import spanning_tree, undirected

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
