"""Training of the learned tokenizer: texts with known boundaries, and the weights of decisions."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from crossarc.components.component import Arrays
from crossarc.components.training import Trainer
from crossarc.learning.learners import Perceptron
from crossarc.learning.scorers import Weights
from crossarc.tagging.addresses import find_addresses, has_address
from crossarc.tagging.boundaries import ABBREVIATION, ACTIONS, INSIDE, KNOWN, NAME, BoundaryModel, Lexicon
from crossarc.tagging.characters import DENSE, DIGIT, FIRST_UPPER, SPACE, Characters
from crossarc.tagging.epochs import training_texts
from crossarc.tagging.multiword import MultiwordSplitter
from crossarc.tagging.tokenizer_model import CLASSES, TokenizerModel
from crossarc.tagging.training_text import LabelledText, SentenceText, documents_of, has_spaces, labelled_text

LEAST_COUNT = 2  # of a word that is known: all others look in training as they will in new text
# A pair of classes is quiet if it was met so often and had a boundary in at most one of so many cases.
QUIET_COUNT = 200
QUIET_SHARE = 2000
# Rules are followed if this share of the addresses in training is whole, or if there are fewer than so many.
ADDRESS_SHARE = 0.8
LEAST_ADDRESSES = 5


def lexicon_of(texts: Sequence[SentenceText]) -> Lexicon:
    """Return the lexicon of the words of the training text."""
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
    """Return the pairs of classes between which the training text has almost no boundary.

    Rare pairs are left to the model, except pairs of letters and of digits: such pairs that were never split stay
    together.
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


class BoundaryTrainer(Trainer):
    """Learns boundaries from the texts of a treebank, which have a new order and spacing in each epoch.

    The sentences of the contract are the texts of an epoch: some sentences stand alone, the others in documents.
    """

    def __init__(
        self, texts: Sequence[SentenceText], splitter: MultiwordSplitter, *, epochs: int, seed: int, cut: int
    ) -> None:
        self.epochs = epochs
        self.cut = cut
        self.splitter = splitter
        self.documents = documents_of(texts)
        self.randomness = random.Random(seed)
        self.rule = Perceptron()
        plain = labelled_text(self.documents)
        characters = Characters.of(plain.text)
        quiet = quiet_pairs(characters, decisions_at(characters, plain))
        self.known = (lexicon_of(texts), quiet, has_spaces(texts), keeps_addresses(texts))
        self.weights = Weights(ACTIONS, cut)
        self.learner = BoundaryModel(self.weights, *self.known)

    def order(self) -> NDArray[np.int64]:
        """Draw the texts of an epoch, and return their order."""
        self.texts = list(training_texts(self.documents, self.randomness))
        self.sizes = np.array([np.count_nonzero(text.decisions) for text in self.texts], dtype=np.int64)
        return np.arange(len(self.texts))

    def learn(self, sentences: NDArray[np.int64]) -> tuple[int, int]:
        """Learn from some texts; return how many characters they have and behind how many the decision was wrong."""
        made = wrong = 0
        for number in sentences.tolist():
            labelled = self.texts[number]
            characters = Characters.of(labelled.text)
            wrong += self.learner.learn(characters, decisions_at(characters, labelled), self.rule)
            made += len(characters)
        return made, wrong

    def model(self) -> TokenizerModel:
        """Return the model as it is now, averaged and packed."""
        return TokenizerModel(BoundaryModel(self.weights.pack(), *self.known), self.splitter)

    def state(self) -> Arrays:
        """Return the weights, for a checkpoint."""
        return self.weights.to_arrays()

    def restore(self, arrays: Arrays) -> None:
        """Go on from the weights of a checkpoint."""
        self.weights = Weights.from_arrays(arrays, ACTIONS, self.cut)
        self.learner = BoundaryModel(self.weights, *self.known)


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
