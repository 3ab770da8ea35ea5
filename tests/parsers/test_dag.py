"""Parsers that give graphs: every preset learns, is kept, resumed and continued, and gives sound graphs."""

import json
import re

import numpy as np
import pytest

from crossarc.components.modelfile import write_model
from crossarc.errors import CrossarcError, ModelError
from crossarc.evaluation import evaluate, evaluate_graphs
from crossarc.features import load_model
from crossarc.features.templates import model_text
from crossarc.parsers import Parser, load
from crossarc.parsers.inner_trees import InnerTrees
from crossarc.parsers.presets import preset_names
from crossarc.treebank import Sentence, convert, read, read_string, validate, write
from graph_treebank import graph_treebank
from helpers import check_stored

TRANSITIONS = [name for name in preset_names(output="graph") if name not in ("dag-mst", "neural-graph")]
SMALL = {"hidden": 24, "lexical_size": 24, "tag_size": 16, "arc_size": 24, "label_size": 16}
WAYS = [
    {"learner": "maxent"},
    {"learner": "mira"},
    {"explore": 1.0},
    {"beam": 4},
    {"learner": "maxent", "beam": 4},
]
BY_MEANS = [{"beam": 4, "compare": "mean"}, {"learner": "maxent", "beam": 4, "compare": "mean"}]


@pytest.fixture(scope="module")
def treebank():
    return graph_treebank()


@pytest.fixture(scope="module")
def trained(treebank):
    return {name: Parser(name, epochs=6).fit(treebank) for name in preset_names(output="graph")}


@pytest.fixture(scope="module")
def path(treebank, tmp_path_factory):
    path = tmp_path_factory.mktemp("graphs") / "train.conllu"
    write(treebank, path)
    return path


def findings_of(sentences, tmp_path):
    write(sentences, tmp_path / "parsed.conllu")
    return [item for item in validate(tmp_path / "parsed.conllu", graph=True) if not isinstance(item, Sentence)]


@pytest.mark.parametrize("name", preset_names(output="graph"))
def test_every_preset_learns(trained, treebank, tmp_path, name):
    parser = trained[name]
    parsed = list(parser.parse(treebank))
    scores = evaluate_graphs(treebank, parsed)
    assert scores.labelled.f1 > 95
    assert parser.evaluate(treebank).labelled == scores.labelled
    assert not findings_of(parsed, tmp_path)
    for before, after in zip(treebank, parsed, strict=True):
        assert after.replace(graph=before.graph) == before, "only DEPS is new"


@pytest.mark.parametrize("name", preset_names(output="graph"))
def test_graphs_of_anything_are_sound(trained, tmp_path, name):
    """Words in no order that training has seen, one-word sentences, and long ones."""
    rng = np.random.default_rng(1)
    words = sorted({(s.forms[i], s.upos[i]) for s in graph_treebank() for i in range(1, len(s) + 1)})
    sentences = []
    for size in (1, 2, 3, 5, 9, 17, 40, 40, 300):
        chosen = [words[place] for place in rng.integers(len(words), size=size)]
        forms, tags = ["", *(form for form, _ in chosen)], ["", *(tag for _, tag in chosen)]
        sentences.append(Sentence.from_columns(forms=forms, lemmas=forms, upos=tags))
    parsed = list(trained[name].parse(sentences))
    assert [len(sentence) for sentence in parsed] == [len(sentence) for sentence in sentences]
    trees = list(trained[name].parse(sentences, with_tree=True))
    for sentence in trees:
        assert sentence.is_tree
    assert not findings_of(trees, tmp_path)
    assert [tree.graph for tree in trees] == [sentence.graph for sentence in parsed]


@pytest.mark.parametrize("name", preset_names(output="graph"))
def test_trees_have_the_labels_of_trees(trained, treebank, tmp_path, name):
    """ "that" has a closer head than that of the tree, with a label that is never in a tree."""
    trained[name].save(tmp_path / "a.crossarc")
    bare = [sentence.replace(heads=[-1] * (len(sentence) + 1)) for sentence in treebank]
    for parser in (trained[name], load(tmp_path / "a.crossarc")):
        trees = list(parser.parse(bare, with_tree=True))
        assert evaluate(treebank, trees).las > 96  # of two heads with one label the first is taken
        assert "ref" not in {label for tree in trees for label in tree.deprels}


def test_what_is_learned_of_trees(treebank):
    trees = InnerTrees.of(treebank, False)
    assert trees.shares["ref"] < 0.1 < 0.4 < trees.shares["nsubj"] < 0.8 < trees.shares["det"] < 1
    assert trees.single_root
    assert trees.deprel_of("conj:and") == "conj"
    assert [trees.deprel_of(label) for label in ("conj:or", "det:poss", "new:poss")] == ["conj", "det", "new:poss"]
    assert InnerTrees.from_dict(json.loads(json.dumps(trees.to_dict()))) == trees
    bare = [sentence.replace(heads=[-1] * (len(sentence) + 1)) for sentence in treebank]
    assert InnerTrees.of(bare, False) == InnerTrees(False)
    stored = trees.to_dict()
    for wrong in (0.0, 1.0, "0.5", float("nan")):
        with pytest.raises(ValueError, match=r"^shares\.a is "):
            InnerTrees.from_dict({**stored, "shares": {"a": wrong}})
    for key, damaged in {"single_root": None, "deprels.a": {"a": ""}, "deprels.b": {"b": "\t"}}.items():
        with pytest.raises(ValueError, match=rf"^{re.escape(key)} is "):
            InnerTrees.from_dict({**stored, key.partition(".")[0]: damaged})


@pytest.mark.parametrize("name", preset_names(output="graph"))
def test_models_are_kept_and_come_back(trained, treebank, tmp_path, name):
    check_stored(trained[name], treebank, tmp_path)


@pytest.mark.parametrize("name", preset_names(output="graph"))
def test_the_same_seed_gives_the_same_bytes_also_after_an_interruption(treebank, tmp_path, name):
    settings = {"epochs": 3, "seed": 7, **(SMALL if name == "neural-graph" else {})}
    for copy in ("a", "b"):
        Parser(name, **settings).fit(treebank, dev=treebank).save(tmp_path / copy)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()

    class StopError(Exception):
        pass

    def stop(epoch):
        if epoch.number == 2:
            raise StopError

    parser = Parser(name, **settings)
    with pytest.raises(StopError):
        parser.fit(treebank, dev=treebank, checkpoint=tmp_path / "c.checkpoint", on_epoch=stop)
    parser.fit(treebank, dev=treebank, checkpoint=tmp_path / "c.checkpoint", resume=True)
    parser.save(tmp_path / "c")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "c").read_bytes()


@pytest.mark.parametrize("name", preset_names(output="graph"))
def test_threads_do_not_matter(trained, treebank, name):
    many = treebank * 50
    assert list(trained[name].parse(many, threads=3)) == list(trained[name].parse(many))


@pytest.mark.parametrize("name", preset_names(output="graph"))
def test_training_goes_on_from_a_model(trained, treebank, name):
    new = [
        sentence.replace(
            deprels=["", *(label.upper() for label in sentence.deprels[1:])],
            deps=["", *(deps.replace("nsubj", "agent") for deps in sentence.deps[1:])],
        )
        for sentence in treebank
    ]
    options = {} if name == "neural-graph" else {"inertia": 0.1}
    parser = Parser(name, epochs=3, **options).fit(new, init=trained[name])
    assert parser.model.labels[: len(trained[name].model.labels)] == trained[name].model.labels
    assert any("agent" in label for label in parser.model.labels)
    assert parser.evaluate(new).unlabelled.f1 > 90


@pytest.mark.parametrize("name", [name for name in preset_names(output="graph") if name != "neural-graph"])
def test_sdp_files(treebank, tmp_path, name):
    """Which have room for one arc from a word to another, while parsers may make several."""
    sentences = [convert(sentence, "sdp") for sentence in treebank]
    parser = Parser(name, epochs=4).fit(sentences)
    assert parser.evaluate(sentences).labelled.f1 > 85
    mixed = [
        convert(Sentence.from_columns(forms=["", *(s.forms[-1:0:-1])], upos=["", *(s.upos[-1:0:-1])]), "sdp")
        for s in treebank
    ]
    parsed = [*parser.parse(mixed), *Parser(name, epochs=1).fit(treebank).parse(mixed)]
    write(parsed, tmp_path / "parsed.sdp")
    assert [sentence.graph for sentence in read(tmp_path / "parsed.sdp")] == [sentence.graph for sentence in parsed]


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        *((name, settings) for name in TRANSITIONS for settings in WAYS),
        *((name, settings) for name in ("dag-standard", "dag-eager") for settings in BY_MEANS),
    ],
)
def test_beams_and_learners(treebank, name, settings):
    parser = Parser(name, epochs=5, **settings).fit(treebank)
    assert parser.evaluate(treebank).labelled.f1 > 85
    wider = list(parser.parse(treebank, beam=150))
    assert evaluate_graphs(treebank, wider).labelled.f1 > 75


@pytest.mark.parametrize("name", TRANSITIONS)
def test_a_given_tree_helps(treebank, name):
    """A tree whose labels say what the words do not."""
    parser = Parser(name, epochs=6, use_tree=True).fit(treebank)
    assert any("tree" in term for terms in parser.model.features.terms for term in terms)
    assert parser.evaluate(treebank).labelled.f1 > 95
    bare = [
        sentence.replace(heads=[-1] * (len(sentence) + 1), deprels=["_"] * (len(sentence) + 1)) for sentence in treebank
    ]
    told = []
    list(parser.parse(bare, on_missing=told.append))
    assert told == [["deprel"]]


@pytest.mark.parametrize("name", preset_names(output="graph"))
def test_what_is_of_trees_is_refused(trained, treebank, name):
    for options in ({"scores": True}, {"k": 2}, {"constraints": lambda sentence: None}):
        with pytest.raises(
            CrossarcError, match="gives graphs: only parsers of trees have probabilities, k best trees and constraints"
        ):
            trained[name].parse(treebank, **options)
    with pytest.raises(CrossarcError, match=r"(is of|belongs to) parsers of trees"):
        Parser(name, transform="head")


def test_settings_that_do_not_fit_are_refused(treebank):
    with pytest.raises(CrossarcError, match="take dag-covington or dag-mst"):
        Parser("dag-eager", cycles="allow")
    with pytest.raises(CrossarcError, match="fast"):
        Parser("dag-eager", fast=True)
    with pytest.raises(CrossarcError, match="cycles belongs to parsers of graphs"):
        Parser("arc-hybrid", cycles="allow")
    trees = [sentence.replace(deps=["_"] * (len(sentence) + 1)) for sentence in treebank]
    with pytest.raises(CrossarcError, match="the sentence has no graph; give the words their heads in DEPS"):
        Parser("dag-eager").fit(trees)
    assert Parser("dag-eager", epochs=1).fit([*trees, *treebank], on_error="skip").manifest_["data"]["sentences"] == 60


@pytest.mark.parametrize("name", ["dag-covington", "dag-mst"])
def test_cycles_can_be_built(treebank, name):
    parser = Parser(name, cycles="allow", epochs=8).fit(treebank)
    assert not any("⇄" in label for label in parser.model.labels)
    assert parser.evaluate(treebank).labelled.f1 > 90


def test_compact_models_and_that_of_the_paper(treebank):
    for name in TRANSITIONS:
        assert Parser(name, features="compact", epochs=8).fit(treebank).evaluate(treebank).labelled.f1 > 90
    paper = Parser("dag-standard", features="dag-sagae", learner="maxent", epochs=8).fit(treebank)
    assert set(load_model("dag-sagae").attributes) == {"form", "xpos"}
    assert paper.evaluate(treebank).labelled.f1 > 90


def test_the_model_of_the_paper_with_other_tags():
    assert set(load_model("dag-sagae-upos").attributes) == {"form", "upos"}
    one, other = (model_text(name).partition("[addresses]")[2] for name in ("dag-sagae", "dag-sagae-upos"))
    assert one.replace(".xpos", ".upos") == other


def test_commands(path, tmp_path, run_crossarc):
    model, parsed = tmp_path / "m.crossarc", tmp_path / "parsed.conllu"
    data = ("--train", path, "--dev", path)
    code, _, err = run_crossarc("train", *data, "--parser", "dag-eager", "--epochs", 3, "-o", model)
    assert code == 0
    assert "dev LF" in err
    assert "dag-eager can build 100.0% of the training graphs" in err
    _, out, _ = run_crossarc("info", model)
    assert "development  " in out
    assert "LF" in out
    assert run_crossarc("parse", model, path, "-o", parsed, "--with-tree")[0] == 0
    assert run_crossarc("validate", "--graph", parsed)[0] == 0
    code, out, _ = run_crossarc("evaluate", path, parsed, "--json")
    assert code == 0
    assert json.loads(out)
    code, _, err = run_crossarc("parse", model, path, "--k", 2)
    assert code == 2
    assert "gives graphs" in err
    assert "dag-eager" in run_crossarc("parsers")[1]
    assert all(sentence.is_tree for sentence in read(parsed))


ODD = """
1 a a X _ _ 0 root 2:x|3:y _
2 b b Y _ _ 1 obj 1:z _
3 c c X _ _ 1 x 0:root|1:w _

1 d d X _ _ 0 root 0:root _
1.1 e e X _ _ _ _ 1:x _
2 f f Y _ _ 1 obj 1.1:y _

1 g g X _ _ 0 root 0:root _
2 h h Y _ _ 1 obj _ _

"""


SETTINGS = [
    (settings, name)
    for settings in ({"reversal": "paper"}, {"empty": "keep"}, {"cycles": "allow"})
    for name in (*TRANSITIONS, "dag-mst")
    # Those that make graphs projective build no cycles, and only they can choose the arcs that they reverse.
    if (name in ("dag-standard", "dag-eager")) == ("reversal" in settings) or "empty" in settings
]


@pytest.mark.parametrize(("settings", "name"), SETTINGS)
def test_every_word_is_reached_with_any_settings(tmp_path, name, settings):
    """Also by a bad parser, and where training graphs have words without a head, cycles and empty nodes."""
    sentences = [*graph_treebank(30), *read_string(ODD.lstrip().replace(" ", "\t") * 10)]
    parser = Parser(name, epochs=1, **settings).fit(sentences)
    shuffled = np.random.default_rng(5)
    words = [form for sentence in sentences for form in sentence.forms[1:]]
    strange = [Sentence.from_columns(forms=["", *shuffled.choice(words, 12)]) for _ in range(60)]
    findings = findings_of(parser.parse([*sentences, *strange]), tmp_path)
    assert not [finding for finding in findings if finding.code == "unreachable"]


def test_features_of_a_tree_need_trees(treebank):
    with pytest.raises(CrossarcError, match="set use_tree"):
        Parser("dag-standard", features="dag-standard-tree", epochs=1).fit(treebank)
    bare = [sentence.replace(heads=[-1] * (len(sentence) + 1)) for sentence in treebank]
    with pytest.raises(CrossarcError, match="no sentence has a tree"):
        Parser("dag-standard", use_tree=True, epochs=1).fit(bare)


def test_models_whose_features_mixed_up_labels_are_refused(trained, tmp_path):
    """Earlier versions gave some sets of labels of heads the same key; a model without such features is read."""
    for features in (None, "stack"):
        learned = {"epochs": 1, "features": features}
        parser = trained["dag-eager"] if features is None else Parser("dag-eager", **learned).fit(graph_treebank(10))
        manifest, arrays = parser.stored_parts()
        assert manifest.pop("keys", None) == (2 if features is None else None)
        write_model(tmp_path / "old.crossarc", manifest, arrays)
        if features is None:
            with pytest.raises(ModelError, match=r"mixed up labels.*train it again"):
                load(tmp_path / "old.crossarc")
        else:
            load(tmp_path / "old.crossarc")
