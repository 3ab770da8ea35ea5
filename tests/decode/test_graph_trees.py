"""Trees inside graphs are the best of all trees that can be made, foreign arcs being the last resort."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossarc.decode import tree_in_graph, trees_in_graphs
from crossarc.errors import DecodeError
from crossarc.treebank import Corpus, read
from crossarc.treebank.text_writing import write_trees
from decode.forest import all_trees

FOREIGN = -1


def naive_value(n, tree, best, single_root):
    """How good a tree is: few foreign arcs first, then the sum of scores; None if it is not allowed.

    `best` has the score of each arc of the graph. Foreign arcs count with their lengths where the root is single, and
    must come from node 0 where it is not.
    """
    foreign, total = 0, 0.0
    for word in range(1, n + 1):
        head = int(tree[word])
        if (head, word) in best:
            total += best[head, word]
        elif not single_root and head:
            return None
        else:
            foreign += 1
            total -= (n if not head else abs(head - word)) if single_root else 0
    return -foreign, total


def check(n, arcs, scores, single_root):
    """Compare with all trees; arcs are (head, dependent), labels their places."""
    heads, dependents = np.array([*arcs, (0, 0)], np.int32)[:-1].T
    labels = np.arange(len(arcs))
    found, chosen = tree_in_graph(n, heads, dependents, labels, scores, single_root=single_root)
    given_scores = [-(n if not h else abs(h - d)) for h, d in arcs] if scores is None else scores
    best: dict = {}
    for arc, score in zip(arcs, given_scores, strict=True):
        if arc[0] != arc[1] and score > -np.inf:
            best[arc] = max(score, best.get(arc, -np.inf))
    values = [naive_value(n, tree, best, single_root) for tree in all_trees(n, single_root)]
    value = naive_value(n, found, best, single_root)
    assert value[0] == max(each[0] for each in values if each)
    assert value[1] == pytest.approx(max(each[1] for each in values if each and each[0] == value[0]))
    assert any((found == tree).all() for tree in all_trees(n, single_root))
    for word in range(1, n + 1):
        arc = (int(found[word]), word)
        if arc in best:
            # Of parallel arcs the first with the best score.
            assert chosen[word] == next(
                k for k, other in enumerate(arcs) if other == arc and given_scores[k] == best[arc]
            )
        else:
            assert chosen[word] == FOREIGN
    assert chosen[0] == found[0] == -1


@st.composite
def graphs(draw):
    """The number of words, arcs with parallel ones and loops, and scores or none."""
    n = draw(st.integers(1, 4))
    arcs = draw(st.lists(st.tuples(st.integers(0, n), st.integers(1, n)), max_size=3 * n))
    number = st.one_of(st.integers(-3, 3).map(float), st.just(-np.inf), st.floats(-1e3, 1e3))
    scores = draw(st.one_of(st.none(), st.lists(number, min_size=len(arcs), max_size=len(arcs))))
    return n, arcs, scores


@given(graphs(), st.booleans())
def test_trees_are_the_best_of_all(graph, single_root):
    check(*graph, single_root)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("single_root", [True, False])
def test_denser_graphs(seed, single_root):
    rng = np.random.default_rng(seed)
    n = 5
    arcs = [(int(rng.integers(0, n + 1)), int(rng.integers(1, n + 1))) for _ in range(int(rng.integers(5, 20)))]
    check(n, arcs, rng.normal(size=len(arcs)), single_root)


@given(st.lists(graphs(), min_size=1, max_size=4), st.booleans(), st.integers(1, 2))
def test_many_graphs_are_single_graphs_one_after_the_other(several, single_root, threads):
    several = [(n, arcs, scores if scores is not None else [0.0] * len(arcs)) for n, arcs, scores in several]
    starts = np.concatenate(([0], np.cumsum([len(arcs) for _, arcs, _ in several])))
    arcs = np.array([arc for _, each, _ in several for arc in each], np.int32).reshape(-1, 2)
    scores = [score for _, _, each in several for score in each]
    labels = np.arange(len(arcs))
    sizes = [n for n, _, _ in several]
    found, chosen = trees_in_graphs(
        sizes, starts, arcs[:, 0], arcs[:, 1], labels, scores, single_root=single_root, threads=threads
    )
    at = 0
    for i, (n, _, each) in enumerate(several):
        part = slice(starts[i], starts[i + 1])
        one, names = tree_in_graph(n, arcs[part, 0], arcs[part, 1], labels[part], each, single_root=single_root)
        assert found[at : at + n + 1].tolist() == one.tolist()
        assert chosen[at : at + n + 1].tolist() == names.tolist()
        at += n + 1
    assert at == len(found)


def test_defaults_by_hand():
    # Shorter arcs are better, and node 0 is the last head to take.
    heads, labels = tree_in_graph(4, [0, 0, 1, 1, 2, 1], [1, 4, 2, 3, 3, 4], [0, 1, 2, 3, 4, 5])
    assert (heads.tolist(), labels.tolist()) == ([-1, 0, 1, 2, 1], [-1, 0, 2, 4, 5])
    heads, labels = tree_in_graph(3, [0, 3, 3, 3], [3, 1, 1, 2], [9, 5, 4, 1])
    assert (heads.tolist(), labels.tolist()) == ([-1, 3, 3, 0], [-1, 5, 1, 9])
    # No arc at all: a chain with one root, or all words under node 0.
    assert tree_in_graph(3, [], [], [])[1].tolist() == [-1] * 4
    assert tree_in_graph(3, [], [], [], single_root=False)[0].tolist() == [-1, 0, 0, 0]
    assert trees_in_graphs([], [0], [], [], [])[0].tolist() == []


def test_long_graphs():
    n = 3000
    words = np.arange(1, n + 1)
    heads, _ = tree_in_graph(n, words - 1, words, np.zeros(n, int))
    assert (heads[1:] == words - 1).all()
    heads, labels = tree_in_graph(n, np.zeros(n, int), words, np.zeros(n, int))
    assert ((heads[1:] == 0).sum(), (labels[1:] == FOREIGN).sum()) == (1, n - 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((2, [3], [1], [0]), r"heads\[0\] is 3; the nodes are 0..2"),
        ((2, [1], [-1], [0]), r"dependents\[0\] is -1"),
        ((2, [1], [2], [-1]), "labels are numbers from 0"),
        ((2, [1], [2], [0.5]), "labels must be 1 integers"),
        ((2, [1], [2], [0, 1]), "labels must be 1 integers"),
        ((2, [1], [2], [0], [np.nan]), "scores"),
        ((2, [1], [2], [0], [1.0, 2.0]), "one length|offsets"),
        ((-1, [], [], []), "n must be the number of words"),
    ],
)
def test_what_is_refused(arguments, message):
    with pytest.raises(DecodeError, match=message):
        tree_in_graph(*arguments)


def test_gold_graphs_contain_trees_like_gold(treebanks):
    """Without scores, the tree inside a Danish gold graph is nearly the gold tree; each arc is one of the graph."""
    files = [path for path in treebanks if (path.parent.name, path.name) == ("da_ddt_graph", "dev.conllu")]
    if not files:
        pytest.skip("needs the treebank da_ddt_graph")
    sentences = list(read(files[0]))
    corpus = Corpus.of(sentences)
    graphs = corpus.graphs
    labels = graphs.labels - graphs.strings.reserved
    sizes = [len(sentence) for sentence in sentences]
    heads, chosen = trees_in_graphs(sizes, graphs.starts, graphs.heads, graphs.dependents, labels, single_root=False)
    words = corpus["head"] >= 0
    assert (heads[words] == corpus["head"][words]).mean() > 0.98
    assert (chosen[words] >= 0).all()
    written = write_trees(sentences, heads, np.maximum(chosen, 0), corpus.starts, graphs.strings)
    assert all(sentence.is_tree for sentence in written)
