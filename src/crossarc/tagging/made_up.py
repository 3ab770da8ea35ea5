"""Made-up spacing for treebanks that do not say where spaces are: punctuation is attached as it usually is.

White space always ends a token, so a tokenizer that learns from such text finds punctuation that is attached and
punctuation that is not. Text of a script without spaces is made without them.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np

from crossarc.tagging.characters import CLASS, COMMAS, DENSE, FULL_STOPS, classes_table, code_points

ROMAN = CLASS["upper LATIN"], CLASS["lower LATIN"]
# The same mark opens and closes: the first of a sentence opens. So do these, which differ from language to language.
QUOTES = {mark: family for family in ('"', "“”„‟", "«»", "‹›", "'‘’‚‛") for mark in family}
OPENING = frozenset(("``", "¿", "¡"))
CLOSING = frozenset(("''", "%", "‰", "°"))
STOPS = FULL_STOPS | COMMAS | frozenset(".,;:!?…")
# Written with the word before them wherever the treebank has the first of them.
CLITICS = ("n't", "'s", "'re", "'ve", "'ll", "'d", "'m")


def is_dense(tokens: Iterable[str]) -> bool:
    """Whether most characters of tokens belong to a script without spaces."""
    characters = code_points("".join(tokens))
    return bool(len(characters)) and float(np.isin(classes_table[characters], DENSE).mean()) > 0.5


def dense_spaces(tokens: Sequence[str]) -> list[str]:
    """Return the space behind each token but the last: only words in Roman letters or numbers have some between them.

    >>> dense_spaces(["我們", "New", "York", "。"])
    ['', ' ', '']
    """

    def needs_space(left: str, right: str) -> bool:
        kinds = classes_table[code_points(left[-1] + right[0])]
        return all(kind in ROMAN or kind == CLASS["digit"] for kind in kinds.tolist())

    pairs = pairwise(tokens)
    return [" " if needs_space(left, right) else "" for left, right in pairs]


def attached_spaces(tokens: Sequence[str], clitics: bool = False) -> list[str]:
    """Return the space behind each token but the last, if punctuation is attached to the words that it belongs to.

    With `clitics`, English clitics are attached too.

    >>> tokens = ["Ann", "(", "my", '"', "boss", '"', ")", "paid", "$", "9", ",", "or", "so", "."]
    >>> "".join(token + space for token, space in zip(tokens, [*attached_spaces(tokens), ""]))
    'Ann (my "boss") paid $9, or so.'
    """
    sides = [side_of(token) for token in tokens]
    count = Counter(QUOTES[token] for token in tokens if token in QUOTES)
    met: Counter[str] = Counter()
    for k, token in enumerate(tokens):
        family = QUOTES.get(token)
        if family is not None:
            met[family] += 1
            if met[family] == count[family] and count[family] % 2:  # without a partner: by its place alone
                sides[k] = "open" if k == 0 else "close" if all(side == "close" for side in sides[k + 1 :]) else ""
            else:
                sides[k] = "open" if met[family] % 2 else "close"
    return [
        "" if is_attached(tokens, sides, k) or (clitics and tokens[k + 1].lower() in CLITICS) else " "
        for k in range(len(tokens) - 1)
    ]


@lru_cache(10_000)
def side_of(token: str) -> str:
    """Return whether a token is attached to the word behind it (open), before it (close), or neither."""
    categories = set(map(unicodedata.category, token))
    if token in OPENING or categories == {"Ps"}:
        return "open"
    if token in CLOSING or categories == {"Pe"} or STOPS.issuperset(token):
        return "close"
    if len(token) > 1 and token[-1] in "'’" and token[:-1].isalpha():  # l', d'
        return "open"
    return ""


def is_attached(tokens: Sequence[str], sides: Sequence[str], k: int) -> bool:
    """Whether there is no space behind a token."""
    left, right = tokens[k], tokens[k + 1]
    if sides[k] == "open" or sides[k + 1] == "close":
        return True
    if left == "/" or right == "/":
        around = (k - 1, k + 1) if left == "/" else (k, k + 2)
        return all(0 <= place < len(tokens) and tokens[place][0].isalnum() for place in around)
    return unicodedata.category(left[-1]) == "Sc" and right[0].isdigit()
