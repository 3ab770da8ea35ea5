"""Beam search: greedy search with a width of one, more accurate when trained on whole derivations."""

import pytest

from crossarc.errors import CrossarcError
from crossarc.parsers import Parser, load
from crossarc.parsers.presets import TRANSITION_PRESETS
from crossarc.transitions.beam import Beam
from crossarc.treebank import Corpus, read


@pytest.mark.parametrize("scored", [False, True])
@pytest.mark.parametrize("name", TRANSITION_PRESETS)
def test_a_beam_of_one_is_greedy_search(example, name, scored):
    if scored and not name.endswith("-label"):
        pytest.skip("its labels have no directions")
    parser = Parser(name, epochs=1).fit(example)
    model = getattr(parser.model, "model", parser.model)  # inside a transform
    greedy = model.search()
    corpus = Corpus.of(read(example))
    beam = Beam(greedy.system, model.features, model.moves, model.move_labels, len(model.features.attributes), 1)
    tokens = model.attributes.encode(corpus)
    results = []
    for search in (greedy, beam):
        heads, labels = corpus["head"].copy(), corpus["deprel"].copy()
        annotated = model.settings.reconstruction != "naive"
        search.parse(model.scorer, tokens, corpus.starts, heads, labels, model.root_labels[0], annotated, False, scored)
        results.append((heads.tolist(), labels.tolist()))
    assert results[0] == results[1]


@pytest.mark.parametrize("name", TRANSITION_PRESETS)
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
    with pytest.raises(CrossarcError, match="a beam of 0"):
        parser.parse(example, beam=0)
