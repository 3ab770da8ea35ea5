"""The contract of all components, whatever they learn: they store, load, score, note and resume alike."""

import pickle
from itertools import pairwise

import pytest

import crossarc
from crossarc.components import Component
from crossarc.components.modelfile import model_bytes
from crossarc.errors import CrossarcError, ModelError
from crossarc.parsers import Parser
from crossarc.pipeline import Pipeline
from crossarc.pipeline.roles import TAGS, columns_given, columns_read
from crossarc.tagging import Tagger, Tokenizer
from crossarc.tagging.training_text import raw_text
from crossarc.treebank import Sentence
from crossarc.treebank.corpus import Corpus
from graph_treebank import graph_treebank

SMALL = {"hidden": 8, "lexical_size": 8, "tag_size": 8, "arc_size": 8, "label_size": 8}
COMPONENTS = {
    "tokenizer": lambda: Tokenizer(epochs=3),
    "tagger": lambda: Tagger(epochs=3),
    "arc-hybrid": lambda: Parser("arc-hybrid", epochs=3),
    "mst": lambda: Parser("mst", epochs=3),
    "carreras": lambda: Parser("carreras", epochs=3),
    "neural": lambda: Parser("neural", epochs=3, **SMALL),
    "neural with tags": lambda: Parser("neural", epochs=3, predict=TAGS, features="neural-forms", **SMALL),
    "dag-covington": lambda: Parser("dag-covington", epochs=3),
    "dag-mst": lambda: Parser("dag-mst", epochs=3),
    "neural-graph": lambda: Parser("neural-graph", epochs=3, **SMALL),
}
PIPELINES = {
    "pipeline": lambda: Pipeline("arc-hybrid", epochs=3, jackknife=0, tagger={"epochs": 2}, graph="dag-covington"),
    "pipeline with one network": lambda: Pipeline("neural", epochs=3, **SMALL),
}
ALL = COMPONENTS | PIPELINES
NAMES = {"lemma": "lemmas", "upos": "upos", "xpos": "xpos", "feats": "feats", "deprel": "deprels", "deps": "deps"}


@pytest.fixture(scope="module")
def sentences():
    """With all columns filled."""
    return [
        one.replace(
            xpos=["", *(tag[:1] for tag in one.upos[1:])],
            feats=["", *(f"Letters={len(form)}" for form in one.forms[1:])],
        )
        for one in graph_treebank(60)
    ]


@pytest.fixture(scope="module")
def dev(sentences):
    return sentences[:12]


@pytest.fixture(scope="module", params=ALL)
def kind(request):
    return request.param


@pytest.fixture(scope="module")
def trained(kind, sentences, dev):
    return ALL[kind]().fit(sentences, dev)


def data(learner):
    return model_bytes(*learner.stored_parts())


def used(learner, sentences):
    """What a component makes of sentences."""
    if isinstance(learner, Tokenizer):
        return learner.tokenize(raw_text(sentences))
    return learner.tag(sentences) if isinstance(learner, Tagger) else list(learner.parse(sentences))


def model_of(learner):
    return getattr(learner, "model", learner)


def test_the_same_training_gives_the_same_bytes(kind, trained, sentences, dev):
    assert data(ALL[kind]().fit(sentences, dev)) == data(trained)


def test_what_was_stored_comes_back(trained, dev, tmp_path):
    trained.save(tmp_path / "m")
    again = type(trained).open(tmp_path / "m")
    assert data(again) == data(trained)
    assert [bytes(one) for one in used(again, dev)] == [bytes(one) for one in used(trained, dev)]
    for one in (again, trained):
        assert data(pickle.loads(pickle.dumps(one))) == data(trained)
    if isinstance(trained, Tokenizer | Tagger):
        with pytest.raises(ModelError, match=r"this is a (tokenizer|tagger); .*\.open reads it"):
            crossarc.load(tmp_path / "m")


def test_other_kinds_are_refused(trained):
    manifest, arrays = trained.stored_parts()
    for other in (Tokenizer, Tagger, Parser, Pipeline):
        if not isinstance(trained, other):
            with pytest.raises(ModelError, match="here: "):
                other.from_parts(manifest, arrays, "here")


@pytest.mark.parametrize("name", COMPONENTS)
def test_what_is_not_trained_says_so(name):
    learner = COMPONENTS[name]()
    with pytest.raises(CrossarcError, match="call fit"):
        _ = learner.model
    assert type(pickle.loads(pickle.dumps(learner))) is type(learner)


def test_scores_are_measures_in_percent(kind, trained, dev):
    if kind in PIPELINES:
        scores = trained.evaluate(dev)
        assert scores["Tokens"].f1 > 50
        return
    model = trained.model
    assert isinstance(model, Component)
    gold = dev if isinstance(trained, Tokenizer) else Corpus.of(dev)
    scores = model.score(gold)
    assert scores == model.score(gold)
    assert list(scores) == list(model.score(gold))
    assert scores
    assert all(0 <= value <= 100 for value in scores.values())
    assert model.quality(scores) >= 0
    assert all(isinstance(text, str) for pair in model.describe().items() for text in pair)


def test_notes_are_forgotten(trained, dev):
    model = model_of(trained)
    used(trained, dev)
    model.reset_notes()
    assert model.notes() == []


def test_columns_are_those_that_are_given(kind, trained, dev):
    """A component changes the columns that it says it gives, and no others."""
    if kind in PIPELINES or isinstance(trained, Tokenizer):
        parts = trained.components.values() if kind in PIPELINES else [trained]
        known = set()
        for each in parts:
            assert set(columns_read(each)) <= known, "what a component reads was given before"
            known |= set(columns_given(each))
        assert "form" in known
        return
    assert columns_read(trained)[0] == "form"
    given = columns_given(trained)
    bare = [
        Sentence.from_columns(forms=one.forms, **{name: ["", *["_"] * len(one)] for name in NAMES.values()})
        for one in dev
    ]
    found = used(trained, bare)
    for column, name in NAMES.items():
        is_filled = any(value != "_" for one in found for value in getattr(one, name)[1:])
        assert is_filled == (column in given), column
    assert any((one.heads[1:] >= 0).any() for one in found) == ("head" in given)


def test_epochs_are_reported_and_resumed(kind, sentences, dev, trained, tmp_path):
    class KilledError(Exception):
        pass

    last = "parser" if kind in PIPELINES else ""
    stages, epochs, progress = [""], [], []
    watchers = {"on_stage": stages.append} if kind in PIPELINES else {}

    def on_epoch(epoch):
        if stages[-1] == last:
            epochs.append(epoch)
            if epoch.number == 3 and len(epochs) == 3:
                raise KilledError

    def on_progress(each):
        if stages[-1] == last:
            progress.append(each)

    options = {"checkpoint": tmp_path / "c", "on_epoch": on_epoch, "on_progress": on_progress, **watchers}
    with pytest.raises(KilledError):
        ALL[kind]().fit(sentences, dev, **options)
    assert [epoch.number for epoch in epochs] == [1, 2, 3]
    assert all(epoch.scores and epoch.seconds > 0 and 0 <= epoch.wrong <= 100 for epoch in epochs)
    assert all(one.words < two.words or one.epoch < two.epoch for one, two in pairwise(progress))
    assert progress[-1].words == progress[-1].of == sum(map(len, sentences))
    before = len(progress)
    resumed = ALL[kind]().fit(sentences, dev, **options, resume=True)
    assert {each.epoch for each in progress[before:]} == {3}
    assert [epoch.scores for epoch in epochs[:3]] == [epoch.scores for epoch in epochs[3:]]
    assert [list(epoch.scores) for epoch in epochs[:3]] == [list(epoch.scores) for epoch in epochs[3:]]
    assert data(resumed) == data(trained)
    resumed.save(tmp_path / "m")
    assert [path.name for path in tmp_path.iterdir()] == ["m"]
