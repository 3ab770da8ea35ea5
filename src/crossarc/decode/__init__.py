"""Inference over score matrices: trees from the scores of arcs, whoever computed them."""

from crossarc.decode.chu_liu_edmonds import mst
from crossarc.decode.eisner import eisner
from crossarc.decode.orientation import orient
from crossarc.decode.undirected import spanning_tree, undirected

__all__ = ["eisner", "mst", "orient", "spanning_tree", "undirected"]
