"""Networks read each sentence once, whatever is asked, and long ones in batches of bounded size."""

from functools import cache

import numpy as np
import pytest

from crossarc.neural.encoder import Encoder
from crossarc.parsers import marked_constraints
from crossarc.parsers.arcs.long_sentences import LONG
from crossarc.parsers.networks.model import BATCH_NODES, BLOCK_NODES
from crossarc.pipeline import Pipeline
from crossarc.treebank import Sentence, read

SMALL = {"hidden": 8, "lexical_size": 8, "tag_size": 8, "arc_size": 8, "label_size": 8, "epochs": 1}
LINEAR = {"jackknife": 0, "tagger": {"epochs": 1}}
KINDS = {
    "joint": lambda: Pipeline("neural", **SMALL),
    "inside a transform": lambda: Pipeline("neural-projective", transform="head", **SMALL),
    "linear tagger": lambda: Pipeline("neural", predict=[], features="neural", **LINEAR, **SMALL),
    "ensemble": lambda: Pipeline("neural", ensemble=2, **LINEAR, **SMALL),
    "hybrid": lambda: Pipeline("neural-hybrid", **LINEAR, **SMALL),
    "tree and graph": lambda: Pipeline("neural", graph="dag-eager", **LINEAR, **SMALL),  # fast also for long sentences
    "graphs": lambda: Pipeline("neural-graph", **LINEAR, **SMALL),
}
WAYS = {
    "plain": {},
    "keep tags": {"keep_tags": True},
    "scores": {"scores": True},
    "scores, keep tags": {"scores": True, "keep_tags": True},
    "k": {"k": 3},
    "constraints": {"constraints": marked_constraints},
    "constraints, scores": {"constraints": marked_constraints, "scores": True},
    "without trees": {"with_tree": False},
    "with trees": {"with_tree": True},
    "nothing": {"beam": None, "constraints": None, "scores": False},
}
OF_TREES = ("scores", "scores, keep tags", "k", "constraints", "constraints, scores")  # only trees can be analysed so
PARSES = [(kind, way) for kind in KINDS for way in WAYS if kind != "graphs" or way not in OF_TREES]


@pytest.fixture(scope="module")
def sentences(example):
    """Some of which have a constraint that their parse does not satisfy."""
    found = []
    for number, sentence in enumerate(read(example)):
        marks = ["NotHead=0" if number % 2 and head == 0 else "_" for head in sentence.heads.tolist()]
        found.append(sentence.replace(misc=["", *marks[1:]]) if len(sentence) > 1 else sentence)
    return found


@pytest.fixture(scope="module")
def trained(sentences):
    """What gives the pipeline of a kind, which is trained only once."""
    return cache(lambda kind: KINDS[kind]().fit(sentences[:20]))


@pytest.fixture(params=KINDS)
def nlp(request, trained):
    return trained(request.param)


@pytest.fixture
def rows(monkeypatch):
    """How many rows each call of the encoder got, to prepare and to read."""
    seen = {"prepare": [], "forward": []}
    prepare, forward = Encoder.prepare, Encoder.forward

    def count_prepared(self, numbers):
        seen["prepare"].append(len(numbers[0]))
        return prepare(self, numbers)

    def count(self, prepared, nodes, batch):
        seen["forward"].append(len(nodes))
        return forward(self, prepared, nodes, batch)

    monkeypatch.setattr(Encoder, "prepare", count_prepared)
    monkeypatch.setattr(Encoder, "forward", count)
    return seen


@pytest.mark.parametrize(("nlp", "way"), PARSES, indirect=["nlp"])
@pytest.mark.parametrize("threads", [1, 2])
def test_each_sentence_is_read_once(nlp, sentences, rows, way, threads):
    networks = nlp.parser.settings.ensemble if hasattr(nlp.parser.settings, "ensemble") else 1
    once = networks * sum(len(sentence) + 1 for sentence in sentences)
    assert len(list(nlp.parse(sentences, threads=threads, **WAYS[way]))) == len(sentences)
    assert sum(rows["forward"]) == sum(rows["prepare"]) == once
    if way == "nothing":
        return
    rows["forward"].clear()
    assert len(list(nlp.parser.parse(sentences, threads=threads, **WAYS[way]))) == len(sentences)
    assert sum(rows["forward"]) == once


def test_a_text_is_read_once(nlp, sentences, rows):
    found = nlp(" ".join(sentence.text for sentence in sentences))
    networks = nlp.parser.settings.ensemble if hasattr(nlp.parser.settings, "ensemble") else 1
    assert sum(rows["forward"]) == networks * sum(len(sentence) + 1 for sentence in found)


@pytest.mark.parametrize(("nlp", "way"), [each for each in PARSES if each[1] in ("plain", "scores")], indirect=["nlp"])
def test_batches_are_bounded_however_long_a_sentence_is(nlp, rows, way):
    """A sentence of given tokens is never cut, but read in pieces; the words that join these are read again."""
    words = 3 * LONG + 7
    forms = np.random.default_rng(1).choice(["owls", "see", "mice", "."], words).tolist()
    (found,) = nlp.parse([Sentence.from_columns(forms=["", *forms])], **WAYS[way])
    found = found.best.sentence if way == "scores" else found
    assert len(found) == words
    networks = nlp.parser.settings.ensemble if hasattr(nlp.parser.settings, "ensemble") else 1
    pieces = words // LONG + 1
    assert max(rows["forward"]) <= BATCH_NODES
    assert max(rows["prepare"]) <= BLOCK_NODES
    joined = 3 * (words if nlp.parser.gives_graphs else pieces)  # roots of pieces, with their heads
    assert networks * (words + pieces) <= sum(rows["forward"]) <= networks * (words + pieces + joined)


@pytest.mark.parametrize("text", ["( " * 3_000, "owl " * 5_000, "abcdefghij" * 20_000])
def test_any_text_is_read_in_bounded_batches(nlp, rows, text):
    nlp.tokenizer.reset_notes()
    found = nlp(text)
    assert max(map(len, found)) <= nlp.tokenizer.max_sentence_words
    assert max(rows["forward"]) <= BATCH_NODES
    assert max(rows["prepare"]) <= BLOCK_NODES
    assert nlp.notes() or not text.startswith("owl")
