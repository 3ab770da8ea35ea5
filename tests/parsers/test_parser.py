"""Every preset learns the example treebank, keeps itself in a file, and gives the same trees however it is run."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from crossarc.components import write_model
from crossarc.errors import CrossarcError, ModelError, UnknownName
from crossarc.papers.undirected_transitions.model import UndirectedMoveModel
from crossarc.parsers import PRESETS, Parser, load
from crossarc.parsers.presets import preset_names
from crossarc.treebank import Corpus, Sentence, read, write
from helpers import check_stored

# A small network learns as much in less time. It needs more passes than linear parsers.
SIZES = {"hidden": 48, "lexical_size": 48, "tag_size": 32, "arc_size": 48, "label_size": 32}
NETWORK = {"epochs": 16, "rate": 0.005, **SIZES}


@pytest.fixture(scope="module")
def trained(example):
    """Each preset, trained once on the example treebank."""
    settings = {name: NETWORK if name in preset_names("networks") else {"epochs": 8} for name in preset_names()}
    return {name: Parser(name, **settings[name]).fit(example) for name in preset_names()}


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_learns(trained, example, name):
    parser = trained[name]
    scores = parser.evaluate(example)
    assert scores.broken == 0
    assert scores.uas > (85 if name == "arc-standard" else 88), name
    for sentence in parser.parse(example):
        assert sentence.is_tree
        assert len(sentence.roots) == 1


@pytest.mark.parametrize("name", preset_names())
def test_models_are_kept_and_come_back(trained, example, tmp_path, name):
    check_stored(trained[name], example, tmp_path)


@pytest.mark.parametrize("name", ["arc-hybrid", "two-planar-label", "mst", "eisner"])
def test_the_same_seed_gives_the_same_bytes(example, tmp_path, name):
    for copy in ("a", "b"):
        Parser(name, epochs=3, seed=7).fit(example, dev=example).save(tmp_path / copy)
    Parser(name, epochs=3, seed=8).fit(example, dev=example).save(tmp_path / "c")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert (tmp_path / "a").read_bytes() != (tmp_path / "c").read_bytes()


@pytest.mark.parametrize("name", preset_names("moves"))
def test_every_arc_has_a_label(trained, example, name):
    """Also where training trees are beyond the system, whose oracle then makes arcs that are not gold."""
    model = trained[name].model
    model = getattr(model, "model", model)  # inside a transform
    system = model.system
    assert all(
        label >= 0 or not system.labelled[move] for move, label in zip(model.moves, model.move_labels, strict=True)
    )
    assert all(all(sentence.deprels[1:]) for sentence in trained[name].parse(example))


def test_non_projective_trees_are_built(trained, example):
    for name in ("swap", "covington", "two-planar", "covington-label", "two-planar-label", "arc-eager-pp", "mst"):
        scores = trained[name].evaluate(example)
        assert scores.non_projective.recall > 60, name
        assert scores.non_projective.precision > 60, name
    for name in ("arc-eager", "arc-hybrid", "arc-standard", "eisner"):
        assert trained[name].evaluate(example).non_projective.system == 0


def test_threads_and_batches_do_not_matter(trained, example, monkeypatch):
    sentences = list(read(example)) * 20
    names = ("arc-hybrid", "mst")
    expected = {name: list(trained[name].parse(sentences)) for name in names}
    monkeypatch.setattr("crossarc.components.streams.BATCH_WORDS", 50)
    for name in names:
        for threads in (1, 2, 5):
            assert list(trained[name].parse(sentences, threads=threads)) == expected[name]


def test_all_but_the_tree_is_kept(trained, example):
    for before, after in zip(read(example), trained["arc-hybrid"].parse(example), strict=True):
        assert after.replace(heads=before.heads, deprels=before.deprels).raw == before.raw


def test_odd_sentences(trained):
    parser = trained["arc-hybrid"]
    assert list(parser.parse([])) == []
    word = b"1\tzzz\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    (one,) = parser.parse(read([word.decode()]))
    assert one.heads.tolist() == [-1, 0]
    lines = [f"{i}\tw{i}\t_\tNOUN\t_\t_\t_\t_\t_\t_" for i in range(1, 3001)]
    for name in ("arc-hybrid", "two-planar-label", "arc-eager"):
        (long,) = trained[name].parse(read(lines))
        assert long.is_tree
        assert len(long.roots) == 1


@pytest.mark.parametrize("beam", [1, 4])
@pytest.mark.parametrize("name", [name for name in PRESETS if name.endswith("-label")])
def test_directions_by_scores(example, tmp_path, name, beam):
    parser = Parser(name, epochs=6, beam=beam, reconstruction="score").fit(example)
    scores = parser.evaluate(example)
    assert scores.broken == 0
    assert scores.uas > 88
    parser.save(tmp_path / "m.crossarc")
    trees = list(load(tmp_path / "m.crossarc").parse(example))
    assert trees == list(parser.parse(example))
    assert all(tree.is_tree and len(tree.roots) == 1 for tree in trees)


def small_trees(*trees):
    """Sentences of (form, head) pairs as CoNLL-U."""
    return "".join(
        "".join(f"{i}\t{form}\t_\t_\t_\t_\t{head}\tx\t_\t_\n" for i, (form, head) in enumerate(tree, 1)) + "\n"
        for tree in trees
    )


@pytest.mark.parametrize("beam", [1, 2])
def test_the_surer_of_two_directions_wins(tmp_path, beam):
    """Both a and c would like to be the head of b: a mostly was, c always."""
    train, test, features = (tmp_path / name for name in ("train.conllu", "test.conllu", "pairs.toml"))
    ab, ba, bc = [("a", 0), ("b", 1)], [("a", 2), ("b", 0)], [("b", 2), ("c", 0)]
    train.write_text(small_trees(*[ab, ab, ba, bc, bc, bc] * 5))
    test.write_text(small_trees([("a", 0), ("b", 1), ("c", 2)]))
    features.write_text('[templates]\nall = ["stack[0].form + buffer[0].form"]\n')
    found = {}
    for how in ("label", "score"):
        parser = Parser("planar-label", features=str(features), epochs=5, beam=beam, explore=0.0, reconstruction=how)
        found[how] = next(iter(parser.fit(train).parse(test))).heads.tolist()
    assert found == {"label": [-1, 0, 1, 2], "score": [-1, 2, 3, 0]}


def test_links_count_whichever_node_they_stand_with(tmp_path):
    path = tmp_path / "gold.conllu"
    path.write_text(small_trees([("a", 2), ("b", 0), ("c", 2)]))
    gold = list(read(path))

    def score(others, labels):
        links = np.array([-1, *others], dtype=np.int32), np.array([-1, *labels], dtype=np.int32)
        return UndirectedMoveModel.link_score(
            SimpleNamespace(labels=["x", "y"], links=lambda _: links), Corpus.of(gold)
        )

    assert score([2, 0, 2], [0, 0, 0]) == 100
    assert score([0, 1, 2], [-1, 0, 0]) == pytest.approx(200 / 3)  # 1 - 2 stands with 2, and nothing links 0
    assert score([2, 3, 0], [0, 0, 0]) == pytest.approx(200 / 3)  # 2 - 3 stands with 2, and 0 - 3 is wrong
    assert score([2, 0, 2], [0, 0, 1]) == pytest.approx(200 / 3)


@pytest.mark.parametrize("name", [name for name in PRESETS if name.endswith(("-label", "-naive"))])
def test_directions_lose_little(trained, example, name):
    """Right arcs were right links, except those of words that were left over."""
    links = trained[name].model.link_score(Corpus.of(read(example)))
    las = trained[name].evaluate(example).las
    assert links > 85
    assert -1 < links - las < 5


def test_links_keep_their_labels(tmp_path):
    """Also the one whose number, with its direction, is that of no label without."""
    path = tmp_path / "train.conllu"
    rows = ["1\ta\t_\t_\t_\t_\t2\t{}\t_\t_\n2\tb\t_\t_\t_\t_\t0\troot\t_\t_\n"]
    path.write_text("1\tb\t_\t_\t_\t_\t0\troot\t_\t_\n\n" + "\n".join([rows[0].format("det"), ""] * 5))
    model = Parser("planar-label", epochs=5).fit(path).model
    assert model.labels == ["root", "det"]
    assert model.own_figures(Corpus.of(read(path))) == {"link_las": 100}


def test_roots_are_left_to_the_reconstruction(example, tmp_path):
    """With `root_links = "none"`, which says what the model file keeps, and needs an undirected parser."""
    for name in [name for name in PRESETS if name.endswith(("-label", "-naive"))]:
        ways = ["naive"] if name.endswith("-naive") else ["label", "label-first", "score"]
        for reconstruction, beam in [(ways[0], 3), *((way, 1) for way in ways)]:
            parser = Parser(name, epochs=6, root_links="none", reconstruction=reconstruction, beam=beam).fit(example)
            made = parser.model.move_labels[parser.model.move_labels >= 0] >> (reconstruction != "naive")
            assert "root" not in {parser.model.labels[label] for label in made}
            parser.save(tmp_path / "m")
            trees = list(load(tmp_path / "m").parse(example))
            assert trees == list(parser.parse(example))
            assert all(tree.is_tree and len(tree.roots) == 1 for tree in trees)
            scores = parser.evaluate(example)
            assert scores.undirected_uas > 75  # the root arcs of naive ones are mostly wrong
            if reconstruction != "naive":
                assert scores.las > 85
    with pytest.raises(CrossarcError, match="root_links belongs to undirected transition parsers; planar has none"):
        Parser("planar", root_links="none")


def test_directed_parsers_have_no_reconstruction():
    with pytest.raises(CrossarcError, match="reconstruction belongs to undirected transition parsers; swap has none"):
        Parser("swap", reconstruction="score")


@pytest.mark.parametrize("beam", [1, 3])
@pytest.mark.parametrize("name", ["planar", "two-planar", "covington"])
def test_words_left_over_get_labels_of_their_own(example, name, beam):
    """They hang from the root word, and not as roots; after one epoch there are some."""
    assert all(
        label != "root" or head == 0
        for tree in read(example)
        for head, label in zip(tree.heads, tree.deprels, strict=True)
    )
    parser = Parser(name, epochs=1, beam=beam, explore=0.0).fit(example)
    for tree in parser.parse(example):
        assert all(label != "root" or head == 0 for head, label in zip(tree.heads, tree.deprels, strict=True))


@pytest.mark.parametrize("options", [{}, {"beam": 3}, {"fast": True}, {"learner": "liblinear"}, {"learner": "libsvm"}])
@pytest.mark.parametrize("name", [name for name in PRESETS if name.endswith(("-label", "-naive"))])
def test_words_that_no_link_holds_get_labels_of_their_own(example, name, options):
    """Parts of an undirected parse hang from the root word by the labels that score best, never that of roots."""
    if "learner" in options:
        pytest.importorskip("sklearn")
    model = Parser(name, epochs=1, explore=0.0, features="compact", **options).fit(list(read(example))[:10]).model
    corpus = Corpus.of(list(read(example)))
    heads, labels = model.parse(corpus)
    directions = (name.endswith("-label"), False, False)
    same, without = model.search_tokens(
        model.attributes.encode(corpus), corpus.starts, -1, directions
    )  # words left over have no label
    assert heads.tolist() == same.tolist()
    loose = [model.labels[label] for label in labels[(without < 0) & (heads > 0)]]
    assert loose or "beam" in options
    assert "root" not in loose


def test_several_roots_are_learned(malformed):
    path = malformed / "several-roots.conllu"
    parser = Parser("arc-hybrid", epochs=5).fit(path)
    assert [len(sentence.roots) for sentence in parser.parse(path)] == [1, 2]
    single = Parser("arc-hybrid", epochs=5, single_root=True).fit(path)
    assert [len(sentence.roots) for sentence in single.parse(path)] == [1, 1]


@pytest.mark.parametrize("name", preset_names("moves"))
def test_roots_are_not_mended_unless_asked(example, name):
    """After one epoch over a few sentences some words are left over: they become roots.

    Systems that begin with node 0 on the stack learn from these sentences to make one root arc.
    """
    few = list(read(example))[:5]
    options = [{}, {"reconstruction": "label-first"}] if name.endswith("-label") else [{}]
    for each in options:
        trees = list(Parser(name, epochs=1, single_root=False, **each).fit(few).parse(example))
        assert all(tree.is_tree for tree in trees)
        if name.startswith(("planar", "two-planar", "covington")):
            assert any(len(tree.roots) > 1 for tree in trees)


def test_mistakes():
    with pytest.raises(UnknownName, match="no parser 'two-plannar'; did you mean 'two-planar'"):
        Parser("two-plannar")
    with pytest.raises(UnknownName, match="no setting 'epoch'; did you mean 'epochs'"):
        Parser("swap", epoch=3)
    with pytest.raises(CrossarcError, match="setting epochs = 0"):
        Parser("swap", epochs=0)
    with pytest.raises(CrossarcError, match="not trained yet"):
        Parser("swap").parse([])
    with pytest.raises(CrossarcError, match="no sentence to learn from"):
        Parser("swap").fit([])


def test_parsers_say_what_they_are(trained, example):
    assert repr(Parser("swap")) == "<Parser swap, not trained>"
    assert repr(trained["swap"]) == "<Parser swap, trained on 40 sentences>"
    assert repr(Parser("swap", epochs=1).fit(example, dev=example)).startswith(
        "<Parser swap, trained on 40 sentences, dev LAS "
    )


def test_one_sentence_alone_and_what_is_none(trained, example):
    parser = trained["swap"]
    sentence = next(read(example))
    assert list(parser.parse(sentence)) == list(parser.parse([sentence]))
    with pytest.raises(CrossarcError, match=r"not 'Snow fell'; crossarc.read and Sentence.from_columns make them"):
        list(parser.parse(["Snow fell"]))
    with pytest.raises(CrossarcError, match="sentences, not 1;"):
        Parser("swap").fit([1])


def test_damaged_models(trained, tmp_path):
    path = tmp_path / "m.crossarc"
    trained["arc-hybrid"].save(path)
    data = path.read_bytes()
    for broken in (data[:-100], data[: len(data) // 2], b"x" * 100, b"", data[:5000] + b"!" + data[5001:]):
        path.write_bytes(broken)
        with pytest.raises(ModelError, match=r"m\.crossarc"):
            load(path)


def test_files_that_hold_no_parser(trained, tmp_path):
    """Whole files whose tables do not fit together are refused before native code follows them."""
    path = tmp_path / "m.crossarc"
    parser = trained["two-planar-label"]
    manifest, arrays = parser.model.to_arrays()
    manifest |= parser.manifest_

    def changed(name, row, value):
        array = arrays[name].copy()
        array[row] = value
        return {**arrays, name: array}

    starts = arrays["buckets"][:, 8:]
    bucket, entry = np.argwhere((starts > 0) & (starts < 2**30))[0]
    used = (bucket, 8 + entry)
    faults = [
        ({"kind": "other"}, arrays),
        (manifest, {name: array for name, array in arrays.items() if name != "cells"}),
        (manifest, {**arrays, "root_labels": arrays["root_labels"] + 99}),
        (manifest, {**arrays, "root_labels": arrays["root_labels"][:1]}),
        (manifest, changed("buckets", used, 2**32 - 1)),
        (manifest, changed("cells", (int(arrays["buckets"][used]), 0), 60_000)),
        (manifest, changed("moves", 0, 7)),
        (manifest, changed("move_labels", 0, 10_000)),
        (manifest, changed("move_labels", np.flatnonzero(arrays["move_labels"] < 0)[0], 1)),  # SHIFT makes no arc
        (manifest, changed("move_labels", np.flatnonzero(arrays["move_labels"] >= 0)[0], -1)),
        (manifest, {**arrays, "move_labels": arrays["move_labels"].astype(np.float64)}),
        (manifest, {**arrays, "moves": arrays["moves"][:, None]}),
        ({**manifest, "single_root": [1]}, arrays),
        ({**manifest, "labels": [7] * len(manifest["labels"])}, arrays),
        ({**manifest, "features": 'templates = ["buffer[2147483647].form"]'}, arrays),
        ({**manifest, "features": 'extends = "stack"'}, arrays),
        (manifest, changed("buckets", used, 2**30 + len(arrays["rows"]))),
        (manifest, {**arrays, "rows": arrays["rows"][:, :-1]}),
        (manifest, {**arrays, "buckets": np.ones_like(arrays["buckets"])}),
    ]
    write_model(path, manifest, arrays)
    assert load(path).settings == parser.settings
    for wrong, tables in faults:
        write_model(path, wrong, tables)
        with pytest.raises(ModelError, match=r"m\.crossarc: the file holds no parser"):
            load(path)


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("planar", {"reconstruction": "score"}, "belongs to undirected transition parsers; planar has none"),
        ("planar-label", {"system": "planar"}, "the system of planar-label is planar-undirected"),
        ("planar", {"system": "eisner"}, "the system of planar is planar"),
        ("swap", {"lengths": True}, "setting lengths belongs to parsers that score arcs"),
        ("swap", {"beam": 0}, "setting beam = 0"),
        ("swap", {"colour": 1}, "no setting 'colour'"),
        ("mst", {"fast": True}, "setting fast belongs to transition parsers"),
        ("mst", {"stack": 4}, "setting stack belongs to undirected parsers"),
        ("eisner", {"k_best": 3}, "no setting k_best any more: MIRA always learns from the best tree"),
        ("mst", {"learner": "libsvm"}, "setting learner = 'libsvm'"),
    ],
)
def test_settings_of_a_file_are_checked_as_those_of_a_user(trained, tmp_path, name, changes, message):
    path = tmp_path / "m.crossarc"
    manifest, arrays = trained[name].model.to_arrays()
    manifest |= trained[name].manifest_
    write_model(path, {**manifest, "settings": {**manifest["settings"], **changes}}, arrays)
    with pytest.raises(ModelError, match=rf"m\.crossarc: the file holds no parser that crossarc can use .*{message}"):
        load(path)


def test_presets_come_back_with_every_learner(example, tmp_path):
    few = list(read(example))[:5]
    for name, learner in [("mst", "perceptron"), ("swap", "mira"), ("swap", "maxent")]:
        parser = Parser(name, learner=learner, epochs=1).fit(few)
        parser.save(tmp_path / "m")
        assert load(tmp_path / "m").settings == parser.settings


def test_stages_of_a_file_are_checked(example, tmp_path):
    path = tmp_path / "m.crossarc"
    parser = Parser("two-planar", fast=True, epochs=1).fit(example)
    manifest, arrays = parser.model.to_arrays()
    manifest |= parser.manifest_
    narrow = np.ascontiguousarray(arrays["move_table"][:, :4])
    for wrong, tables in [
        ({**manifest, "stages": [1 << 40, 0]}, arrays),
        ({**manifest, "stages": []}, arrays),
        (manifest, {**arrays, "move_table": narrow}),
    ]:
        write_model(path, wrong, tables)
        with pytest.raises(ModelError, match=r"m\.crossarc: the file holds no parser"):
            load(path)


def test_commands(example, tmp_path, run_crossarc):
    model, parsed = tmp_path / "m.crossarc", tmp_path / "p.conllu"
    train = ("train", "--train", example, "-o", model)
    code, _, err = run_crossarc(*train, "--dev", example, "--epochs", 3, "--parser", "swap")
    assert code == 0
    assert "epoch 3/3" in err
    assert "best: epoch " in err
    code, _, err = run_crossarc("parse", model, example, "-o", parsed, "--threads", 2)
    assert code == 0
    assert "40 sentences, 318 words" in err
    assert len(list(read(parsed, check="tree"))) == 40
    manifest = json.loads(run_crossarc("info", model, "--json")[1])
    assert manifest["settings"]["parser"] == "swap"
    assert manifest["data"]["words"] == 318
    _, told, _ = run_crossarc("info", model)
    assert "system swap" in told
    assert "learner perceptron" in told
    assert "absorb" not in told  # of mst-bottom-up, and as usual
    _, listed, _ = run_crossarc("parsers")
    assert all(name in listed for name in PRESETS)
    assert run_crossarc(*train, "--parser", "no")[0] == 2
    (tmp_path / "c.toml").write_text("parser = 'planar'\nepochs = 2\n")
    assert "epoch 2/2" in run_crossarc(*train, "--config", tmp_path / "c.toml")[2]
    (tmp_path / "bad.toml").write_text("epochs = ")
    assert "bad.toml" in run_crossarc(*train, "--config", tmp_path / "bad.toml")[2]
    raw = tmp_path / "raw.conllu.gz"
    write((sentence.replace(heads=[-1] * (len(sentence) + 1)) for sentence in read(example)), raw)
    assert run_crossarc("parse", model, raw, "-o", parsed)[0] == 0


@pytest.mark.parametrize("name", [name for name in preset_names() if name not in preset_names("networks")])
def test_compact_models(example, name):
    parser = Parser(name, features="compact", epochs=8, explore=0.0).fit(example)
    assert 15 < len(parser.model.features.templates) < 40
    assert parser.evaluate(example).uas > 80, name
    assert Parser(name, features="rich").settings == Parser(name).settings


def test_own_feature_models(example, tmp_path):
    path = tmp_path / "own.toml"
    path.write_text(
        'templates = ["stack[0].form + buffer[0].form", "stack[0].xpos + buffer[0].upos", "stack[0].feats[*]"]'
    )
    parser = Parser("arc-hybrid", features=str(path), epochs=3).fit(example)
    texts = [" + ".join(terms) for terms in parser.model.features.terms]
    assert texts[0] == "stack[0].form + buffer[0].form"
    assert "stack[0].feats[Number]" in texts, "the model names what the treebank has"
    parser.save(tmp_path / "a.crossarc")
    path.unlink()
    again = load(tmp_path / "a.crossarc")
    assert again.model.features.terms == parser.model.features.terms
    assert list(again.parse(example)) == list(parser.parse(example))
    path.write_text('templates = ["stack[0].form",\n "stack[0].feets"]')
    with pytest.raises(CrossarcError, match=r"own.toml:2: template 'stack\[0\].feets': .* did you mean"):
        Parser("arc-hybrid", features=str(path)).fit(example)


@pytest.mark.parametrize("name", ["arc-hybrid", "covington-label", "mst"])
def test_forms_alone_are_enough(example, tmp_path, name):
    bare = [
        sentence.replace(lemmas=["_"] * n, upos=["_"] * n, xpos=["_"] * n, feats=["_"] * n)
        for sentence in read(example)
        for n in [len(sentence) + 1]
    ]
    parser = Parser(name, epochs=8).fit(bare)
    made = {name.partition("[")[0] for name in parser.model.features.attributes}
    assert made == {"form", "prefix", "suffix", "shape"}
    assert len(parser.model.features.templates) < len(Parser(name, epochs=1).fit(example).model.features.templates)
    assert parser.evaluate(bare).uas > 85
    parser.save(tmp_path / "a.crossarc")
    assert list(load(tmp_path / "a.crossarc").parse(bare)) == list(parser.parse(bare))


@pytest.mark.parametrize("name", ["planar", "two-planar", "covington", "planar-label"])
def test_roots_of_several_kinds(name):
    """Words that are left under node 0 are labelled by their tags: a verb is not what the last full stop is."""
    tags, deprels = ["", "PRON", "VERB", "NOUN", "PUNCT"], ["", "subj", "PRED", "obj", "AuxK"]
    sentences = [
        Sentence.from_columns(forms=["", who, "sees", what, "."], upos=tags, heads=[-1, 2, 0, 2, 0], deprels=deprels)
        for who in ("she", "he", "it")
        for what in ("ships", "stars", "trees")
    ]
    parser = Parser(name, epochs=3).fit(sentences)
    assert not parser.model.single_root
    for sentence in parser.parse(sentences):
        assert list(sentence.deprels) == deprels
