"""Best trees, arc marginals and label probabilities of transition parsers: from the derivations that a beam ends with.

A derivation is as likely as its actions together, each by softmax over those that are legal, and the beam keeps the
likeliest. Parsing with a beam compares sums of scores, which tell less about what is right. An arc that is in all
derivations of the beam is certain only if no derivation left the beam. Derivations that left it count for the arcs that
they had then; for words without a head they count as the beam does. The marginals of a beam are still too high, and are
flattened by a power that fits the development set (see crossarc.parsers.calibration). A tree is never likelier than any
of its arcs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from crossarc.errors import CrossarcError
from crossarc.learning.scorers import Scorer
from crossarc.parsers.analysis import (
    Analysis,
    Heads,
    Request,
    ScoredTree,
    Scores,
    TreeSpace,
    head_probabilities,
    softmax,
    with_labels,
    without_numbers,
)
from crossarc.parsers.constraints import NONE, Constraints
from crossarc.parsers.moves.settings import WIDEST_BEAM
from crossarc.transitions.search import Beam
from crossarc.treebank.corpus import Corpus

if TYPE_CHECKING:
    from crossarc.parsers.moves.model import MoveTreeModel

LEAST_WIDTH = 16  # of a beam that gives probabilities
# The weight, out of a total of 1, of an arc to the next word that is in no derivation; longer arcs weigh less.
SMOOTHING = 1e-3
MOST_WORK = 3e8  # words copied from state to state while a beam goes on: seconds
Tree = tuple[int, ...]
Ints = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Derivation:
    """One way to a tree."""

    heads: Heads
    labels: list[str]
    score: float  # the logarithm of its probability

    @property
    def tree(self) -> Tree:
        """The heads, to tell trees apart."""
        return tuple(self.heads.tolist())

    def equals(self, other: Derivation) -> bool:
        """Whether both are the same derivation: other derivations of the same tree have another score."""
        same = self.score == other.score and self.labels == other.labels
        return same and bool((self.heads == other.heads).all())


@dataclass
class Beliefs:
    """The probability of each arc, and of each label of it."""

    marginals: Scores
    labels: dict[tuple[int, int], dict[str, float]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(float))
    )

    def add(self, derivation: Derivation, probability: float) -> None:
        """Count a derivation."""
        heads = derivation.heads.tolist()
        for word in range(1, len(heads)):
            self.marginals[word, heads[word]] += probability
            self.labels[word, heads[word]][derivation.labels[word]] += probability

    def label_probability(self, word: int, head: int, label: str) -> float:
        """The probability of a label, given the head."""
        shares = self.labels.get((word, head), {})
        total = sum(shares.values())
        return min(1.0, shares.get(label, 0.0) / total) if total > 0 else 0.0


def analyse_by_beam(
    model: MoveTreeModel, corpus: Corpus, known: list[Constraints], request: Request
) -> Iterator[Analysis]:
    """Yield the k best trees of each sentence and their probabilities, as far as a beam has them."""
    if not model.has_alternatives:
        kind = "a fast model" if model.settings.fast else f"a model learned by {model.settings.learner}"
        raise CrossarcError(f"{kind} cannot use a beam: it has no scores, k best trees or constraints; train another")
    tokens = model.attributes.encode(corpus)
    beam = request.beam
    own = model.beam_search(beam if beam and model.settings.beam > 1 else model.settings.beam)
    wider = [model.beam_search(width) for width in widths(model, beam)]
    for constraints, (begin, end) in zip(known, pairwise(corpus.starts.tolist()), strict=True):
        words = tokens[begin:end]
        work = own.width * len(words) * steps_of(own, len(words))
        if work > MOST_WORK:
            yield analyse_long(model, words, constraints, request)
            continue
        if constraints:  # moves are tried before they are made
            work *= 8
        affordable = [search for search in wider if search.width / own.width * work <= MOST_WORK]
        yield analyse(model, words, constraints, request, own, affordable or [own])


def widths(model: MoveTreeModel, beam: int | None) -> list[int]:
    """The widths of beams to try until there are enough trees: many derivations differ in labels only."""
    least = max(model.settings.beam, LEAST_WIDTH)
    return [beam] if beam is not None else [min(least * 4**times, WIDEST_BEAM) for times in range(3)]


def steps_of(search: Beam, n: int) -> int:
    """Return about how many moves a derivation has at most; systems that look at all pairs of words cut long ones."""
    return n * n // 2 if search.system.long_sentence else 2 * n


def analyse_long(model: MoveTreeModel, tokens: Ints, constraints: Constraints, request: Request) -> Analysis:
    """Return the parse of a sentence that is too long for a beam, without probabilities."""
    heads, labels = model.parse_tokens(tokens, np.array([0, len(tokens)]))
    names = model.names_of(labels)
    if request.undo is not None:
        heads, names = request.undo(heads, names)
    if constraints.allow(heads):
        return without_numbers(heads, names, constraints)
    beliefs = Beliefs(np.zeros((len(tokens), len(tokens))))
    beliefs.add(Derivation(heads, names, float("nan")), 1.0)
    return analyse_by_beliefs(model, beliefs, constraints, request)


def analyse(
    model: MoveTreeModel, tokens: Ints, constraints: Constraints, request: Request, own: Beam, wider: list[Beam]
) -> Analysis:
    """Return the k best trees of one sentence.

    The first is that of the parser's own search if the constraints allow it, else the likeliest that they allow in the
    narrowest beam that has any; so it does not depend on k.
    """
    parse = derivations(model, own, tokens, NONE, request, by_chance=False)[0][0]
    allowed = constraints.allow(parse.heads)
    for search in wider:
        found, lost = derivations(model, search, tokens, constraints, request, by_chance=True)
        good = [each for each in found if constraints.allow(each.heads)]
        if good and not allowed:
            parse, allowed = good[0], True
        if allowed and not any(parse.equals(each) for each in good):
            good.append(parse)  # which may not be in a beam, but it is the parse
        if len({each.tree for each in good}) >= request.k:
            break
    beliefs, trees = weigh(good or found, len(tokens) - 1)
    if not allowed:
        return analyse_by_beliefs(model, beliefs, constraints, request)
    trees[parse.tree] = (trees[parse.tree][0], parse)
    marginals = beliefs.marginals
    inside = 1.0
    if not (constraints.required or constraints.forbidden):
        inside = min(1.0, float(np.exp([each.score for each in good]).sum()))
        marginals = with_lost(marginals, lost, inside, directed=model.system.directed)
    marginals = flattened(marginals, request.scales.arcs, constraints)
    likely = {
        heads: min(inside * probability, float(head_probabilities(marginals, best.heads).min()))
        for heads, (probability, best) in trees.items()
    }
    ranked = sorted(trees, key=lambda tree: (tree != parse.tree, -likely[tree], -trees[tree][0]))
    scored = []
    for heads in ranked[: request.k]:
        best = trees[heads][1]
        chances = [1.0] + [
            beliefs.label_probability(word, heads[word], best.labels[word]) for word in range(1, len(heads))
        ]
        scored.append(scored_tree(best, likely[heads], marginals, np.array(chances), constraints))
    return Analysis(tuple(scored), marginals)


def smoothed(marginals: Scores) -> Scores:
    """The marginals and a little for arcs that no derivation has, the less the longer they are."""
    nodes = np.arange(len(marginals))
    chances = SMOOTHING / np.maximum(1, np.abs(nodes[:, None] - nodes))
    chances[:, 0] = SMOOTHING / len(nodes)
    return np.asarray(marginals + chances)


def flattened(marginals: Scores, power: float, constraints: Constraints) -> Scores:
    """The marginals raised to a power and made to sum to 1 again, for each word over all heads that it may have."""
    n = len(marginals) - 1
    result = smoothed(marginals) ** power
    forbidden, required = constraints.forbidden_arcs(n), constraints.required_heads(n)
    if forbidden is not None:
        result[forbidden] = 0.0
    if required is not None:
        result[(required[:, None] >= 0) & (required[:, None] != np.arange(n + 1))] = 0.0
    np.fill_diagonal(result, 0.0)
    result[0] = 0.0
    result[1:] /= result[1:].sum(axis=1, keepdims=True)
    return result


def with_lost(marginals: Scores, lost: Scores, inside: float, *, directed: bool) -> Scores:
    """The marginals of the derivations at the end of the beam, with their total probability, and of those that left it.

    Links of undirected parsers point as they do in the beam, or either way if the beam does not have them.
    """
    if not directed:
        there, back = marginals, marginals.T
        both = there + back
        with np.errstate(invalid="ignore", divide="ignore"):
            share = np.where(both > 0, there / both, 0.5)
        share[:, 0], share[0] = 1.0, 0.0
        lost = (lost + lost.T) * share
    decided = lost.sum(axis=1, keepdims=True)
    lost = lost * np.minimum(1.0, (1.0 - inside) / np.maximum(decided, 1e-300))
    return np.asarray(lost + (1.0 - lost.sum(axis=1, keepdims=True)) * marginals)


def derivations(
    model: MoveTreeModel, search: Beam, tokens: Ints, constraints: Constraints, request: Request, *, by_chance: bool
) -> tuple[list[Derivation], Scores]:
    """The derivations at the end of a beam, best first, and those that left it; it avoids arcs against constraints."""
    n = len(tokens) - 1
    required, forbidden = None, None
    # Constraints are not about arcs that a transform has moved.
    if (constraints.required or constraints.forbidden) and request.undo is None:
        required = constraints.required_heads(n)
        arcs = constraints.forbidden_arcs(n)
        required = np.full(n + 1, -1, dtype=np.int32) if required is None else required
        forbidden = (np.zeros((n + 1, n + 1), dtype=bool) if arcs is None else arcs).astype(np.int8)
    assert isinstance(model.scorer, Scorer)
    heads, labels, scores, lost = search.parse_best(
        model.scorer,
        tokens,
        len(model.labels),
        *model.settings.directions,
        request.scales.trees,
        by_chance,
        required,
        forbidden,
    )
    for row in labels:
        model.name_roots(tokens, row)
    trees = [(row, model.names_of(names)) for row, names in zip(heads, labels, strict=True)]
    if request.undo is not None:
        trees = [request.undo(*tree) for tree in trees]
    return [Derivation(*tree, score) for tree, score in zip(trees, scores.tolist(), strict=True)], lost


def weigh(found: list[Derivation], n: int) -> tuple[Beliefs, dict[Tree, tuple[float, Derivation]]]:
    """The probabilities of arcs, labels and unlabelled trees, and the best derivation of each tree."""
    chances = softmax(np.array([each.score for each in found])).tolist()
    beliefs = Beliefs(np.zeros((n + 1, n + 1)))
    trees: dict[Tree, tuple[float, Derivation]] = {}
    for each, chance in zip(found, chances, strict=True):
        beliefs.add(each, chance)
        before, best = trees.get(each.tree, (0.0, each))
        trees[each.tree] = (min(1.0, before + chance), each if each.score > best.score else best)
    return beliefs, trees


def analyse_by_beliefs(model: MoveTreeModel, beliefs: Beliefs, constraints: Constraints, request: Request) -> Analysis:
    """The best trees under constraints where no derivation satisfies them: of arcs as likely as the beam has them.

    Trees of a system that builds projective ones only stay projective.
    """
    n = len(beliefs.marginals) - 1
    scores = np.log(smoothed(beliefs.marginals))
    projective = model.is_projective and request.undo is None
    space = TreeSpace(scores, model.single_root, projective, request.scales.arcs, constraints)
    trees = space.best(request.k)
    marginals, partition = space.marginals(), space.log_partition()
    scored = []
    for heads in trees:
        names, chances = [""], [1.0]
        for word in range(1, n + 1):
            name, chance = likely_label(model, beliefs, word, int(heads[word]))
            names.append(name)
            chances.append(chance)
        score = space.score(heads)
        probability = float(np.exp(min(0.0, space.scale * score - partition)))
        found = Derivation(heads, names, score)
        scored.append(scored_tree(found, probability, marginals, np.array(chances), constraints))
    return Analysis(tuple(scored), marginals)


def likely_label(model: MoveTreeModel, beliefs: Beliefs, word: int, head: int) -> tuple[str, float]:
    """The likeliest label of an arc and how likely it is; of an arc that the beam does not have, that of the word."""
    root = model.labels[model.root_labels[0]]
    shares = beliefs.labels.get((word, head))
    if shares is None:
        if head == 0:
            return root, 1.0
        shares = defaultdict(float)
        for (other, above), labels in beliefs.labels.items():
            if other == word and above > 0:
                for label, share in labels.items():
                    shares[label] += share
    if not shares:
        others = [label for label in model.labels if label != root]
        return ("dep" if "dep" in others or not others else others[0]), 0.0
    label = max(shares, key=lambda name: shares[name])
    return label, min(1.0, shares[label] / sum(shares.values()))


def scored_tree(
    tree: Derivation, probability: float, marginals: Scores, chances: Scores, constraints: Constraints
) -> ScoredTree:
    """Return a tree with its probabilities, required labels as they must be."""
    names, chances = with_labels(tree.labels, chances, constraints)
    heads = head_probabilities(marginals, tree.heads)
    return ScoredTree(tree.heads, names, tree.score, probability, heads, chances)
