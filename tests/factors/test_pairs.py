"""Trees by arcs and pairs of arcs: scores, best trees, moves, pruning and learning against plain Python."""

from functools import cached_property
from itertools import pairwise, product

import numpy as np
import pytest

from crossarc.decode.projective import Eisner
from crossarc.decode.spanning import ChuLiuEdmonds
from crossarc.factors.arc_pairs import PLACES, SecondOrderFactors
from crossarc.factors.arcs import ARC_WEIGHTS, ArcFactors
from crossarc.features.edges import load_edge_model, parse_edge_model
from crossarc.learning.scorers import SingleWeights, Weights
from crossarc.structure import is_projective
from decode.forest import all_trees, is_tree
from decode.second_order import best_score, cells_of, label_scores, reattached, score

SMALL = """
arcs = ["head.form", "dep.form", "head.form + dep.form", "head.upos + between.upos + dep.upos", "head.upos + dep.upos"]
siblings = ["head.upos + dep.upos + sib.upos", "dep.form + sib.form", "dep.form + sib.upos"]
grandchildren = ["grand.upos + head.upos + dep.upos", "grand.form + dep.form", "head.form + dep[1].upos"]
labels = ["dep.form", "head.upos + dep.upos", "head.form + dep.form + distance"]
"""
ROOT_LABEL, OTHERS = 1, 2
LABEL_PLACES = np.array([ROOT_LABEL, OTHERS, OTHERS, ROOT_LABEL | OTHERS], dtype=np.uint8)
TAGS = 4
MODELS = [SMALL, "carreras"]
both_labels = pytest.mark.parametrize("labels", ["after", "joint"])
roots = pytest.mark.parametrize("single_root", [True, False])


def model_of(text):
    return parse_edge_model(text) if "arcs" in text else load_edge_model(text)


def random_tokens(model, size, rng):
    """Words of a small vocabulary."""
    return rng.integers(1, TAGS, size=(size + 1, len(model.attributes))).astype(np.int32)


def label_filter(seed):
    """Lists of labels by random tags: the first has all."""
    rng = np.random.default_rng(seed)
    lists = [[0, 1, 2, 3], [0, 1, 3], [1], [0, 2, 3], []]
    rows = rng.integers(len(lists), size=(TAGS, TAGS)).astype(np.int32)
    starts = np.cumsum([0, *map(len, lists)]).astype(np.int32)
    return rows, starts, np.concatenate(lists).astype(np.int32)


class Toy:
    """A feature model with weights learned from random trees over random words."""

    def __init__(self, text, labels="after", seed=0, single_root=True, learned=30):
        self.model, self.single_root, self.seed = model_of(text), single_root, seed
        self.joint = labels == "joint"
        self.column, self.filter = self.model.attributes.index("upos"), label_filter(seed)
        pairs = len(LABEL_PLACES) + 1 if self.joint else 1  # with labels, the last action is for any label
        self.weights = [Weights(size, 1) for size in (ARC_WEIGHTS, ARC_WEIGHTS, pairs)]
        if learned:
            self.learn(self.random_trees(learned, all_trees), 0.1, True, threshold=0.0)

    def random_trees(self, count, choose):
        """Words, heads and labels of sentences with random trees, and where each begins."""
        rng = np.random.default_rng(self.seed)
        tokens, heads, names, starts = [], [], [], [0]
        for _ in range(count):
            n = int(rng.integers(1, 6))
            trees = choose(n, self.single_root)
            heads.append(trees[rng.integers(len(trees))])
            tokens.append(random_tokens(self.model, n, rng))
            names.append([-1, *(self.allowed(tokens[-1], h, d)[-1] for d, h in enumerate(heads[-1]) if d)])
            starts.append(starts[-1] + n + 1)
        columns = [np.concatenate(each).astype(np.int32) for each in (tokens, heads, names)]
        return *columns, np.array(starts)

    def learn(self, trees, cost, augment, **options):
        """Learn from trees once; return how many words were wrong."""
        tokens, heads, names, starts = trees
        what = (tokens, heads, names if self.joint else None, starts, np.arange(len(starts) - 1), cost, augment)
        return self.factors(**options).learn(*self.weights, *what)[1]

    def factors(self, **options):
        projective = options.get("threshold") is None
        decoder = (Eisner if projective else ChuLiuEdmonds)(self.single_root)
        if self.joint:
            options |= {"label_places": LABEL_PLACES, "label_filter": (self.column, *self.filter)}
        return SecondOrderFactors(self.model, ArcFactors(self.model, decoder), self.single_root, **options)

    @cached_property
    def packed(self):
        coarse, parts, pairs = self.weights
        return coarse.pack(), parts.pack(), pairs.pack() if self.joint else SingleWeights.of(pairs.averages())

    def allowed(self, tokens, h, d):
        """The labels that an arc can have."""
        can_be = [label for label, place in enumerate(LABEL_PLACES) if place & (OTHERS if h else ROOT_LABEL)]
        rows, starts, labels = self.filter
        row = rows[tokens[h, self.column], tokens[d, self.column]]
        listed = [label for label in labels[starts[row] : starts[row + 1]].tolist() if label in can_be]
        return listed or can_be

    def parse(self, tokens, **options):
        """The heads and labels of the best tree."""
        heads, labels = np.full((2, len(tokens)), -1, dtype=np.int32)
        both = (labels,) if self.joint else ()
        self.factors(**options).find_trees(*self.packed, tokens, np.array([0, len(tokens)]), heads, *both)
        return heads, labels

    def parts(self, tokens):
        """The scores of arcs, siblings and grandchildren, each feature looked up on its own."""
        n, count = len(tokens) - 1, len(LABEL_PLACES) if self.joint else 1
        _, arc_weights, pair_weights = self.packed
        factors, arcs = self.factors(heads=0), ArcFactors(self.model, Eisner(True))
        result = [np.zeros((n + 1,) * axes + (count,)) for axes in (2, 3, 3)]

        def looked_up(weights, keys):
            return sum(weights.scores(keys[k : k + 1]).astype(float) for k in range(len(keys))) * weights.unit

        for d, h in product(range(1, n + 1), range(n + 1)):
            if h == d:
                continue
            keys, gap = arcs.features_of(tokens, h, d), abs(h - d)
            row = looked_up(arc_weights, keys)[8 * (h > d) : 8 * (h > d) + 8]
            distance = gap - 1 if gap <= 5 else 5 if gap <= 10 else 6
            result[0][d, h] = row[7] + row[distance]
            if self.joint:
                result[0][d, h] += looked_up(pair_weights, factors.label_features_of(tokens, h, d))[:count]
                result[0][d, h, [label not in self.allowed(tokens, h, d) for label in range(count)]] = -np.inf
            for third in range(n + 1):
                for array, place, word in pairs_of(h, d, third):
                    found = looked_up(pair_weights, factors.features_of(tokens, place, h, d, word))
                    result[array][d, h, third] = found[:count] + found[count] if self.joint else found
        return result


def pairs_of(h, d, third):
    """Which pairs an arc and a word in the tables of siblings and grandchildren make, with the word or -1."""
    if third == h:
        return [(1, "sibling", -1), (2, "beyond", -1)]
    if third == d:
        return [(2, "between", -1)]
    if not third:
        return []
    inside = min(h, d) < third < max(h, d)
    place = "between" if inside else "beyond" if (third < d) != (h < d) else "past"
    return [(1, "sibling", third)] * inside + [(2, place, third)]


def toys(labels, single_root=True, count=3):
    """Toys with a small model and the one of the presets."""
    return [Toy(text, labels, seed, single_root) for seed in range(count) for text in MODELS]


def names_of(labels, n):
    """The labels of a tree, or 0 for each word where there are none."""
    return labels if labels[1] >= 0 else np.append(-1, np.zeros(n, dtype=int))


@both_labels
@roots
def test_the_tree_is_the_best_of_all_projective_trees(labels, single_root):
    rng = np.random.default_rng(1)
    for toy in toys(labels, single_root):
        for n in range(1, 7):
            for _ in range(3 if n < 6 else 1):
                tokens = random_tokens(toy.model, n, rng)
                parts = toy.parts(tokens)
                heads, names = toy.parse(tokens, heads=0)
                assert is_projective(heads)
                assert is_tree(heads)
                expected = best_score(parts, n, single_root, labelled=True)
                assert score(parts, heads, names_of(names, n)) == pytest.approx(expected)


@both_labels
@roots
def test_moves_are_greedy(labels, single_root):
    """From the best projective tree the move that gains most, as long as it gains more than the threshold."""
    rng = np.random.default_rng(2)
    moved = 0
    for toy, threshold in product(toys(labels, single_root), (0.0, 0.3)):
        for n in range(1, 6):
            tokens = random_tokens(toy.model, n, rng)
            parts = toy.parts(tokens)
            start, names = toy.parse(tokens, heads=0)
            heads, found = toy.parse(tokens, heads=0, threshold=threshold)
            best = score(parts, *reattached(parts, start, names_of(names, n), threshold, single_root))
            total = score(parts, heads, names_of(found, n))
            assert is_tree(heads)
            assert not single_root or (heads == 0).sum() == 1
            assert total >= best - 1e-6
            again = reattached(parts, heads, names_of(found, n), threshold + 1e-6, single_root)
            assert again[0] == heads.tolist(), "no move is left"
            moved += heads.tolist() != start.tolist()
    assert moved > 3


@both_labels
def test_learning_sees_the_scores_of_the_search(labels):
    """The parts of any tree, also one that pruning would leave out, sum to its score."""
    rng = np.random.default_rng(3)
    for toy, heads in product(toys(labels, count=2), (0, 2)):
        for n in range(1, 6):
            tokens = random_tokens(toy.model, n, rng)
            trees = all_trees(n)
            parts, factors = toy.parts(tokens), toy.factors(heads=heads, threshold=0.0)
            for tree in trees[rng.integers(len(trees), size=5)]:
                names = np.append(-1, label_scores(parts, tree.tolist()).argmax(axis=1)).astype(np.int32)
                found = factors.part_scores(*toy.packed, tokens, tree, *([names] if toy.joint else []))
                assert len(found) == sum(map(len, cells_of(tree.tolist())))
                assert found.sum() == pytest.approx(score(parts, tree, names))


def test_label_scores_name_the_labels_of_the_search():
    rng = np.random.default_rng(4)
    for toy in toys("joint", count=2):
        for n in range(1, 7):
            tokens = random_tokens(toy.model, n, rng)
            heads, names = toy.parse(tokens)
            found = toy.factors().label_scores(toy.packed[2], tokens, heads)
            for d in range(1, n + 1):
                can_be = toy.allowed(tokens, int(heads[d]), d)
                assert np.flatnonzero(np.isfinite(found[d])).tolist() == can_be
                assert found[d, names[d]] == pytest.approx(found[d].max())


@both_labels
@roots
@pytest.mark.parametrize("threshold", [None, 0.1])
def test_however_few_heads_are_kept_there_is_a_tree(labels, single_root, threshold):
    rng = np.random.default_rng(5)
    fallbacks = 0
    for toy, heads in product(toys(labels, single_root, count=1), (1, 2, 3)):
        for n in [*range(1, 12), 30]:
            tokens = random_tokens(toy.model, n, rng)
            factors = {"heads": heads, "margin": 1e-9, "threshold": threshold}
            found, _ = toy.parse(tokens, **factors)
            assert is_tree(found)
            assert is_projective(found) or threshold is not None
            assert not single_root or (found == 0).sum() == 1
            coarse = np.full(n + 1, -1, dtype=np.int32)
            decoder = (Eisner if threshold is None else ChuLiuEdmonds)(single_root)
            ArcFactors(toy.model, decoder).find_trees(toy.packed[0], tokens, np.array([0, n + 1]), coarse)
            fallbacks += not is_projective(coarse)
    assert fallbacks > 3 or threshold is None


def test_long_sentences_are_always_pruned():
    toy, rng = Toy(SMALL), np.random.default_rng(6)
    for n, most in ((100, 100), (101, 9), (300, 9)):
        tokens = random_tokens(toy.model, n, rng)
        factors = toy.factors(heads=0)
        heads = np.full(n + 1, -1, dtype=np.int32)
        factors.find_trees(*toy.packed, tokens, np.array([0, n + 1]), heads)
        assert is_projective(heads)
        assert factors.words_seen == n
        assert n < factors.arcs_kept <= most * n
        assert factors.arcs_kept == 100 * n or n > 100


# ---- constraints


@both_labels
@roots
@pytest.mark.parametrize("threshold", [None, 0.1])
@pytest.mark.parametrize("kept", [0, 1])
def test_trees_without_forbidden_arcs(labels, single_root, threshold, kept):
    """The best of all projective ones that are left; with moves any tree, also where no projective one is left."""
    rng = np.random.default_rng(7)
    none = crossed = 0
    for toy in toys(labels, single_root, count=2):
        for _ in range(20):
            n = int(rng.integers(1, 6))
            tokens = random_tokens(toy.model, n, rng)
            trees = all_trees(n, single_root)
            tree = trees[rng.integers(len(trees))]
            forbidden = (rng.random((n + 1, n + 1)) < 0.5).astype(np.uint8)
            for word in np.flatnonzero(rng.random(n + 1) < 0.4):
                if word:
                    forbidden[word] = 1
            forbidden[range(1, n + 1), tree[1:]] = 0
            factors = toy.factors(heads=kept, threshold=threshold)
            found = factors.find_tree(*toy.packed, tokens, forbidden)
            left = [each for each in trees.tolist() if not forbidden[range(1, n + 1), each[1:]].any()]
            projective = [each for each in left if is_projective(each)]
            if threshold is None and not projective:
                assert found is None
                none += 1
                continue
            crossed += not projective
            assert found.tolist() in (projective if threshold is None else left)
            if threshold is None and not kept:
                parts = toy.parts(tokens)
                totals = [label_scores(parts, each).max(axis=1).sum() for each in projective]
                assert label_scores(parts, found.tolist()).max(axis=1).sum() == pytest.approx(max(totals))
            names = (np.full(n + 1, -1, dtype=np.int32),) if toy.joint else ()
            free = np.full(n + 1, -1, dtype=np.int32)
            factors.find_trees(*toy.packed, tokens, np.array([0, n + 1]), free, *names)
            assert (free == toy.parse(tokens, heads=kept, threshold=threshold)[0]).all(), "as without constraints"
    assert none + crossed > 5


def test_no_tree_is_left():
    toy = Toy(SMALL)
    tokens = random_tokens(toy.model, 3, np.random.default_rng(8))
    forbidden = np.zeros((4, 4), dtype=np.uint8)
    forbidden[1:, 0] = 1
    for threshold in (None, 0.0):
        assert toy.factors(threshold=threshold).find_tree(*toy.packed, tokens, forbidden) is None


# ---- learning


@both_labels
@pytest.mark.parametrize("threshold", [None, 0.0])
def test_gold_trees_come_to_be_the_best(labels, threshold):
    """Each word has a form of its own, so that all trees can be learned."""
    toy = Toy(SMALL, labels, learned=0)
    trees = toy.random_trees(8, lambda n, single_root: all_trees(n, single_root, projective=threshold is None))
    trees[0][:, toy.model.attributes.index("form")] = np.arange(len(trees[0]))
    wrong = [toy.learn(trees, 1.0, False, heads=2, threshold=threshold) for _ in range(30)]
    assert wrong[0] > 5
    assert wrong[-1] == 0 if threshold is None else wrong[-1] <= wrong[0] / 2
    tokens, heads, names, starts = trees
    toy.weights = [Weights.of(weights.actions, weights.averages(False), 1) for weights in toy.weights]
    for begin, end in pairwise(starts):
        here, gold = np.ascontiguousarray(tokens[begin:end]), (heads[begin:end], names[begin:end])
        found = toy.parse(here, heads=2, threshold=threshold)
        scores = [
            toy.factors(threshold=threshold).part_scores(*toy.packed, here, *(each if toy.joint else each[:1])).sum()
            for each in (gold, found)
        ]
        assert scores[0] >= scores[1] - 1e-3, "moves alone may not find it"
        if threshold is None:
            assert found[0].tolist() == gold[0].tolist()
            assert found[1].tolist() == gold[1].tolist() or not toy.joint


def test_learning_moves_the_gold_tree_above_the_wrong_one():
    """One step of MIRA without a limit: the margin is then the number of wrong words."""
    toy = Toy(SMALL, "joint", learned=0)
    for seed in range(10):
        toy.seed = seed
        tokens, heads, names, starts = trees = toy.random_trees(1, all_trees)
        toy.weights = [Weights(weights.actions, 1) for weights in toy.weights]
        wrong_heads, wrong_names = np.full((2, len(tokens)), -1, dtype=np.int32)
        how = {"heads": 0, "threshold": 0.0}
        toy.factors(**how).find_trees(*toy.weights, tokens, starts, wrong_heads, wrong_names)
        errors = toy.learn(trees, 1e9, False, **how)
        assert errors == ((wrong_heads != heads) | (wrong_names != names)).sum()
        factors, weights = toy.factors(**how), [*toy.weights, tokens]
        gold, wrong = (
            factors.part_scores(*weights, *tree).sum() for tree in ((heads, names), (wrong_heads, wrong_names))
        )
        assert gold - wrong == pytest.approx(errors, rel=1e-4)


# ---- keys of features


class Twin:
    """Features of pairs as tuples, by the text of their templates."""

    def __init__(self, model, tokens):
        self.model, self.tokens = model, tokens

    def value(self, word, attribute):
        inside = 0 <= word < len(self.tokens)
        return int(self.tokens[word, self.model.attributes.index(attribute)]) if inside else None

    def features(self, place, h, d, third):
        part = "siblings" if place == "sibling" else "grandchildren"
        words = {"head": h, "dep": d, "sib": third} if place == "sibling" else {"grand": h, "head": d, "dep": third}
        last = list(words)[-1]
        found = set()
        for terms in self.model.triple_terms[part]:
            values = []
            for term in sorted(terms):
                path, _, attribute = term.rpartition(".")
                name, _, offset = path.rstrip("]").partition("[")
                if third >= 0 or name != last:
                    values.append((term, self.value(words[name] + int(offset or 0), attribute)))
            found.add((place, h > d, third >= 0, *values))
        return found


@pytest.mark.parametrize("features", ["carreras", "carreras-compact", SMALL])
def test_every_feature_of_a_pair_has_a_key_of_its_own(features):
    """No two templates, places, directions or values share one; labels have keys of their own in the same table."""
    toy, rng = Toy(features, "joint", learned=0), np.random.default_rng(10)
    factors, keys, twins, label_keys = toy.factors(), set(), set(), set()
    for n in (3, 5, 6):
        tokens = random_tokens(toy.model, n, rng)
        twin = Twin(toy.model, tokens)
        for h, d, third in product(range(n + 1), range(1, n + 1), range(n + 1)):
            if h == d:
                continue
            label_keys.update(factors.label_features_of(tokens, h, d).tolist())
            for _, place, word in pairs_of(h, d, third):
                found = factors.features_of(tokens, place, h, d, word)
                expected = twin.features(place, h, d, word)
                assert len(found) == len(set(found.tolist())) == len(expected)
                keys.update(found.tolist())
                twins |= expected
    assert len(keys) == len(twins) > 300
    assert not keys & label_keys
    assert {place for _, place, _ in (pair for h in (0, 3) for t in range(5) for pair in pairs_of(h, 2, t))} == set(
        PLACES
    )
