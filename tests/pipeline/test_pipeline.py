"""Pipelines: text in, tags and trees out, kept in one file."""

import copy
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from operator import methodcaller

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import crossarc
from crossarc.components import read_model, write_model
from crossarc.errors import CrossarcError, ModelError, UnknownName
from crossarc.pipeline import Pipeline
from crossarc.tagging import text_of
from crossarc.treebank import Sentence, read

SMALL = {"hidden": 16, "lexical_size": 16, "tag_size": 8, "arc_size": 16, "label_size": 16, "epochs": 3}
TEXTS = ["She left. They stayed.", "", " \n", "One more", "Owls, of course!\n\nAnd mice."]


@pytest.fixture(scope="module")
def sentences(example):
    return list(read(example))


KINDS = {
    "joint": lambda: Pipeline("neural", **SMALL),
    "linear": lambda: Pipeline("arc-hybrid", jackknife=2, tagger={"epochs": 2}, epochs=2),
    "tree and graph": lambda: Pipeline("planar", jackknife=0, tagger={"epochs": 2}, epochs=2, graph="dag-covington"),
}


@pytest.fixture(scope="module", params=KINDS)
def nlp(request, sentences):
    return KINDS[request.param]().fit(sentences, sentences[:10])


@pytest.fixture(scope="module")
def path(nlp, tmp_path_factory):
    path = tmp_path_factory.mktemp("pipeline") / "my.crossarc"
    nlp.save(path)
    return path


def data(sentences):
    return [bytes(sentence) for sentence in sentences]


def test_stages_tell_their_steps(sentences):
    """The preparation of the tagger and jackknife count their steps, all others their epochs."""
    steps, epochs, words = {}, {}, {}
    stage = []
    pipeline = Pipeline("arc-hybrid", jackknife=2, tagger={"epochs": 2}, epochs=1)
    pipeline.fit(
        sentences,
        on_stage=stage.append,
        on_step=lambda done, of: steps.setdefault(stage[-1], []).append((done, of)),
        on_epoch=lambda epoch: epochs.setdefault(stage[-1], []).append(epoch.number),
        on_progress=lambda progress: words.update({stage[-1]: (progress.words, progress.of)}),
    )
    assert stage == ["tokenizer", "tagger", "jackknife", "parser"]
    assert {name: len(each) for name, each in steps.items()} == {"tagger": 6, "jackknife": 2}
    assert {name: len(each) for name, each in epochs.items()} == {"tokenizer": 12, "tagger": 2, "parser": 1}
    assert len(words) == 3
    assert all(done == of for done, of in words.values())
    for each in steps.values():
        assert each == [(done, len(each)) for done in range(1, len(each) + 1)]


def test_a_text_has_sentences_with_tags_and_trees(nlp):
    text = "  She left.\tThey stayed home… \r\n\r\nWhy?"
    found = nlp(text, document="d1")
    assert text_of(found) == text
    assert found[0].comments[0] == "# newdoc id = d1"
    for sentence in found:
        assert list(sentence.heads).count(0) == 1
        assert "_" not in sentence.upos[1:]
        assert "_" not in sentence.deprels[1:]


def test_texts_one_by_one_and_together(nlp):
    alone = [nlp(text) for text in TEXTS]
    for threads in (1, 2):
        together = list(nlp.pipe(iter(TEXTS * 3), threads=threads))
        assert [data(each) for each in together] == [data(each) for each in alone] * 3
        assert [text_of(each) for each in together] == TEXTS * 3
    assert list(nlp.pipe([])) == []


def test_a_long_text_in_blocks(nlp):
    text = "\n\n".join(f"This is paragraph {number}. It is short." for number in range(9000))
    found = list(nlp.stream(text[begin : begin + 7777] for begin in range(0, len(text), 7777)))
    assert text_of(found) == text
    assert [sentence.metadata["sent_id"] for sentence in found] == [str(k) for k in range(1, len(found) + 1)]
    assert sum("# newdoc" in sentence.comments for sentence in found) == 1
    last = found[-1].misc[-1].partition("TokenRange=")[2]
    assert last == f"{len(text) - 1}:{len(text)}"


def test_a_text_is_the_same_in_one_piece_and_in_blocks(nlp):
    text = "\n".join(f"This is line {number}. It is short" for number in range(9000))
    whole = data(nlp(text))
    for size, threads in ((1000, 1), (70_001, 2)):
        blocks = (text[begin : begin + size] for begin in range(0, len(text), size))
        assert data(nlp.stream(blocks, threads=threads)) == whole
    assert [data(each) for each in nlp.pipe(["Yes.", text, " "], threads=2)] == [data(nlp("Yes.")), whole, []]


def test_long_sentences_are_cut_and_counted(nlp, path):
    loaded = crossarc.load(path)
    loaded.tokenizer.max_sentence_words = 30
    text = " owl mouse" * 400
    found = loaded(text, document="d")
    assert text_of(found) == text
    assert all(len(sentence) <= 30 for sentence in found)
    assert loaded.notes()[0].startswith("sentences of more than 30 words were cut, ")
    loaded.reset_notes()
    assert not loaded.notes()
    assert [data(each) for each in loaded.pipe([text] * 3, threads=2)][1] == data(loaded(text))
    assert len(next(iter(loaded.parse_tokens([["owl"] * 100])))) == 100  # given tokens stay


def test_given_tokens_and_tags_stay(nlp, sentences):
    (got,) = nlp.parse([sentences[0]])
    assert got.forms == sentences[0].forms
    (kept,) = nlp.parse([sentences[0]], keep_tags=True)
    assert (kept.upos, kept.lemmas, kept.feats) == (sentences[0].upos, sentences[0].lemmas, sentences[0].feats)
    (analysis,) = nlp.parse(sentences[0], keep_tags=True, scores=True)
    assert analysis.best.sentence.upos == sentences[0].upos
    assert 0 < analysis.best.probability <= 1
    assert nlp.parse_tokens(["She", "left"]).forms == ("", "She", "left")
    assert [len(each) for each in nlp.parse_tokens([["She", "left"], ["Why"]])] == [2, 1]


def test_one_file(nlp, path, sentences):
    loaded = crossarc.load(path)
    assert isinstance(loaded, Pipeline)
    assert data(loaded(TEXTS[0])) == data(nlp(TEXTS[0]))
    again = path.with_name("again")
    kind = "joint" if nlp.predicts_tags else "linear" if nlp.graph is None else "tree and graph"
    KINDS[kind]().fit(sentences, sentences[:10]).save(again)
    assert again.read_bytes() == path.read_bytes()
    with pytest.raises(ModelError, match=r"this is a pipeline, not a parser; crossarc\.load reads it"):
        crossarc.parsers.load(path)
    parser = path.with_name("parser")
    nlp.parser.save(parser)
    assert isinstance(crossarc.load(parser), crossarc.Parser)


def test_copies_and_other_processes(path):
    loaded = crossarc.load(path)
    twin = copy.deepcopy(loaded)
    assert twin.tokenizer is not loaded.tokenizer
    assert twin.tokenizer.model is loaded.tokenizer.model
    assert len(pickle.dumps(loaded)) < 1000
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        there = pool.submit(methodcaller("__call__", TEXTS[0]), loaded).result()
    assert data(there) == data(loaded(TEXTS[0]))
    assert text_of(there) == TEXTS[0]


def test_damaged_files(path, tmp_path):
    manifest, arrays = read_model(path)
    for change in (
        {"components": {}},
        {"jackknife": "many"},
        {"components": 3},
        {"components": {**manifest["components"], "magic": {}}},
        {"components": {**manifest["components"], "graph": manifest["components"]["parser"]}},
    ):
        write_model(tmp_path / "bad", {**manifest, **change}, arrays)
        with pytest.raises(ModelError, match="holds no "):
            crossarc.load(tmp_path / "bad")
    for name in ("tokenizer.boundaries.quiet", "parser.label_places"):
        write_model(tmp_path / "bad", manifest, {key: value for key, value in arrays.items() if key != name})
        with pytest.raises(ModelError, match="holds no "):
            crossarc.load(tmp_path / "bad")


@pytest.mark.parametrize("parser", ["neural", "arc-hybrid"])
def test_small_treebanks_and_treebanks_without_tags(sentences, parser):
    options = SMALL if parser == "neural" else {"epochs": 2, "tagger": {"epochs": 1}}
    (got,) = Pipeline(parser, **options).fit(sentences[:3])("She left.")
    assert got.upos[1] != "_"
    bare = [Sentence.from_columns(forms=s.forms, heads=s.heads, deprels=s.deprels) for s in sentences[:3]]
    (got,) = Pipeline(parser, **options).fit(bare, bare)("She left.")
    assert got.upos[1] == "_"
    assert list(got.heads).count(0) == 1


def test_refusals(nlp, sentences):
    with pytest.raises(CrossarcError, match="a pipeline takes text, not 3"):
        nlp(3)
    with pytest.raises(CrossarcError, match="a pipeline takes text, not None"):
        list(nlp.pipe(["Yes.", None]))
    with pytest.raises(CrossarcError, match="pipe takes several texts"):
        list(nlp.pipe("Yes."))
    with pytest.raises(CrossarcError, match="takes the path of a file or sentences, not 'Yes\\.'"):
        list(nlp.parse(["Yes."]))
    with pytest.raises(CrossarcError, match="name the number of folds"):
        Pipeline(jackknife=1)
    with pytest.raises(CrossarcError, match="gives trees; name a preset of graphs"):
        Pipeline(graph="mst")
    with pytest.raises(CrossarcError, match="no sentence to learn from"):
        Pipeline(**SMALL).fit([])
    with pytest.raises(UnknownName, match="no model 'eng'"):
        crossarc.load("eng")
    with pytest.raises(FileNotFoundError):
        crossarc.load("no/such.crossarc")


HOSTILE = st.one_of(
    st.text(max_size=60),
    st.text(st.characters(), max_size=60),  # lone surrogates too
    st.text(".,;:!?…-–'\"()[]{}«»", max_size=60),
    st.text("\x00\x01\x0b\x0c\x1c\x85\xa0\u2028\u2029\u200b\ufeff \n\r\t", max_size=40),
    st.sampled_from(
        [
            "x" * 100_000,
            "é" * 3000 + "\u0301" * 3000,
            "\ud800" * 50,
            "👩‍👩‍👧 🇫🇮",
            "שלום עולם!",
            "你好。世界",
            "ประเทศไทย",
        ]
    ),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(HOSTILE, max_size=4).map("".join))
def test_hostile_text_never_breaks_it(nlp, text):
    found = nlp(text)
    assert text_of(found) == text
    for sentence in found:
        assert Sentence(bytes(sentence)) == sentence
        assert list(sentence.heads[1:]).count(0) == 1
        assert all(0 <= head <= len(sentence) for head in sentence.heads[1:])


def test_a_megabyte_without_a_space(nlp):
    text = "abcdefghij" * 100_000
    assert text_of(nlp(text)) == text


@pytest.mark.parametrize("folds", ["a\nb", -1, 1, 2.5, None])
def test_an_impossible_number_of_folds_is_one_line(folds):
    with pytest.raises(CrossarcError, match="name the number of folds") as error:
        Pipeline("arc-hybrid", jackknife=folds)
    assert "\n" not in str(error.value)
