"""Scores of second order straight from the definition, as the twin of the native kernels."""

from itertools import product

import numpy as np

from decode.forest import all_trees, is_tree


def random_parts(n, seed, labels=0, forbidden=0.0, forbidden_pairs=0.0):
    """Random scores of arcs, siblings and grandchildren; a share of arcs and of pairs is forbidden."""
    rng = np.random.default_rng(seed)
    last = (labels,) if labels else ()
    arcs = rng.normal(size=(n + 1, n + 1, *last))
    arcs[rng.random(arcs.shape) < forbidden] = -np.inf
    pairs = rng.normal(size=(2, n + 1, n + 1, n + 1, *last))
    pairs[rng.random(pairs.shape) < forbidden_pairs] = -np.inf
    return arcs, *pairs


def sibling_of(heads, d):
    """The child of d's head between the two that is nearest to d, the head itself if there is none."""
    h = heads[d]
    others = [s for s in range(1, len(heads)) if heads[s] == h and min(h, d) < s < max(h, d)]
    return min(others, key=lambda s: abs(s - d), default=h)


def grandchildren_of(heads, d):
    """The farthest child of d between it and its head, or d; beyond d, or the head; and past the head, if any."""
    h = heads[d]
    children = [c for c in range(1, len(heads)) if heads[c] == d]
    between = [c for c in children if min(h, d) < c < max(h, d)]
    beyond = [c for c in children if (c < d) != (h < d)]
    past = [c for c in children if (c < h if h < d else c > h)]
    found = [max(between, key=lambda c: abs(c - d), default=d), max(beyond, key=lambda c: abs(c - d), default=h)]
    return [*found, max(past, key=lambda c: abs(c - d))] if past else found


def cells_of(heads):
    """The cells of arcs, siblings and grandchildren that score a tree."""
    words = range(1, len(heads))
    return (
        [(d, heads[d]) for d in words],
        [(d, heads[d], sibling_of(heads, d)) for d in words],
        [(d, heads[d], c) for d in words for c in grandchildren_of(heads, d)],
    )


def label_scores(parts, heads):
    """The score of each label of each word of a tree, (n, labels): labels do not depend on each other."""
    totals = 0.0
    for array, cells in zip(parts, cells_of(heads), strict=True):
        scores = np.zeros((len(heads) - 1, array.shape[-1]))
        for cell in cells:
            scores[cell[0] - 1] += array[cell]
        totals = totals + scores
    return totals


def score(parts, heads, labels=None):
    """The score of a tree."""
    heads = [int(head) for head in heads]
    if labels is None:
        return float(label_scores([array[..., None] for array in parts], heads).sum())
    return float(label_scores(parts, heads)[range(len(heads) - 1), labels[1:]].sum())


def best_score(parts, n, single_root, labelled):
    """The score of the best projective tree, of all of them."""
    parts = parts if labelled else [array[..., None] for array in parts]
    return max(
        float(label_scores(parts, heads).max(axis=1).sum())
        for heads in all_trees(n, single_root, projective=True).tolist()
    )


def moves_of(heads, single_root):
    """The trees that one move leads to, with the words that it moves."""
    n = len(heads) - 1
    roots = [d for d in range(1, n + 1) if heads[d] == 0]
    for i, j in product(range(1, n + 1), range(n + 1)):
        if i == j:
            continue
        new = list(heads)
        new[i] = j
        if single_root and j == 0 and heads[i] != 0:
            for below in range(1, n + 1):
                new[roots[0]] = below
                if below != roots[0] and is_tree(new):
                    yield list(new), (i, roots[0])
        elif is_tree(new) and (not single_root or new.count(0) == 1):
            yield new, (i,)


def reattached(parts, heads, labels, threshold, single_root):
    """Figure 2 of Björkelund and Kuhn (2012): whole trees are scored again for each move."""
    heads, labels = [int(head) for head in heads], [int(label) for label in labels]
    current = score(parts, heads, labels)
    while True:
        best, chosen = -np.inf, None
        for new, moved in moves_of(heads, single_root):
            for names in product(range(parts[0].shape[-1]), repeat=len(moved)):
                others = list(labels)
                for word, name in zip(moved, names, strict=True):
                    others[word] = name
                total = score(parts, new, others)
                if total > best:
                    best, chosen = total, (new, others)
        if chosen is None or not best - current > threshold:
            return heads, labels
        current, (heads, labels) = best, chosen
