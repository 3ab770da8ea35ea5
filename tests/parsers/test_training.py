"""Training that is cut in pieces, killed and resumed, or begun from a trained model."""

import numpy as np
import pytest

from crossarc.components import write_model
from crossarc.errors import CrossarcError, ModelError
from crossarc.learning.scorers import Weights
from crossarc.parsers import Parser, load
from crossarc.treebank import read


class Killed(Exception):  # noqa: N818 - it says what it is
    """Raised in place of a signal that ends the process."""


def saved(parser, path):
    """The bytes of a parser's model file."""
    parser.save(path)
    return path.read_bytes()


def test_checkpoints_of_an_older_format_are_refused(example, tmp_path, monkeypatch):
    """Their weights have other keys."""
    path = tmp_path / "checkpoint"
    with monkeypatch.context() as older:
        older.setattr("crossarc.components.modelfile.FORMAT_VERSION", 2)
        Parser("mst", epochs=2).fit(example, checkpoint=path)
    with pytest.raises(ModelError, match=r"checkpoint: the model has an older format \(2; .*train it again"):
        Parser("mst", epochs=2).fit(example, checkpoint=path, resume=True)


@pytest.mark.parametrize("name", ["arc-hybrid", "two-planar-label", "mst"])
def test_pieces_do_not_matter(example, tmp_path, monkeypatch, name):
    models = []
    for words in (1, 50, 10**9):
        monkeypatch.setattr("crossarc.components.training.CHUNK_WORDS", words)
        models.append(saved(Parser(name, epochs=3).fit(example, dev=example), tmp_path / "m"))
    assert models[0] == models[1] == models[2]


@pytest.mark.parametrize("with_dev", [True, False])
@pytest.mark.parametrize("name", ["arc-hybrid", "two-planar-label", "arc-eager-pp", "mst"])
def test_resumed_training_gives_the_same_model(example, tmp_path, monkeypatch, name, with_dev):
    monkeypatch.setattr("crossarc.components.training.CHUNK_WORDS", 100)
    dev = example if with_dev else None
    expected = saved(Parser(name, epochs=4).fit(example, dev), tmp_path / "whole")
    for epoch in range(1, 5):
        path = tmp_path / f"{epoch}.checkpoint"

        def kill(progress, epoch=epoch):
            if progress.epoch == epoch and progress.words > 100:
                raise Killed

        with pytest.raises(Killed):
            Parser(name, epochs=4).fit(example, dev, checkpoint=path, on_progress=kill)
        assert path.exists() == (epoch > 1)
        numbers = []
        parser = Parser(name, epochs=4).fit(example, dev, checkpoint=path, resume=True, on_progress=numbers.append)
        assert numbers[0].epoch == epoch
        assert saved(parser, tmp_path / "resumed") == expected
        assert not path.exists()


def test_killed_again_and_again(example, tmp_path):
    """Every epoch in a life of its own."""
    expected = saved(Parser("swap", epochs=4).fit(example, example), tmp_path / "whole")
    path = tmp_path / "checkpoint"
    for epoch in range(2, 5):

        def kill(progress, epoch=epoch):
            if progress.epoch == epoch:
                raise Killed

        with pytest.raises(Killed):
            Parser("swap", epochs=4).fit(example, example, checkpoint=path, resume=True, on_progress=kill)
    parser = Parser("swap", epochs=4).fit(example, example, checkpoint=path, resume=True)
    assert saved(parser, tmp_path / "resumed") == expected


def test_a_checkpoint_of_something_else_is_refused(example, tmp_path):
    path = tmp_path / "checkpoint"
    sentences = list(read(example))

    def kill(progress):
        if progress.epoch == 2:
            raise Killed

    with pytest.raises(Killed):
        Parser("swap", epochs=4).fit(sentences, sentences[:9], checkpoint=path, on_progress=kill)

    def resume(parser, train, dev, **options):
        return parser.fit(train, dev, checkpoint=path, resume=True, **options)

    kept = path.read_bytes()
    with pytest.raises(CrossarcError, match="another training: epochs was 4 and is 5; give it"):
        resume(Parser("swap", epochs=5), sentences, sentences[:9])
    with pytest.raises(CrossarcError, match="parser was swap and is arc-standard; system was swap"):
        resume(Parser("arc-standard", epochs=4), sentences, sentences[:9])
    with pytest.raises(CrossarcError, match="the training sentences differ; give"):
        resume(Parser("swap", epochs=4), sentences[1:], sentences[:9])
    with pytest.raises(CrossarcError, match="the development sentences differ; give"):
        resume(Parser("swap", epochs=4), sentences, sentences)
    with pytest.raises(CrossarcError, match="the model to start from differs"):
        resume(Parser("swap", epochs=4), sentences, sentences[:9], init=Parser("swap", epochs=1).fit(example))
    with pytest.raises(CrossarcError, match="nothing to resume from"):
        Parser("swap").fit(sentences, resume=True)
    assert path.read_bytes() == kept
    path.write_bytes(kept[:-50])
    with pytest.raises(ModelError, match="checkpoint: the model is truncated"):
        resume(Parser("swap", epochs=4), sentences, sentences[:9])
    write_model(path, {"kind": "transition"}, {})
    with pytest.raises(ModelError, match="not a checkpoint of a training"):
        resume(Parser("swap", epochs=4), sentences, sentences[:9])


def test_weights_that_do_not_fit_together_are_refused():
    weights = Weights(3, cut=1)
    keys = np.array([5, 2**63 + 6], dtype=np.uint64)
    weights.add(keys, 0, 1.0)
    weights.add(keys[:1], 2, -2.0)
    good = weights.to_arrays()
    slots = good["slots"]
    faults = [
        {"counts": good["counts"][:2]},
        {"counts": good["counts"] * np.uint64(3)},
        {"counts": good["counts"] // np.uint64(2**16)},
        {"places": good["places"][::-1].copy()},
        {"places": good["places"] + 2**40},
        {"slots": slots + np.array([0, 0, 0, 1], np.uint32)},  # a size
        {"slots": slots * np.array([0, 0, 1, 1], np.uint32)},  # no keys
        {"slots": slots[:-1]},
        {"entries": good["entries"][:-1]},
        {"late": good["late"][:-1]},
        {"squares": np.ones(3, np.float32)},
    ]
    for fault in faults:
        with pytest.raises(ValueError, match=r"not whole|values to unpack"):
            Weights.from_arrays(good | fault, 3, 1)
    for actions in (2, 1):
        with pytest.raises(ValueError, match="other actions"):
            Weights.from_arrays(good, actions, 1)
        with pytest.raises(ModelError, match="other actions"):
            Weights.of(actions, weights.pack().unpack())


@pytest.mark.parametrize("name", ["arc-hybrid", "two-planar-label", "covington", "arc-eager-pp"])
def test_training_starts_from_a_model(example, tmp_path, name):
    """What it knew it still knows, new labels and words join, and its score is where training begins."""
    sentences = list(read(example))
    old, new = sentences[:30], sentences[30:]
    new = [
        sentence.replace(deprels=[f"{label}:new" if label == "obj" else label for label in sentence.deprels])
        for sentence in new
    ]
    first = Parser(name, epochs=8).fit(old)
    first.save(tmp_path / "first")
    epochs = []
    second = Parser(name, epochs=4).fit(new, old, init=tmp_path / "first", on_epoch=epochs.append)
    assert epochs[0].number == 0
    assert epochs[0].las == pytest.approx(first.evaluate(old).las)
    assert second.evaluate(old).las >= epochs[0].las  # the start is one of the epochs to choose from
    assert second.model.labels[: len(first.model.labels)] == first.model.labels
    kept = Parser(name, epochs=8).fit(new, init=first)
    assert kept.evaluate(new).las > first.evaluate(new).las
    adapted = Parser(name, epochs=8, inertia=0).fit(new, init=first)
    assert kept.evaluate(old).las >= adapted.evaluate(old).las
    assert "obj:new" in {label for sentence in adapted.parse(new) for label in sentence.deprels}
    assert adapted.evaluate(new).las > first.evaluate(new).las + 5
    fresh = Parser(name, epochs=8).fit(new)
    assert adapted.evaluate(old).las > fresh.evaluate(old).las + 5
    assert adapted.manifest_["init"]["words"] == sum(map(len, old))
    again = Parser(name, epochs=8, inertia=0).fit(new, init=tmp_path / "first")
    assert saved(adapted, tmp_path / "a") == saved(again, tmp_path / "b")
    assert list(load(tmp_path / "a").parse(new)) == list(adapted.parse(new))


def test_training_from_a_model_is_resumed(example, tmp_path):
    sentences = list(read(example))
    first = Parser("swap", epochs=3).fit(sentences[:30])
    expected = saved(Parser("swap", epochs=3).fit(sentences[30:], sentences[:9], init=first), tmp_path / "whole")

    def kill(progress):
        if progress.epoch == 3:
            raise Killed

    path = tmp_path / "checkpoint"
    with pytest.raises(Killed):
        Parser("swap", epochs=3).fit(sentences[30:], sentences[:9], init=first, checkpoint=path, on_progress=kill)
    numbers = []
    parser = Parser("swap", epochs=3).fit(
        sentences[30:], sentences[:9], init=first, checkpoint=path, resume=True, on_epoch=numbers.append
    )
    assert [epoch.number for epoch in numbers] == [0, 1, 2, 3]
    assert saved(parser, tmp_path / "resumed") == expected


def test_a_parser_of_another_kind_is_no_start(example):
    first = Parser("swap", epochs=1).fit(example)
    with pytest.raises(CrossarcError, match="'arc-standard' cannot start from the weights of a parser 'swap': system"):
        Parser("arc-standard").fit(example, init=first)
