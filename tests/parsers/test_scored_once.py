"""Sentences are scored once, whatever is asked: trees, the k best, probabilities and constraints are read from it."""

import numpy as np
import pytest

from crossarc import Parser, read
from crossarc.neural.heads import ArcHead
from crossarc.parsers import marked_constraints

SMALL = {"hidden": 8, "lexical_size": 8, "tag_size": 8, "arc_size": 8, "label_size": 8, "epochs": 1}
ASKED = {"scores": True, "k": 3, "constraints": marked_constraints}


class Counting:
    """A scorer that remembers how many sentences it was given."""

    labels = ("root", "next")

    def __init__(self):
        self.arcs, self.trees = [], []

    def arc_scores(self, sentences):
        self.arcs += [sentence.id for sentence in sentences]
        return [np.eye(len(sentence) + 1, k=-1) for sentence in sentences]

    def label_scores(self, sentences, heads):
        self.trees += [(sentence.id, tuple(tree)) for sentence, tree in zip(sentences, heads, strict=True)]
        return [np.stack([tree == 0, tree > 0], axis=1) for tree in heads]


@pytest.mark.parametrize("asked", [{}, {"scores": True}, ASKED])
def test_a_scorer_is_asked_once_about_each_sentence_and_each_tree(example, asked):
    scorer = Counting()
    sentences = list(read(example))
    assert len(list(Parser.around(scorer).parse(sentences, **asked))) == len(sentences)
    assert sorted(scorer.arcs) == sorted(sentence.id for sentence in sentences)
    assert len(set(scorer.trees)) == len(scorer.trees)
    assert len(scorer.trees) <= len(sentences) * asked.get("k", 1)


@pytest.mark.parametrize(
    "settings", [{}, {"ensemble": 2}, {"guides": ["planar"]}, {"labels": "joint"}, {"transform": "head"}]
)
def test_a_network_scores_the_arcs_of_each_sentence_once(example, monkeypatch, settings):
    sentences = list(read(example))
    parser = Parser("neural", **SMALL, **settings).fit(sentences)
    nodes = []
    forward = ArcHead.forward
    monkeypatch.setattr(
        ArcHead, "forward", lambda self, vectors, *rest: nodes.append(len(vectors)) or forward(self, vectors, *rest)
    )
    list(parser.parse(sentences, **ASKED))
    assert sum(nodes) == settings.get("ensemble", 1) * sum(len(sentence) + 1 for sentence in sentences)


@pytest.mark.parametrize(("name", "settings"), [("mst", {}), ("mst", {"labels": "joint"}), ("eisner", {})])
def test_first_order_parsers_score_the_arcs_of_each_sentence_once(example, monkeypatch, name, settings):
    sentences = list(read(example))
    parser = Parser(name, epochs=1, **settings).fit(sentences)
    expected = list(parser.parse(sentences))
    asked = []
    for method in ("parse_tokens", "arc_scores"):
        own = getattr(type(parser.model), method)
        monkeypatch.setattr(
            type(parser.model), method, lambda self, *rest, own=own, **how: asked.append(1) or own(self, *rest, **how)
        )
    found = list(parser.parse(sentences, **ASKED))
    assert len(asked) == len(sentences)
    assert [list(each.best.heads) for each in found] == [list(sentence.heads) for sentence in expected]
    assert [list(each.best.deprels)[1:] for each in found] == [list(each.deprels)[1:] for each in expected]
