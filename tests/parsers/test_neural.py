"""Neural parsers: the same bytes, interrupted and continued training, what they are trained with, and refusals."""

import os
import subprocess
import sys

import numpy as np
import pytest

from crossarc import decode
from crossarc.components import write_model
from crossarc.errors import CrossarcError, ModelError
from crossarc.neural.heads import ArcScores
from crossarc.parsers import Parser, load
from crossarc.parsers.networks.trainer import NetworkTreeTrainer
from crossarc.parsers.presets import make_settings
from crossarc.parsers.trees import Trees
from crossarc.treebank import Corpus, Graph, Sentence, read
from graph_treebank import graph_treebank
from helpers import scrambled, tree

SMALL = {"hidden": 16, "lexical_size": 16, "tag_size": 16, "arc_size": 16, "label_size": 16}
KINDS = {
    "one": ("neural", {}),
    "projective": ("neural-projective", {}),
    "ensemble": ("neural", {"ensemble": 2}),
    "hybrid": ("neural-hybrid", {"guides": ["mst", "planar"]}),
    "hybrid ensemble": ("neural-hybrid", {"guides": ["mst"], "ensemble": 2}),
    "joint": ("neural", {"labels": "joint"}),
    "trees": ("neural", {"loss": "trees"}),
    "pseudo-projective": ("neural-projective", {"transform": "head"}),
}
kinds = pytest.mark.parametrize("kind", KINDS)


def small(kind, **options):
    name, own = KINDS[kind]
    return Parser(name, **{**SMALL, "epochs": 3, **own, **options})


def saved(parser, path):
    """The bytes of a parser's model file."""
    parser.save(path)
    return path.read_bytes()


@pytest.fixture(scope="module")
def sentences(example):
    return list(read(example))


@pytest.fixture(scope="module")
def trained(sentences):
    return {kind: small(kind, epochs=6).fit(sentences, dev=sentences[:20]) for kind in KINDS}


@pytest.fixture(scope="module")
def graphs():
    return graph_treebank()


@pytest.fixture(scope="module")
def graph_parser(graphs):
    return Parser("neural-graph", **SMALL, epochs=12, rate=0.01).fit(graphs, dev=graphs)


# ---- the same bytes


@kinds
def test_a_model_is_kept_and_comes_back(trained, sentences, tmp_path, kind):
    first = saved(trained[kind], tmp_path / "a")
    again = load(tmp_path / "a")
    assert saved(again, tmp_path / "b") == first
    assert list(again.parse(sentences)) == list(trained[kind].parse(sentences))
    assert again.model.describe() == trained[kind].model.describe()


@kinds
def test_the_same_seed_gives_the_same_bytes_also_after_an_interruption(sentences, tmp_path, kind):
    class Killed(Exception):  # noqa: N818 - it says what it is
        pass

    def kill(epoch):
        if epoch.number == 2:
            raise Killed

    train, dev = sentences[:30], sentences[30:]
    expected = saved(small(kind).fit(train, dev), tmp_path / "whole")
    path = tmp_path / "checkpoint"
    with pytest.raises(Killed):
        small(kind).fit(train, dev, checkpoint=path, on_epoch=kill)
    numbers = []
    parser = small(kind).fit(
        train, dev, checkpoint=path, resume=True, on_progress=lambda progress: numbers.append(progress.epoch)
    )
    assert numbers[0] == 2
    assert saved(parser, tmp_path / "resumed") == expected


def test_a_checkpoint_of_another_network_is_refused(sentences):
    trainer = NetworkTreeTrainer(Trees.of(Corpus.of(sentences[:9])), make_settings("neural", **SMALL), None)
    state = trainer.state()
    for name in ("arcs.weight/value", "encoder.layers.0.directions.0.input.bias/mean"):
        with pytest.raises(ValueError, match="has the shape"):
            trainer.restore({**state, name: state[name][:1]})
        with pytest.raises(KeyError):
            trainer.restore({key: value for key, value in state.items() if key != name})
    trainer.restore(state)


SCRIPT = """
import sys
from crossarc.parsers import Parser
from crossarc.treebank import write
parser = Parser("neural", epochs=1, ensemble=2).fit(sys.argv[1], dev=sys.argv[1])
parser.save(sys.argv[2])
write(parser.parse(sys.argv[1]), sys.argv[3])
"""


def test_the_threads_of_blas_do_not_matter(example, tmp_path):
    found = []
    for threads in ("1", "2"):
        model, output = tmp_path / f"{threads}.crossarc", tmp_path / f"{threads}.conllu"
        names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
        command = [sys.executable, "-c", SCRIPT, str(example), str(model), str(output)]
        subprocess.run(command, check=True, env=os.environ | dict.fromkeys(names, threads), cwd=tmp_path)
        found.append((model.read_bytes(), output.read_bytes()))
    assert found[0] == found[1]


@kinds
def test_threads_and_what_stands_beside_do_not_matter(trained, sentences, kind):
    expected = list(trained[kind].parse(sentences))
    assert list(trained[kind].parse(sentences * 8, threads=3)) == expected * 8
    assert [next(trained[kind].parse([sentence])) for sentence in sentences[:8]] == expected[:8]


# ---- going on from a model


@pytest.mark.parametrize("kind", ["one", "ensemble", "hybrid", "pseudo-projective"])
def test_training_starts_from_a_model(trained, sentences, tmp_path, kind):
    new = [
        sentence.replace(
            forms=["", *(f"{form}q" for form in sentence.forms[1:])],
            deprels=[f"{label}:new" if label == "obj" else label for label in sentence.deprels],
        )
        for sentence in sentences[30:]
    ]
    first, epochs = trained[kind], []
    second = small(kind, cut=1).fit(new, sentences[:20], init=first, on_epoch=epochs.append)
    assert epochs[0].number == 0
    assert epochs[0].las == pytest.approx(first.evaluate(sentences[:20]).las)
    assert second.model.labels[: len(first.model.labels)] == first.model.labels
    assert any(label.startswith("obj:new") for label in second.model.labels)
    words = [list(parser.model.attributes.tables["lower"]) for parser in (first, second)]
    assert words[1][: len(words[0])] == words[0]
    assert any(word.endswith("q") for word in words[1][len(words[0]) :])
    first.save(tmp_path / "first")
    again = small(kind, cut=1).fit(new, sentences[:20], init=tmp_path / "first")
    assert saved(again, tmp_path / "a") == saved(second, tmp_path / "b")


def test_a_network_of_another_size_is_no_start(trained, sentences):
    with pytest.raises(CrossarcError, match="hidden is 8 here and 16 there"):
        small("one", hidden=8).fit(sentences, init=trained["one"])
    with pytest.raises(CrossarcError, match="ensemble is 1 here and 2 there"):
        small("one").fit(sentences, init=trained["ensemble"])


# ---- what is learned from


@pytest.mark.parametrize("projective", [False, True])
def test_the_loss_of_trees(sentences, projective):
    """Its gradient equals finite differences of the log partition function minus the score of the gold tree."""
    settings = make_settings("neural-projective" if projective else "neural", **SMALL, loss="trees")
    gold = tree([-1, 2, 0, 2, 3])
    trainer = NetworkTreeTrainer(Trees.of(Corpus.of([gold, *sentences[:5]])), settings, None)
    scores = np.random.default_rng(1).standard_normal((5, 5))
    partition = decode.projective_log_partition if projective else decode.log_partition
    heads = np.asarray(gold.heads, dtype=np.int32)

    def loss(scores):
        return partition(scores, single_root=trainer.single_root) - scores[np.arange(1, 5), heads[1:]].sum()

    starts, places = np.array([0, 5], dtype=np.int64), np.array([0, 25], dtype=np.int64)
    arcs = ArcScores(starts, places, scores.reshape(-1).copy(), *[scores] * 4)
    trainer.arc_gradient(arcs, heads, 4)
    for d in range(1, 5):
        for h in range(5):
            if d != h:
                change = np.zeros((5, 5))
                change[d, h] = 1e-5
                expected = (loss(scores + change) - loss(scores - change)) / 2e-5 / 4
                assert arcs.square(0)[d, h] == pytest.approx(expected, abs=1e-7)
    assert (arcs.square(0)[0] == 0).all()
    assert (np.diag(arcs.square(0)) == 0).all()


@pytest.mark.parametrize("name", ["neural", "neural-projective"])
def test_long_sentences_can_be_learned_from_as_trees(sentences, name):
    n = 1_200
    long = tree([-1, 0, *range(1, n)], forms=["", *(f"w{place % 9}" for place in range(n))])
    parser = Parser(name, **{**SMALL, "epochs": 1}, loss="trees").fit([long, *sentences[:3]])
    assert next(parser.parse([sentences[0]])).is_tree


def test_labels_before_the_tree(sentences):
    parser = small("joint", epochs=8, rate=0.02).fit(sentences)
    assert all(sentence.is_tree for sentence in parser.parse(sentences[:10]))
    assert parser.evaluate(sentences).las > 50


@pytest.mark.parametrize("options", [{}, {"labels": "joint"}, {"loss": "trees"}, {"guides": ["mst"]}], ids=str)
def test_treebanks_without_tags_and_of_single_words(options):
    trees = [tree([-1, 2, 0, 2], forms=["", first, "runs", last]) for first in "abc" for last in "def"]
    parser = Parser("neural", **SMALL, epochs=2, **options).fit(trees, dev=trees)
    assert set(parser.model.features.parts) == {"lexical"}
    assert all(sentence.is_tree for sentence in parser.parse(trees))
    words = [tree([-1, 0], forms=["", word]) for word in "abcd"]
    parser = Parser("neural", **SMALL, epochs=2, **options).fit(words)
    assert [list(sentence.heads) for sentence in parser.parse(words)] == [[-1, 0]] * 4
    assert next(parser.parse(trees)).is_tree


def test_forms_alone(sentences, tmp_path):
    path = tmp_path / "forms.toml"
    path.write_text('lexical = ["lower", "suffix[2]", "shape"]\n')
    parser = Parser("neural", **SMALL, epochs=4, features=str(path)).fit(sentences)
    assert parser.model.features.attributes == ("lower", "suffix[2]", "shape")
    blank = [sentence.replace(upos=["", *["_"] * len(sentence)]) for sentence in sentences]
    found = [list(sentence.heads) for sentence in parser.parse(blank)]
    assert found == [list(sentence.heads) for sentence in parser.parse(sentences)]
    path.unlink()
    parser.save(tmp_path / "m")
    assert list(load(tmp_path / "m").parse(sentences)) == list(parser.parse(sentences))


def test_projective_trees_around_a_transform(trained, sentences):
    parsed = list(trained["pseudo-projective"].parse(sentences))
    assert all(sentence.is_tree for sentence in parsed)
    assert not any("|" in label or "↑" in label for sentence in parsed for label in sentence.deprels)


# ---- pretrained vectors


def vectors_parser(path, **options):
    return Parser("neural", **SMALL, epochs=2, vectors=str(path), **options)


def test_vectors_with_and_without_a_header(sentences, tmp_path, monkeypatch):
    monkeypatch.setattr("crossarc.parsers.networks.trainer.VECTOR_ROWS", 1)
    rng = np.random.default_rng(1)
    words = sorted({form for sentence in sentences for form in sentence.forms[1:] if " " not in form})[:40]
    rows = [f"{word} " + " ".join(f"{value:.3f}" for value in rng.standard_normal(5)) for word in [*words, "qq", "zz"]]
    plain, headed = tmp_path / "plain.vec", tmp_path / "headed.vec"
    plain.write_text("\n".join(rows) + "\n", encoding="utf-8")
    headed.write_text(f"{len(rows)} 5\n" + "\n".join(rows), encoding="utf-8")
    first, second = (vectors_parser(path).fit(sentences) for path in (plain, headed))
    known = list(first.model.attributes.vector_words)
    assert known == list(dict.fromkeys([*(word.lower() for word in words), "qq"])), "one of the others has room"
    assert known == list(second.model.attributes.vector_words)
    parsed = list(first.parse(sentences))
    assert list(second.parse(sentences)) == parsed
    bytes_ = saved(first, tmp_path / "m")
    plain.unlink()
    assert list(load(tmp_path / "m").parse(sentences)) == parsed
    assert saved(load(tmp_path / "m"), tmp_path / "again") == bytes_
    goes_on = vectors_parser(plain).fit(sentences[:9], init=first)
    assert list(goes_on.model.attributes.vector_words) == known


def test_of_words_that_differ_in_case_the_first_counts(tmp_path):
    trees = [tree([-1, 0, 1], forms=["", "Dog", word]) for word in ("runs", "sits")]
    path = tmp_path / "v.vec"
    path.write_text("dog 3 4\nDog 1 0\nDOG 0 1\n")
    parser = vectors_parser(path).fit(trees)
    assert list(parser.model.attributes.vector_words) == ["dog"]
    table = parser.model.network.encoder.vectors.table.value
    assert table[2] == pytest.approx([0.6, 0.8], abs=0.01)
    assert (table[:2] == 0).all()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("2 2\ndog 1 2\nruns 1\n", "v.vec:3: a line of vectors is a word and 2 numbers"),
        ("dog 1 2\nruns 1 x\n", "v.vec:2: a line of vectors"),
        ("dog 1 2\nruns 1 nan\n", "v.vec:2: a line of vectors"),
        ("dog 1 2\nruns 1 1_0\n", "v.vec:2: a line of vectors"),
        ("dog\n", "v.vec:1: a line of vectors is a word and some numbers"),
        ("", "v.vec: there are no vectors of words"),
        ("1 2\n", "v.vec: there are no vectors of words"),
    ],
)
def test_bad_vectors_are_refused(tmp_path, text, message):
    path = tmp_path / "v.vec"
    path.write_text(text)
    with pytest.raises(CrossarcError, match=message):
        vectors_parser(path).fit([tree([-1, 0, 1], forms=["", "Dog", "runs"])])


# ---- long sentences


@pytest.mark.parametrize("words", [1_001, 5_000])
def test_long_sentences(trained, graph_parser, example, words):
    sentence = scrambled(example, words, 1)
    for kind in ("one", "hybrid"):
        (parsed,) = trained[kind].parse([sentence])
        assert parsed.is_tree
        assert (np.asarray(parsed.heads[1:]) == 0).sum() == 1
    (parsed,) = graph_parser.parse([sentence], with_tree=True)
    assert parsed.is_tree
    assert len(parsed.graph) >= words


# ---- graphs


def test_arcs_with_several_labels_between_two_words(tmp_path):
    arcs = [(0, 2, "root"), (2, 1, "agent"), (2, 1, "patient"), (2, 3, "obj"), (3, 1, "of")]
    treebank = [
        Sentence.from_columns(
            forms=["", name, "washes", thing],
            heads=[-1, 2, 0, 2],
            deprels=["", "nsubj", "root", "obj"],
            graph=Graph.from_arcs("0123", arcs),
        )
        for name in ("Ann", "Bob", "Cleo")
        for thing in ("cars", "dogs")
    ]
    parser = Parser("neural-graph", **SMALL, epochs=30, rate=0.02, dropout=0).fit(treebank)
    parser.save(tmp_path / "m")
    for each in (parser, load(tmp_path / "m")):
        assert {arc for sentence in each.parse(treebank) for arc in sentence.graph} == set(arcs)


@pytest.mark.parametrize("cycles", ["reverse", "allow"])
def test_cycles(graphs, cycles):
    parser = Parser("neural-graph", **SMALL, epochs=15, rate=0.01, cycles=cycles).fit(graphs)
    assert any("⇄" in label for label in parser.model.labels) == (cycles == "reverse")
    assert parser.evaluate(graphs).labelled.f1 > 85


# ---- damaged models


def damaged(parser, tmp_path, arrays=(), **manifest):
    """Load a model with other arrays or other entries of its manifest."""
    about, own = parser.model.to_arrays()
    write_model(tmp_path / "bad", {**parser.manifest_, **about, **manifest}, own | dict(arrays))
    return load(tmp_path / "bad")


def other(array, change):
    array = array.copy()
    array.reshape(-1)[0] = change
    return array


def test_damaged_weights_are_refused(trained, tmp_path):
    parser = trained["one"]
    _, arrays = parser.model.to_arrays()
    damaged(parser, tmp_path)
    for name, array in arrays.items():
        faults = [array[:-1]] if array.ndim else []
        if array.dtype in (np.float16, np.float32):
            faults += [other(array, np.nan), other(array, np.inf), array.astype(np.float64)]
        if name.endswith(".scales"):
            faults += [other(array, 3e38)]
        if array.dtype == np.int8:
            faults += [array.astype(np.int16)]
        for fault in faults:
            with pytest.raises(ModelError, match="holds no parser"):
                damaged(parser, tmp_path, {name: fault})


@pytest.mark.parametrize(
    "change", [{"hidden": 4096, "layers": 8}, {"lexical_size": 15}, {"ensemble": 3}, {"guides": ["mst"]}], ids=str
)
def test_settings_of_another_network_are_refused(trained, tmp_path, change):
    settings = trained["one"].settings.model_dump() | change
    with pytest.raises(ModelError, match="holds no parser"):
        damaged(trained["one"], tmp_path, settings=settings)


def test_damaged_composites_are_refused(trained, graph_parser, tmp_path):
    hybrid = trained["hybrid"]
    about = hybrid.model.to_arrays()[0]
    for manifest in (
        {"bonus": [1.0]},
        {"bonus": None},
        {"members": about["members"][:1]},
        {"members": about["members"][::-1]},
        {"members": [about, about]},
        {"labels": about["labels"][1:]},
        {"features": 'lexical = ["form"]'},
    ):
        with pytest.raises(ModelError, match="holds no parser"):
            damaged(hybrid, tmp_path, **manifest)
    sets = {name: graph_parser.model.to_arrays()[1][name] for name in ("set_starts", "set_labels", "set_places")}
    for arrays in (
        {"set_starts": sets["set_starts"].astype(np.float32)},
        {"set_starts": sets["set_starts"][::-1].copy()},
        {"set_starts": sets["set_starts"][:-1]},
        {"set_labels": other(sets["set_labels"], -1)},
        {"set_labels": other(sets["set_labels"], 2**30)},
        {"set_labels": sets["set_labels"].astype(np.float64)},
        {"set_places": sets["set_places"][1:]},
    ):
        with pytest.raises(ModelError, match="holds no parser"):
            damaged(graph_parser, tmp_path, arrays)
    for manifest in ({"most_heads": 0}, {"most_parallel": 1.5}):
        with pytest.raises(ModelError, match="holds no parser"):
            damaged(graph_parser, tmp_path, **manifest)


# ---- refusals


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("neural", {"guides": ["nivre"]}, "nivre"),
        ("neural", {"guides": ["neural"]}, "neural"),
        ("neural", {"guides": ["dag-eager"]}, "dag-eager"),
        ("neural", {"guides": ["mst", "mst"]}, "name each once"),
        ("neural-hybrid", {"transform": "head"}, "guides and transform do not go together"),
        ("neural", {"inertia": 1}, "inertia"),
        ("neural", {"beam": 4}, "beam"),
        ("neural", {"hidden": 0}, "hidden"),
        ("neural", {"dropout": 1.0}, "dropout"),
        ("neural", {"features": "mst"}, "features of a network are the lists"),
        ("neural-graph", {"ensemble": 2}, "ensemble"),
        ("neural-graph", {"transform": "head"}, "transform belongs to parsers of trees"),
        ("neural", {"use_tree": True}, "use_tree"),
    ],
)
def test_settings_that_do_not_fit_are_refused(sentences, graphs, name, settings, message):
    with pytest.raises(CrossarcError, match=message):
        Parser(name, **settings).fit(graphs if name == "neural-graph" else sentences)
