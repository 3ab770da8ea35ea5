"""The pseudo-projective transform around any parser of trees."""

import numpy as np
import pytest

from crossarc.errors import CrossarcError
from crossarc.parsers import Constraints, Parser, load
from crossarc.parsers.composites.transformed import Transformed
from crossarc.parsers.trees import Trees
from crossarc.structure import is_projective
from crossarc.transforms import PseudoProjective
from crossarc.treebank import Corpus, read

NAMES = ["eisner", "arc-hybrid", "mst-bottom-up", "planar-label"]


@pytest.fixture(scope="module")
def trained(example):
    return {name: Parser(name, epochs=6, transform="head").fit(example, dev=example) for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_projective_parsers_build_crossing_arcs(trained, example, name):
    parser = trained[name]
    assert isinstance(parser.model, Transformed)
    scores = parser.evaluate(example)
    assert scores.las > 85
    assert scores.non_projective.recall > 40
    assert not any("↑" in label for label in parser.model.labels)
    for sentence in parser.parse(example):
        assert sentence.is_tree
        assert set(sentence.deprels[1:]) <= set(parser.model.labels)
    assert parser.manifest_["development"]["las"] == pytest.approx(scores.las)


@pytest.mark.parametrize("name", NAMES)
def test_the_tree_inside_is_decoded(trained, example, name):
    """Word for word what the transform makes of the tree that the model inside finds."""
    model, corpus = trained[name].model, Corpus.of(read(example))
    heads, labels = model.parse(corpus)
    inner, marks = model.model.parse(corpus)
    changed = 0
    for begin, end in zip(corpus.starts[:-1], corpus.starts[1:], strict=True):
        names = ["", *(model.model.labels[label] for label in marks[begin + 1 : end])]
        expected, plain = PseudoProjective("head").decode(inner[begin:end], names)
        assert heads[begin:end].tolist() == expected.tolist()
        assert [model.labels[label] for label in labels[begin + 1 : end]] == plain[1:]
        changed += (expected != inner[begin:end]).any()
    assert changed > 3


@pytest.mark.parametrize("name", NAMES)
def test_files_k_best_and_constraints(trained, example, name, tmp_path):
    parser, sentences = trained[name], list(read(example))
    parser.save(tmp_path / "m")
    again = load(tmp_path / "m")
    assert list(again.parse(sentences, threads=2)) == list(parser.parse(sentences))
    for plain, found in zip(parser.parse(sentences), again.parse(sentences, k=3, scores=True), strict=True):
        assert found.best.sentence == plain
        assert found.marginals[1:].sum(axis=1) == pytest.approx(1)
        assert all(np.isfinite(tree.probability) for tree in found.trees)
    for sentence in (each for each in sentences if len(each) > 5):
        known = Constraints({2: 5}, {(3, 1)}, {4: "odd"})
        (bound,) = parser.parse(sentence, constraints=lambda _, known=known: known)
        assert bound.is_tree
        assert bound.heads[2] == 5
        assert bound.heads[3] != 1
        assert bound.deprels[4] == "odd"


def test_training_goes_on(example, tmp_path):
    def die(epoch):
        if epoch.number > 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Parser("eisner", epochs=3, transform="head").fit(example, checkpoint=tmp_path / "c", on_epoch=die)
    for name, options in (("resumed", {"checkpoint": tmp_path / "c", "resume": True}), ("whole", {})):
        Parser("eisner", epochs=3, transform="head").fit(example, **options).save(tmp_path / name)
    assert (tmp_path / "resumed").read_bytes() == (tmp_path / "whole").read_bytes()
    first = Parser("eisner", epochs=2, transform="head").fit(example)
    second = Parser("eisner", epochs=1, transform="head").fit(list(read(example))[:20], init=first)
    assert second.evaluate(example).las > 80
    with pytest.raises(CrossarcError, match="transform is 'none' here and 'head' there"):
        Parser("eisner").fit(example, init=first)
    directed = Parser("mst", epochs=1).fit(example)
    with pytest.raises(CrossarcError, match="a directed model and a transform do not go together"):
        Parser("mst-undirected-lep", transform="head").fit(example, directed=directed)


def test_coverage_is_what_comes_back(trained, example):
    covered = trained["eisner"].model.coverage(Corpus.of(read(example)))
    assert covered.lost_percent < trained["eisner"].model.model.coverage(Corpus.of(read(example))).lost_percent


def test_encoded_trees(example):
    trees = Trees.of(Corpus.of(read(example)))
    encoded = trees.encoded(PseudoProjective("head"))
    assert (encoded.heads != trees.heads).any()
    for begin, end in zip(trees.starts[:-1], trees.starts[1:], strict=True):
        assert is_projective(encoded.heads[begin:end])
    known = encoded.numbered(["new", encoded.names[3]])
    assert known.names[:2] == ["new", encoded.names[3]]
    words = trees.heads >= 0
    assert [known.names[label] for label in known.labels[words]] == [
        encoded.names[label] for label in encoded.labels[words]
    ]
    assert (known.labels[~words] == -1).all()


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("arc-eager", {"transform": "headpath", "cap": 5}),
        ("eisner", {"transform": "path"}),
        ("eisner", {"transform": "head", "cap": 0}),
    ],
)
def test_encodings_and_caps(example, tmp_path, name, options):
    parser = Parser(name, epochs=6, **options).fit(example, dev=example)
    model, cap = parser.model, options.get("cap")
    new = [label for label in model.model.labels if set(label) & set("↑↓")]
    assert len(new) == cap if cap is not None else {"↑", "↓"} <= {label[-1] for label in new}
    assert not any(set(label) & set("↑↓") for label in model.labels)
    scores = parser.evaluate(example)
    assert scores.las > 85
    assert (scores.non_projective.recall > 0) == (cap != 0)
    for sentence in parser.parse(example):
        assert sentence.is_tree
        assert set(sentence.deprels[1:]) <= set(model.labels)
    parser.save(tmp_path / "m")
    assert list(load(tmp_path / "m").parse(example)) == list(parser.parse(example))
    # What comes back is less with a cap.
    corpus = Corpus.of(read(example))
    free = Parser(name, epochs=1, transform=options["transform"]).fit(example).model.coverage(corpus)
    assert (model.coverage(corpus).lost_percent > free.lost_percent) == (cap is not None)


def test_a_cap_needs_a_transform():
    with pytest.raises(CrossarcError, match="cap = 30 belongs to a transform"):
        Parser("eisner", cap=30)
    with pytest.raises(CrossarcError, match="setting cap = -1"):
        Parser("eisner", transform="head", cap=-1)
