"""Treebanks that do not say where spaces are: their text is made up with punctuation attached, and that is said."""

import pytest

from crossarc.tagging import Tokenizer
from crossarc.tagging.made_up import attached_spaces
from crossarc.tagging.training_text import lacks_spacing, raw_text
from crossarc.treebank import read_string

# A text and, with spaces, its tokens.
TEXTS = {
    "Yes , they left .": "Yes, they left.",
    "( Why ? ) [ He asked . ]": "(Why?) [He asked.]",
    'Ann " the boss " paid $ 9 , or 20 % .': 'Ann "the boss" paid $9, or 20%.',
    "« Ja » , „ ja “ » nei « .": "«Ja», „ja“ »nei«.",
    "` Yes ' , `` no '' .": "` Yes ', ``no''.",
    '" It goes on .': '"It goes on.',
    'It ended . "': 'It ended."',
    'a " b': 'a " b',
    "¿ Qué ? ¡ No !": "¿Qué? ¡No!",
    "l' homme d' or": "l'homme d'or",
    "and / or - not": "and/or - not",
    "Wait ... what ?!": "Wait... what?!",
    "नमस्ते ।": "नमस्ते।",
    "نعم ، لا ؟": "نعم، لا؟",
}


def rows(text, comments=""):
    """A sentence of the tokens of a text, without spacing."""
    return comments + "".join(f"{k}\t{form}" + "\t_" * 8 + "\n" for k, form in enumerate(text.split(), 1)) + "\n"


@pytest.mark.parametrize("text", TEXTS)
def test_punctuation_is_attached(text):
    tokens = text.split()
    assert (
        "".join(token + space for token, space in zip(tokens, [*attached_spaces(tokens), ""], strict=True))
        == (TEXTS[text])
    )


def test_english_clitics_are_attached_where_the_treebank_has_them():
    assert raw_text(read_string(rows("I do n't know ; he 's ill"))) == "I don't know; he's ill\n"
    assert raw_text(read_string(rows("'s avonds in 't huis"))) == "'s avonds in 't huis\n"


def test_text_of_tokens_with_spaces_says_nothing():
    said = rows("Yes , no .", "# text = Yes , no .\n")
    assert lacks_spacing(read_string(said))
    assert raw_text(read_string(said)) == "Yes, no.\n"
    assert not lacks_spacing(read_string(said + rows("No .", "# text = No.\n")))
    assert not lacks_spacing(read_string(rows("well yes", "# text = well yes\n"))), "nothing would be attached"
    assert not lacks_spacing(read_string(rows("well , yes", "# text = another\n")))


TREEBANK = 'Ann said : " Yes . " | He left ( at ten ) . | Why ? | They met , ate and left ! | " No , " he said .'


def test_punctuation_is_split_by_such_a_tokenizer(caplog):
    sentences = read_string("".join(rows(text) for text in TREEBANK.split("|") * 5))
    tokenizer = Tokenizer(epochs=10).fit(sentences)
    assert "the treebank does not say where spaces are" in caplog.text
    assert "made up" in caplog.text
    found = tokenizer.tokenize('Bob said: "Why?" | Ann ate (at ten), he left.'.replace("| ", ""))
    forms = [form for one in found for form in one.forms[1:]]
    assert " ".join(forms) == 'Bob said : " Why ? " Ann ate ( at ten ) , he left .'
