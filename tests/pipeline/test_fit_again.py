"""A second training that fails leaves what was learned before as it was: nothing is old in part and new in part."""

import pytest

from crossarc.parsers import Parser
from crossarc.pipeline import Pipeline
from crossarc.tagging import Tagger, Tokenizer
from crossarc.transforms import PseudoProjective
from graph_treebank import graph_treebank

FIRST, SECOND = graph_treebank(20), graph_treebank(25, seed=2)


class FailedError(Exception):
    """What goes wrong in the middle."""


def model_of(learner, folder):
    """The bytes of the model file, written by a copy, and what else a learner holds."""
    kept = learner.origin_, learner.checkpoint_
    learner.save(folder / "m")
    learner.origin_, learner.checkpoint_ = kept
    return (folder / "m").read_bytes()


def failing(count):
    """A function that fails when it is called for the so-manieth time."""

    def call(*args):
        nonlocal count
        count -= 1
        if count == 0:
            raise FailedError

    return call


LEARNERS = {
    "parser": lambda: Parser("arc-hybrid", epochs=2),
    "graphs": lambda: Parser("dag-mst", epochs=2),
    "tokenizer": lambda: Tokenizer(epochs=2),
    "tagger": lambda: Tagger(epochs=2),
}


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("epoch", [1, 2])
def test_learners(tmp_path, name, epoch):
    learner = LEARNERS[name]().fit(FIRST, FIRST[:5], checkpoint=tmp_path / "first")
    before, state = model_of(learner, tmp_path), dict(vars(learner))
    with pytest.raises(FailedError):
        learner.fit(SECOND, SECOND[:5], checkpoint=tmp_path / "second", on_epoch=failing(epoch))
    assert vars(learner) == state
    assert model_of(learner, tmp_path) == before


def test_parsers_that_fail_after_the_last_epoch(tmp_path, monkeypatch):
    parser = Parser("arc-hybrid", epochs=1).fit(FIRST, FIRST[:5])
    before, state = model_of(parser, tmp_path), dict(vars(parser))
    for name in ("coverage", "learned_of", "reset_notes"):
        with monkeypatch.context() as change:
            change.setattr(f"crossarc.parsers.moves.model.MoveTreeModel.{name}", failing(1))
            with pytest.raises(FailedError):
                parser.fit(SECOND)
        assert vars(parser) == state
    assert model_of(parser, tmp_path) == before


@pytest.mark.parametrize("stage", ["tokenizer", "tagger", "jackknife", "parser", "graph"])
def test_pipelines(tmp_path, stage):
    """In whichever stage a training fails, all components stay those of the training before."""
    pipeline = Pipeline("arc-hybrid", epochs=1, jackknife=2, tagger={"epochs": 1}, graph="dag-covington")
    pipeline.fit(FIRST)
    before, state = model_of(pipeline, tmp_path), dict(vars(pipeline))

    def fail(name):
        if name == stage:
            raise FailedError

    with pytest.raises(FailedError):
        pipeline.fit(SECOND, checkpoint=tmp_path / "checkpoint", on_stage=fail)
    assert vars(pipeline) == state
    assert model_of(pipeline, tmp_path) == before


def test_transforms():
    first = [([-1, 3, 4, 0, 3], ["", "det", "obj", "root", "conj"])]
    transform = PseudoProjective("path", cap=1).fit(first)
    kept = transform.kept_
    assert kept

    def trees():
        yield [-1, 0], ["", "root"]
        raise FailedError

    with pytest.raises(FailedError):
        transform.fit(trees())
    assert transform.kept_ is kept
