"""Neural parsers of graphs: which arcs beside the tree are kept, and how that is chosen."""

from dataclasses import replace

import numpy as np
import pytest

from crossarc.components import write_model
from crossarc.errors import CrossarcError, ModelError
from crossarc.parsers import Parser, load
from crossarc.parsers.arcs.long_sentences import Pieces
from crossarc.parsers.graphs import Arcs, Graphs, graph_transform
from crossarc.parsers.networks.beside import (
    DISTANCES,
    DOWNS,
    MOST,
    UPS,
    WAYS,
    FirstPass,
    distances,
    embedding_blocks,
    in_pieces,
    labels_below,
    likely_arcs,
    seen,
    way_cells,
    ways,
)
from crossarc.parsers.networks.graph_trainer import NetworkGraphTrainer
from crossarc.parsers.networks.thresholds import GRID, Beside, choose_thresholds, right_labels
from crossarc.treebank import Corpus, Graph
from graph_treebank import graph_treebank

SMALL = {"hidden": 16, "lexical_size": 16, "tag_size": 16, "arc_size": 16, "label_size": 16}


@pytest.fixture(scope="module")
def graphs():
    return graph_treebank()


@pytest.fixture(scope="module")
def parser(graphs):
    return Parser("neural-graph", **SMALL, epochs=12, rate=0.01).fit(graphs)


# ---- arcs beside the tree, and what is seen of them


def random_trees(rng, sizes):
    """Heads of words of sentences, [sentence, word]; -1 for node 0 and where there is no word."""
    trees = np.full((len(sizes), max(sizes)), -1, dtype=np.int32)
    for sentence, size in enumerate(sizes):
        order = [0, *(1 + rng.permutation(size - 1)).tolist()]
        for place in range(1, size):
            trees[sentence, order[place]] = order[rng.integers(0, place)]
    return trees


def path_up(above, node):
    found = [node]
    while above[found[-1]] != found[-1]:
        found.append(int(above[found[-1]]))
    return found


def test_ways_in_trees():
    rng = np.random.default_rng(3)
    (tree,) = random_trees(rng, [30])
    tree[2:20] = np.arange(1, 19)  # a long chain
    tree[1] = 0
    above = np.maximum(tree, 0)
    below, over = (each.reshape(-1).astype(np.int32) for each in np.meshgrid(np.arange(1, 30), np.arange(30)))
    classes, tops = ways(above, below, over)
    longer = 0
    for d, h, way, top in zip(below.tolist(), over.tolist(), classes.tolist(), tops.tolist(), strict=True):
        up, down = path_up(above, d), path_up(above, h)
        meet = next(node for node in up if node in down)
        steps = up.index(meet), down.index(meet)
        if steps[0] <= UPS and steps[1] <= DOWNS:
            assert (way, top) == (steps[0] * (DOWNS + 1) + steps[1], meet), (d, h)
        else:
            longer += 1
            assert way == WAYS - 1
            assert top in up
    assert longer > 50


@pytest.mark.parametrize("single_root", [False, True])
def test_likely_arcs(single_root):
    rng = np.random.default_rng(4)
    sizes = [5, 1, 30, 2]
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    trees, scores = random_trees(rng, sizes), rng.normal(0, 3, (4, 30, 30))
    expected = set()
    for sentence, size in enumerate(sizes):
        for d in range(1, size):
            heads = [h for h in range(int(single_root), size) if h not in (d, trees[sentence, d])]
            heads = sorted((h for h in heads if scores[sentence, d, h] > -1), key=lambda h: -scores[sentence, d, h])
            expected |= {(sentence, d, h) for h in heads[:MOST]}
    found = likely_arcs(scores, starts, trees, single_root, -1)
    assert set(zip(*(each.tolist() for each in found), strict=True)) == expected
    assert len(expected) == len(found[0])
    assert max(np.bincount(found[1][found[0] == 2])) == MOST


def test_distances_have_a_class_for_each_side():
    heads = np.array([0, 1, 2, 4, 5, 7, 40, 0])
    dependents = np.array([1, 2, 1, 1, 1, 1, 1, 40])
    found = distances(dependents, heads)
    assert found[0] == found[-1] == DISTANCES - 1
    assert found[1] == 0
    assert (np.diff(found[2:7]) > 0).all()
    assert found.max() < DISTANCES
    assert distances(heads[2:7], dependents[2:7]).tolist() == (found[2:7] - found[2]).tolist()


def test_what_is_seen_of_an_arc():
    """Two sentences; in the second the tree 0 -> 1 -> 2 -> 3, with the sets 4, 5 and 5, and the arc 1 -> 3."""
    above = np.array([0, 0, 2, 2, 3, 4], dtype=np.int32)
    one = np.ones(1, dtype=np.int64)
    ends = {"sentences": one, "dependents": 3 * one, "heads": one, "scores": np.zeros(1)}
    rows = {"below": np.array([5], dtype=np.int32), "over": np.array([3], dtype=np.int32)}
    sets = np.array([0, 2, 0, 4, 5, 5])
    first = FirstPass(arcs=None, trees=None, above=above, sets=sets, given=None, **ends, **rows)
    nodes, numbers = seen(first, 6)
    assert np.argwhere(labels_below(first, 6)).tolist() == [[0, 2], [2, 4], [3, 5], [4, 5]]
    assert nodes.tolist() == [[5, 3, 4, 2, 3]]
    blocks = embedding_blocks(6, False)
    begins = np.cumsum([0, *blocks[:-1]])
    way = 2 * (DOWNS + 1)
    assert (numbers - begins).tolist() == [[way, way, 1, 6, 5, 6, 0]]
    assert (numbers - begins >= 0).all()
    assert (numbers - begins < blocks).all()
    given = np.array([0, 0, 2, 2, 2, 2], dtype=np.int32)
    with_tree = seen(first._replace(given=given), 6)
    assert with_tree[0].tolist() == nodes.tolist()
    assert with_tree[1][:, :-1].tolist() == numbers.tolist()
    assert with_tree[1][0, -1] == sum(blocks) + (DOWNS + 1) + 1, "both words are under node 0 there"
    assert embedding_blocks(6, True) == [*blocks, 2 * WAYS]


def test_the_tree_of_the_first_pass_is_learned_from_head(parser, graphs):
    """Where a word has several heads, the best tree has the one in HEAD, whichever comes first."""
    turned = []
    for sentence in graphs:
        heads = sentence.heads.copy()
        for head, dependent, _ in sentence.graph:
            heads[dependent] = int(head)  # the last one
        changed = sentence.replace(heads=heads)
        turned.append(changed if changed.is_tree else sentence)
    assert sum(one != other for one, other in zip(graphs, turned, strict=True)) > 10
    other = Parser("neural-graph", **SMALL, epochs=12, rate=0.01).fit(turned)
    for treebank, model in ((graphs, parser.model), (turned, other.model)):
        corpus, right = Corpus.of(treebank), []
        for batch in model.proposals(model.tokens_of(corpus), corpus.starts):
            for place, number in enumerate(batch.sentences.tolist()):
                sentence = treebank[number]
                several = [d for d in range(1, len(sentence) + 1) if sum(arc[1] == d for arc in sentence.graph) > 1]
                right += [batch.trees[place, d] == sentence.heads[d] for d in several]
        assert len(right) > 40
        assert np.mean(right) > 0.85


def test_batches_and_threads_do_not_matter(parser, graphs):
    mixed = [each for pair in zip(graphs, graphs[::-1], strict=True) for each in pair]
    expected = list(parser.parse(mixed))
    assert list(parser.parse(mixed, threads=3)) == expected
    assert [next(parser.parse([each])) for each in mixed] == expected


def test_the_second_pass_goes_on_from_a_model(parser, graphs, tmp_path):
    new = [
        each.replace(graph=Graph.from_arcs(each.graph.nodes, [(h, d, f"{label}:new") for h, d, label in each.graph]))
        for each in graphs[:5]
    ]
    more = Graphs.of(Corpus.of([*graphs, *new]), graph_transform(parser.settings))
    trainer = NetworkGraphTrainer(more, parser.settings, parser.model)
    tables = [network.beside.known.table.value for network in (parser.model.network, trainer.network)]
    sets = len(parser.model.set_starts) - 1
    assert len(trainer.sets) > sets
    old, longer = (
        np.split(table, np.cumsum(embedding_blocks(count, False))[:-1])
        for table, count in zip(tables, (sets, len(trainer.sets)), strict=True)
    )
    for known, block in zip(old, longer, strict=True):
        assert np.array_equal(block[: len(known)], known)
    epochs = []
    Parser("neural-graph", **SMALL, epochs=1).fit(graphs, dev=graphs, init=parser, on_epoch=epochs.append)
    assert epochs[0].las == pytest.approx(parser.evaluate(graphs).labelled.f1)


# ---- a given tree


def plain_words(sentences):
    """The sentences with words that say little, so that only their trees tell what the graphs are."""
    found = []
    for each in sentences:
        blank, tags = ["", *"v" * (len(each) - 1), "w"], ["", *"X" * len(each)]
        found.append(each.replace(forms=blank, lemmas=blank, upos=tags))
    return found


def test_a_given_tree_helps_and_is_needed(graphs, tmp_path):
    train, dev = plain_words(graphs), plain_words(graph_treebank(40, seed=2))
    without, with_tree = (
        Parser("neural-graph", **SMALL, epochs=12, rate=0.01, use_tree=use_tree).fit(train, dev=dev)
        for use_tree in (False, True)
    )
    assert without.evaluate(dev).labelled.f1 < 90 < 95 < with_tree.evaluate(dev).labelled.f1
    with_tree.save(tmp_path / "m")
    mixed = dev + dev[::-1]
    expected = list(with_tree.parse(mixed))
    assert list(load(tmp_path / "m").parse(mixed, threads=3)) == expected
    assert [next(with_tree.parse([each])) for each in mixed] == expected
    bare = [each.replace(heads=[-1] * (len(each) + 1), deprels=["_"] * (len(each) + 1)) for each in dev]
    told = []
    assert len(list(with_tree.parse(bare, on_missing=told.append))) == len(dev)
    assert told == [["deprel"]]
    with pytest.raises(CrossarcError, match="no sentence has a tree in HEAD"):
        Parser("neural-graph", **SMALL, use_tree=True).fit(bare)


def test_the_same_way_in_all_cells():
    rng = np.random.default_rng(6)
    sizes = [4, 1, 7]
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    trees = random_trees(rng, sizes)
    above = np.concatenate(
        [start + np.maximum(tree[:size], 0) for start, tree, size in zip(starts, trees, sizes, strict=False)]
    )
    cells = way_cells(above.astype(np.int32), starts)
    place = 0
    for start, size in zip(starts.tolist(), sizes, strict=False):
        for d in range(start, start + size):
            for h in range(start, start + size):
                (way,), _ = ways(above, np.array([d]), np.array([h]))
                assert cells[place] == d * WAYS + way
                place += 1
    assert place == len(cells)


def test_given_heads_in_pieces_of_long_sentences():
    heads = np.array([-1, 2, 0, 2, 3, 8, 4, 6, 5, -1, 0, 1], dtype=np.int32)  # eight words, and two
    pieces = Pieces(np.array([0, 9, 12]), 4)
    assert in_pieces(heads, pieces).tolist() == [-1, 2, 0, 2, 3, -1, 4, -1, 2, 1, -1, 0, 1]


# ---- thresholds


def beside(sets, scores):
    places = np.zeros(len(sets), dtype=np.int64)
    return Beside(places, places, places, np.array(sets), np.array(scores, dtype=np.float64))


def test_frequent_sets_have_a_threshold_of_their_own_and_rare_ones_the_common_one():
    rng = np.random.default_rng(1)
    scores = np.concatenate([rng.uniform(-3, 4, 4_000), [1.9, 2.1, -0.4]])
    sets = np.array([0, 1] * 2_000 + [2, 2, 3])
    right = np.concatenate([scores[:-3] > np.where(sets[:-3] == 0, -1.0, 2.0), [True, False, True]]).astype(np.int64)
    found = choose_thresholds(beside(sets, scores), right, np.array([1, 1, 1, 1, 1]), 0.5)
    assert found.dtype == np.float32
    assert found[:2] == pytest.approx([-1, 2], abs=0.25)
    assert found[2] == found[3] == found[4], "two arcs, one and none"


def test_without_shrinkage_a_threshold_gains_most_for_its_set():
    rng = np.random.default_rng(2)
    scores, sets, right = rng.normal(0, 2, 300), rng.integers(0, 3, 300), rng.integers(0, 3, 300)
    sizes, share = np.array([1, 2, 3]), 0.4
    right = np.minimum(right, sizes[sets])
    found = choose_thresholds(beside(sets, scores), right, sizes, share, shrinkage=0)

    def gain(chosen, threshold):
        kept = (sets == chosen) & (scores > threshold)
        return (right[kept] - share * sizes[chosen]).sum()

    for chosen, threshold in enumerate(found.tolist()):
        assert gain(chosen, threshold) == pytest.approx(max(gain(chosen, each) for each in GRID))


def test_right_labels_of_arcs():
    gold = Arcs(np.array([0, 2, 3]), *(np.array(each, dtype=np.int32) for each in ([2, 2, 1], [1, 1, 2], [0, 3, 1])))
    arcs = Beside(*(np.array(each) for each in ([0, 0, 1, 1], [1, 1, 2, 1], [2, 0, 1, 2], [1, 1, 0, 0])), np.zeros(4))
    right = right_labels(arcs, gold, np.array([0, 1, 3]), np.array([1, 0, 3], dtype=np.int32))
    assert right.tolist() == [2, 0, 1, 0]


def arcs_of(model, graphs):
    found = model.parse_graphs(Corpus.of(graphs))
    sentence = np.repeat(np.arange(len(graphs)), np.diff(found.starts))
    return set(zip(sentence.tolist(), *(each.tolist() for each in found[1:]), strict=True))


def test_a_threshold_is_that_of_one_set_beside_the_tree(parser, graphs):
    model = parser.model
    low = replace(model, thresholds=np.full(len(model.thresholds), -2.5, dtype=np.float32))
    everything = arcs_of(low, graphs)
    words = len(Corpus.of(graphs)["form"]) - len(graphs)
    closed = replace(model, thresholds=np.full(len(model.thresholds), 99, dtype=np.float32))
    tree = arcs_of(closed, graphs)
    assert len(tree) == words
    assert tree < everything
    (label,) = (number for number, name in enumerate(model.labels) if name == "nsubj:xsubj")
    (chosen,) = (place for place, begin in enumerate(model.set_starts[:-1]) if model.set_labels[begin] == label)
    thresholds = low.thresholds.copy()
    thresholds[chosen] = 99
    lost = everything - arcs_of(replace(model, thresholds=thresholds), graphs)
    assert lost
    assert lost == {arc for arc in everything - tree if arc[3] == label}


def test_thresholds_are_chosen_on_a_development_set(parser, graphs, tmp_path):
    dev = Corpus.of(graph_treebank(40, seed=2))
    hidden = replace(parser.model, thresholds=np.full(len(parser.model.thresholds), 99, dtype=np.float32))
    tuned = hidden.tuned(dev)
    assert tuned.score(dev)["LF"] > hidden.score(dev)["LF"] + 2
    assert tuned.tuned(dev) is tuned, "nothing better is found twice"
    again = Parser("neural-graph", **SMALL, epochs=12, rate=0.01).fit(graphs, dev=graph_treebank(40, seed=2))
    again.save(tmp_path / "m")
    assert load(tmp_path / "m").model.thresholds.tolist() == again.model.thresholds.tolist()


def stored(parser, path, drop=(), arrays=(), **manifest):
    """Write and load a model with other arrays or other entries of its manifest."""
    about, own = parser.model.to_arrays()
    own = {name: array for name, array in (own | dict(arrays)).items() if name not in drop}
    write_model(path, {**parser.manifest_, **about, **manifest}, own)
    return load(path)


def test_damaged_thresholds_are_refused(parser, tmp_path):
    whole = parser.model.thresholds
    for fault in (whole[1:], whole.astype(np.float64), np.full_like(whole, np.nan), np.full_like(whole, np.inf)):
        with pytest.raises(ModelError, match="holds no parser"):
            stored(parser, tmp_path / "bad", arrays={"thresholds": fault})
    with pytest.raises(ModelError, match="holds no parser"):
        stored(parser, tmp_path / "bad", drop=["thresholds"])
    with pytest.raises(ModelError, match="holds no parser"):
        stored(parser, tmp_path / "bad", drop=["thresholds"], threshold="x")
