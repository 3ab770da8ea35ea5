"""Best trees, arc marginals and label probabilities of graph parsers: exact, from the scores of their arcs."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from crossarc.parsers.analysis import Analysis, ScoredTree, TreeSpace, head_probabilities, softmax
from crossarc.parsers.constraints import Constraints
from crossarc.treebank.corpus import Corpus
from crossarc.treebank.sentence import Sentence

if TYPE_CHECKING:
    from crossarc.parsers.graph import GraphModel


def analyse_by_arcs(
    model: GraphModel, sentences: list[Sentence], k: int, known: list[Constraints], scale: float, label_scale: float
) -> list[Analysis]:
    """The k best trees of each sentence and their probabilities.

    `scale` and `label_scale` are what scores are multiplied by before they become probabilities.
    """
    corpus = Corpus.of(sentences)
    tokens = model.attributes.encode(corpus)
    own, _ = model.parse_corpus(corpus)
    result = []
    for sentence, constraints, (begin, end) in zip(sentences, known, pairwise(corpus.starts.tolist()), strict=True):
        words = tokens[begin:end]
        space = TreeSpace(model.arc_scores(words), model.single_root, model.is_projective, scale, constraints, sentence)
        trees = space.best(k, own[begin:end])
        marginals, partition = space.marginals(), space.log_partition()
        scored = []
        for heads in trees:
            labels = model.label_scores(words, heads)
            names = [model.labels[label] for label in labels.argmax(axis=1).tolist()]
            probabilities = softmax(label_scale * labels).max(axis=1)
            probabilities[0] = 1.0
            for word, label in constraints.labels.items():
                names[word] = label
                probabilities[word] = 1.0
            score = space.score(heads)
            scored.append(
                ScoredTree(
                    sentence.replace(heads=heads, deprels=names),
                    score,
                    float(np.exp(min(0.0, scale * score - partition))),
                    head_probabilities(marginals, heads),
                    probabilities,
                )
            )
        result.append(Analysis(tuple(scored), marginals))
    return result
