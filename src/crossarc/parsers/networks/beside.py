"""Arcs beside a tree: which of them are looked at, and what a network is told about them by the tree.

The second pass of `neural-graph` knows the best tree of the first one. It sees the ends of an arc, the heads of both in
the tree, and where the way between them turns: the lowest word above both. The length of this way, up from the
dependent and down to the head, has an embedding, and so have the labels of the first four words in the tree. Each word
also comes with the labels of its dependents. With a given tree both passes see the way between the ends there too.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crossarc import decode
from crossarc.neural.heads import ArcScores, BesideScores
from crossarc.neural.layers import Array, Ints, Starts
from crossarc.parsers.arcs.long_sentences import Pieces
from crossarc.parsers.networks.model import Scores, barred_labels, ends, padded, searching
from crossarc.parsers.networks.network import Network

Numbers = NDArray[np.int64]
BESIDE_SIZE = 128  # the numbers in what the second pass sees of an arc
FLOOR = -6.0  # arcs with lower scores of the first pass are not looked at
MOST = 10  # heads of a word that are looked at, those with the highest scores
UPS, DOWNS = 3, 4  # steps up and down that are told apart
WAYS = (UPS + 1) * (DOWNS + 1) + 1  # the last stands for longer ones
LENGTHS = np.array([2, 3, 4, 5, 7, 10, 16, 31])  # where a class of distances begins
DISTANCES = 2 * (len(LENGTHS) + 1) + 1  # to each side, and node 0
ROLES = 5  # of words that are seen: dependent, head, the heads of both, and where the way between them turns


class FirstPass(NamedTuple):
    """What the first pass finds in a batch of sentences: trees, and arcs beside them that are looked at again."""

    arcs: ArcScores
    trees: Ints  # [sentence, word]
    above: Ints  # the head of each node of the batch, itself for nodes 0
    sets: Numbers  # the set of labels of each node in the tree; 0 for nodes 0
    given: Ints | None  # as `above`, in a given tree
    sentences: Numbers  # of the arcs beside the tree
    dependents: Numbers  # by their places in the sentence
    heads: Numbers
    scores: Scores
    below: Ints  # the rows of both ends
    over: Ints


def first_pass(
    network: Network,
    vectors: Array,
    starts: Starts,
    given: Ints | None,
    single_root: bool,
    set_places: NDArray[np.uint8],
) -> FirstPass:
    """Return the trees of a batch and the arcs beside them whose scores are above the floor.

    `given` has the heads of words in given trees, if there are some, as places in the sentences; -1 for none.
    """
    above = np.repeat(starts[:-1], np.diff(starts)).astype(np.int32)
    above_given = None if given is None else np.where(given < 0, np.arange(len(above)), above + given).astype(np.int32)
    arcs = network.arcs.forward(vectors, starts, None if above_given is None else way_cells(above_given, starts))
    scores = padded(arcs)
    with searching():
        trees = decode.mst(scores, np.diff(starts).astype(np.int32) - 1, single_root=single_root)
    words, over = ends(trees, starts)
    heads = over - above[words]
    above[words] = over
    sets = np.zeros(len(above), dtype=np.int64)
    sets[words] = best_sets(network, set_places, vectors, words, over, heads)
    sentence, dependent, head = likely_arcs(scores, starts, trees, single_root, FLOOR)
    rows = tuple((starts[sentence] + each).astype(np.int32) for each in (dependent, head))
    found = (sentence, dependent, head, scores[sentence, dependent, head], rows[0], rows[1])
    return FirstPass(arcs, trees, above, sets, above_given, *found)


def best_sets(
    network: Network, set_places: NDArray[np.uint8], vectors: Array, below: Ints, over: Ints, heads: NDArray[Any]
) -> Numbers:
    """Return the best set of labels of arcs between rows of vectors; `heads` are the heads in their sentences."""
    scores = network.labels.forward(vectors, below, over).scores
    return np.asarray((scores + barred_labels(set_places, heads)).argmax(axis=1))


def likely_arcs(
    scores: Scores, starts: Starts, trees: Ints, single_root: bool, floor: float
) -> tuple[Numbers, Numbers, Numbers]:
    """Return the sentences, dependents and heads of arcs beside trees, for each word those with the highest scores."""
    sizes, width = np.diff(starts), scores.shape[1]
    places = np.arange(width)
    inside = places < sizes[:, None]
    likely = (scores > floor) & inside[:, :, None] & inside[:, None]
    likely[:, 0] = False
    likely[:, places, places] = False
    if single_root:
        likely[:, :, 0] = False
    np.put_along_axis(likely, np.maximum(trees, 0)[..., None], False, axis=2)
    sentences, dependents = np.nonzero(likely.sum(axis=2) > MOST)
    if len(sentences):  # mostly before much is learned
        rows = np.where(likely[sentences, dependents], scores[sentences, dependents], -np.inf)
        low = np.argsort(-rows, axis=1, kind="stable")[:, MOST:]
        likely[sentences[:, None], dependents[:, None], low] = False
    found = np.nonzero(likely)
    return found[0], found[1], found[2]


def second_pass(network: Network, vectors: Array, first: FirstPass) -> BesideScores:
    """Return the scores of no arc and of all sets of labels, for the arcs that the first pass leaves."""
    assert network.beside is not None
    sets = network.labels.output.bias.value.size
    return network.beside.forward(vectors, labels_below(first, sets), *seen(first, sets), first.scores)


def labels_below(first: FirstPass, sets: int) -> Array:
    """Return for each node which sets of labels its dependents in the tree have, as ones."""
    words = np.flatnonzero(first.above != np.arange(len(first.above)))
    found = np.zeros((len(first.above), sets), dtype=np.float32)
    found[first.above[words], first.sets[words]] = 1
    return found


def seen(first: FirstPass, sets: int) -> tuple[Ints, Ints]:
    """Return the words that are seen of each arc, and the numbers of its embeddings."""
    below, over, above = first.below, first.over, first.above
    way, top = ways(above, below, over)
    kinds = np.where(above == np.arange(len(above)), 0, first.sets + 1)  # 0 for nodes 0
    right = first.heads > first.dependents
    same = kinds[over] == kinds[above[over]]  # as in a chain of conjuncts
    nodes = np.stack([below, over, above[below], above[over], top], axis=1)
    columns = [way + WAYS * right, way + WAYS * same, distances(first.dependents, first.heads)]
    columns += [kinds[nodes[:, role]] for role in range(4)]
    if first.given is not None:
        columns.append(ways(first.given, below, over)[0] + WAYS * right)
    numbers = np.stack(columns, axis=1) + np.cumsum([0, *embedding_blocks(sets, first.given is not None)[:-1]])
    return np.ascontiguousarray(nodes, dtype=np.int32), np.ascontiguousarray(numbers, dtype=np.int32)


def embedding_blocks(sets: int, use_tree: bool) -> list[int]:
    """Return how many embeddings each column of numbers has, given the number of sets of labels."""
    return [2 * WAYS, 2 * WAYS, DISTANCES, *[sets + 1] * 4, *[2 * WAYS] * use_tree]


def way_cells(above: Ints, starts: Starts) -> Numbers:
    """Return the class of the way in given trees of all arcs of sentences, plus the classes of all nodes before."""
    sizes = np.diff(starts)
    cells = np.arange(int((sizes**2).sum()))
    sentence = np.repeat(np.arange(len(sizes)), sizes**2)
    place = cells - (np.cumsum(sizes**2) - sizes**2)[sentence]
    below, over = ((starts[sentence] + each).astype(np.int32) for each in np.divmod(place, sizes[sentence]))
    return np.asarray(WAYS * below.astype(np.int64) + ways(above, below, over)[0])


def in_pieces(given: Ints, pieces: Pieces) -> Ints:
    """Return the heads of given trees in pieces of sentences; -1 where the head is in another piece."""
    rows, begins = pieces.rows, pieces.starts[:-1]
    first = np.repeat(rows[begins], np.diff(pieces.starts))  # node 0 of the sentence
    before = np.repeat(rows[np.minimum(begins + 1, len(rows) - 1)], np.diff(pieces.starts)) - first - 1
    sizes = np.repeat(np.diff(pieces.starts), np.diff(pieces.starts))
    heads = given[rows]
    moved = np.where(heads > 0, heads - before, heads)
    outside = (heads > 0) & ((moved < 1) | (moved >= sizes))
    return np.where(outside, -1, moved).astype(np.int32)


def ways(above: Ints, below: Ints, over: Ints) -> tuple[Numbers, Ints]:
    """Return the class of the way from each dependent to its head in the tree, and where the way turns.

    If the way is longer than the classes tell apart, the last node seen on the way up stands for that.
    """
    up, down = [below], [over]
    for _ in range(UPS):
        up.append(above[up[-1]])
    for _ in range(DOWNS):
        down.append(above[down[-1]])
    found, top = np.full(len(below), WAYS - 1, dtype=np.int64), up[-1].copy()
    for i in range(UPS, -1, -1):  # the shortest ways last, since they count
        for j in range(DOWNS, -1, -1):
            meet = up[i] == down[j]
            found[meet] = i * (DOWNS + 1) + j
            top[meet] = up[i][meet]
    return found, top


def distances(dependents: Numbers, heads: Numbers) -> Numbers:
    """Return the classes of direction and distance of arcs."""
    length = np.digitize(np.abs(heads - dependents), LENGTHS)
    found = np.where(heads > dependents, length + len(LENGTHS) + 1, length)
    return np.where(heads == 0, DISTANCES - 1, found)
