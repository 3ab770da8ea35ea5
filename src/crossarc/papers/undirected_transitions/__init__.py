"""Undirected transitions (undirected-transition-parsing): parsers that find links by moves, and directions afterwards.

The systems and the algorithms of reconstruction are in `crossarc.transitions`. LIBSVM, with which the parsers of the
paper were learned, is here.
"""

from crossarc.papers.undirected_transitions.libsvm import libsvm
from crossarc.parsers.families import Family
from crossarc.parsers.moves.learners import Learner
from crossarc.parsers.presets import read_presets

FAMILIES = {
    "undirected-moves": Family(
        "moves",
        "tree",
        "crossarc.papers.undirected_transitions.settings:UndirectedMoveSettings",
        "undirected transition parsers",
    )
}
PRESETS = read_presets(__name__)
LEARNERS = {
    "libsvm": Learner(at_once=libsvm, cost=10.0, split_words=500, scorer="crossarc.learning.scorers:SupportVectors")
}
