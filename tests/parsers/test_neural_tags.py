"""Neural parsers that predict tags and lemmas beside trees."""

import numpy as np
import pytest

from crossarc.components import read_model, write_model
from crossarc.errors import CrossarcError, ModelError
from crossarc.parsers import Parser, load
from crossarc.treebank import Sentence, read

SMALL = {"hidden": 24, "lexical_size": 24, "tag_size": 8, "arc_size": 16, "label_size": 16, "epochs": 25}
TAGS = ["upos", "xpos", "feats", "lemma"]


def make(name="neural", **options):
    return Parser(name, **{**SMALL, "features": "neural-forms", "predict": TAGS, **options})


def bare(sentences):
    """The sentences without tags and trees."""
    return [Sentence.from_columns(forms=sentence.forms) for sentence in sentences]


def right(gold, got, column):
    """The share of the words with the same value."""
    expected, found = ([value for s in each for value in s.column(column)] for each in (gold, got))
    return np.equal(expected, found).mean()


@pytest.fixture(scope="module")
def sentences(example):
    return list(read(example))


@pytest.fixture(scope="module")
def trained(sentences):
    return make().fit(sentences)


def test_tags_and_trees_are_learned_from_forms(trained, sentences, tmp_path):
    got = list(trained.parse(bare(sentences)))
    for column in ("upos", "feats", "lemma", "deprel"):
        assert right(sentences, got, column) > 0.8, column
    trained.save(tmp_path / "m.crossarc")
    assert [bytes(each) for each in load(tmp_path / "m.crossarc").parse(bare(sentences))] == [bytes(e) for e in got]


def test_columns_that_a_treebank_does_not_have_are_not_predicted(sentences):
    plain = [
        sentence.replace(xpos=[""] + ["_"] * len(sentence), lemmas=[""] + ["_"] * len(sentence))
        for sentence in sentences
    ]
    parser = make(epochs=1).fit(plain)
    assert list(parser.model.heads["tags"].values) == ["upos", "feats"]
    (got, *_) = parser.parse(sentences[:1])
    assert got.lemmas == sentences[0].lemmas


def test_what_is_given_can_be_kept(trained, sentences):

    some = [s.replace(upos=["", "X", *["_"] * (len(s) - 1)]) for s in bare(sentences) if len(s) > 1]
    for got, free in zip(trained.model.parsed(some, keep_tags=True), trained.model.parsed(some), strict=True):
        assert got.upos == ("", "X", *free.upos[2:])
        assert got.lemmas == free.lemmas


def test_analyses_have_tags(trained, sentences):
    (analysis,) = trained.parse(bare(sentences[:1]), scores=True, k=2)
    (got,) = trained.parse(bare(sentences[:1]))
    assert analysis.best.sentence == got
    assert got.upos[1] != "_"


def test_long_sentences_and_threads(trained, sentences):
    long = Sentence.from_columns(forms=["", *(form for s in sentences * 40 for form in s.forms[1:])][:1500])
    many = [*bare(sentences), long]
    once, twice = (list(trained.parse(many, threads=threads)) for threads in (1, 2))
    assert [bytes(each) for each in once] == [bytes(each) for each in twice]
    assert "_" not in once[-1].upos[1:]


def test_around_a_transform(sentences):
    parser = make("neural-projective", transform="head", epochs=3).fit(sentences)
    (got, *_) = parser.parse(bare(sentences))
    assert got.upos[1] != "_"
    assert not any("|" in label for label in got.deprels)


def test_the_same_bytes_after_an_interruption_and_more_values_with_a_start(sentences, tmp_path):
    whole = make(epochs=3).fit(sentences)

    def stop(epoch):
        if epoch.number == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make(epochs=3).fit(sentences, checkpoint=tmp_path / "c", on_epoch=stop)
    resumed = make(epochs=3).fit(sentences, checkpoint=tmp_path / "c", resume=True)
    for name, parser in (("a", whole), ("b", resumed)):
        parser.save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    new = Sentence(b"1\tZog\tzogo\tNEW\tZ\tNew=Yes\t0\troot\t_\t_\n\n")
    more = make(epochs=2).fit([new] * 40, init=whole)
    before, after = whole.model.heads["tags"].values["upos"], more.model.heads["tags"].values["upos"]
    assert list(after) == [*before, "NEW"]


def test_refusals(sentences, trained, tmp_path):
    with pytest.raises(CrossarcError, match=r'upos is predicted and cannot be a feature too.*"neural-forms"'):
        make(features="neural", predict=["upos"]).fit(sentences)
    with pytest.raises(CrossarcError, match="leave guides and ensemble out"):
        make(ensemble=2)
    with pytest.raises(CrossarcError, match="name each once"):
        make(predict=["upos", "upos"])
    with pytest.raises(CrossarcError, match="predict"):
        make(predict=["form"])
    trained.save(tmp_path / "m")
    manifest, arrays = read_model(tmp_path / "m")
    for name, change in {
        "tags.offsets.upos": lambda array: array[:-1],
        "tags.strings.lemma": lambda array: np.full_like(array, ord("z")),
        "network.tags.outputs.0.bias": lambda array: array[:-1],
    }.items():
        write_model(tmp_path / "bad", manifest, {**arrays, name: change(arrays[name])})
        with pytest.raises(ModelError, match=r"holds no parser|damaged"):
            load(tmp_path / "bad")


def combinations(sentences):
    """The combinations of tags that words have."""
    return {tags for s in sentences for tags in zip(s.upos[1:], s.xpos[1:], s.feats[1:], strict=True)}


@pytest.fixture(scope="module")
def unsure(sentences):
    """A parser that has learned little."""
    return make(epochs=2).fit(sentences)


def test_words_have_tags_that_training_combines(unsure, sentences, tmp_path):
    odd = [Sentence.from_columns(forms=["", *s.forms[:0:-1]]) for s in sentences]
    assert combinations(unsure.parse(odd)) <= combinations(sentences)
    assert combinations(a.best.sentence for a in unsure.parse(odd, scores=True)) <= combinations(sentences)
    # A model made before there were any chooses the tags of each column alone.
    unsure.save(tmp_path / "m")
    manifest, arrays = read_model(tmp_path / "m")
    kept = {name: array for name, array in arrays.items() if not name.startswith(("tags.comb", "tags.lemmas"))}
    assert len(kept) == len(arrays) - 7
    write_model(tmp_path / "old", manifest, kept)
    old = load(tmp_path / "old")
    assert old.model.heads["tags"].combinations is None
    assert old.model.heads["tags"].lemmas is None
    found = list(old.parse(odd))
    assert not combinations(found) <= combinations(sentences)
    assert [s.heads.tolist() for s in found] == [s.heads.tolist() for s in unsure.parse(odd)]


@pytest.mark.parametrize("block", [1, 7, 10**6])
def test_the_best_combination_is_that_of_all(unsure, monkeypatch, block):
    monkeypatch.setattr("crossarc.parsers.networks.tags.BLOCK_CELLS", block)
    tags = unsure.model.heads["tags"]
    rng = np.random.default_rng(block)
    scores = [rng.standard_normal((40, size)).astype(np.float32) for size in tags.sizes]
    found = np.stack(tags.choose(scores), axis=1)
    for word, chosen in enumerate(found.tolist()):
        sums = [sum(scores[k][word, value] for k, value in enumerate(row)) for row in tags.combinations.tolist()]
        best = tags.combinations[int(np.argmax(sums))].tolist()
        assert chosen[:3] == best
        assert chosen[3] == scores[3][word].argmax()
    assert tags.choose([each[:0] for each in scores])[0].shape == (0,)


def test_known_forms_take_their_lemma(unsure, sentences):
    """However little rules have learned; forms with several lemmas are left to rules."""
    lemmas = {}
    for sentence in sentences:
        for form, upos, lemma in zip(*(sentence.column(name)[1:] for name in ("form", "upos", "lemma")), strict=True):
            lemmas.setdefault((form, upos), set()).add(lemma)
    known = 0
    for sentence in unsure.parse(bare(sentences)):
        for form, upos, lemma in zip(*(sentence.column(name)[1:] for name in ("form", "upos", "lemma")), strict=True):
            if len(lemmas.get((form, upos), ())) == 1:
                known += 1
                assert {lemma} == lemmas[form, upos]
    assert known > 100


def test_more_training_adds_combinations_and_lemmas(unsure, sentences):
    new = Sentence(b"1\tZog\tzogo\tNEW\tZ\tNew=Yes\t0\troot\t_\t_\n\n")
    more = make(epochs=1).fit([new] * 40, init=unsure).model.heads["tags"]
    before = unsure.model.heads["tags"]
    assert len(more.combinations) == len(before.combinations) + 1
    assert len(more.lemmas) == len(before.lemmas) + 1
    bad = {"combinations": [before.combinations[::-1].copy(), before.combinations + 1000, before.combinations[:0]]}
    arrays = before.to_arrays()
    for name, values in bad.items():
        for value in values:
            with pytest.raises(ValueError, match="damaged"):
                type(before).from_arrays({**arrays, name: value}, TAGS)
