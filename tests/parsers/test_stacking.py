"""The combined parser: what it sees of two trees, and that it learns from trees of models which have not seen them."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossarc.components import write_model
from crossarc.decode import mst
from crossarc.errors import CrossarcError, ModelError
from crossarc.features.edges import parse_edge_model
from crossarc.papers.undirected_mst.guesses import FURTHEST, GUESSES, parts, stacked_features, with_guesses
from crossarc.papers.undirected_mst.trainer import StackedTrainer
from crossarc.parsers import Parser, load
from crossarc.parsers.presets import make_settings
from crossarc.parsers.trees import Trees
from crossarc.treebank import Corpus, read

BELOW = parse_edge_model('arcs = ["head.form + dep.upos"]\nlabels = ["dep.form"]')  # the tag is the second column


@pytest.fixture(scope="module")
def combined(example):
    return Parser("mst-combined", epochs=3).fit(example)


@st.composite
def forests(draw):
    """Sentences with two trees each, in flat arrays."""
    lengths = draw(st.lists(st.integers(1, 30), min_size=1, max_size=3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))

    def tree(n):
        order = 1 + rng.permutation(n)
        heads = np.full(n + 1, -1)
        for place, word in enumerate(order):
            heads[word] = 0 if place == 0 else rng.choice([0, *order[:place]])
        return heads

    trees = np.array([np.concatenate([tree(n) for n in lengths]) for _ in range(2)], dtype=np.int32)
    tokens = rng.integers(0, 9, size=(trees.shape[1], 2)).astype(np.int32)
    starts = np.concatenate([[0], np.cumsum(np.array(lengths) + 1)])
    return tokens, starts, trees


@given(forests())
def test_what_is_guessed_of_a_word(data):
    """Straight from the definition, word by word."""
    tokens, starts, trees = data
    seen = with_guesses(tokens, BELOW, starts, *trees)
    assert (seen[:, :2] == tokens).all()
    for begin, end in pairwise(starts):
        tags, (heads, others) = tokens[begin:end, 1], trees[:, begin:end]
        for w in range(end - begin):
            found = dict(zip(GUESSES, seen[begin + w, 2:].tolist(), strict=True))
            below = [d for d in range(1, end - begin) if heads[d] == w]
            siblings = [d for d in range(1, end - begin) if w > 0 and heads[d] == heads[w]]
            left, right = [d for d in siblings if d < w], [d for d in siblings if d > w]
            on_left, on_right = [d for d in below if d < w], [d for d in below if d > w]
            assert found["up_tag"] == (tags[heads[w]] if w else -1)
            assert found["left_tag"] == (tags[left[-1]] if left else -1)
            assert found["right_tag"] == (tags[right[0]] if right else -1)
            assert found["first_tag"] == (tags[on_left[0]] if on_left else -1)
            assert found["last_tag"] == (tags[on_right[-1]] if on_right else -1)
            assert found["valency"] == 4 * min(3, len(on_left)) + min(3, len(on_right))
            for name, tree in (("up", heads), ("other_up", others)):
                away = max(-FURTHEST, min(FURTHEST, tree[w] - w))
                assert found[name] == (-1 if w == 0 else 0 if tree[w] == 0 else away + FURTHEST + 1)


def test_parts_are_neighbours_and_all():
    assert [each.tolist() for each in parts(5, 2)] == [[0, 1, 2], [3, 4]]
    assert [each.tolist() for each in parts(2, 4)] == [[0], [1]]


def test_no_model_has_seen_what_it_guesses(example):
    """Other gold trees of the first part change the guesses of the others, and none of its own."""
    settings = make_settings("mst-combined", epochs=2, stack=3)
    sentences = list(read(example))
    first = parts(len(sentences), 3)[0]
    other = [
        sentence.replace(heads=[-1, *range(len(sentence))]) if number in first else sentence
        for number, sentence in enumerate(sentences)
    ]
    one, two = (StackedTrainer(Trees.of(Corpus.of(each)), settings, None).extended for each in (sentences, other))
    end = Corpus.of(sentences).starts[first[-1] + 1]
    assert (one[:end] == two[:end]).all()
    assert (one[end:] != two[end:]).any()


def test_the_model_on_top_looks_at_the_trees(combined, example):
    """Its weights have rows for what only trees tell: with other guesses its scores are others."""
    model = combined.model
    sentence = max(read(example), key=len)
    corpus = Corpus.of([sentence])
    tokens = model.attributes.encode(corpus)
    guesses = model.finder.below.guess(tokens, corpus.starts)
    flat = np.array([-1, *range(len(sentence))], dtype=np.int32)

    def scores(*trees):
        seen = with_guesses(tokens, model.features, corpus.starts, *trees)
        return model.finder.top.scores(seen)

    as_it_is = scores(*guesses)
    assert (as_it_is != scores(flat, guesses[1])).any()
    assert (as_it_is != scores(guesses[0], flat)).any()
    (parsed,) = combined.parse([sentence])
    assert (mst(as_it_is, single_root=model.single_root) == parsed.heads).all()


def test_it_is_kept_whole(combined, example, tmp_path):
    path = tmp_path / "m"
    combined.save(path)
    before = [sentence.heads.tolist() for sentence in combined.parse(example)]
    assert [sentence.heads.tolist() for sentence in load(path).parse(example)] == before
    manifest, arrays = combined.model.to_arrays()
    manifest |= combined.manifest_
    faults = [
        ({**manifest, "stacked": None}, arrays),
        ({**manifest, "stacked": 'arcs = ["head.shape"]\nlabels = ["dep.prefix[7]"]'}, arrays),
        (manifest, {name: array for name, array in arrays.items() if name != "stacked.cells"}),
    ]
    for wrong, tables in faults:
        write_model(path, wrong, tables)
        with pytest.raises((ModelError, CrossarcError)):
            load(path)


def test_going_on_from_a_combined_model(combined, example):
    second = Parser("mst-combined", epochs=2).fit(list(read(example))[:20], init=combined)
    assert second.model.label_features.text == combined.model.label_features.text
    assert second.evaluate(example).uas > 90
    with pytest.raises(CrossarcError, match="stack is 4 here and 0 there"):
        Parser("mst-combined", epochs=1).fit(example, init=Parser("mst-undirected-lep", epochs=1).fit(example))


def test_a_killed_training_goes_on_to_the_same_model(example, tmp_path):
    def die(epoch):
        if epoch.number > 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Parser("mst-combined", epochs=3).fit(example, checkpoint=tmp_path / "state", on_epoch=die)
    for name, options in (("resumed", {"checkpoint": tmp_path / "state", "resume": True}), ("whole", {})):
        Parser("mst-combined", epochs=3).fit(example, **options).save(tmp_path / name)
    assert (tmp_path / "resumed").read_bytes() == (tmp_path / "whole").read_bytes()


def test_a_directed_model_is_reused(example):
    directed = Parser("mst", epochs=2).fit(example)
    parser = Parser("mst-combined", epochs=2).fit(example, directed=directed)
    assert parser.model.finder.below.directed.weights is directed.model.finder.weights


def test_features_that_the_models_below_lack_are_left_out(example):
    corpus = Corpus.of(list(read(example)))
    features = stacked_features(BELOW, corpus)
    assert features.attributes == (*BELOW.attributes, *GUESSES)
    assert not any("lemma" in term for template in features.arc_terms for term in template)
    assert Parser("mst-combined", epochs=1, features="mst-mcdonald").fit(example).evaluate(example).uas > 50


def test_settings():
    for options in ({"stack": 1}, {"enhance": 0}):
        with pytest.raises(CrossarcError, match="at least two parts of the treebank"):
            Parser("mst-combined", **options)
    with pytest.raises(CrossarcError, match="stack belongs to undirected parsers"):
        Parser("mst", stack=4)
