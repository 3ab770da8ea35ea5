"""Trees in rounds: each round is the best there is, cycles and second roots never come about, orders are the best."""

import sys
from dataclasses import replace
from itertools import pairwise, permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossarc.components import write_model
from crossarc.core.strings import StringTable
from crossarc.errors import CrossarcError, ModelError
from crossarc.features.edges import parse_edge_model
from crossarc.features.templates import TemplateError
from crossarc.papers.labeled_mst.orders import best_rounds, reachable_arcs, round_numbers
from crossarc.parsers import Parser, load
from crossarc.treebank import Corpus, Sentence, read

sys.path.append(str(Path(__file__).parents[1] / "decode"))
from forest import all_trees

TAGS = ["DET", "NOUN", "VERB"]
ORDER = [["PUNCT", "DET", "ADP"], "ADJ", ["NOUN", "PROPN"], "VERB"]


def sentence_of(tags, heads=None, forms=None):
    """A sentence with these tags."""
    size = len(tags)
    return Sentence.from_columns(
        forms=["", *(forms or (f"w{i % 7}" for i in range(size)))],
        upos=["", *tags],
        heads=[-1, *(heads or range(size))],
        deprels=["", *["dep"] * size],
    )


def rounds_in(model, sentence):
    """The round of each word, and one beyond all for node 0."""
    numbers = {tag: number for number, group in enumerate(model.rounds) for tag in group}
    return [len(model.rounds), *(numbers.get(tag, len(model.rounds) - 1) for tag in sentence.upos[1:])]


@pytest.fixture(scope="module")
def trained(example):
    """Parsers of both kinds, with one root and with any number: far from perfect, so that odd trees come."""

    def fit(absorb, single, **options):
        return Parser("mst-bottom-up", epochs=2, order=ORDER, absorb=absorb, single_root=single, **options).fit(example)

    return {(absorb, single): fit(absorb, single) for absorb in (True, False) for single in (True, False)} | {
        (absorb, single, "lengths"): fit(absorb, single, lengths=True)
        for absorb, single in ((True, True), (False, True), (False, False))
    }


@pytest.mark.parametrize("lengths", [False, True])
@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("absorb", [True, False])
def test_each_round_is_the_best_of_all_trees(example, absorb, single_root, lengths):
    """Among all trees that the rounds before allow; with features that see no dependents, scores stay as they are.

    Where lengths leave a round nothing, it is as if there were none.
    """
    options = {"features": "mst", "absorb": absorb, "single_root": single_root, "lengths": lengths}
    parser = Parser("mst-bottom-up", epochs=2, order=ORDER, **options).fit(example)
    rng = np.random.default_rng(1)
    tags = [tag for group in parser.model.rounds for tag in group]
    kept = np.zeros(2, dtype=int)
    for size in (1, 2, 3, 4, 5):
        for _ in range(20):
            sentence = sentence_of(rng.choice(tags, size=size).tolist())
            model = parser.model
            model.reset_notes()
            (parsed,) = model.parsed([sentence])
            if lengths and model.lengths.so_far.unpruned:
                model = replace(model, finder=replace(model.finder, lengths=None))
                assert [parsed] == model.parsed([sentence])
            kept[model.lengths is not None] += 1
            rounds = rounds_in(model, sentence)
            tokens = model.attributes.encode(Corpus.of([sentence]))
            scores = model.arc_scores(tokens)
            trees = [
                tree
                for tree in all_trees(size, single_root).tolist()
                if not absorb or all(rounds[tree[d]] >= rounds[d] for d in range(1, size + 1))
            ]
            found = parsed.heads.tolist()
            for number in range(len(parser.model.rounds)):
                words = [d for d in range(1, size + 1) if rounds[d] == number]
                totals = [sum(scores[d, tree[d]] for d in words) for tree in trees]
                assert sum(scores[d, found[d]] for d in words) == pytest.approx(max(totals))
                trees = [tree for tree in trees if all(tree[d] == found[d] for d in words)]
            assert trees == [found]
    assert not lengths or kept.min() > 5, "some sentences were left without heads, and others were not"


words = st.tuples(
    st.sampled_from(["PUNCT", "ADP", "ADJ", "NOUN", "VERB", "ADV", "?"]), st.sampled_from(["the", "dog", "sees", "of"])
)


@given(st.lists(words, min_size=1, max_size=30))
@settings(max_examples=60)
def test_trees_have_no_cycles_and_one_root(trained, chosen):
    tags, forms = zip(*chosen, strict=True)
    sentence = sentence_of(tags, forms=forms)
    for (absorb, single, *_), parser in trained.items():
        (parsed,) = parser.parse([sentence])
        assert parsed.is_tree
        assert not single or len(parsed.roots) == 1
        rounds = rounds_in(parser.model, sentence)
        if absorb:
            assert all(rounds[parsed.heads[d]] >= rounds[d] for d in range(1, len(tags) + 1))


def test_trees_may_cross(trained):
    rng = np.random.default_rng(1)
    tags = ["PUNCT", "ADP", "ADJ", "NOUN", "VERB", "ADV"]
    sentences = [sentence_of(rng.choice(tags, size=12).tolist()) for _ in range(20)]
    for parser in trained.values():
        assert not all(parsed.is_projective for parsed in parser.parse(sentences))


@pytest.mark.parametrize("absorb", [True, False])
def test_one_round_is_mst(example, absorb):
    tags = sorted({tag for sentence in read(example) for tag in sentence.upos[1:]})
    plain = Parser("mst", epochs=3).fit(example)
    rounds = Parser("mst-bottom-up", epochs=3, order=[tags], absorb=absorb).fit(example)
    _, before = plain.model.to_arrays()
    _, after = rounds.model.to_arrays()
    for name in before:
        if name.startswith(("arcs.", "labels.")):
            assert np.array_equal(before[name], after[name]), name
    assert [s.heads.tolist() for s in plain.parse(example)] == [s.heads.tolist() for s in rounds.parse(example)]
    assert rounds.manifest_["coverage"] == {"trees": 100, "arcs": 100}


def test_dependents_decide_later_arcs():
    """One of two nouns hangs from the verb and the other from it: only the far preposition's own word says which."""

    def sentence(first):
        noun, other = (2, 3) if first else (3, 2)
        heads = [0, 1, noun, 1, 1, 1, noun] if noun == 2 else [0, other + 1, 1, 1, 1, 1, noun]
        forms = ["go", "cat", "cat", "x", "x", "x", "near" if first else "far"]
        return sentence_of(["VERB", "NOUN", "NOUN", "X", "X", "X", "ADP"], heads, forms)

    data = [sentence(True), sentence(False)] * 10
    order = [["ADP"], ["NOUN", "VERB", "X"]]
    for absorb in (True, False):
        parser = Parser("mst-bottom-up", epochs=8, order=order, absorb=absorb).fit(data)
        assert parser.evaluate(data).uas == 100
    assert Parser("mst", epochs=8).fit(data).evaluate(data).uas < 90


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize(
    ("template", "enough"), [("head.upos + dep.upos", False), ("head.upos + sib.form + dep.upos", True)]
)
def test_siblings_decide_later_arcs(tmp_path, template, enough, mirrored):
    """The noun hangs from the first verb where the adverb does, and the adverb's own word says where that is."""
    features = tmp_path / "own.toml"
    features.write_text(f'arcs = ["head.form + dep.form", "{template}"]\nlabels = ["dep.upos"]')
    data = []
    for form, verb in (("near", 1), ("far", 4)):
        heads, tags = [0, verb, verb, 1], ["VERB", "ADV", "NOUN", "VERB"]
        forms = ["go", form, "cat", "come"]
        if mirrored:
            heads, tags, forms = [5 - head if head else 0 for head in heads[::-1]], tags[::-1], forms[::-1]
        data += [sentence_of(tags, heads, forms)] * 10
    parser = Parser("mst-bottom-up", epochs=8, order=["ADV", ["NOUN", "VERB"]], features=str(features)).fit(data)
    assert (parser.evaluate(data).uas == 100) == enough


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("dep.child[2].upos", r"dependents of head and dep are child\[-1\] and child\[1\]"),
        ("dep[1].child[1].upos", r"dependents of head and dep are"),
        ("dep[1].children", "only head and dep have children"),
        ("head.child[1].upos + between.upos", "does not go with"),
        ("sib.upos + distance", "only one term"),
    ],
)
def test_mistakes_in_templates(template, message):
    with pytest.raises(TemplateError, match=message):
        parse_edge_model(f'arcs = ["{template}"]\nlabels = ["dep.upos"]')


def test_arcs_out_of_reach_are_counted_and_others_learned():
    """A determiner that heads a noun cannot be, once it was absorbed; without that it can."""
    data = [sentence_of(["DET", "NOUN", "VERB"], [3, 1, 0])] * 5
    order = ["DET", "NOUN", "VERB"]
    absorbing = Parser("mst-bottom-up", epochs=3, order=order).fit(data)
    assert absorbing.manifest_["coverage"] == {"trees": 0, "arcs": pytest.approx(200 / 3)}
    assert absorbing.evaluate(data).uas == pytest.approx(200 / 3)
    keeping = Parser("mst-bottom-up", epochs=3, order=order, absorb=False).fit(data)
    assert keeping.manifest_["coverage"] == {"trees": 100, "arcs": 100}
    assert keeping.evaluate(data).uas == 100


# ---- the order


@st.composite
def tagged_trees(draw):
    """Flat arrays of some random trees with few tags, of one root each."""
    tags, heads, starts = [], [], [0]
    for _ in range(draw(st.integers(1, 6))):
        n = draw(st.integers(1, 7))
        order = draw(st.permutations(range(1, n + 1)))
        tree = [-1] * (n + 1)
        for place, word in enumerate(order):
            tree[word] = draw(st.sampled_from(order[:place])) if place else 0
        heads += tree
        tags += [1, *(2 + draw(st.integers(0, 3)) for _ in range(n))]
        starts.append(len(heads))
    return np.array(tags, dtype=np.int32), np.array(heads, dtype=np.int32), np.array(starts, dtype=np.int64)


def found_in(rounds, table, data, single_root):
    """How many arcs can be found, straight from the definition."""
    tags, heads, starts = data
    place = {tag: number for number, group in enumerate(rounds) for tag in group}
    total = 0
    for begin, end in pairwise(starts.tolist()):
        turn = [len(rounds), *(place[table.string(int(tag))] for tag in tags[begin + 1 : end])]
        for word, head in enumerate(heads[begin:end].tolist()):
            if head > 0:
                total += turn[word] <= turn[head]
            elif head == 0:
                total += not single_root or turn[word] == max(turn[1:])
    return total


@given(tagged_trees(), st.booleans(), st.sampled_from([0.0, 0.7, 0.9, 1.0]))
@settings(max_examples=50)
def test_the_order_is_the_best_of_all(data, single_root, share):
    """No order of any tags before the rest decides more words early, or as many with more arcs within reach."""
    tags, heads, starts = data
    table = StringTable("abcd")
    present = sorted({table.string(int(tag)) for tag in tags[heads >= 0]})

    def judge(rounds):
        numbers = round_numbers(rounds, table)[tags]
        total = int(reachable_arcs(numbers, heads, starts, single_root).sum())
        assert total == found_in(rounds, table, data, single_root)
        return int((numbers < len(rounds) - 1)[heads >= 0].sum()) if len(rounds) < len(present) else len(tags), total

    ways = [
        [*([tag] for tag in first), *([rest] if rest else [])]
        for size in range(len(present) + 1)
        for first in permutations(present, size)
        if (rest := [tag for tag in present if tag not in first]) or size
    ]
    chosen = best_rounds(tags, table, heads, starts, single_root, share)
    assert sorted(tag for group in chosen for tag in group) == present
    enough = share * int((heads >= 0).sum())
    assert judge(chosen) == max(judge(way) for way in ways if judge(way)[1] >= enough)


def test_many_tags_are_no_burden():
    rng = np.random.default_rng(1)
    starts = np.arange(0, 20_001, 20)
    heads = np.array([[-1, 0, *(int(rng.integers(1, d)) for d in range(2, 20))] for _ in range(1000)], np.int32).ravel()
    tags = np.where(heads < 0, 1, rng.integers(2, 62, size=len(heads))).astype(np.int32)
    table = StringTable(f"t{i}" for i in range(60))
    rounds = best_rounds(tags, table, heads, starts, True, 0.5)
    assert sorted(tag for group in rounds for tag in group) == sorted(table)


def test_orders_that_cannot_be(example):
    with pytest.raises(CrossarcError, match=r"setting order: .*did you mean 'NOUN'"):
        Parser("mst-bottom-up", order=["NOUNS"]).fit(example)
    with pytest.raises(CrossarcError, match="NOUN is there 2 times"):
        Parser("mst-bottom-up", order=["NOUN", ["VERB", "NOUN"]]).fit(example)
    for options in ({"order": ["NOUN"]}, {"absorb": False}, {"child_labels": True}):
        with pytest.raises(CrossarcError, match="belongs to mst-bottom-up"):
            Parser("mst", **options)
    with pytest.raises(TemplateError, match="only mst-bottom-up sees dependents"):
        Parser("mst", features="mst-bottom-up").fit(example)
    untagged = [sentence_of(["_"] * len(s), s.heads[1:].tolist()) for s in read(example)]
    with pytest.raises(CrossarcError, match="no parts of speech"):
        Parser("mst-bottom-up").fit(untagged)


def test_going_on_from_a_model(trained, example):
    first = trained[True, True]
    second = Parser("mst-bottom-up", epochs=1, order=ORDER, single_root=True).fit(example, init=first)
    assert second.model.rounds == first.model.rounds
    with pytest.raises(CrossarcError, match="absorb is False here and True there"):
        Parser("mst-bottom-up", epochs=1, order=ORDER, absorb=False).fit(example, init=first)


def test_files_keep_the_rounds(trained, tmp_path, example):
    path = tmp_path / "m.crossarc"
    parser = trained[True, True]
    parser.save(path)
    again = load(path)
    assert again.model.rounds == parser.model.rounds
    assert [s.heads.tolist() for s in again.parse(example)] == [s.heads.tolist() for s in parser.parse(example)]
    manifest, arrays = parser.model.to_arrays()
    for wrong in (None, [], [[1]], "ab"):
        write_model(path, {**manifest, **parser.manifest_, "rounds": wrong}, arrays)
        with pytest.raises(ModelError, match="rounds"):
            load(path)


@pytest.mark.parametrize("lengths", [False, True])
def test_labels_of_dependents(trained, tmp_path, example, lengths):
    """They change what is learned, and a file keeps what they need."""
    options = {"order": ORDER, "single_root": True, "lengths": lengths}
    parser = Parser("mst-bottom-up", epochs=2, child_labels=True, **options).fit(example)
    plain = trained[(True, True, "lengths") if lengths else (True, True)]
    assert len(parser.model.finder.weights) != len(plain.model.finder.weights)
    assert parser.evaluate(example).uas > plain.evaluate(example).uas - 5
    parser.save(tmp_path / "m.crossarc")
    again = load(tmp_path / "m.crossarc")
    assert [s.deprels for s in again.parse(example)] == [s.deprels for s in parser.parse(example)]
    assert [s.heads.tolist() for s in again.parse(example)] == [s.heads.tolist() for s in parser.parse(example)]


def test_a_long_sentence(trained):
    for parser in trained.values():
        (parsed,) = parser.parse([sentence_of(["NOUN", "ADP", "VERB", "ADJ"] * 75)])
        assert parsed.is_tree
