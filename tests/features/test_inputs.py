"""What networks see of words: models as TOML, what a treebank leaves of them, and values that are frequent enough."""

import numpy as np
import pytest

from crossarc.features.inputs import (
    InputAttributes,
    fit_input_model,
    frequent_values,
    load_input_model,
    parse_input_model,
)
from crossarc.features.templates import TemplateError
from crossarc.treebank import Corpus, Sentence, read


def corpus_of(*texts, **columns):
    return Corpus.of(
        [
            Sentence.from_columns(
                forms=["", *text.split()], **{name: ["", *values] for name, values in columns.items()}
            )
            for text in texts
        ]
    )


def test_a_model_is_read():
    model = parse_input_model('lexical = ["form", "suffix[2]", "form"]\ntags = ["upos", "feats[Case]"]')
    assert model.parts == {"lexical": ("form", "suffix[2]"), "tags": ("upos", "feats[Case]")}
    assert model.attributes == ("form", "suffix[2]", "upos", "feats[Case]")
    assert model.templates == (("form",), ("suffix[2]",), ("upos",), ("feats[Case]",))
    assert parse_input_model('tags = ["upos"]\nlexical = []').parts == {"tags": ("upos",)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lexical = [", "mine:"),
        ('words = ["form"]', "mine: 'words': the features of a network are the lists of attributes lexical and tags"),
        ('lexical = "form"', "mine: 'lexical': the features of a network are"),
        ("lexical = [1]", "mine: 'lexical': the features of a network are"),
        ("[lexical]\nform = 1", "mine: 'lexical': the features of a network are"),
        ('lexical = [\n  "form",\n  "fom",\n]', "mine:3: .*fom.*form"),
        ('lexical = ["form"]\ntags = ["upos[2]"]', r"mine:2: upos\[2\]: only feats, prefix and suffix take brackets"),
        ('lexical = ["suffix[0]"]', r"mine:1: suffix\[0\]: the brackets take a number of letters"),
        ('lexical = ["form"]\ntags = ["form"]', "mine: name some attributes, each in one part only"),
        ("", "mine: name some attributes"),
        ("lexical = []", "mine: name some attributes"),
    ],
)
def test_bad_models_are_refused(text, message):
    with pytest.raises(TemplateError, match=message):
        parse_input_model(text, "mine")


def test_features_stand_by_name_in_a_fitted_model(example):
    corpus = Corpus.of(list(read(example)))
    whole = load_input_model("neural")
    model = fit_input_model(whole, corpus)
    assert "feats[*]" not in model.attributes
    assert any(name.startswith("feats[") for name in model.attributes)
    assert parse_input_model(model.text).parts == model.parts
    assert fit_input_model(model, corpus).parts == model.parts


def test_columns_that_are_empty_are_left_out():
    model = fit_input_model(load_input_model("neural"), corpus_of("a dog barks", "the cats sleep"))
    assert set(model.parts) == {"lexical"}
    assert "lemma" not in model.attributes
    assert "lower" in model.attributes
    tagged = corpus_of("a dog barks", upos=["DET", "NOUN", "VERB"])
    assert fit_input_model(load_input_model("neural"), tagged).parts["tags"] == ("upos",)
    same = corpus_of("a dog barks", upos=["DET", "NOUN", "VERB"], xpos=["D", "N", "V"])
    assert fit_input_model(load_input_model("neural"), same).parts["tags"] == ("upos",), "other names of the same tags"
    with pytest.raises(TemplateError, match="mine: all its attributes read columns in which all words have the same"):
        fit_input_model(parse_input_model('tags = ["upos"]', "mine"), corpus_of("a dog"))


def test_values_are_numbered_from_a_number_of_occurrences_on():
    corpus = corpus_of("b a c a", "a b d")
    tables, counts = frequent_values(corpus, ["form", "suffix[1]"], 2)
    assert list(tables) == ["form", "suffix[1]"]
    assert list(tables["form"]) == ["b", "a"]
    assert counts[0][2:].tolist() == [2, 3]
    assert counts[0].sum() == 9, "two words that are rare and two roots are the first"
    assert counts[0][:2].tolist() == [4, 0]
    everything, _ = frequent_values(corpus, ["form"], 1)
    assert list(everything["form"]) == ["b", "a", "c", "d"]


def test_known_values_keep_their_numbers():
    known, _ = frequent_values(corpus_of("x y y x b"), ["form"], 1)
    tables, counts = frequent_values(corpus_of("b a c a", "a b d"), ["form"], 2, InputAttributes(known))
    assert list(tables["form"]) == ["x", "y", "b", "a"]
    assert counts[0][2:].tolist() == [0, 0, 2, 3]


def test_words_among_pretrained_vectors_are_the_last_column():
    from crossarc.core.strings import StringTable

    corpus = corpus_of("Dog barks", "ÄPFEL İs")
    tables, _ = frequent_values(corpus, ["form"], 1)
    words = StringTable(["dog", "äpfel"])
    rows = InputAttributes(tables, words).encode(corpus)
    assert rows.shape == (6, 2)
    assert np.array_equal(rows[:, :1], InputAttributes(tables).encode(corpus))
    assert rows[[1, 2, 4, 5], 1].tolist() == [2, 0, 3, 0]
