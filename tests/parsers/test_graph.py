"""Parsers that score arcs: their trees are the best by their own scores, and features follow the templates."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from crossarc import decode
from crossarc.components import write_model
from crossarc.errors import CrossarcError, ModelError
from crossarc.features.edges import load_edge_model, parse_edge_model
from crossarc.features.templates import TemplateError
from crossarc.papers.undirected_mst.model import StackedModel
from crossarc.parsers import Parser, load
from crossarc.parsers.arcs.finders import TreeFinder
from crossarc.parsers.arcs.lengths import Pruning
from crossarc.parsers.presets import preset_names
from crossarc.transforms.lifting import lift
from crossarc.treebank import Corpus, read

sys.path.append(str(Path(__file__).parents[1] / "decode"))
from forest import all_trees, tree_score, tree_scores

from helpers import scrambled


def inside(model):
    """The model inside a transform, or the model itself."""
    return getattr(model, "model", model)


@pytest.fixture(scope="module")
def trained(example):
    """Each preset that scores arcs, trained a little: scores that are far from perfect make odd trees."""
    return {name: Parser(name, epochs=2).fit(example) for name in preset_names("arcs")}


def scores_of(model, sentence):
    """The scores of all arcs of a sentence."""
    tokens = model.attributes.encode(Corpus.of([sentence]))
    return model.arc_scores(tokens)


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("name", ["mst", "eisner"])
def test_the_parse_is_the_best_of_all_trees(example, name, single_root):
    parser = Parser(name, epochs=2, single_root=single_root).fit(example)
    for size in range(1, 6):
        trees = all_trees(size, single_root, projective=name == "eisner")
        for seed in range(10):
            sentence = scrambled(example, size, seed)
            scores = scores_of(parser.model, sentence)
            (parsed,) = parser.parse([sentence])
            assert tree_score(scores, parsed.heads) == pytest.approx(tree_scores(scores, trees).max())


@pytest.mark.parametrize("combine", ["none", "mean", "product", "max", "min"])
def test_undirected_parses_are_the_best_undirected_trees(example, combine):
    """The best tree over the words, whatever its directions, and the best edge to the root."""
    how = {"mean": np.add, "product": np.multiply, "max": np.maximum, "min": np.minimum}
    parser = Parser("mst-undirected", epochs=2, combine=combine).fit(example)
    for size in range(2, 6):
        trees = all_trees(size)
        for seed in range(10):
            sentence = scrambled(example, size, seed)
            finder, tokens = parser.model.finder, parser.model.attributes.encode(Corpus.of([sentence]))
            scores = finder.factors(None).scores(finder.weights, tokens)
            inner = scores[1:, 1:]
            if combine == "none":
                assert (inner == inner.T).all()
            else:
                scores[1:, 1:] = how[combine](inner, inner.T) / (2 if combine == "mean" else 1)
            finite = np.isfinite(scores)
            assert scores_of(parser.model, sentence)[finite] == pytest.approx(scores[finite])
            (parsed,) = parser.parse([sentence])
            (root,) = parsed.roots
            assert scores[root, 0] == pytest.approx(scores[1:, 0].max())
            words = scores.copy()
            words[:, 0] = 0
            assert tree_score(words, parsed.heads) == pytest.approx(tree_scores(words, trees).max())


@pytest.mark.parametrize("moves", [1, 5])
def test_trees_are_enhanced_by_the_directed_model_and_then_labelled(example, moves):
    parser = Parser("mst-undirected-lep", epochs=2, enhance=moves).fit(example)
    model = parser.model
    plain = replace(model, finder=model.finder.undirected)
    directed = Parser("mst", epochs=2).fit(example).model
    turned = 0
    for seed in range(30):
        sentence = scrambled(example, 6, seed)
        scores = scores_of(directed, sentence)
        before, after = (each.parsed([sentence])[0] for each in (plain, model))
        assert tree_score(scores, after.heads) >= tree_score(scores, before.heads) - 1e-6
        assert (after.heads == decode.enhance(before.heads, scores, rounds=moves)).all()
        labels = model.label_scores(model.attributes.encode(Corpus.of([sentence])), after.heads).argmax(axis=1)
        assert list(after.deprels[1:]) == [model.labels[label] for label in labels[1:]]
        turned += int((before.heads != after.heads).any())
    assert turned > 5


def test_scores_depend_on_what_templates_name(example, tmp_path):
    own = tmp_path / "own.toml"
    own.write_text('distances = false\narcs = ["head.upos + dep.upos"]\nlabels = ["dep.upos"]')
    parser = Parser("mst", features=str(own), epochs=3).fit(example)
    rng = np.random.default_rng(1)
    found: dict[tuple[str, str, bool], float] = {}
    seen = set()
    for seed in range(20):
        sentence = scrambled(example, int(rng.integers(2, 9)), seed)
        scores = scores_of(parser.model, sentence)
        tags = ["<root>", *sentence.upos[1:]]
        for d in range(1, len(tags)):
            for h in range(len(tags)):
                if h != d:
                    score = found.setdefault((tags[h], tags[d], h < d), scores[d, h])
                    assert score == scores[d, h]
                    seen.add(score)
    assert len(seen) > 10


def test_templates_of_a_model():
    model = parse_edge_model(
        'arcs = ["head.form", "dep.form", "head.form + dep.upos", "head.upos + dep.form", "distance",\n'
        ' "head.upos + between.upos + dep.upos", "head.lemma + dep.upos"]\nlabels = ["dep.form + sib[-1].upos"]'
    )
    assert model.singles.tolist() == [[0, model.singles[0, 1]], [1, model.singles[0, 1]]]
    # A template and its mirror share their rows; one without a mirror has rows for one direction each.
    assert sorted(model.pairs[:, 2].tolist()) == [1, 2, 3, 3, 3, 3]
    assert model.pairs[-1, 3] == 1, "those with words between come last"
    assert len(model.templates) == 8


@pytest.mark.parametrize("name", ["mst", "mst-compact", "mst-mcdonald", "mst-table2", "mst-table2-plain"])
def test_models_that_come_with_crossarc(example, name):
    labels = "joint" if "table2" in name else "after"
    assert len(load_edge_model(name).templates) > 20
    assert Parser("mst", features=name, labels=labels, epochs=8).fit(example).evaluate(example).uas > 85


def test_table_2_of_shimizu():
    """22 features, and 5 additional ones, each joined with the label and none without."""
    plain, all_of_it = (load_edge_model(name) for name in ("mst-table2-plain", "mst-table2"))
    assert (len(plain.arc_terms), len(plain.label_terms)) == (0, 22)
    assert (len(all_of_it.arc_terms), len(all_of_it.label_terms)) == (0, 27)
    assert set(plain.label_terms) < set(all_of_it.label_terms)


@pytest.mark.parametrize("preset", ["mst", "mst-undirected", "mst-bottom-up"])
def test_a_model_without_templates_for_arcs_needs_joint_labels(example, preset):
    with pytest.raises(TemplateError, match="mst-table2: there are no templates for arcs; write some"):
        Parser(preset, features="mst-table2", epochs=1).fit(example)


def test_table_1_of_mcdonald():
    """13 features and the same with the first letters of words, and 5 of tags between and around."""
    terms = load_edge_model("mst-mcdonald").arc_terms
    assert len(terms) == 13 + 10 + 5
    assert sum(any("prefix[5]" in term for term in each) for each in terms) == 10


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            'arcs = ["head.form",\n "dop.form"]\nlabels = ["dep.form"]',
            r"m:2: template 'dop.form': .*did you mean 'dep'",
        ),
        ('arcs = ["head.fom"]\nlabels = ["dep.form"]', "m:1: .*did you mean 'form'"),
        ('arcs = ["head[9].form"]\nlabels = ["dep.form"]', "offsets of up to 4"),
        ('arcs = ["sib[1].form"]\nlabels = ["dep.form"]', "no address 'sib"),
        ('arcs = ["head.form"]\nlabels = ["sib.form"]', r"sib\[-1\] is the one on the left"),
        ('arcs = ["between.upos + distance"]\nlabels = ["dep.form"]', "only one term"),
        ('arcs = ["head.form"]', "no templates for labels"),
        ('arks = ["head.form"]', "did you mean 'arcs'"),
        ("arcs = [", "m: "),
    ],
)
def test_mistakes_in_models(text, message):
    with pytest.raises(TemplateError, match=message):
        parse_edge_model(text, "m")


def test_settings_that_mean_nothing_are_refused(trained, example):
    foreign = [{"beam": 4}, {"fast": True}, {"explore": 0.5}, {"learner": "liblinear"}, {"reconstruction": "label"}]
    for options in foreign:
        with pytest.raises(CrossarcError, match=r"transition parsers|fast search|single decisions"):
            Parser("mst", **options)
    for options in ({"lengths": True}, {"labels": "joint"}, {"augment": False}):
        with pytest.raises(CrossarcError, match=r"belongs to parsers that score arcs"):
            Parser("swap", **options)
    with pytest.raises(CrossarcError, match="find the best tree without one"):
        list(trained["mst"].parse(example, beam=3))


OTHER_WAYS = [{"learner": "perceptron"}, {"augment": False}, {"labels": "joint"}, {"labels": "joint", "augment": False}]


@pytest.mark.parametrize("options", OTHER_WAYS)
def test_other_ways_to_learn(example, options):
    assert Parser("mst", epochs=8, **options).fit(example).evaluate(example).uas > 90


def test_going_on_from_a_model(example):
    sentences = list(read(example))
    first = Parser("mst", epochs=4).fit(sentences[:20])
    second = Parser("mst", epochs=4, inertia=0.5).fit(sentences[20:], init=first)
    assert set(first.model.labels) <= set(second.model.labels)
    assert second.evaluate(sentences[20:]).uas > first.evaluate(sentences[20:]).uas
    with pytest.raises(CrossarcError, match="cannot start from the weights"):
        Parser("arc-hybrid").fit(sentences, init=first)


@pytest.mark.parametrize("name", preset_names("arcs"))
def test_odd_sentences(trained, name):
    assert list(trained[name].parse([])) == []
    (one,) = trained[name].parse(read(["1\tzzz\t_\t_\t_\t_\t_\t_\t_\t_"]))
    assert one.heads.tolist() == [-1, 0]
    (long,) = trained[name].parse(read([f"{i}\tw{i}\t_\tNOUN\t_\t_\t_\t_\t_\t_" for i in range(1, 401)]))
    assert long.is_tree
    assert len(long.roots) == 1


@pytest.mark.parametrize("name", preset_names("arcs"))
def test_long_sentences_are_parsed_in_pieces(trained, name, example):
    """Each piece as a sentence of its own, and all of them joined by their roots; short ones are parsed as usual."""
    parser = trained[name]
    short = list(read(example))[:3]
    words = [(word.form, word.upos) for sentence in read(example) for word in sentence][:50]
    (long,) = read([f"{i}\t{form}\t_\t{upos}\t_\t_\t_\t_\t_\t_" for i, (form, upos) in enumerate(words, 1)])
    model = inside(parser.model)
    cut = replace(model, long_sentence=20)
    *_, parsed, after = cut.parsed([*short, long, short[0]])
    assert parsed.is_tree
    assert len(parsed.roots) == 1
    assert parsed.deprels[parsed.roots[0]] == "root"
    assert parsed.deprels[1:].count("root") == 1
    assert after == model.parsed([short[0]])[0]
    pieces = [words[:17], words[17:34], words[34:]]
    first = 0
    for piece in pieces:
        lines = [f"{i}\t{form}\t_\t{upos}\t_\t_\t_\t_\t_\t_" for i, (form, upos) in enumerate(piece, 1)]
        (alone,) = model.parsed(list(read(lines)))
        here = parsed.heads[first + 1 : first + len(piece) + 1]
        heads = alone.heads[1:] + first
        heads[alone.heads[1:] == 0] = parsed.roots[0] if first else 0
        assert here.tolist() == heads.tolist()
        first += len(piece)
    assert replace(model, long_sentence=50).parsed([long]) == model.parsed([long])


@pytest.mark.parametrize("name", preset_names("arcs"))
def test_labels_of_roots_are_theirs_alone(trained, name, example):
    """Whatever the words, a root has a label that roots had in training, and another word one of the others."""
    for seed in range(30):
        (parsed,) = trained[name].parse([scrambled(example, 8, seed)])
        for d in range(1, 9):
            assert (parsed.deprels[d] == "root") == (parsed.heads[d] == 0)


def label_scores(model, sentence):
    """What joint labels add to the scores of arcs, which those of a parser without them are."""
    tokens = model.attributes.encode(Corpus.of([sentence]))
    joint, alone = model.arc_scores(tokens), model.finder.scores(tokens)
    return np.subtract(joint, alone, out=np.zeros_like(joint), where=np.isfinite(joint))


def test_joint_labels_are_part_of_the_scores_of_arcs(example, tmp_path):
    """One template for labels: the best label of an arc, and its score, depend on the tag of the dependent alone."""
    own = tmp_path / "own.toml"
    own.write_text('arcs = ["head.upos + dep.upos", "head.form + dep.form"]\nlabels = ["dep.upos", "grand.form"]')
    parser = Parser("mst", features=str(own), epochs=3, labels="joint").fit(example)
    found: dict[tuple[str, bool, bool], float] = {}
    chosen: dict[tuple[str, bool, bool], str] = {}
    for seed in range(10):
        sentence = scrambled(example, 6, seed)
        gains = label_scores(parser.model, sentence)
        (parsed,) = parser.parse([sentence])
        trees = all_trees(6)
        scores = scores_of(parser.model, sentence)
        assert tree_score(scores, parsed.heads) == pytest.approx(tree_scores(scores, trees).max())
        for d in range(1, 7):
            for h in range(7):
                if h != d:
                    key = sentence.upos[d], h < d, h > 0
                    assert found.setdefault(key, gains[d, h]) == pytest.approx(gains[d, h])
            key = sentence.upos[d], int(parsed.heads[d]) < d, int(parsed.heads[d]) > 0
            assert chosen.setdefault(key, parsed.deprels[d]) == parsed.deprels[d]
            assert (parsed.deprels[d] == "root") == (parsed.heads[d] == 0)
    assert max(found.values()) > 0


def test_joint_labels_are_learned(example):
    parser = Parser("mst", epochs=8, labels="joint").fit(example)
    assert parser.evaluate(example).las > 85
    for name in ("mst-undirected", "mst-bottom-up"):
        with pytest.raises(CrossarcError, match="only after the tree"):
            Parser(name, labels="joint")


def without_lengths(model):
    """The same model, for which arcs of all lengths count."""

    def whole(finder):
        parts = {name: whole(part) for name, part in vars(finder).items() if isinstance(part, TreeFinder)}
        return replace(finder, **(parts or {"lengths": None}))

    return replace(model, finder=whole(model.finder))


def load_again(parser, folder):
    """The same model, which has parsed nothing yet."""
    parser.save(folder / "again")
    return load(folder / "again").model


def learned_heads(model, sentence):
    """The heads that a model learns from: the gold ones, made projective for some."""
    return lift(sentence.heads)[0] if model.is_projective else sentence.heads


def tag_lengths(sentences, heads_of=lambda sentence: sentence.heads):
    """The greatest length by the tags of head and dependent."""
    lengths: dict[tuple[str, str], int] = {}
    for sentence in sentences:
        for d, h in enumerate(heads_of(sentence)):
            if h > 0:
                pair = sentence.upos[h], sentence.upos[d]
                lengths[pair] = max(lengths.get(pair, 0), abs(int(h) - d))
    return lengths


@pytest.mark.parametrize("name", preset_names("arcs"))
def test_lengths_leave_out_what_training_has_not_seen(example, name):
    model = inside(Parser(name, epochs=2, lengths=True).fit(example).model)
    lengths = tag_lengths(read(example), lambda sentence: learned_heads(model, sentence))
    edges = model.settings.system == "undirected" and not isinstance(model, StackedModel)
    left_out = 0
    for sentence in read(example):
        scores = scores_of(model, sentence)
        n = len(sentence)
        wanted = np.full((n + 1, n + 1), True)
        for d in range(1, n + 1):
            for h in range(1, n + 1):
                there = abs(h - d) <= lengths.get((sentence.upos[h], sentence.upos[d]), 0)
                back = abs(h - d) <= lengths.get((sentence.upos[d], sentence.upos[h]), 0)
                wanted[d, h] = there or (edges and back)
        wanted[0] = False
        np.fill_diagonal(wanted, False)
        assert (np.isfinite(scores) == wanted).all()
        gold = learned_heads(model, sentence)
        assert all(np.isfinite(scores[d, h]) for d, h in enumerate(gold) if h >= 0), "gold arcs stay"
        left_out += int((~wanted[1:, 1:]).sum()) - n
        (parsed,) = model.parsed([sentence])
        if name != "mst-undirected-lep":
            assert all(wanted[d, h] for d, h in enumerate(parsed.heads) if h >= 0)
    words = [len(sentence) for sentence in read(example)]
    assert model.lengths.so_far.pruned == left_out > 0
    assert model.lengths.so_far.arcs == sum(n * (n - 1) for n in words)
    assert model.lengths.so_far.unpruned == 0
    assert f"{100 * left_out / model.lengths.so_far.arcs:.1f}%" in model.notes()[0]


@pytest.mark.parametrize("name", preset_names("arcs"))
def test_a_sentence_without_a_tree_is_parsed_in_full(example, tmp_path, name):
    """Words of a tag that no arc has: only node 0 could lead them, and it leads one word."""
    Parser(name, epochs=2, lengths=True).fit(example).save(tmp_path / "m.crossarc")
    pruned = inside(load(tmp_path / "m.crossarc").model)
    odd = list(read([f"{i}\tw\t_\tNEW\t_\t_\t_\t_\t_\t_" for i in range(1, 5)]))
    whole = without_lengths(pruned)
    assert pruned.parsed(odd) == whole.parsed(odd)
    assert pruned.lengths.so_far == Pruning(arcs=12, pruned=0, unpruned=1)
    assert whole.notes() == []


def test_a_development_set_says_what_lengths_leave_out(example, tmp_path):
    """Once for each sentence, whatever else is done with them; the file keeps it."""
    sentences = list(read(example))
    parser = Parser("mst", epochs=2, lengths=True).fit(sentences[:20], sentences[20:])
    again = load_again(parser, tmp_path)
    again.parsed(sentences[20:])
    assert parser.model.lengths.development == again.lengths.so_far
    assert again.lengths.so_far.unpruned > 0
    assert parser.model.notes() == []
    parser.save(tmp_path / "m.crossarc")
    assert load(tmp_path / "m.crossarc").model.lengths.development == again.lengths.so_far


def test_lengths_need_tags(example, tmp_path):
    own = tmp_path / "own.toml"
    own.write_text('arcs = ["head.form + dep.form"]\nlabels = ["dep.form"]')
    with pytest.raises(CrossarcError, match="leave lengths out"):
        Parser("mst", features=str(own), lengths=True).fit(example)


def test_going_on_from_a_model_keeps_its_lengths(example):
    sentences = list(read(example))
    first = Parser("mst", epochs=2, lengths=True).fit(sentences[:20])
    second = Parser("mst", epochs=2, lengths=True).fit(sentences[20:], init=first)
    before, after = first.model.lengths, second.model.lengths
    before, after = before.table, after.table
    assert (after[: len(before), : len(before)] >= before).all()
    assert after.max() == max(tag_lengths(sentences).values())
    with pytest.raises(CrossarcError, match="lengths is False here"):
        Parser("mst").fit(sentences, init=first)


def test_files_that_hold_no_parser(trained, tmp_path):
    path = tmp_path / "m.crossarc"
    manifest, arrays = trained["mst"].model.to_arrays()
    manifest |= trained["mst"].manifest_
    write_model(path, manifest, arrays)
    assert load(path).settings == trained["mst"].settings
    faults = [
        ({**manifest, "labels": []}, arrays),
        ({**manifest, "labels": manifest["labels"] * 9}, arrays),
        (manifest, {name: array for name, array in arrays.items() if name != "arcs.cells"}),
        (manifest, {**arrays, "arcs.buckets": np.ones_like(arrays["arcs.buckets"])}),
        (manifest, {**arrays, "labels.rows": arrays["labels.rows"][:, :-1]}),
        *((manifest, {**arrays, "arcs.unit": np.array([unit])}) for unit in (0.0, -1.0, np.inf, np.nan)),
        (manifest, {**arrays, "label_places": np.ones_like(arrays["label_places"])}),
        (manifest, {**arrays, "label_places": arrays["label_places"][:-1]}),
        ({**manifest, "settings": {**manifest["settings"], "enhance": 3}}, arrays),
        ({**manifest, "features": "arcs = ['head.form']"}, arrays),
        ({**manifest, "settings": {**manifest["settings"], "lengths": True}}, arrays),
        (
            {**manifest, "settings": {**manifest["settings"], "lengths": True}},
            {**arrays, "lengths": np.zeros((2, 2), np.int32)},
        ),
        ({**manifest, "settings": {**manifest["settings"], "system": "nothing"}}, arrays),
    ]
    for wrong, tables in faults:
        write_model(path, wrong, tables)
        with pytest.raises((ModelError, CrossarcError)):
            load(path)
