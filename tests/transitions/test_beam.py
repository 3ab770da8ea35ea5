"""Beam search: greedy search with a width of one, more accurate when trained on whole derivations."""

import math

import numpy as np
import pytest

from crossarc.errors import CrossarcError
from crossarc.features.sharing import template_groups
from crossarc.parsers import Parser, load
from crossarc.parsers.presets import preset_names
from crossarc.transitions.search import Beam
from crossarc.transitions.system import Configuration
from crossarc.treebank import Corpus, read
from graph_treebank import graph_treebank

# Directions can be scored only where labels have them.
SCORINGS = [
    (name, scored)
    for name in preset_names("moves")
    for scored in (False, True)
    if name.endswith("-label") or not scored
]


@pytest.mark.parametrize(("name", "scored"), SCORINGS)
def test_a_beam_of_one_is_greedy_search(example, name, scored):
    parser = Parser(name, epochs=1).fit(example)
    model = getattr(parser.model, "model", parser.model)  # inside a transform
    greedy = model.search
    corpus = Corpus.of(read(example))
    beam = Beam(greedy.system, model.features, model.moves, model.move_labels, len(model.features.attributes), 1)
    tokens = model.attributes.encode(corpus)
    results = []
    for search in (greedy, beam):
        heads, labels = corpus["head"].copy(), corpus["deprel"].copy()
        annotated = model.settings.directions[0]
        search.parse(model.scorer, tokens, corpus.starts, heads, labels, model.root_labels[0], annotated, False, scored)
        results.append((heads.tolist(), labels.tolist()))
    assert results[0] == results[1]


@pytest.mark.parametrize("name", preset_names("moves"))
def test_every_preset_learns_with_a_beam(example, tmp_path, name):
    parser = Parser(name, epochs=6, beam=4).fit(example)
    scores = parser.evaluate(example)
    assert scores.broken == 0
    assert scores.uas > 88
    parser.save(tmp_path / "m.crossarc")
    again = load(tmp_path / "m.crossarc")
    assert again.settings.beam == 4
    assert list(again.parse(example)) == list(parser.parse(example))


def test_learning_with_a_beam_ends(example):
    """Mistakes become few, and the trees are nearly right."""
    wrong: list[float] = []
    parser = Parser("swap", epochs=15, beam=8, prune=0, cut=1)
    parser.fit(example, on_epoch=lambda epoch: wrong.append(epoch.wrong))
    assert wrong[0] > 50
    assert wrong[-1] < wrong[0] / 4
    assert parser.evaluate(example).las > 97


def test_the_same_seed_gives_the_same_bytes(example, tmp_path):
    for copy in ("a", "b"):
        Parser("two-planar", epochs=2, beam=3).fit(example).save(tmp_path / copy)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_the_width_can_be_changed_to_parse(example):
    parser = Parser("arc-hybrid", epochs=1, beam=8).fit(example)
    trees = {width: list(parser.parse(example, beam=width)) for width in (1, 4, 8)}
    assert trees[8] == list(parser.parse(example))
    assert trees[1] != trees[8]
    with pytest.raises(CrossarcError, match="beam = 0"):
        parser.parse(example, beam=0)


def naive_beam(search, scorer, moves, labels, tokens, width, probabilities, mean):
    """The arcs of the best derivation, found in the plainest way: every candidate is made, scored and sorted."""

    def rank(item):
        score, actions, _ = item
        return score / max(1, len(actions)) if mean else score

    n = len(tokens) - 1
    gold = {"arcs": [], "n": n} if search.system.several_heads else {"heads": [-1, *[0] * n]}  # which nobody asks for
    items = [(0.0, [], Configuration(search.system, **gold))]
    while not all(state.is_final() for _, _, state in items):
        candidates = []
        for score, actions, state in items:
            if state.is_final():
                candidates.append((score, actions, state))
                continue
            scores = scorer.scores(search.keys_after(tokens, np.array(actions, dtype=np.int32))).astype(np.float64)
            legal = [a for a in range(len(moves)) if moves[a] in state.legal()]
            if probabilities:
                scores *= scorer.unit
                top = max(scores[a] for a in legal)
                scores -= top + math.log(sum(math.exp(scores[a] - top) for a in legal))
            for a in legal:
                arc = state.arc_of(moves[a])
                if not search.system.several_heads or arc is None or (*arc, labels[a]) not in state.arcs:
                    after = state.copy()
                    after.apply(moves[a], labels[a])
                    candidates.append((score + scores[a], [*actions, a], after))
        items = sorted(candidates, key=rank, reverse=True)[:width]
    best = items[0][2]
    if not search.system.several_heads:
        best.finish(0)
    return sorted(best.arcs)


@pytest.mark.parametrize("mean", [False, True])
@pytest.mark.parametrize("probabilities", [False, True])
@pytest.mark.parametrize("name", ["arc-standard", "swap", "two-planar", "dag-standard", "dag-eager", "dag-covington"])
def test_the_best_candidates_are_kept(example, name, probabilities, mean):
    """As in the naive search: what is passed over, shared between derivations or moved instead of copied is right."""
    sentences = graph_treebank(40) if name.startswith("dag") else list(read(example))
    parser = Parser(name, epochs=1, learner="maxent", single_root=False).fit(sentences)
    model = getattr(parser.model, "model", parser.model)
    tables = (model.features, model.moves, model.move_labels, len(model.features.attributes))
    shortest = sorted(sentences, key=len)[: 2 if len(model.moves) > 60 else 4]
    for width in (3, 20):
        beam = Beam(model.system, *tables, width, probabilities=probabilities, mean=mean)
        for sentence in shortest:
            corpus = Corpus.of([sentence])
            tokens = model.attributes.encode(corpus)
            lists = (model.moves.tolist(), model.move_labels.tolist())
            expected = naive_beam(beam, model.scorer, *lists, tokens, width, probabilities, mean)
            if model.system.several_heads:
                columns = beam.parse_graphs(model.scorer, tokens, corpus.starts, 0)[:3]
                arcs = list(zip(*(column.tolist() for column in columns), strict=True))
                assert sorted(arcs[: len(expected)]) == expected
                headless = set(range(1, len(tokens))) - {word for _, word, _ in expected}
                assert sorted(word for _, word, _ in arcs[len(expected) :]) == sorted(headless)
            else:
                heads, labels = (np.full(len(tokens), -1, dtype=np.int32) for _ in range(2))
                beam.parse(model.scorer, tokens, corpus.starts, heads, labels, 0)
                found = [(heads[word], word, labels[word]) for word in range(1, len(tokens))]
                assert sorted(found) == expected


@pytest.mark.parametrize("name", ["arc-hybrid", "dag-covington"])
def test_templates_are_grouped_once(example, monkeypatch, name):
    """Not for each batch, nor for each sentence that is analysed."""
    count = 0

    def counted(model):
        nonlocal count
        count += 1
        return template_groups(model)

    sentences = graph_treebank(30) if name.startswith("dag") else list(read(example))
    parser = Parser(name, epochs=1, beam=4).fit(sentences)
    monkeypatch.setattr("crossarc.transitions.search.template_groups", counted)
    for sentence in sentences[:5]:
        list(parser.parse([sentence]))
    assert count <= 1
    if name == "arc-hybrid":
        for _ in range(2):
            list(parser.parse(sentences, scores=True, beam=4))
        assert count <= 2
