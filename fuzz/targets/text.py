"""Texts of all kinds through tokenizers and a pipeline: every text comes back, in any blocks, in linear time."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random
from time import process_time

import crossarc
from crossarc.pipeline import Pipeline
from crossarc.tagging import Tokenizer, text_of
from fuzz.samples import ODD, odd_text

SPACES = (" ", " ", " ", "  ", "\n", "\n\n", "\t", "\r\n", "\u00a0", "\u2028", "\u3000", "", ". ", "? ", "! ", '." ')
WORDS = ("a", "the", "Mr.", "U.S.", "can't", "www.x.org/a?b=c", "3.14", "...", "(", ")", '"', "'", "-", "e.g.", "x@y.z")
SECONDS = 5e-5  # of a character, and half a second; a hundred times as much as is usual


@dataclass(frozen=True)
class Text:
    """A text, the places where its blocks begin, and whether the whole pipeline has it."""

    text: str
    cuts: tuple[int, ...]
    whole: bool


def prepare(folder: Path) -> tuple[Pipeline, Tokenizer]:
    """Return a pipeline, and a tokenizer by rules."""
    found = crossarc.load("en")
    assert isinstance(found, Pipeline)
    return found, Tokenizer("rules")


def make(seed: int, context: object) -> Text:
    """Return a text: short, or a piece of one many times."""
    rng = Random(seed)
    pieces = []
    for _ in range(rng.choice((0, 1, 5, 20))):
        pieces += [rng.choice((rng.choice(WORDS), rng.choice(ODD), odd_text(rng))), rng.choice(SPACES)]
    text = "".join(pieces)
    if rng.random() < 0.02:
        text = (text[:40] or " ") * rng.choice((100, 1_000, 4_000))
    if rng.random() < 0.05:
        place = rng.randint(0, len(text))
        text = text[:place] + rng.choice(("\ud800", "\udfff\ud800", "\x00")) + text[place:]
    cuts = tuple(sorted(rng.randint(0, len(text)) for _ in range(rng.randint(0, 5))))
    return Text(text, cuts, len(text) < 300 and rng.random() < 0.1)


def check(given: Text, context: tuple[Pipeline, Tokenizer]) -> str:
    """Tokenize the text as a whole and in blocks."""
    nlp, rules = context
    begin = process_time()
    for tokenizer in (rules, nlp.tokenizer):
        sentences = tokenizer.tokenize(given.text)
        assert text_of(sentences) == given.text, "the text does not come back"
        edges = [0, *given.cuts, len(given.text)]
        blocks = [given.text[first:last] for first, last in pairwise(edges)]
        assert list(tokenizer.stream(blocks)) == list(sentences), "blocks change the sentences"
        assert all(len(sentence) for sentence in sentences)
    seconds = process_time() - begin
    assert seconds < 0.5 + SECONDS * len(given.text), f"{seconds:.1f} s for {len(given.text):,} characters"
    if not given.whole:
        return "tokens"
    parsed = nlp(given.text)
    assert text_of(parsed) == given.text, "the text of the trees is another"
    assert all(sentence.is_tree for sentence in parsed), "a sentence has no tree"
    return "trees"
