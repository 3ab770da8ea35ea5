"""Inference over score matrices: trees from the scores of arcs, whoever computed them."""

from crossarc.decode.chu_liu_edmonds import mst
from crossarc.decode.eisner import eisner

__all__ = ["eisner", "mst"]
