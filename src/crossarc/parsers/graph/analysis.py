"""Best trees, arc marginals and label probabilities by the scores of arcs: exact for first-order models."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from crossarc.errors import DecodeError
from crossarc.parsers.analysis import (
    Analysis,
    Heads,
    Request,
    ScoredTree,
    TreeSpace,
    head_probabilities,
    softmax,
    with_labels,
    without_numbers,
)
from crossarc.parsers.constraints import NONE, Constraints
from crossarc.treebank.corpus import Corpus

if TYPE_CHECKING:
    from crossarc.parsers.graph.model import ArcModel

SMOOTHING = 1e-6  # what an arc weighs, beside a whole of 1, that is only looked at because of constraints


def analyse_by_arcs(model: ArcModel, corpus: Corpus, known: list[Constraints], request: Request) -> Iterator[Analysis]:
    """Yield the k best trees of each sentence and their probabilities.

    Where lengths leave no tree that satisfies the constraints, or not the parse, arcs of all lengths count. A very long
    sentence has its parse and no numbers, unless constraints rule that out.
    """
    scales, undo = request.scales, request.undo
    own, own_labels = model.parse(corpus)
    places = pairwise(corpus.starts.tolist())
    for sentence, constraints, (begin, end) in zip(model.inputs(corpus), known, places, strict=True):
        parse = own[begin:end]
        bound = constraints if undo is None else NONE
        if len(parse) - 1 > model.long_sentence and bound.allow(parse):
            names = ["", *(model.labels[label] for label in own_labels[begin + 1 : end].tolist())]
            heads, names = undo(parse, names) if undo is not None else (parse, names)
            found = without_numbers(heads, names, bound)
        else:
            scores = without_cells(model.arc_scores(sentence))
            space = TreeSpace(scores, model.single_root, model.is_projective, scales.trees, bound)
            if model.lengths is not None and not has_tree(space, parse):
                space = replace(space, scores=without_cells(model.arc_scores(sentence, whole=True)))
                model.lengths.add(0, 0, 1)
            found = analyse(model, sentence, space, parse, request)
        yield found if undo is None else under_constraints(found, model.single_root, request.k, constraints)


def analyse(model: ArcModel, sentence: Any, space: TreeSpace, parse: Heads, request: Request) -> Analysis:
    """Return the k best trees of one sentence."""
    marginals, partition = space.marginals(), space.log_partition()
    arcs = MovedArcs(marginals)
    scored: list[ScoredTree] = []
    for heads in space.best(request.k, parse):
        labels = model.label_scores(sentence, heads)
        names = [model.labels[label] for label in labels.argmax(axis=1).tolist()]
        chances = softmax(request.scales.labels * labels).max(axis=1)
        chances[0] = 1.0
        names, chances = with_labels(names, chances, space.constraints)
        score = space.score(heads)
        probability = float(np.exp(min(0.0, space.scale * score - partition)))
        if request.undo is not None:
            before, (heads, names) = heads, request.undo(heads, names)
            arcs.move(before, heads, probability)
        scored.append(ScoredTree(heads, names, score, probability, chances, chances))
    likely = [head_probabilities(arcs.marginals, tree.heads) for tree in scored]
    trees = (replace(tree, head_probabilities=each) for tree, each in zip(scored, likely, strict=True))
    return Analysis(tuple(trees), arcs.marginals)


class MovedArcs:
    """How likely arcs are after a transform moved some of the best trees' arcs.

    An arc of the best tree that was moved takes all with it that made it likely. An arc of another tree takes the
    probability of that tree.
    """

    def __init__(self, marginals: NDArray[np.float64]) -> None:
        self.marginals = marginals.copy()
        self.places: dict[tuple[int, int], int] | None = None  # where arcs of the best tree went, by word and head

    def move(self, before: Heads, after: Heads, probability: float) -> None:
        """Move the arcs of the next tree from their heads before to those after."""
        row, places = self.marginals, self.places if self.places is not None else {}
        for word in np.flatnonzero(before != after).tolist():
            source, target = int(before[word]), int(after[word])
            if self.places is None:
                row[word, source], row[word, target] = row[word, target], row[word, source]
                places[word, source] = target
            elif (source := places.get((word, source), source)) != target:
                row[word, source] -= probability
                row[word, target] += probability
        self.places = places


def under_constraints(found: Analysis, single_root: bool, k: int, constraints: Constraints) -> Analysis:
    """Return the trees that satisfy constraints, found without them; if none does, the best by likely arcs."""
    trees = [tree for tree in found.trees if constraints.allow(tree.heads)]
    marginals = found.marginals
    if not trees:
        space = TreeSpace(np.log(marginals + SMOOTHING), single_root, constraints=constraints)
        best, marginals, partition = found.best, space.marginals(), space.log_partition()
        trees = [
            replace(
                best,
                heads=heads,
                score=space.score(heads),
                probability=float(np.exp(min(0.0, space.score(heads) - partition))),
                head_probabilities=head_probabilities(marginals, heads),
            )
            for heads in space.best(k)
        ]
    labelled = []
    for tree in trees:
        names, chances = with_labels(tree.deprels, tree.label_probabilities, constraints)
        labelled.append(replace(tree, deprels=names, label_probabilities=chances))
    return Analysis(tuple(labelled), marginals)


def without_cells(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return scores with 0 in cells that are no arcs, so that these cells do not count as forbidden arcs."""
    scores[0] = 0
    np.fill_diagonal(scores, 0)
    return scores


def has_tree(space: TreeSpace, parse: Heads) -> bool:
    """Return whether the parse is among the trees, or if constraints rule that out, whether there is any."""
    if space.constraints.allow(parse):
        return bool(np.isfinite(space.score(parse)))
    try:
        space.best(1)
    except DecodeError:
        return False
    return True
