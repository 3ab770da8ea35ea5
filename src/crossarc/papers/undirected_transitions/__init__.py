"""Undirected transitions (undirected-transition-parsing): LIBSVM, with which the parsers of the paper were learned.

The systems, the reconstructions and the presets are general: `crossarc.transitions` and `crossarc.parsers.moves`.
"""

from crossarc.papers.undirected_transitions.libsvm import libsvm
from crossarc.parsers.moves.learners import Learner

LEARNERS = {
    "libsvm": Learner(at_once=libsvm, cost=10.0, split_words=500, scorer="crossarc.learning.scorers:SupportVectors")
}
