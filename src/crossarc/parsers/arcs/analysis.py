"""Best trees, arc marginals and label probabilities by the scores of arcs: exact for first-order models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
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
    from crossarc.parsers.arcs.model import ArcScoringModel

SMOOTHING = 1e-6  # what an arc weighs, beside a whole of 1, that is only looked at because of constraints
CANDIDATES = 16  # encoded trees that are decoded to find one that satisfies constraints


def analyse_by_arcs(
    model: ArcScoringModel, corpus: Corpus, known: list[Constraints], request: Request
) -> Iterator[Analysis]:
    """Yield the k best trees of each sentence and their probabilities.

    Where lengths leave no tree that satisfies the constraints, or not the parse, arcs of all lengths count. A very long
    sentence has its parse and no numbers, unless constraints rule that out.
    """
    inputs = ((lambda each=each: each) for each in model.inputs(corpus))
    yield from analyse_parsed(model, corpus, model.parse(corpus), inputs, known, request)


def analyse_parsed(
    model: ArcScoringModel,
    corpus: Corpus,
    parsed: tuple[Heads, Heads],
    inputs: Iterable[Callable[[], Any]],
    known: list[Constraints],
    request: Request,
) -> Iterator[Analysis]:
    """Yield the same, given the heads and labels of the parses, and what gives the input of each sentence if needed."""
    own, own_labels = parsed
    places = pairwise(corpus.starts.tolist())
    for sentence, constraints, (begin, end) in zip(inputs, known, places, strict=True):
        parse = own[begin:end]
        if len(parse) - 1 > model.long_sentence and (request.undo is not None or constraints.allow(parse)):
            names = ["", *(model.labels[label] for label in own_labels[begin + 1 : end].tolist())]
            heads, names = request.undo(parse, names) if request.undo is not None else (parse, names)
            found = without_numbers(heads, names, constraints)
            yield (
                found if constraints.allow(heads) else by_likely_arcs(found, model.single_root, request.k, constraints)
            )
        elif request.undo is None or not constraints:
            yield analyse(model, sentence(), parse, constraints, request)
        else:
            yield analyse_decoded(model, sentence(), parse, constraints, request)


class ScoredOnce:
    """A model that has parsed and scored a corpus, for analyses of it that differ in scales alone."""

    def __init__(self, model: ArcScoringModel, corpus: Corpus) -> None:
        self.model = model
        self.parsed = model.parse(corpus)
        self.known = list(enumerate(model.inputs(corpus)))
        self.scores: dict[tuple[int, bool], NDArray[np.float64]] = {}
        self.labelled: dict[tuple[int, bytes], NDArray[np.float64]] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self.model, name)

    def parse(self, corpus: Corpus) -> tuple[Heads, Heads]:
        """Return the heads and labels found before."""
        return self.parsed

    def inputs(self, corpus: Corpus) -> Iterator[tuple[int, Any]]:
        """Yield the input of each sentence with its number."""
        return iter(self.known)

    def arc_scores(self, sentence: tuple[int, Any], *, whole: bool = False) -> NDArray[np.float64]:
        """Return the scores of arcs, which the caller may change."""
        number, own = sentence
        if (number, whole) not in self.scores:
            self.scores[number, whole] = self.model.arc_scores(own, whole=whole)
        return self.scores[number, whole].copy()

    def label_scores(self, sentence: tuple[int, Any], heads: Heads) -> NDArray[np.float64]:
        """Return the scores of labels for the arcs of a tree."""
        number, own = sentence
        key = (number, heads.tobytes())
        if key not in self.labelled:
            self.labelled[key] = self.model.label_scores(own, heads)
        return self.labelled[key]


def tree_space(
    model: ArcScoringModel, sentence: Any, parse: Heads, constraints: Constraints, scale: float
) -> TreeSpace:
    """Return the trees of one sentence; those with arcs of all lengths where lengths leave too few."""
    scores = without_cells(model.arc_scores(sentence))
    space = TreeSpace(scores, model.single_root, model.is_projective, scale, constraints)
    if model.lengths is not None and not has_tree(space, parse):
        space = replace(space, scores=without_cells(model.arc_scores(sentence, whole=True)))
        model.lengths.add(0, 0, 1)
    return space


def analyse(
    model: ArcScoringModel, sentence: Any, parse: Heads, constraints: Constraints, request: Request
) -> Analysis:
    """Return the k best trees of one sentence; with a transform constraints are on encoded trees."""
    if not constraints.allow(parse):
        found = model.parse_under(sentence, constraints)
        parse = found if found is not None else parse
    space = tree_space(model, sentence, parse, constraints, request.scales.trees)
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
    """How likely arcs are after a transform moved some of the best trees' arcs.

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


def analyse_decoded(
    model: ArcScoringModel, sentence: Any, parse: Heads, constraints: Constraints, request: Request
) -> Analysis:
    """Return the k best trees of one sentence that satisfy constraints after a transform.

    They are the best encoded trees under the constraints, or if these do not satisfy them when decoded, the best ones
    without, or else the best trees by likely arcs. A parse that satisfies the constraints stays.
    """
    wide = replace(request, k=max(request.k, CANDIDATES))
    free = analyse(model, sentence, parse, NONE, wide)
    found = None
    if constraints.allow(parse) or not constraints.allow(free.best.heads):
        with suppress(DecodeError):  # no encoded tree satisfies them, or none at all: then the last way says so
            found = allowed(analyse(model, sentence, parse, replace(constraints, labels={}), wide), constraints)
    found = found or allowed(free, constraints)
    if found is None:
        return by_likely_arcs(free, model.single_root, request.k, constraints)
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
