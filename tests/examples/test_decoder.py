"""The decoder of examples/expected_heads.py is what its definition says, and all of a parser works with it."""

import doctest
import importlib.util
from pathlib import Path

import numpy as np
import pytest

from crossarc.errors import DecodeError
from crossarc.parsers import Constraints, Parser
from crossarc.parsers.scorers import DECODERS
from crossarc.treebank import read
from decode.forest import KINDS, all_trees, random_scores, tree_scores

PATH = Path(__file__).resolve().parents[2] / "examples" / "expected_heads.py"


@pytest.fixture(scope="module")
def example_module():
    """The example as a module; what it registers is there during these tests."""
    before = dict(DECODERS.things)
    spec = importlib.util.spec_from_file_location(PATH.stem, PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    DECODERS.things.clear()
    DECODERS.things.update(before)


class Random:
    """Scores that follow from the words."""

    labels = ("dep",)

    def arc_scores(self, sentences):
        return [scores_of(sentence) for sentence in sentences]

    def label_scores(self, sentences, heads):
        return [np.zeros((len(tree), 1)) for tree in heads]


def scores_of(sentence):
    return np.random.default_rng(len(sentence.raw)).normal(size=(len(sentence) + 1,) * 2)


def right_heads(scores, trees):
    """The expected number of right heads of each tree, over all trees."""
    totals = tree_scores(scores, trees)
    shares = np.exp(totals - totals.max())
    shares /= shares.sum()
    right = np.array([(trees[:, 1:] == tree[1:]).sum(axis=1) @ shares for tree in trees])
    return np.where(np.isneginf(totals), -np.inf, right)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("single_root", [True, False])
def test_no_tree_has_more_heads_expected_to_be_right(example_module, kind, single_root):
    for n in range(1, 6):
        trees = all_trees(n, single_root)
        for seed in range(5):
            scores = random_scores(n, seed, kind)
            if np.isneginf(tree_scores(scores, trees)).all():
                with pytest.raises(DecodeError, match="leave no tree"):
                    example_module.expected_heads(scores, single_root=single_root)
                continue
            found = example_module.expected_heads(scores, single_root=single_root)
            right = right_heads(scores, trees)
            assert right[(trees == found).all(axis=1)] == pytest.approx(right.max())


def test_it_is_not_the_most_likely_tree(example_module, example):
    sentences = list(read(example))
    found = list(Parser.around(Random(), example_module.NAME).parse(sentences))
    for sentence, parsed in zip(sentences, found, strict=True):
        assert parsed.heads.tolist() == example_module.expected_heads(scores_of(sentence), single_root=True).tolist()
    likely = Parser.around(Random(), "mst").parse(sentences)
    assert any(one.heads.tolist() != other.heads.tolist() for one, other in zip(found, likely, strict=True))


def test_constraints_reach_it(example_module, example):
    sentence = next(iter(read(example)))
    parser = Parser.around(Random(), example_module.NAME)
    known = Constraints({2: 5}, {(3, 1)})
    (bound,) = parser.parse(sentence, constraints=lambda _: known)
    scores = scores_of(sentence)
    scores[known.left_out(len(sentence))] = -np.inf
    assert bound.heads.tolist() == example_module.expected_heads(scores, single_root=True).tolist()
    with pytest.raises(DecodeError, match=r"example.conllu:\d+: sentence"):
        next(parser.parse(sentence, constraints=lambda _: Constraints({1: 0, 2: 0})))


def test_k_best_trees_begin_with_its_tree(example_module, example):
    sentence = next(iter(read(example)))
    parser = Parser.around(Random(), example_module.NAME)
    found = next(parser.parse(sentence, k=3, scores=True))
    assert found.best.heads.tolist() == next(parser.parse(sentence)).heads.tolist()
    assert len(found.trees) == 3


def test_what_is_said_of_it_is_right(example_module, example, capsys):
    assert doctest.testmod(example_module).failed == 0
    example_module.main(example)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["mst", "expected-heads"]
