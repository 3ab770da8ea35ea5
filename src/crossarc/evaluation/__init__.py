"""Evaluation: attachment, graphs, whole pipelines, significance, comparison of systems, breakdown of errors.

>>> from crossarc.evaluation import evaluate
>>> evaluate("gold.conllu", "parsed.conllu").las  # doctest: +SKIP
85.6
"""

from __future__ import annotations

from crossarc.evaluation.arc_kinds import KINDS
from crossarc.evaluation.attachment import (
    METRICS,
    Attachment,
    Setting,
    TreeScores,
    evaluate,
    score_pair,
    sentence_counts,
)
from crossarc.evaluation.breakdown import PROPERTIES, Breakdown, Confusion, Row, break_down, confusions
from crossarc.evaluation.comparison import Comparison, Difference, DifferingSentence, compare
from crossarc.evaluation.enhanced import EnhancedScores, evaluate_enhanced
from crossarc.evaluation.graphs import ArcScores, GraphScores, evaluate_graphs
from crossarc.evaluation.scores import ClassScore, Score
from crossarc.evaluation.significance import (
    Bootstrap,
    Intervals,
    TTest,
    paired_bootstrap,
    paired_t_test,
    randomised_p,
    score_intervals,
)
from crossarc.evaluation.tokenization import Tokenization, evaluate_tokenization
from crossarc.evaluation.trees import TreePair, Trees, pair_trees

__all__ = [
    "KINDS",
    "METRICS",
    "PROPERTIES",
    "ArcScores",
    "Attachment",
    "Bootstrap",
    "Breakdown",
    "ClassScore",
    "Comparison",
    "Confusion",
    "Difference",
    "DifferingSentence",
    "EnhancedScores",
    "GraphScores",
    "Intervals",
    "Row",
    "Score",
    "Setting",
    "TTest",
    "Tokenization",
    "TreePair",
    "TreeScores",
    "Trees",
    "break_down",
    "compare",
    "confusions",
    "evaluate",
    "evaluate_enhanced",
    "evaluate_graphs",
    "evaluate_tokenization",
    "pair_trees",
    "paired_bootstrap",
    "paired_t_test",
    "randomised_p",
    "score_intervals",
    "score_pair",
    "sentence_counts",
]
