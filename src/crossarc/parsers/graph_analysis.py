"""Best trees, arc marginals and label probabilities of graph parsers: exact, from the scores of their arcs."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from crossarc.errors import DecodeError
from crossarc.parsers.analysis import Analysis, Heads, ScoredTree, TreeSpace, head_probabilities, softmax, unjudged
from crossarc.parsers.constraints import Constraints
from crossarc.treebank.corpus import Corpus
from crossarc.treebank.sentence import Sentence

if TYPE_CHECKING:
    from crossarc.parsers.graph import GraphModel


def analyse_by_arcs(
    model: GraphModel, sentences: list[Sentence], k: int, known: list[Constraints], scale: float, label_scale: float
) -> list[Analysis]:
    """The k best trees of each sentence and their probabilities.

    `scale` and `label_scale` are what scores are multiplied by before they become probabilities. Where lengths leave no
    tree that satisfies the constraints, or not the parse, arcs of all lengths count. A very long sentence has its parse
    and no numbers, unless constraints rule that out.
    """
    corpus = Corpus.of(sentences)
    tokens = model.attributes.encode(corpus)
    own, own_labels = model.parse_corpus(corpus)
    whole = replace(model, lengths=None)
    result = []
    for sentence, constraints, (begin, end) in zip(sentences, known, pairwise(corpus.starts.tolist()), strict=True):
        words = tokens[begin:end]
        if len(sentence) > model.long_sentence and constraints.allow(own[begin:end]):
            names = ["", *(model.labels[label] for label in own_labels[begin + 1 : end].tolist())]
            result.append(unjudged(sentence.replace(heads=own[begin:end], deprels=names), constraints))
            continue
        space = TreeSpace(model.arc_scores(words), model.single_root, model.is_projective, scale, constraints, sentence)
        if model.lengths is not None and not has_tree(space, own[begin:end]):
            space = replace(space, scores=whole.arc_scores(words))
            model.tally.add(0, 0, 1)
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


def has_tree(space: TreeSpace, parse: Heads) -> bool:
    """Whether the parse is among the trees, or if constraints rule that out, whether there is any."""
    if space.constraints.allow(parse):
        return bool(np.isfinite(space.score(parse)))
    try:
        space.best(1)
    except DecodeError:
        return False
    return True
