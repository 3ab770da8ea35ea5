"""The tagger: what it learns, keeps and stores, and what it does with sentences of all kinds."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from crossarc.errors import CrossarcError, ModelError
from crossarc.features.templates import load_model
from crossarc.learning.learners import Perceptron
from crossarc.learning.scorers import Weights
from crossarc.tagging import Tagger, jackknife_tags
from crossarc.tagging.rounds import search_of
from crossarc.tagging.tagger_model import TaggerModel
from crossarc.transitions import replay
from crossarc.transitions.stack_systems import Tagging
from crossarc.transitions.system import Targets
from crossarc.transitions.training import train
from crossarc.treebank import read_string

# word/LEMMA/UPOS/XPOS/FEATS; sentences of a small language of our own.
WORDS = {
    "the": "the DET D Definite=Def",
    "a": "a DET D Definite=Ind",
    "dog": "dog NOUN NS Number=Sing",
    "dogs": "dog NOUN NP Number=Plur",
    "cats": "cat NOUN NP Number=Plur",
    "cat": "cat NOUN NS Number=Sing",
    "barks": "bark VERB VS Number=Sing",
    "bark": "bark VERB VP Number=Plur",
    "sees": "see VERB VS Number=Sing",
    "saw": "see VERB VD Tense=Past",
    "Anna": "Anna PROPN N _",
    "well": "well ADV R _",
    ".": ". PUNCT . _",
}
TEXTS = [
    "The dog barks .",
    "the dogs bark well .",
    "Anna sees the cats .",
    "A cat saw Anna .",
    "Anna barks .",
    "The cats saw a dog .",
    "DOGS bark .",
    "a cat sees the dog well .",
]


def rows(text, *, blank=()):
    lines = []
    for number, form in enumerate(text.split(), 1):
        lemma, upos, xpos, feats = (WORDS.get(form) or WORDS.get(form.lower())).split()
        fields = {"lemma": lemma, "upos": upos, "xpos": xpos, "feats": feats}
        fields |= dict.fromkeys(blank, "_")
        lines.append("\t".join([str(number), form, *fields.values(), "0" if number == 1 else "1", "dep", "_", "_"]))
    return "\n".join(lines) + "\n\n"


def treebank(**options):
    return list(read_string("".join(rows(text, **options) for text in TEXTS * 3)))


def plain(text):
    lines = [f"{number}\t{form}" + "\t_" * 8 for number, form in enumerate(text.split(), 1)]
    return next(iter(read_string("\n".join(lines) + "\n\n")))


@pytest.fixture(scope="module")
def tagger():
    return Tagger(epochs=5).fit(treebank())


def columns(sentence):
    return [sentence.column(name)[1:] for name in ("lemma", "upos", "xpos", "feats")]


def test_training_data_are_tagged_as_they_are(tagger):
    gold = treebank()
    blank = treebank(blank=("lemma", "upos", "xpos", "feats"))
    assert [sentence.raw for sentence in tagger.tag(blank)] == [sentence.raw for sentence in gold]
    assert tagger.evaluate(gold) == dict.fromkeys(("upos", "xpos", "feats", "lemma"), 100.0)
    assert tagger.columns == ("upos", "xpos", "feats", "lemma")
    assert "combinations of tags" in tagger.describe()


def test_case_and_suffixes_make_lemmas(tagger):
    lemmas, upos, *_ = columns(tagger.tag([plain("THE logs bark .")])[0])
    assert lemmas == ("the", "log", "bark", ".")
    assert upos == ("DET", "NOUN", "VERB", "PUNCT")


def test_values_are_kept_if_asked(tagger):
    line = "1\tThe\tTHE\tX\t_\t_\t_\t_\t_\t_\n2\tdog\t_\t_\tODD\tA=B\t_\t_\t_\t_\n\n"
    sentence = next(iter(read_string(line)))
    lemma, upos, xpos, feats = columns(tagger.tag([sentence], keep=True)[0])
    assert (lemma[0], upos[0], xpos[1], feats[1]) == ("THE", "X", "ODD", "A=B")
    assert "_" not in (*lemma, *upos, *xpos)
    assert columns(tagger.tag([sentence])[0])[1][0] == "DET"


def test_kept_tags_decide_about_lemmas():
    text = "1\tsaw\tsee\tVERB\t_\t_\t0\troot\t_\t_\n\n1\tsaw\tsaw\tNOUN\t_\t_\t0\troot\t_\t_\n\n"
    tagger = Tagger().fit(read_string(text * 3))
    for upos, lemma in (("VERB", "see"), ("NOUN", "saw")):
        given = next(iter(read_string(f"1\tsaw\t_\t{upos}\t_\t_\t0\troot\t_\t_\n\n")))
        assert columns(tagger.tag([given], keep=True)[0])[:2] == [(lemma,), (upos,)]


ODD = ["x", "ß̈ 漢字 👍🏽 \u202eab", "İstanbul ΟΔΟΣ", "_ _", "a" * 5000, "é" * 600 + " " + "9" * 10]


@pytest.mark.parametrize("text", ODD)
def test_any_characters_get_tags(tagger, text):
    sentence = plain(text)
    tagged = tagger.tag([sentence])[0]
    assert tagged.forms == sentence.forms
    assert all(value for column in columns(tagged) for value in column)
    assert set(columns(tagged)[1]) <= {value.split()[1] for value in WORDS.values()}


def test_no_sentences_and_comments_stay(tagger):
    assert tagger.tag([]) == []
    blank = "\t_" * 7
    text = f"# sent_id = 1\n1-2\tdogs.{blank}\t_\n1\tdogs{blank}\tX=1\n2\t.{blank}\t_\n\n"
    tagged = tagger.tag(read_string(text))[0]
    expected = text.replace("dogs\t_\t_\t_\t_", "dogs\tdog\tNOUN\tNP\tNumber=Plur").replace(
        "\t.\t_\t_\t_\t_", "\t.\t.\tPUNCT\t.\t_"
    )
    assert tagged.raw.decode() == expected


@pytest.mark.parametrize(
    "blank", [("upos",), ("xpos", "feats"), ("lemma",), ("upos", "xpos", "feats"), ("upos", "xpos")]
)
def test_only_filled_columns_are_learned(blank):
    tagger = Tagger(epochs=3).fit(treebank(blank=blank))
    assert set(tagger.columns) == {"upos", "xpos", "feats", "lemma"} - set(blank)
    tagged = tagger.tag(treebank(blank=("lemma", "upos", "xpos", "feats")))
    for name in blank:
        assert {value for sentence in tagged for value in sentence.column(name)[1:]} == {"_"}
    stored = Tagger.from_parts(*tagger.stored_parts(), "here")
    assert [one.raw for one in stored.tag(treebank())] == [one.raw for one in tagger.tag(treebank())]


def test_a_tagger_that_learns_again_forgets(tagger):
    again = Tagger(epochs=3).fit(treebank()).fit(treebank(blank=("upos", "xpos", "feats")))
    assert again.columns == ("lemma",)
    assert {name.split(".")[0] for name in again.model.to_arrays()[1]} == {"labels", "lemmas"}


def test_nothing_to_learn_is_refused():
    with pytest.raises(CrossarcError, match="neither tags nor lemmas"):
        Tagger().fit(treebank(blank=("lemma", "upos", "xpos", "feats")))
    with pytest.raises(CrossarcError, match="neither tags nor lemmas"):
        Tagger().fit([])
    with pytest.raises(CrossarcError, match="epochs = 0: write a whole number from 1 on"):
        Tagger(epochs=0)
    for use in (lambda: Tagger().tag([plain("x")]), lambda: Tagger().stored_parts(), lambda: Tagger().columns):
        with pytest.raises(CrossarcError, match="call fit first"):
            use()


def test_the_development_set_chooses_the_epoch(monkeypatch):
    """The second of three epochs is best here, so it gives the tagger."""
    seen, quality = [], iter([1.0, 3.0, 2.0])
    monkeypatch.setattr(TaggerModel, "score", lambda self, gold: seen.append(self) or {"upos": next(quality)})
    steps, epochs = [], []
    tagger = Tagger(epochs=3).fit(
        treebank(), treebank(), on_step=lambda done, of: steps.append((done, of)), on_epoch=epochs.append
    )
    assert len(set(map(id, seen))) == 3
    assert tagger.model is seen[1]
    assert steps == [(done, 6) for done in range(1, 7)]
    assert [(epoch.number, epoch.scores) for epoch in epochs] == [(1, {"upos": 1}), (2, {"upos": 3}), (3, {"upos": 2})]


def test_arrays_come_back_and_the_same_seed_gives_the_same(tagger):
    manifest, arrays = tagger.stored_parts()
    _, other = Tagger(epochs=5).fit(treebank()).stored_parts()
    assert list(arrays) == list(other)
    assert all(arrays[name].tobytes() == other[name].tobytes() for name in arrays)
    again = Tagger.from_parts(manifest, arrays, "here")
    assert again.columns == tagger.columns
    assert again.describe() == tagger.describe()
    texts = [plain(text) for text in (*TEXTS, *ODD)]
    assert [one.raw for one in again.tag(texts)] == [one.raw for one in tagger.tag(texts)]


HASHES = """
import hashlib
from crossarc.components.modelfile import model_bytes
from crossarc.tagging import Tagger
from crossarc.treebank import read_string
pairs = ["US US", "us we", "Will Will", "will be", "Bill Bill", "bill pay", "MAY May", "may can"]
rows = "".join(f"1\\t{form}\\t{lemma}\\tX\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n" for form, lemma in map(str.split, pairs))
print(hashlib.sha256(model_bytes(*Tagger(epochs=1).fit(read_string(rows * 3)).stored_parts())).hexdigest())
"""


def test_processes_agree():
    """Though the hashes of their strings differ."""
    found = {
        subprocess.run(
            [sys.executable, "-c", HASHES],
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in range(4)
    }
    assert len(found) == 1


def test_threads_share_a_tagger(tagger):
    texts = [plain(text) for text in (*TEXTS, *ODD)] * 20
    expected = [one.raw for one in tagger.tag(texts)]
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: tagger.tag(texts), range(8)):
            assert [one.raw for one in found] == expected


def damaged(array, generator):
    """The array with something else in it, or of another size."""
    kind = generator.integers(4)
    if kind == 0 or not array.size:
        return np.concatenate([array, array[:1]]) if array.size else np.ones(3, dtype=array.dtype)
    if kind == 1:
        return array[:-1]
    copy = array.copy()
    place = int(generator.integers(copy.size))
    flat = copy.reshape(-1)
    flat[place] = generator.choice([-1, 0, 1, 127, 32767]) if copy.dtype != np.uint8 else generator.integers(256)
    return copy


def test_damaged_arrays_are_refused_or_harmless(tagger):
    manifest, arrays = tagger.stored_parts()
    generator = np.random.default_rng(1)
    texts = [plain(text) for text in (*TEXTS, *ODD)]
    for name in arrays:
        with pytest.raises((ValueError, LookupError)):
            TaggerModel.from_arrays(manifest, {key: array for key, array in arrays.items() if key != name})
        for _ in range(6):
            try:
                broken = TaggerModel.from_arrays(manifest, {**arrays, name: damaged(arrays[name], generator)})
            except (ValueError, LookupError):
                continue
            assert len(broken.parsed(texts)) == len(texts)


FEATURES = [
    'templates = ["buffer[0].xpos"]',
    'templates = ["buffer[0].tree_head.form"]',
    "templates = 1",
    'extends = "tagging-first"',
    "\0",
]


@pytest.mark.parametrize("text", FEATURES)
def test_features_of_other_columns_are_refused(tagger, text):
    manifest, arrays = tagger.stored_parts()
    manifest["features"]["first"] = text
    with pytest.raises((ValueError, LookupError)):
        TaggerModel.from_arrays(manifest, arrays)


@pytest.mark.parametrize("change", [{"columns": []}, {"columns": ["form"]}, {"columns": 3}, {"features": {}}])
def test_damaged_manifests_are_refused(tagger, change):
    manifest, arrays = tagger.stored_parts()
    with pytest.raises(ModelError, match="here: the file holds no tagger"):
        Tagger.from_parts({**manifest, **change}, arrays, "here")


def test_jackknifed_tags_come_from_other_folds():
    sentences = treebank()
    done = []
    predicted = jackknife_tags(sentences, folds=3, seed=2, epochs=3, report=done.append)
    assert done == [1, 2, 3]
    assert [one.forms for one in predicted] == [one.forms for one in sentences]
    # A tag that only one sentence has cannot be found for it.
    odd = list(read_string("1\tdogs\todd\tODD\t_\t_\t0\troot\t_\t_\n\n"))
    assert jackknife_tags([*sentences, *odd], folds=3, epochs=3)[-1].column("upos")[1] != "ODD"
    with pytest.raises(CrossarcError, match="folds"):
        jackknife_tags(sentences[:2], folds=3)


def test_the_oracle_gives_each_word_its_tag():
    heads, starts = [-1, 0, 0, 0, -1, 0, -1], [0, 4, 6, 7]
    right, moves = replay(Tagging(), heads, starts)
    assert right.tolist() == moves.tolist() == [3, 1, 0]


def test_tags_before_a_word_are_features_of_it():
    search = search_of(load_model("tagging-first"), 3)
    tokens = np.zeros((4, len(load_model("tagging-first").attributes)), dtype=np.int32)
    keys = [search.keys_after(tokens, np.array(actions, dtype=np.int32)) for actions in ([0, 1], [1, 1], [0, 2])]
    names = [" + ".join(terms) for terms in load_model("tagging-first").terms]
    place = names.index("p1.deprel"), names.index("p1.deprel + p2.deprel")
    assert keys[0][place[0]] == keys[1][place[0]] != keys[2][place[0]]
    assert len({int(each[place[1]]) for each in keys}) == 3


def test_a_search_learns_to_follow_the_oracle():
    labels = np.array([-1, 0, 1, 2, -1, 1], dtype=np.int32)
    targets = Targets(np.where(labels >= 0, 0, -1).astype(np.int32), labels, np.array([0, 4, 6]))
    model = load_model("tagging-first")
    rows = np.arange(6 * len(model.attributes), dtype=np.int32).reshape(6, -1)
    search, weights = search_of(model, 3), Weights(3, 1)
    for _ in range(5):
        decisions, wrong = train(search, weights, Perceptron(), rows, targets, np.arange(2))
    assert (decisions, wrong) == (4, 0)
    found = np.full((2, 6), -1, dtype=np.int32)
    search.parse(weights.pack(), rows, np.array([0, 4, 6]), found[0], found[1], 0)
    assert found[1].tolist() == labels.tolist()
