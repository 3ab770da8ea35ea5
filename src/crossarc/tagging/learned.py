"""Training and storing of the learned boundaries."""

from __future__ import annotations

import logging
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossarc.learning.learners import Perceptron
from crossarc.learning.scorers import PackedWeights, Weights
from crossarc.tagging.addresses import find_addresses, has_address
from crossarc.tagging.boundaries import ABBREVIATION, ACTIONS, INSIDE, KNOWN, NAME, SENTENCE_END, BoundaryModel, Lexicon
from crossarc.tagging.characters import DENSE, DIGIT, FIRST_UPPER, SPACE, Characters
from crossarc.tagging.epochs import training_texts
from crossarc.tagging.known_places import has_known_places, with_known_places
from crossarc.tagging.spacing import Spans
from crossarc.tagging.training_text import (
    LabelledText,
    SentenceText,
    documents_of,
    has_spaces,
    labelled_text,
)

log = logging.getLogger(__name__)

CLASSES = 128  # as in boundaries.pxd
LEAST_COUNT = 2  # of a word that is known: all others look in training as they will in new text
# A pair of classes is quiet if it was met so often and had a boundary in at most one of so many cases.
QUIET_COUNT = 200
QUIET_SHARE = 2000
# Rules are followed if this share of the addresses in training is whole, or if there are fewer than so many.
ADDRESS_SHARE = 0.8
LEAST_ADDRESSES = 5


def lexicon_of(texts: Sequence[SentenceText]) -> Lexicon:
    """Return what is known of the words of the training text."""
    lower: Counter[str] = Counter()
    capital: Counter[str] = Counter()
    inside: Counter[str] = Counter()
    for text in texts:
        for k, token in enumerate(text.tokens):
            word = token.lower()
            lower[word] += 1
            if k:
                inside[word] += 1
                capital[word] += token[:1].isupper()
    words = []
    for word, count in lower.items():
        if count < LEAST_COUNT:
            continue
        flags = KNOWN
        if inside[word] and 2 * capital[word] > inside[word]:
            flags |= NAME
        if len(word) > 1 and word.endswith(".") and any(map(str.isalpha, word)):
            flags |= ABBREVIATION
        words.append((word, flags))
    return Lexicon.of(words)


def quiet_pairs(characters: Characters, gold: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the pairs of classes between which the training text has next to no boundary.

    Rare pairs are left to the model, except pairs of letters and of digits: what was never split stays whole.
    """
    classes = characters.classes.astype(np.int64)
    inner = (classes[:-1] != SPACE) & (classes[1:] != SPACE)
    pairs = (classes[:-1] * CLASSES + classes[1:])[inner]
    met = np.bincount(pairs, minlength=CLASSES * CLASSES)
    bounds = np.bincount(pairs, weights=gold[:-1][inner] != INSIDE, minlength=CLASSES * CLASSES)
    letters = np.zeros(CLASSES, dtype=np.bool_)
    letters[FIRST_UPPER:DIGIT] = True
    letters[list(DENSE)] = False
    whole = np.outer(letters, letters)
    whole[DIGIT, DIGIT] = True
    often = (met >= QUIET_COUNT) | whole.reshape(-1)
    quiet: NDArray[np.uint8] = (often & (bounds * QUIET_SHARE <= met)).astype(np.uint8)
    return quiet.reshape(CLASSES, CLASSES)


def decisions_at(characters: Characters, labelled: LabelledText) -> NDArray[np.uint8]:
    """Return the gold decisions of the characters that a model sees."""
    gold: NDArray[np.uint8] = labelled.decisions[characters.places]
    return gold


class BoundaryTrainer:
    """Learns boundaries from sentences, one epoch after the other."""

    def __init__(self, texts: Sequence[SentenceText], *, seed: int, cut: int) -> None:
        self.documents = documents_of(texts)
        self.randomness = random.Random(seed)
        self.rule = Perceptron()
        plain = labelled_text(self.documents)
        characters = Characters.of(plain.text)
        quiet = quiet_pairs(characters, decisions_at(characters, plain))
        self.weights = Weights(ACTIONS, cut)
        self.learner = BoundaryModel(self.weights, lexicon_of(texts), quiet, has_spaces(texts), keeps_addresses(texts))

    def learn(self) -> int:
        """Learn from all sentences once, in a new order and spacing; the number of wrong decisions."""
        wrong = 0
        for labelled in training_texts(self.documents, self.randomness):
            characters = Characters.of(labelled.text)
            wrong += self.learner.learn(characters, decisions_at(characters, labelled), self.rule)
        return wrong

    def model(self) -> BoundaryModel:
        """Return the model as it is now, averaged and packed."""
        learner = self.learner
        return BoundaryModel(self.weights.pack(), learner.lexicon, learner.quiet, learner.spaces, learner.rules)


def keeps_addresses(texts: Iterable[SentenceText]) -> bool:
    """Whether the URLs and e-mail addresses of the training text are tokens, or there are too few to say."""
    count = whole = 0
    for text in texts:
        pieces = [piece for pair in zip(text.tokens, text.spaces, strict=True) for piece in pair]
        written = "".join(pieces)
        if has_address(written):
            bounds = [0, *accumulate(map(len, pieces))]
            tokens = set(zip(bounds[::2], bounds[1::2], strict=False))
            found = find_addresses(written)
            count += len(found)
            whole += sum(span in tokens for span in found)
    return count < LEAST_ADDRESSES or whole >= ADDRESS_SHARE * count


def find_spans(model: BoundaryModel, text: str, begin: int = 0) -> tuple[Spans, NDArray[np.float32]]:
    """Return the tokens of a text from a place on, where a sentence begins, and how likely a sentence ends with each.

    What is before is only looked at.
    """
    characters = Characters.of(text)
    if model.rules and has_known_places(text):
        characters = with_known_places(characters)
    first = int(np.searchsorted(characters.places, begin))
    decisions, sureness = model.decide(characters, first)
    ends = np.flatnonzero(decisions)
    begins = np.concatenate((np.full(min(1, len(ends)), first), ends[:-1] + 1))
    begins += characters.classes[begins] == SPACE
    return Spans.at(characters, begins, ends, decisions[ends] == SENTENCE_END), sureness[ends]


def model_arrays(model: BoundaryModel, prefix: str) -> dict[str, NDArray[Any]]:
    """Return what a model file keeps of a model."""
    scorer = model.scorer
    assert isinstance(scorer, PackedWeights)
    return {
        **scorer.to_arrays(f"{prefix}weights."),
        f"{prefix}words": model.lexicon.keys,
        f"{prefix}flags": model.lexicon.flags,
        f"{prefix}quiet": model.quiet,
        f"{prefix}spaces": np.array([model.spaces], dtype=np.uint8),
        f"{prefix}rules": np.array([model.rules], dtype=np.uint8),
    }


def stored_model(arrays: Mapping[str, NDArray[Any]], prefix: str, *, rules: bool) -> BoundaryModel:
    """Return the model that a model file keeps; `ValueError` or `LookupError` for damaged arrays.

    Older files have no `rules`, and their models follow none.
    """
    scorer = PackedWeights.from_arrays(dict(arrays), ACTIONS, f"{prefix}weights.")
    lexicon = Lexicon(arrays[f"{prefix}words"], arrays[f"{prefix}flags"])
    quiet = arrays[f"{prefix}quiet"]
    spaces = arrays[f"{prefix}spaces"]
    followed = arrays[f"{prefix}rules"] if rules else np.zeros(1, dtype=np.uint8)
    if quiet.shape != (CLASSES, CLASSES) or spaces.shape != (1,) or followed.shape != (1,):
        raise ValueError("the tables of the tokenizer are damaged")
    return BoundaryModel(scorer, lexicon, quiet, bool(spaces[0]), bool(followed[0]))
