"""Words that another tool has split."""

import logging

import numpy as np
import pytest

from crossarc.errors import TreebankError
from crossarc.parsers import Parser
from crossarc.treebank import Sentence, read


@pytest.fixture(scope="module")
def parser(example):
    plain = [Sentence.from_columns(forms=each.forms, heads=each.heads, deprels=each.deprels) for each in read(example)]
    return Parser("arc-hybrid", epochs=3).fit(plain)


def test_one_sentence(parser):
    for words in (["She", "left"], ("She", "left"), iter(["She", "left"]), np.array(["She", "left"])):
        sentence = parser.parse_tokens(words)
        assert sentence.forms == ("", "She", "left")
        assert sentence.is_tree
        assert sentence == next(parser.parse(Sentence.from_columns(forms=["", "She", "left"])))


def test_many_sentences(parser):
    words = [["She", "left"], ("So", "did he"), iter(["_"])]
    sentences = parser.parse_tokens(words, threads=2)
    assert [sentence.forms[1:] for sentence in sentences] == [("She", "left"), ("So", "did he"), ("_",)]
    assert parser.parse_tokens([]) == []
    assert [len(each) for each in parser.parse_tokens([["a"]] * 3)] == [1, 1, 1]


def test_empty_columns_are_told(example, caplog):
    parser = Parser("arc-hybrid", epochs=1).fit(example)
    with caplog.at_level(logging.WARNING):
        parser.parse_tokens(["She", "left"])
    assert "the input" in caplog.text
    missing = []
    parser.parse_tokens(["She", "left"], on_missing=missing.extend)
    assert "upos" in missing or "UPOS" in missing


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        ("She left", "tokens are a list of strings, not 'She left'; split the text first"),
        (b"She left", "tokens are a list of strings"),
        (7, "tokens are a list of strings, not 7"),
        (["She", 7], "token 2 is 7; a string is needed"),
        (["She", ["left"]], "token 2 is .* a string is needed"),
        ([["She"], "left"], "sentence 2 is 'left'; a list of strings is needed"),
        ([["She"], []], "there is no token of sentence 2; leave empty sentences out"),
        ([["She"], ["a", None]], "token 2 of sentence 2 is None; a string is needed"),
        ([7], "sentence 1 is 7"),
        (["She", ""], "token 2 is ''; leave empty tokens out"),
        (["a\tb"], "token 1 is .*; a token holds neither tabs nor line ends"),
        (["a\n"], "neither tabs nor line ends"),
        (["a\rb"], "neither tabs nor line ends"),
        (["\ud800"], "token 1 is .*lone surrogates"),
    ],
)
def test_what_is_no_list_of_words(parser, tokens, message):
    with pytest.raises(TreebankError, match=message):
        parser.parse_tokens(tokens)
