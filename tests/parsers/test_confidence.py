"""Scores, k best trees and constraints of all presets, compared with all trees where parsers score arcs."""

import copy
import sys
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from crossarc.components import streams
from crossarc.errors import CrossarcError, DecodeError
from crossarc.parsers import Constraints, Parser, load, marked_constraints
from crossarc.parsers.analysis import Request, Scales, with_marks
from crossarc.parsers.calibration import ENOUGH_WORDS, best_scale, calibrate, log_loss, sample_of
from crossarc.parsers.constraints import NONE
from crossarc.parsers.moves.analysis import SMOOTHING
from crossarc.parsers.presets import preset_names
from crossarc.structure import is_projective
from crossarc.treebank import Corpus, Sentence, read

sys.path.append(str(Path(__file__).parents[1] / "decode"))
from forest import all_trees, tree_scores

PROJECTIVE = ("arc-standard", "arc-eager", "arc-hybrid", "eisner", "carreras", "neural-projective")
# Whose first trees are found in other ways than by the scores of arcs.
OTHER_WAYS = ("mst-undirected-lep", "mst-bottom-up", *(name for name in preset_names() if name.startswith("carreras")))


@pytest.fixture(scope="module")
def parsers(example):
    """Each preset, trained a little."""
    return {name: Parser(name, epochs=1).fit(example) for name in preset_names()}


@pytest.fixture(scope="module")
def sentences(example):
    return list(read(example))


def scrambled(sentences, size, seed):
    """The words of the treebank in no order that it has ever seen."""
    words = [(s.forms[i], s.upos[i]) for s in sentences for i in range(1, len(s) + 1)]
    chosen = [words[i] for i in np.random.default_rng(seed).integers(len(words), size=size)]
    return Sentence.from_columns(forms=["", *(form for form, _ in chosen)], upos=["", *(tag for _, tag in chosen)])


# ---- all presets


@pytest.mark.parametrize("name", preset_names())
def test_analyses_are_sound(parsers, sentences, name):
    parser = parsers[name]
    several = 0
    for plain, found in zip(parser.parse(sentences), parser.parse(sentences, scores=True, k=4), strict=True):
        assert found.best.sentence == plain
        n = len(plain)
        assert found.marginals.shape == (n + 1, n + 1)
        assert found.marginals[1:].sum(axis=1) == pytest.approx(1)
        assert 1 <= len(found.trees) <= 4
        several += len(found.trees) > 1
        assert len({tuple(tree.sentence.heads) for tree in found.trees}) == len(found.trees)
        assert sum(tree.probability for tree in found.trees) <= 1 + 1e-9
        for before, after in zip(found.trees[1:], found.trees[2:], strict=False):
            assert before.probability >= after.probability - 1e-12
        for tree in found.trees:
            assert tree.sentence.is_tree
            assert len(tree.sentence.roots) == 1
            assert tree.sentence.is_projective or name not in PROJECTIVE
            heads = tree.sentence.heads
            assert tree.head_probabilities[1:] == pytest.approx(found.marginals[np.arange(1, n + 1), heads[1:]])
            assert (tree.probability <= tree.head_probabilities + 1e-9).all()
            for chances in (tree.head_probabilities, tree.label_probabilities):
                assert chances.shape == (n + 1,)
                assert chances[0] == 1
                assert ((chances >= 0) & (chances <= 1)).all()
    assert several > 20


@pytest.mark.parametrize("name", preset_names())
def test_constraints_hold(parsers, sentences, name):
    """Arcs of random trees are required and others forbidden; what follows is a tree that has them all."""
    rng = np.random.default_rng(5)
    parser = parsers[name]
    for size in (1, 3, 5):
        trees = all_trees(size, projective=name in PROJECTIVE)
        for seed in range(4):
            sentence = scrambled(sentences, size, seed)
            gold = trees[rng.integers(len(trees))]
            bound = [word for word in range(1, size + 1) if rng.random() < 0.5]
            pairs = [(word, head) for word in range(1, size + 1) for head in range(size + 1) if head != word]
            known = Constraints(
                {word: int(gold[word]) for word in bound},
                {(word, head) for word, head in pairs if gold[word] != head and rng.random() < 0.2},
                dict.fromkeys(bound[:1], "my:label"),
            )
            (plain,) = parser.parse([sentence], constraints=lambda _, known=known: known)
            (found,) = parser.parse([sentence], k=3, constraints=lambda _, known=known: known)
            assert found.best.sentence == plain
            assert found.marginals[1:].sum(axis=1) == pytest.approx(1)
            for tree in found.trees:
                assert tree.sentence.is_tree
                assert len(tree.sentence.roots) == 1
                assert known.allow(tree.sentence.heads)
                assert all(tree.sentence.deprels[word] == "my:label" for word in bound[:1])
                assert all(tree.head_probabilities[word] == pytest.approx(1) for word in bound)
                assert tree.sentence.is_projective or name not in PROJECTIVE


@pytest.mark.parametrize("name", preset_names())
def test_constraints_that_the_parse_satisfies_change_nothing(parsers, sentences, name):
    parser = parsers[name]
    parsed = list(parser.parse(sentences))

    def known(sentence):
        heads = parsed[sentences.index(sentence)].heads.tolist()
        return Constraints({word: heads[word] for word in range(1, len(heads), 2)})

    assert list(parser.parse(sentences, constraints=known)) == parsed


@pytest.mark.parametrize("name", preset_names())
def test_what_cannot_be_is_an_error(parsers, sentences, name):
    parser, sentence = parsers[name], sentences[0]
    with pytest.raises(DecodeError, match=r"example.conllu:1: sentence 'example-1': required 2 -> 1, required 1 -> 2"):
        list(parser.parse([sentence], constraints=lambda _: Constraints({1: 2, 2: 1})))
    with pytest.raises(DecodeError, match=r"required 0 -> 1, required 0 -> 2 leave no"):
        list(parser.parse([sentence], k=2, constraints=lambda _: Constraints({1: 0, 2: 0})))


@pytest.mark.parametrize("name", ["arc-hybrid", "two-planar-label", "mst"])
def test_threads_and_files_make_no_difference(parsers, sentences, name, tmp_path, monkeypatch):
    monkeypatch.setattr(streams, "BATCH_WORDS", 50)
    parser = parsers[name]
    one, two = ([a.annotated() for a in parser.parse(sentences, threads=threads, k=2)] for threads in (1, 3))
    assert one == two
    parser.save(tmp_path / "m.crossarc")
    again = load(tmp_path / "m.crossarc")
    assert [a.annotated() for a in again.parse(sentences, k=2)] == one


# ---- parsers that score arcs


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("mst", {"labels": "joint"}),
        ("mst", {"labels": "joint", "lengths": True}),
        ("mst-bottom-up", {"lengths": True}),
        ("eisner", {"lengths": True}),
        ("mst-undirected-df", {"lengths": True, "combine": "product"}),
        ("mst-undirected-lep", {"lengths": True}),
        ("mst-combined", {"lengths": True}),
    ],
)
def test_numbers_go_with_other_settings(sentences, name, settings):
    parser = Parser(name, epochs=2, **settings).fit(sentences)
    for plain, analysis in zip(parser.parse(sentences), parser.parse(sentences, k=2), strict=True):
        assert analysis.best.sentence == plain
        assert np.isfinite(analysis.marginals).all()
        assert analysis.marginals[1:].sum(axis=1) == pytest.approx(1)


@pytest.mark.parametrize("name", preset_names("arcs"))
def test_constraints_count_for_more_than_lengths(sentences, name):
    """Arcs that lengths leave out can be required, and then the sentence has arcs of all lengths."""
    parser = Parser(name, epochs=1, lengths=True).fit(sentences)
    sentence = scrambled(sentences, 6, 1)
    for word in range(1, 7):
        for head in range(7):
            if head != word:
                (found,) = parser.parse(
                    [sentence], k=2, constraints=lambda _, arc=(word, head): Constraints(dict([arc]))
                )
                assert all(tree.sentence.heads[word] == head for tree in found.trees)
                assert np.isfinite([tree.score for tree in found.trees]).all()
    assert inside(parser.model).lengths.so_far.unpruned > 5


@pytest.mark.parametrize("name", preset_names("arcs"))
def test_marginals_and_k_best_of_all_trees(parsers, sentences, name):
    """Inside a transform too: there the trees are encoded ones."""
    parser = parsers[name]
    model, scale = inside(parser.model), parser.scales.trees
    for size in range(1, 6):
        trees = all_trees(size, projective=model.is_projective)
        for seed in range(4):
            sentence = scrambled(sentences, size, seed)
            corpus = Corpus.of([sentence])
            scores = model.arc_scores(model.attributes.encode(corpus))
            totals = tree_scores(scores, trees)
            chances = np.exp(scale * (totals - totals.max()))
            chances /= chances.sum()
            (found,) = model.analyse(corpus, [NONE], Request(parser.scales, k=5))
            if model is parser.model:
                (same,) = parser.parse([sentence], k=5)
                assert [tree.heads.tolist() for tree in same.trees] == [tree.heads.tolist() for tree in found.trees]
            for word in range(1, size + 1):
                expected = np.bincount(trees[:, word], chances, size + 1)
                assert found.marginals[word] == pytest.approx(expected, abs=1e-9)
            best = np.sort(totals)[::-1][:5]
            if name not in OTHER_WAYS:
                assert [tree.score for tree in found.trees] == pytest.approx(best, abs=1e-6)
            others = np.delete(totals, (trees == found.best.heads).all(axis=1).argmax())
            others = np.sort(others)[::-1][:4]
            assert [tree.score for tree in found.trees[1:]] == pytest.approx(others, abs=1e-6)
            assert len(found.trees) == len(best)
            for tree in found.trees:
                place = (trees == tree.heads).all(axis=1).argmax()
                assert tree.probability == pytest.approx(chances[place], abs=1e-9)
                assert tree.score == pytest.approx(totals[place])


@pytest.mark.parametrize("combine", ["mean", "product", "max", "min"])
def test_trees_are_compared_by_combined_scores(example, sentences, combine):
    parser = Parser("mst-undirected-df", epochs=1, combine=combine).fit(example)
    for seed in range(5):
        sentence = scrambled(sentences, 4, seed)
        scores = parser.model.arc_scores(parser.model.attributes.encode(Corpus.of([sentence])))
        (found,) = parser.parse([sentence], scores=True)
        assert found.best.score == pytest.approx(tree_scores(scores, all_trees(4)).max(), abs=1e-6)


def test_label_probabilities_are_a_softmax(parsers, sentences):
    parser = parsers["mst"]
    model = parser.model
    for found in parser.parse(sentences[:5], scores=True):
        sentence = found.best.sentence
        scores = model.label_scores(model.attributes.encode(Corpus.of([sentence])), sentence.heads)
        assert scores.shape == (len(sentence) + 1, len(model.labels))
        for word in range(1, len(sentence) + 1):
            shares = np.exp(parser.scales.labels * (scores[word] - scores[word].max()))
            label = model.labels.index(sentence.deprels[word])
            assert found.best.label_probabilities[word] == pytest.approx(shares[label] / shares.sum())
            assert shares[label] == 1


# ---- transition parsers


def inside(model):
    """The model inside a transform, or the model itself."""
    return getattr(model, "model", model)


@pytest.mark.parametrize("name", preset_names("moves"))
def test_a_beam_with_room_for_all_derivations_has_all_the_probability(parsers, sentences, name):
    model = inside(parsers[name].model)
    tokens = model.attributes.encode(Corpus.of([scrambled(sentences, 1, 1)]))
    _, _, chances, lost = model.beam_search(1000).parse_best(
        model.scorer, tokens, model.root_labels[0], False, False, False, 0.03, True
    )
    assert len(chances) == 1000 or not lost.any()
    assert np.exp(chances).sum() == pytest.approx(1, abs=1e-3)
    assert (np.diff(chances) <= 1e-12).all()


@pytest.mark.parametrize("beam", [1, 4])
def test_probabilities_are_shares_of_derivations(example, sentences, beam):
    """From the definition, over what the beam ends with; marginals are flattened."""
    parser = Parser("arc-hybrid", epochs=2, beam=beam).fit(example)
    model = parser.model
    for sentence, plain in zip(sentences, parser.parse(sentences), strict=True):
        (found,) = parser.parse([sentence], scores=True)
        assert found.best.sentence == plain
        tokens = model.attributes.encode(Corpus.of([sentence]))
        how = (model.scorer, tokens, model.root_labels[0], False, False, False, parser.scales.trees)
        own, wide = model.beam_search(beam).parse_best(*how, False), model.beam_search(16).parse_best(*how, True)
        lost = wide[3]
        ends = {
            (tuple(heads), tuple(labels), chance)
            for heads, labels, chance in [
                *zip(*(each.tolist() for each in wide[:3]), strict=True),
                *zip(*(each.tolist()[:1] for each in own[:3]), strict=True),
            ]
        }
        heads = np.array([end[0] for end in ends])
        labels = np.array([end[1] for end in ends])
        shares = np.exp([end[2] for end in ends])
        inside = shares.sum()
        shares /= inside
        n = len(sentence)
        for tree in found.trees:
            same = (heads == tree.sentence.heads).all(axis=1)
            least = tree.head_probabilities.min()
            assert tree.probability == pytest.approx(min(least, inside * shares[same].sum()))
            for word in range(1, n + 1):
                arc = heads[:, word] == tree.sentence.heads[word]
                gone = lost[word] * min(1, (1 - inside) / max(lost[word].sum(), 1e-9))
                flat = {
                    head: (
                        gone[head]
                        + (1 - gone.sum()) * shares[heads[:, word] == head].sum()
                        + SMOOTHING / (abs(word - head) if head else n + 1)
                    )
                    ** parser.scales.arcs
                    for head in range(n + 1)
                    if head != word
                }
                expected = flat[tree.sentence.heads[word]] / sum(flat.values())
                assert tree.head_probabilities[word] == pytest.approx(expected)
                named = arc & (labels[:, word] == model.labels.index(tree.sentence.deprels[word]))
                expected = shares[named].sum() / shares[arc].sum()
                assert tree.label_probabilities[word] == pytest.approx(expected)


@pytest.mark.parametrize("name", preset_names("moves"))
def test_what_left_the_beam_counts(parsers, sentences, name):
    """Marginals of a narrow beam come nearer to those of a very wide one when what it lost counts."""
    parser = parsers[name]
    model = inside(parser.model)
    scales = replace(model.usual_scales, arcs=1.0)
    errors = np.zeros(2)
    for seed in range(6):
        sentence = scrambled(sentences, 4, seed)
        tokens = model.attributes.encode(Corpus.of([sentence]))
        corpus = Corpus.of([sentence])
        wide, narrow = (next(model.analyse(corpus, [NONE], Request(scales, beam=beam))).marginals for beam in (400, 8))
        heads, _, chances, _ = model.beam_search(8).parse_best(
            model.scorer,
            tokens,
            model.root_labels[0],
            model.settings.directions[0],
            False,
            False,
            parser.scales.trees,
            True,
        )
        shares = np.exp(chances) / np.exp(chances).sum()
        plain = np.array([np.bincount(heads[:, word], shares, 5) for word in range(1, 5)])
        errors += [np.abs(narrow[1:] - wide[1:]).sum(), np.abs(plain - wide[1:]).sum()]
    assert model.settings.transform != "none" or errors[0] < errors[1]


def test_the_beam_keeps_to_constraints(parsers, sentences):
    """More trees keep to them than of a beam that does not know them."""
    kept = {True: 0, False: 0}
    for name in preset_names("moves"):
        model = inside(parsers[name].model)
        for seed in range(10):
            sentence = scrambled(sentences, 6, seed)
            tokens = model.attributes.encode(Corpus.of([sentence]))
            required = np.full(7, -1, dtype=np.int32)
            required[3] = 4
            forbidden = np.zeros((7, 7), dtype=np.int8)
            forbidden[1, 2] = 1
            search = model.beam_search(16)
            options = (
                model.scorer,
                tokens,
                model.root_labels[0],
                model.settings.directions[0],
                False,
                False,
                0.03,
                True,
            )
            for knows, heads in (
                (False, search.parse_best(*options)[0]),
                (True, search.parse_best(*options, required, forbidden)[0]),
            ):
                kept[knows] += bool(((heads[:, 3] == 4) & (heads[:, 1] != 2)).any())
    assert kept[True] > 1.5 * kept[False]


@pytest.mark.parametrize(("name", "words"), [("covington", 900), ("mst", 1_100)])
def test_long_sentences_have_a_tree_and_no_numbers(parsers, sentences, name, words):
    parser, sentence = parsers[name], scrambled(sentences, words, 1)
    (found,) = parser.parse([sentence], k=2)
    assert len(found.trees) == 1
    assert found.best.sentence == next(parser.parse([sentence]))
    assert np.isnan(found.best.head_probabilities[1:]).all()
    (written,) = found.annotated()
    assert written == found.best.sentence
    (bound,) = parser.parse([sentence], constraints=lambda _: Constraints({5: 800}))
    assert bound.heads[5] == 800
    assert bound.is_tree


def test_models_without_a_beam_are_refused(example, sentences):
    parser = Parser("arc-hybrid", epochs=1, fast=True).fit(example)
    with pytest.raises(CrossarcError, match="a fast model cannot use a beam: it has no scores"):
        list(parser.parse(sentences, scores=True))


def test_options_are_checked(parsers, sentences):
    with pytest.raises(CrossarcError, match="k = 0: write a whole number from 1 on"):
        parsers["mst"].parse(sentences, k=0)
    with pytest.raises(CrossarcError, match="parsers that score arcs find the best tree without one"):
        parsers["mst"].parse(sentences, k=2, beam=4)
    narrow, wide = (next(parsers["swap"].parse(sentences, k=30, beam=beam)) for beam in (8, 80))
    assert len(narrow.trees) < len(wide.trees) <= 30


# ---- constraints in MISC


def marked(*misc):
    return Sentence.from_columns(forms=["", *["a"] * len(misc)], misc=["", *misc], comments=["# sent_id = s1"])


def test_marks_in_misc():
    known = marked_constraints(marked("Head=2", "NotHead=0,3|SpaceAfter=No", "Gloss=x|Deprel=obj"))
    assert known == Constraints({1: 2}, {(2, 0), (2, 3)}, {3: "obj"})
    assert marked_constraints(marked("_", "SpaceAfter=No")) is None
    assert not marked_constraints(marked("OrigHead=2", "_"))


@pytest.mark.parametrize(
    ("misc", "message"),
    [
        ("Head=x", r"<input>:1: sentence 's1': word 1: 'Head=x' in MISC; Head= takes the number of a word"),
        ("NotHead=1,", "word 1: 'NotHead=1,' in MISC"),
        ("Head=7", r"sentence 's1': a constraint on the arc 7 -> 1; arcs lead from 0..2 to another word of 1..2"),
        ("NotHead=1", r"a constraint on the arc 1 -> 1"),
        ("Head=2|NotHead=2", r"the arc 2 -> 1 is both required and forbidden"),
        ("Deprel=", r"label of word 1, ''"),
    ],
)
def test_bad_marks(parsers, misc, message):
    with pytest.raises(CrossarcError, match=message):
        list(parsers["mst"].parse([marked(misc, "_")], constraints=marked_constraints))


def test_formats_without_misc(parsers, sentences):
    other = Sentence(b"1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n", "conllx")
    with pytest.raises(CrossarcError, match="CoNLL-X has no MISC; convert to CoNLL-U"):
        list(parsers["mst"].parse([other], constraints=marked_constraints))
    (found,) = parsers["mst"].parse([other], scores=True)
    with pytest.raises(CrossarcError, match="CoNLL-X has no MISC; convert to CoNLL-U"):
        found.annotated()


# ---- what is written


def test_annotations_keep_everything_else(parsers):
    text = (
        "# newdoc id = d\n# sent_id = s1\n# tree_score = 5\n# text = no go\n"
        "1-2\tnogo\t_\t_\t_\t_\t_\t_\t_\tA=b\n1\tno\t_\t_\t_\t_\t0\tx\t_\tHeadProb=0.5|Gloss=n\n"
        "2\tgo\t_\t_\t_\t_\t0\tx\t_\t_\n2.1\te\t_\t_\t_\t_\t_\t_\t0:x\tC=d\n\n"
    )
    (found,) = parsers["mst"].parse([Sentence(text.encode())], k=2)
    first, second = found.annotated()
    lines = bytes(first).decode().splitlines()
    assert lines[:4] == ["# newdoc id = d", "# sent_id = s1", "# text = no go", "# tree_rank = 1 of 2"]
    assert lines[4].startswith("# tree_score = ")
    assert lines[5].startswith("# tree_probability = 0.")
    assert lines[6] == "1-2\tnogo\t_\t_\t_\t_\t_\t_\t_\tA=b"
    chances = found.best.head_probabilities, found.best.label_probabilities
    assert first.misc[1] == f"Gloss=n|HeadProb={chances[0][1]:.4f}|LabelProb={chances[1][1]:.4f}"
    assert first.misc[2] == f"HeadProb={chances[0][2]:.4f}|LabelProb={chances[1][2]:.4f}"
    assert lines[9].endswith("0:x\tC=d")
    assert second.comments[:3] == ("# sent_id = s1-tree2", "# text = no go", "# tree_rank = 2 of 2")
    plain = found.annotated(probabilities=False)[0]
    assert plain.misc == found.best.sentence.misc
    assert with_marks("_", {"X": "1"}) == "X=1"
    (once,) = next(iter(parsers["mst"].parse([first], scores=True))).annotated()
    assert bytes(once).count(b"tree_score") == 1
    assert b"tree_rank" not in bytes(once)


# ---- calibration


def test_the_scale_of_the_least_loss():
    assert best_scale(lambda scale: abs(np.log(scale / 5)), 1.0) == pytest.approx(5, rel=0.25)
    assert best_scale(lambda scale: abs(np.log(scale / 0.1)), 1.0) == pytest.approx(0.1, rel=0.25)
    assert best_scale(lambda scale: 0.0, 1.0) == 1.0
    right = np.array([True, False])
    assert log_loss(np.array([0.9, 0.1]), right) < log_loss(np.array([0.6, 0.4]), right)
    assert log_loss(np.array([1.0, 1.0]), right) < 10


@pytest.mark.parametrize("name", ["arc-hybrid", "mst"])
def test_a_development_set_sets_the_scales(example, sentences, name, tmp_path):
    """Held-out sentences: probabilities by the scales found there fit better than by scales that are far off."""
    train, dev = sentences[:30], sentences[30:]
    parser = Parser(name, epochs=2).fit(train, dev=dev)
    assert asdict(parser.scales) == parser.manifest_["confidence"]

    def loss(scales):
        found = parser.model.analysed(dev, [NONE] * len(dev), Request(scales))
        return sum(
            log_loss(a.best.head_probabilities[1:], (a.best.sentence.heads == s.heads)[1:])
            for a, s in zip(found, dev, strict=True)
        )

    assert loss(parser.scales) < min(loss(Scales(parser.scales.trees * f, 1)) for f in (0.1, 10))
    if name == "arc-hybrid":
        assert loss(parser.scales) < min(loss(replace(parser.scales, arcs=arcs)) for arcs in (0.1, 4))
    else:
        assert parser.scales.arcs == 1
    assert calibrate(parser.model, dev) == parser.scales
    parser.save(tmp_path / "m.crossarc")
    assert load(tmp_path / "m.crossarc").scales == parser.scales
    assert Parser(name, epochs=1).fit(train).scales == parser.model.usual_scales


@pytest.mark.parametrize("name", ["arc-hybrid", "mst"])
def test_scales_are_found_when_they_are_needed(sentences, name, tmp_path, monkeypatch):
    """Training and parsing without probabilities do not pay for them; what is saved has the same scales."""
    train, dev = sentences[:30], sentences[30:]
    found = []

    def counted(*arguments):
        found.append(calibrate(*arguments))
        return found[-1]

    monkeypatch.setattr("crossarc.parsers.model.calibrate", counted)
    parser = Parser(name, epochs=1).fit(train, dev=dev)
    parsed = list(parser.parse(dev))
    assert parser.evaluate(dev).uas > 0
    assert not found
    twins = (copy.deepcopy(parser), copy.copy(parser))
    parser.save(tmp_path / "m.crossarc")
    assert found == [calibrate(parser.model, dev)]
    assert list(load(tmp_path / "m.crossarc").parse(dev)) == parsed
    assert load(tmp_path / "m.crossarc").scales == parser.scales == found[0]
    for twin in twins:
        next(twin.parse(dev, scores=True))
        assert twin.scales == found[0]
    assert len(found) == 3
    parser.calibrate(train)
    parser.fit(train)
    assert (parser.scales, len(found)) == (parser.model.usual_scales, 4)


def test_calibration_takes_a_sample_and_scores_it_once(sentences, monkeypatch):
    dev = sentences * 40
    some = sample_of(dev)
    assert ENOUGH_WORDS <= sum(map(len, some)) < 2 * ENOUGH_WORDS
    parser = Parser("mst", epochs=1).fit(sentences)
    scored = []
    for name in ("arc_scores", "label_scores"):
        usual = getattr(type(parser.model), name)
        monkeypatch.setattr(
            type(parser.model), name, lambda *arguments, usual=usual, **options: scored.append(0) or usual(*arguments)
        )
    parser.calibrate(dev)
    assert len(scored) == 2 * len(some)


def test_projective_twin_is_projective(parsers, sentences):
    for found in parsers["eisner"].parse(sentences, k=5):
        assert all(is_projective(tree.sentence.heads) for tree in found.trees)
