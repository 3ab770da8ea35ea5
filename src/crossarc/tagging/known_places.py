"""Places in a text where rules tell better than a learned tokenizer whether a token or a sentence ends there."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from crossarc.tagging.addresses import MARKERS, find_addresses
from crossarc.tagging.characters import APART, GOES_ON, WHOLE, Characters

# Patterns begin with a literal character, since such patterns are found fast.
SUBSCRIPT = re.compile(r"\[[\w+*,.:-]{1,40}\]")  # behind a letter or digit, as in x[0] and a[i][j]
# A mark before these belongs to a name: Yahoo! Inc.
COMPANIES = [re.compile(rf"{mark} (?:Inc|Ltd|Corp|Co|LLC|PLC)\b") for mark in ("!", r"\?")]
SIGNS = (*MARKERS, "[", "! ", "? ")


def has_known_places(text: str) -> bool:
    """Whether there may be such places in a text."""
    return any(sign in text for sign in SIGNS)


def with_known_places(characters: Characters) -> Characters:
    """Return characters with the rules about the places behind them.

    Addresses are tokens, brackets of a subscript are apart, and a sentence goes on before the kind of a company.
    """
    text = characters.squeezed
    fixed = np.zeros(len(characters), dtype=np.uint8)
    for match in SUBSCRIPT.finditer(text):
        begin, end = match.span()
        if begin and (text[begin - 1].isalnum() or text[begin - 1] == "]"):
            fixed[[begin - 1, begin, end - 2, end - 1]] = APART
    for pattern in COMPANIES:
        for match in pattern.finditer(text):
            fixed[match.start()] = GOES_ON
    for begin, end in find_addresses(text):
        if begin:
            fixed[begin - 1] = APART
        fixed[begin : end - 1] = WHOLE
        fixed[end - 1] = APART
    return replace(characters, fixed=fixed)
