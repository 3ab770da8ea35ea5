"""What the tokenizer learns from real treebanks, and how the text of a treebank is made."""

from itertools import islice

import numpy as np
import pytest

from crossarc import read
from crossarc.tagging import Tokenizer, text_of
from crossarc.tagging.characters import Characters
from crossarc.tagging.training_text import (
    documents_of,
    labelled_text,
    lacks_spacing,
    raw_text,
    sentence_texts,
    spaces_in,
)
from crossarc.treebank import read_string


def rows(*tokens, comments=()):
    """A sentence of pairs of form and MISC."""
    lines = [f"{k}\t{form}" + "\t_" * 7 + f"\t{misc}" for k, (form, misc) in enumerate(tokens, 1)]
    return "\n".join([*comments, *lines]) + "\n\n"


def test_spacing_comes_from_text_or_misc():
    plain = [("Yes", "_"), ("!", "_")]
    by_text = rows(*plain, comments=["# text = Yes!"])
    other_text = rows(*plain, comments=["# text = Something else"])
    by_misc = rows(("Yes", "SpaceAfter=No"), ("!", "_"))
    by_spaces = rows(("Yes", "SpacesAfter=\\n\\u00A0"), ("!", "SpacesAfter=\\s\\s"))
    texts = [raw_text(read_string(one)) for one in (by_text, other_text, by_misc, by_spaces)]
    assert texts == ["Yes!\n", "Yes !\n", "Yes!\n", "Yes\n\xa0!\n"]
    assert spaces_in("a b", ["a", "c"]) is None


def test_paragraphs_and_documents():
    one = rows(("Hm", "_"))
    text = one + rows(("Oh", "_"), comments=["# newpar id = 7"]) + one + rows(("Ah", "_"), comments=["# newdoc id = x"])
    assert raw_text(read_string(text)) == "Hm\n\nOh Hm\n\nAh\n"


def test_scripts_without_spaces():
    words = "我們", "也", "非常", "喜歡", "夏天", "的", "大", "城市", "New", "York", "2020", "。"
    sentences = read_string(rows(*[(word, "_") for word in words]))
    assert lacks_spacing(sentences)
    assert raw_text(sentences) == "我們也非常喜歡夏天的大城市New York 2020。\n"


def test_words_without_spaces_are_learned():
    words = (
        ["我們", "喜歡", "音樂", "。"],
        ["你們", "不", "喜歡", "音樂", "。"],
        ["他", "說", "我們", "。"],
        ["他", "喜歡", "你們", "。"],
    )
    sentences = read_string("".join(rows(*[(word, "_") for word in one]) for one in words * 5))
    tokenizer = Tokenizer(epochs=10).fit(sentences)
    found = tokenizer.tokenize("他說你們喜歡音樂。我們不說。")
    assert [one.forms[1:] for one in found] == [("他", "說", "你們", "喜歡", "音樂", "。"), ("我們", "不", "說", "。")]


def test_tokens_with_spaces_are_learned():
    words = ["1 000", "is", "more", "than", "20 500", "."], ["I", "have", "3 000", "."], ["He", "is", "at", "home", "."]
    made = [rows(*[(word, "_") for word in one], comments=[f"# text = {' '.join(one)}"]) for one in words * 10]
    tokenizer = Tokenizer(epochs=10).fit(read_string("".join(made)))
    (one,) = tokenizer.tokenize("I have 4 000 at home .")
    assert one.forms[1:] == ("I", "have", "4 000", "at", "home", ".")


def test_features_do_not_collide():
    """Distinct features of different templates have distinct keys: some hundred thousand without a collision."""
    text = " ".join(f"w{k} x{k * 7}y, z{k}." for k in range(2000))
    tokenizer = Tokenizer(epochs=1).fit(read_string(rows(("a", "SpaceAfter=No"), (".", "_"))))
    keys = tokenizer.model.boundaries.keys(Characters.of(text))
    assert len(keys) > 200_000
    assert keys.all()
    distinct = np.unique(keys)
    assert len(np.unique(distinct >> np.uint64(32))) > 0.99 * len(distinct), "the upper halves tell keys apart"


def test_documents_have_known_boundaries(treebanks):
    path = next(path for path in treebanks if path.name == "dev.conllu")
    texts = sentence_texts(islice(read(path), 100))
    labelled = labelled_text(documents_of(texts))
    assert np.count_nonzero(labelled.decisions) == sum(len(text.tokens) for text in texts)
    assert np.count_nonzero(labelled.decisions == 2) == len(texts)


def test_the_text_of_treebanks_comes_back(treebanks):
    for path in treebanks:
        if path.name == "dev.conllu":
            text = raw_text(islice(read(path), 200))
            assert text_of(Tokenizer("rules").tokenize(text)) == text


@pytest.mark.parametrize(("part", "least"), [("en_ewt", 97.5), ("el_gdt", 98.5)])
def test_it_learns_a_treebank(treebanks, part, least):
    folders = {path.parent.name: path.parent for path in treebanks}
    if part not in folders:
        pytest.skip(f"needs the treebank {part} in CROSSARC_DATA")
    train = list(islice(read(folders[part] / "train.conllu"), 1500))
    dev = list(islice(read(folders[part] / "dev.conllu"), 300))
    assert Tokenizer(epochs=4).fit(train).evaluate(dev)["Tokens"].f1 > least
