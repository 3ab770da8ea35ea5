"""TOML files of all kinds, and numbers, that are not what they should be: one line that names file, key and remedy."""

import math

import numpy as np
import pytest

import crossarc
from crossarc.core.checked import checked_count, checked_positive, read_toml
from crossarc.errors import CrossarcError
from crossarc.experiments import read_experiment
from crossarc.features.edges import load_edge_model
from crossarc.features.inputs import load_input_model
from crossarc.features.templates import load_model
from crossarc.parsers.presets import make_settings
from crossarc.pipeline import Pipeline
from crossarc.tagging import Tagger, Tokenizer

READERS = [read_toml, read_experiment, load_edge_model, load_input_model, load_model]
BAD = {
    "bytes that are not UTF-8": (b'# fine\ntitle = "\xff"', r":2: byte 0xff is not UTF-8"),
    "nesting": (b"a = " + b"[" * 100_000, "lie in each other too deeply"),
    "digits": (b"a = " + b"9" * 10_000, "too many digits"),
    "size": (b"#" * 3_000_000, "more than a MB"),
    "syntax": (b"a = = 1", "Invalid value .at line 1"),
}


@pytest.mark.parametrize("what", BAD)
@pytest.mark.parametrize("read", READERS, ids=lambda read: read.__name__)
def test_bad_toml(tmp_path, read, what):
    data, message = BAD[what]
    path = tmp_path / "mine.toml"
    path.write_bytes(data)
    with pytest.raises(CrossarcError, match=message) as error:
        read(str(path))
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (load_model, "templates = 5", r"templates = 5: write a list of templates"),
        (load_model, 'templates = "stack[0].form"', "write a list of templates"),
        (load_model, "templates = [5]", "write a list of templates"),
        (load_model, "[templates]\nwords = [[]]", "words = .*write a list of templates"),
        (load_model, 'addresses = ["s0"]\ntemplates = ["stack[0].form"]', "addresses are a table"),
        (load_model, 'templates = ["stack[0].form"]\n[addresses]\ns0 = 5', "addresses are a table"),
        (load_edge_model, "labels = 7", "labels = 7: write a list of templates"),
        (load_edge_model, 'labels = ["head.upos"]\narcs = [1]', "arcs = .*write a list of templates"),
        (load_edge_model, 'labels = ["head.upos"]\ndistances = "no"', "distances = 'no': write true or false"),
        (load_input_model, "lexical = 5", "lists of attributes"),
    ],
)
def test_bad_feature_models(tmp_path, read, text, message):
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(CrossarcError, match=message) as error:
        read(str(path))
    assert str(path) in str(error.value)


@pytest.mark.parametrize("value", ["x", 0, -1, math.inf, math.nan, 1.5, True, None, [], 1 << 70])
def test_counts(value):
    for use in (
        lambda: checked_count("epochs", value),
        lambda: Tagger(epochs=value),
        lambda: Tokenizer(epochs=value),
        lambda: Tokenizer(cut=value),
        lambda: Pipeline("arc-hybrid", tagger={"epochs": value}),
        lambda: list(Tokenizer("rules").stream([value])) if not isinstance(value, str) else Tagger(epochs=value),
    ):
        with pytest.raises(CrossarcError, match=r"write a whole number|comes in strings"):
            use()


@pytest.mark.parametrize("value", ["x", 0, -1.5, math.inf, math.nan, True, None])
def test_costs(value):
    with pytest.raises(CrossarcError, match=r"tagger: cost = .*: write a number above 0"):
        Pipeline("arc-hybrid", tagger={"cost": value})


def test_numbers_of_all_kinds():
    assert checked_count("k", np.int32(3)) == 3
    assert checked_positive("cost", np.float32(0.5)) == 0.5
    assert Tagger(epochs=3, seed=0, cut=1, cost=1).cost == 1.0


@pytest.mark.parametrize("parser", [5, ["mst"], {"mst": 1}, None, "x" * 10_000])
def test_parsers_that_are_no_names(parser):
    with pytest.raises(CrossarcError, match="no parser") as error:
        make_settings(parser)
    assert len(str(error.value)) < 3_000


def test_settings_too_large():
    with pytest.raises(CrossarcError, match="setting features = "):
        make_settings("arc-hybrid", features={"a": 1})
    for name in ("seed", "epochs", "cut"):
        with pytest.raises(CrossarcError, match=f"setting {name} = .*: write a number below"):
            make_settings("arc-hybrid", **{name: 10**400})


def test_what_callers_give(tmp_path):
    nlp = crossarc.load("en")
    sentences = nlp("It works. Try it!")
    parser = nlp.parser
    for use, message in (
        (lambda: nlp("It works.", document=5), "document = 5: write a string"),
        (lambda: nlp.tokenizer.tokenize("It works.", document=b"x"), "document = b'x': write a string"),
        (lambda: list(nlp.stream([b"It works."])), "comes in strings, not b'It works.'; decode bytes first"),
        (lambda: list(nlp.stream(["It works."], document=7)), "document = 7"),
        (lambda: nlp.pipe(["It works."], threads=0), "threads = 0: write a whole number from 1 on"),
        (lambda: nlp.stream(["It works."], threads=1.5), "threads = 1.5"),
        (lambda: nlp.parse(sentences, threads=0), "threads = 0"),
        (lambda: parser.parse(sentences, threads="2"), "threads = '2'"),
        (lambda: parser.parse(sentences, k="2"), "k = '2'"),
        (lambda: crossarc.Parser("mst").fit(sentences, on_error="nope"), "no policy for errors 'nope'"),
        (lambda: crossarc.treebank.read_arrays([], on_error="nope"), "no policy for errors 'nope'"),
    ):
        with pytest.raises(CrossarcError, match=message):
            use()


def test_vectors_without_end(tmp_path):
    from crossarc.core.strings import StringTable
    from crossarc.parsers.networks.vectors import read_vectors

    with pytest.raises(CrossarcError, match="/dev/zero:1: this line has more than 2 MB"):
        read_vectors("/dev/zero", StringTable(), 10)
    path = tmp_path / "vectors.txt"
    path.write_text("word" + " 0.5" * 10_000)
    with pytest.raises(CrossarcError, match=r"vectors.txt:1: a line of vectors is a word and some numbers"):
        read_vectors(path, StringTable(), 10)
