"""Sentences of words that another tool has split: lists of strings."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable

from crossarc.errors import TreebankError
from crossarc.treebank.sentence import Sentence

Tokens = Iterable[str] | Iterable[Iterable[str]]


def sentences_of_tokens(tokens: Tokens) -> tuple[list[Sentence], bool]:
    """Return the sentences of tokens, and whether these were one sentence, a list of strings.

    >>> sentences_of_tokens(["She", "left"])
    ([<Sentence 1: She left>], True)
    >>> sentences_of_tokens([["She", "left"], ["So", "did", "he"]])
    ([<Sentence 1: She left>, <Sentence 1: So did he>], False)
    """
    if isinstance(tokens, str | bytes) or not isinstance(tokens, Iterable):
        raise TreebankError(f"tokens are a list of strings, not {reprlib.repr(tokens)}; split the text first")
    items: list[object] = list(tokens)
    if items and isinstance(items[0], str):
        return [sentence_of_tokens(items)], True
    sentences = []
    for number, item in enumerate(items, start=1):
        if isinstance(item, str | bytes) or not isinstance(item, Iterable):
            raise TreebankError(f"sentence {number} is {reprlib.repr(item)}; a list of strings is needed")
        sentences.append(sentence_of_tokens(item, f" of sentence {number}"))
    return sentences, False


def sentence_of_tokens(tokens: Iterable[object], where: str = "") -> Sentence:
    """Return the sentence of some tokens; `where` says in errors which sentence that is."""
    forms = list(tokens)
    if not forms:
        raise TreebankError(f"there is no token{where}; leave empty sentences out")
    for number, form in enumerate(forms, start=1):
        if fault := token_fault(form):
            raise TreebankError(f"token {number}{where} is {reprlib.repr(form)}; {fault}")
    return Sentence.from_columns(forms=["", *map(str, forms)])


def token_fault(form: object) -> str:
    """Return why something cannot be a token, "" if it can."""
    if not isinstance(form, str):
        return "a string is needed"
    if not form:
        return "leave empty tokens out"
    if not {"\t", "\n", "\r"}.isdisjoint(form):
        return "a token holds neither tabs nor line ends: leave white space out"
    try:
        form.encode()
    except UnicodeEncodeError:
        return "UTF-8 has no lone surrogates: replace them"
    return ""
