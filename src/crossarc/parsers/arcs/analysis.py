"""Best trees, arc marginals and label probabilities by the scores of arcs: exact for first-order models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

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
    from crossarc.parsers.arcs.model import ArcScoringModel
    from crossarc.parsers.model import Columns

Scores = NDArray[np.float64]
SMOOTHING = 1e-6  # the weight, out of a total of 1, of an arc that is considered only because of constraints
CERTAIN = 1e9  # the greatest score times its scale: of greater ones float64 has no digits left for probabilities
CANDIDATES = 16  # encoded trees that are decoded to find one that satisfies constraints


class SentenceScores:
    """The scores of one sentence, each computed once: those of arcs, and those of labels for each tree."""

    def __init__(self, model: ArcScoringModel, give: Callable[[], Any], arcs: Scores | None = None) -> None:
        self.model, self.give = model, give  # the input of the sentence is made when it is needed
        self.known = {False: arcs} if arcs is not None else {}
        self.labelled: dict[bytes, Scores] = {}

    @cached_property
    def sentence(self) -> Any:
        """The input from which its scores are computed."""
        return self.give()

    def arcs(self, *, whole: bool = False) -> Scores:
        """Return the scores of arcs, which the caller may change."""
        if whole not in self.known:
            self.known[whole] = self.model.arc_scores(self.sentence, whole=whole)
        return self.known[whole].copy()

    def labels(self, heads: Heads) -> Scores:
        """Return the scores of labels for the arcs of a tree."""
        key = heads.tobytes()
        if key not in self.labelled:
            self.labelled[key] = self.model.label_scores(self.sentence, heads)
        return self.labelled[key]

    def parse_under(self, constraints: Constraints) -> Heads | None:
        """Return the heads of the parse under constraints; None for the best tree by the scores of arcs."""
        return self.model.parse_under(self.sentence, constraints)


class Searched(NamedTuple):
    """The parses of a corpus, and the scores of its sentences, from which the rest is computed."""

    heads: Heads
    labels: Heads
    scores: Iterable[SentenceScores]
    tags: Columns


def analyse_searched(
    model: ArcScoringModel, corpus: Corpus, found: Searched, known: list[Constraints], request: Request
) -> Iterator[Analysis]:
    """Yield the k best trees of each sentence and their probabilities.

    Where lengths leave no tree that satisfies the constraints, or not the parse, arcs of all lengths count. A very long
    sentence has its parse and no numbers, unless constraints rule that out.
    """
    places = pairwise(corpus.starts.tolist())
    for scores, constraints, (begin, end) in zip(found.scores, known, places, strict=True):
        parse = found.heads[begin:end]
        if len(parse) - 1 > model.long_sentence and (request.undo is not None or constraints.allow(parse)):
            names = ["", *(model.labels[label] for label in found.labels[begin + 1 : end].tolist())]
            heads, names = request.undo(parse, names) if request.undo is not None else (parse, names)
            plain = without_numbers(heads, names, constraints)
            yield (
                plain if constraints.allow(heads) else by_likely_arcs(plain, model.single_root, request.k, constraints)
            )
        elif request.undo is None or not constraints:
            yield analyse(scores, parse, constraints, request)
        else:
            yield analyse_decoded(scores, parse, constraints, request)


def tree_space(scores: SentenceScores, parse: Heads, constraints: Constraints, scale: float) -> TreeSpace:
    """Return the trees of one sentence; those with arcs of all lengths where lengths leave too few."""
    model, arcs = scores.model, without_cells(scores.arcs())
    greatest = np.abs(arcs).max(initial=0.0, where=np.isfinite(arcs))
    if scale * greatest > CERTAIN:
        scale = CERTAIN / float(greatest)
    space = TreeSpace(arcs, model.single_root, model.is_projective, scale, constraints)
    if model.lengths is not None and not has_tree(space, parse):
        space = replace(space, scores=without_cells(scores.arcs(whole=True)))
        model.lengths.add(0, 0, 1)
    return space


def analyse(scores: SentenceScores, parse: Heads, constraints: Constraints, request: Request) -> Analysis:
    """Return the k best trees of one sentence; with a transform constraints are on encoded trees."""
    if not constraints.allow(parse):
        found = scores.parse_under(constraints)
        parse = found if found is not None else parse
    space = tree_space(scores, parse, constraints, request.scales.trees)
    marginals, partition = space.marginals(), space.log_partition()
    arcs = MovedArcs(marginals)
    scored: list[ScoredTree] = []
    for heads in space.best(request.k, parse):
        labels = scores.labels(heads)
        names = [scores.model.labels[label] for label in labels.argmax(axis=1).tolist()]
        chances = softmax(request.scales.labels * labels).max(axis=1)
        chances[0] = 1.0
        names, chances = with_labels(names, chances, space.constraints)
        score = space.score(heads)
        probability = float(np.exp(min(0.0, space.scale * score - partition)))
        if request.undo is not None:
            before, (heads, names) = heads, request.undo(heads, names)
            arcs.move(before, heads, probability)
        scored.append(ScoredTree(heads, names, score, probability, chances, chances))
    distinct: dict[tuple[int, ...], ScoredTree] = {}  # some are the same after a transform
    for tree in scored:
        distinct.setdefault(tuple(tree.heads.tolist()), tree)
    return judged(list(distinct.values()), arcs.marginals)


def judged(trees: list[ScoredTree], marginals: NDArray[np.float64]) -> Analysis:
    """Return trees with the probabilities of their heads."""
    likely = (head_probabilities(marginals, tree.heads) for tree in trees)
    both = zip(trees, likely, strict=True)
    return Analysis(tuple(replace(tree, head_probabilities=each) for tree, each in both), marginals)


class MovedArcs:
    """The probabilities of arcs after a transform moved some of the best trees' arcs.

    An arc of the best tree that was moved takes all with it that made it likely. An arc of another tree has at least
    the probability of that tree where it is after the transform.
    """

    def __init__(self, marginals: NDArray[np.float64]) -> None:
        self.marginals = marginals.copy()
        self.places: dict[tuple[int, int], int] | None = None  # where arcs of the best tree went, by word and head

    def move(self, before: Heads, after: Heads, probability: float) -> None:
        """Move the arcs of the next tree from their heads before to those after."""
        first, places = self.places is None, self.places if self.places is not None else {}
        for word in range(1, len(before)):
            source, target = int(before[word]), int(after[word])
            if first and source != target:
                places[word, source] = target
                probability_there = self.marginals[word, source]
            else:
                source, probability_there = places.get((word, source), source), probability
            if source != target:
                self.marginals[word, source] -= probability_there
                self.marginals[word, target] += probability_there
        self.places = places
        self.marginals.clip(0.0, None, out=self.marginals)


def analyse_decoded(scores: SentenceScores, parse: Heads, constraints: Constraints, request: Request) -> Analysis:
    """Return the k best trees of one sentence that satisfy constraints after a transform.

    They are the best encoded trees under the constraints, or if these do not satisfy them when decoded, the best ones
    without, or else the best trees by likely arcs. A parse that satisfies the constraints stays.
    """
    wide = replace(request, k=max(request.k, CANDIDATES))
    free = analyse(scores, parse, NONE, wide)
    found = None
    if constraints.allow(parse) or not constraints.allow(free.best.heads):
        with suppress(DecodeError):  # no encoded tree satisfies them, or none at all: then the last way says so
            found = allowed(analyse(scores, parse, replace(constraints, labels={}), wide), constraints)
    found = found or allowed(free, constraints)
    if found is None:
        return by_likely_arcs(free, scores.model.single_root, request.k, constraints)
    return replace(found, trees=found.trees[: request.k])


def allowed(found: Analysis, constraints: Constraints) -> Analysis | None:
    """Return the trees that satisfy constraints, with the labels required; None if none does."""
    trees = []
    for tree in (tree for tree in found.trees if constraints.allow(tree.heads)):
        names, chances = with_labels(tree.deprels, tree.label_probabilities, constraints)
        trees.append(replace(tree, deprels=names, label_probabilities=chances))
    if not trees:
        return None
    marginals = found.marginals.copy()
    for word, head in constraints.forbidden:
        marginals[word, head] = 0.0
    for word, head in constraints.required.items():
        marginals[word] = 0.0
        marginals[word, head] = 1.0
    words = np.arange(1, len(marginals))
    lost = words[marginals[1:].sum(axis=1) <= 0]
    marginals[lost, trees[0].heads[lost]] = 1.0
    marginals[1:] /= marginals[1:].sum(axis=1, keepdims=True)
    return judged(trees, marginals)


def by_likely_arcs(found: Analysis, single_root: bool, k: int, constraints: Constraints) -> Analysis:
    """Return the best trees under constraints by how likely arcs are without them."""
    space = TreeSpace(np.log(found.marginals + SMOOTHING), single_root, constraints=constraints)
    marginals, partition = space.marginals(), space.log_partition()
    names, chances = with_labels(found.best.deprels, found.best.label_probabilities, constraints)
    best = replace(found.best, deprels=names, label_probabilities=chances)
    trees = []
    for heads in space.best(k):
        score = space.score(heads)
        trees.append(replace(best, heads=heads, score=score, probability=float(np.exp(min(0.0, score - partition)))))
    return judged(trees, marginals)


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
