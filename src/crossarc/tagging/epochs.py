"""The texts of an epoch: the sentences of a treebank in a new order, in documents and alone, some with other marks.

A tokenizer must meet the ends of texts: people type single sentences. And one that has met only straight quotation
marks and dollars splits other marks badly.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

from crossarc.tagging.training_text import LabelledText, SentenceText, labelled_text

SINGLE = 0.3  # of the sentences
VARIED = 0.1  # of the sentences
ATTACHED = 0.5  # of the square brackets, to the word before: x[0]
QUOTES = (("“", "”"), ("«", "»"), ("„", "“"), ("‘", "’"))
CURRENCIES = "€£¥₹"
# A title in the treebank is replaced by one of them.
TITLES = ("Mr.", "Mrs.", "Ms.", "Dr.", "Prof.", "Gen.", "Col.", "Sgt.", "Lt.", "Capt.", "Rev.", "Sen.", "Rep.", "Gov.")
LOWER_TITLES = frozenset(map(str.lower, TITLES))


def training_texts(documents: Sequence[list[SentenceText]], randomness: random.Random) -> Iterator[LabelledText]:
    """Yield all sentences as texts in a new order and spacing: documents, and single sentences that are taken out."""
    order = list(documents)
    randomness.shuffle(order)
    texts: list[list[SentenceText]] = []
    for document in order:
        rest: list[SentenceText] = []
        texts.append(rest)
        for sentence in document:
            changed = varied(sentence, randomness)
            if randomness.random() < SINGLE:
                texts.append([changed])
            else:
                rest.append(changed)
    randomness.shuffle(texts)
    for text in texts:
        if text:
            yield labelled_text([text], randomness)


def varied(text: SentenceText, randomness: random.Random) -> SentenceText:
    """Return a sentence as it is, or sometimes with other marks."""
    if randomness.random() >= VARIED:
        return text
    opening, closing = randomness.choice(QUOTES)
    brackets = {"(": "[", ")": "]"} if randomness.random() < 0.5 else {}
    tokens, spaces = list(text.tokens), list(text.spaces)
    is_open = False
    for k, token in enumerate(text.tokens):
        if token == '"':
            is_open = not is_open
            tokens[k] = opening if is_open else closing
        elif token in brackets:
            tokens[k] = brackets[token]
            if token == "(" and k and spaces[k - 1] == " " and randomness.random() < ATTACHED:
                spaces[k - 1] = ""
        elif token == "$":
            tokens[k] = randomness.choice(CURRENCIES)
        elif token.lower() in LOWER_TITLES:
            tokens[k] = randomness.choice(TITLES)
    return replace(text, tokens=tuple(tokens), spaces=tuple(spaces))
