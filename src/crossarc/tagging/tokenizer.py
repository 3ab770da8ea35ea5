"""Text in, sentences out: splits text into sentences and tokens, by rules or as a treebank does."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from crossarc.errors import CrossarcError, UnknownName
from crossarc.tagging import learned, rules
from crossarc.tagging.boundaries import BoundaryModel
from crossarc.tagging.multiword import MultiwordSplitter
from crossarc.tagging.spacing import Sentences, Spans, sentences_of, text_of
from crossarc.tagging.training_text import (
    MADE_UP,
    NO_SPACING,
    SentenceText,
    lacks_spacing,
    raw_text,
    sentence_texts,
)
from crossarc.treebank import Sentence

if TYPE_CHECKING:
    from crossarc.evaluation.tokenization import Tokenization

__all__ = ["Sentences", "Tokenizer", "text_of"]

log = logging.getLogger(__name__)

Kind = Literal["learned", "rules"]
KINDS = ("learned", "rules")
FORMAT = 2  # of the arrays; those of format 1 do not say whether rules are followed


class Tokenizer:
    """Splits text into sentences and tokens.

    The kind "rules" needs no training. The kind "learned" splits as the treebank that `fit` was given, multiword tokens
    included. The same seed and the same treebank give the same tokenizer.

    >>> for sentence in Tokenizer("rules").tokenize("It works. Don't panic!"):
    ...     print(sentence.forms[1:], sentence.misc[1])
    ('It', 'works', '.') TokenRange=0:2
    ("Don't", 'panic', '!') TokenRange=10:15
    """

    def __init__(self, kind: Kind = "learned", *, epochs: int = 12, seed: int = 1, cut: int = 2) -> None:
        if kind not in KINDS:
            raise UnknownName("kind of tokenizer", kind, KINDS)
        self.kind = kind
        self.epochs = epochs
        self.seed = seed
        self.cut = cut
        self.model_: BoundaryModel | None = None
        self.splitter_ = MultiwordSplitter({}, {})

    def tokenize(self, text: str, *, document: str = "", offset: int = 0, first: int = 1) -> Sentences:
        """Return the sentences of a text; `document` is an id for its `# newdoc` comment.

        A later piece of a document has the `offset` where it begins and the number of its `first` sentence.
        """
        spans = self.find_spans(text)
        split = self.splitter_.split if self.splitter_.forms or self.splitter_.suffixes else None
        return sentences_of(text, spans, split, document, offset, first)

    def find_spans(self, text: str) -> Spans:
        """Return where the tokens of a text are."""
        if self.kind == "rules":
            return rules.find_spans(text)
        if self.model_ is None:
            raise CrossarcError('this tokenizer has not learned anything: call fit first, or use Tokenizer("rules")')
        return learned.find_spans(self.model_, text)

    def fit(
        self,
        sentences: Iterable[Sentence],
        dev: Iterable[Sentence] | None = None,
        on_epoch: Callable[[int], None] = lambda epoch: None,
    ) -> Self:
        """Learn from the sentences of a treebank; with `dev`, keep the epoch that is best there.

        `on_epoch` is called with the number of each epoch that is done.
        """
        if self.kind == "rules":
            raise CrossarcError('rules do not learn; use Tokenizer("learned")')
        sentences = list(sentences)
        texts = [text for text in sentence_texts(sentences) if text.tokens]
        if not texts:
            raise CrossarcError("a tokenizer needs at least one sentence to learn from")
        if lacks_spacing(sentences):
            log.warning("%s, so the tokenizer learns from text that was made up: %s", NO_SPACING, MADE_UP)
        self.splitter_ = MultiwordSplitter.learn(surface_forms(texts))
        trainer = learned.BoundaryTrainer(texts, seed=self.seed, cut=self.cut)
        dev_sentences = list(dev) if dev is not None else []
        best = -1.0
        for epoch in range(1, self.epochs + 1):
            wrong = trainer.learn()
            if dev_sentences:
                model = trainer.model()
                score = self.quality(model, dev_sentences)
                log.info("epoch %d: %d wrong decisions, %.2f on the development set", epoch, wrong, score)
                if score > best:
                    best, self.model_ = score, model
            on_epoch(epoch)
        if not dev_sentences or self.model_ is None:
            self.model_ = trainer.model()
        return self

    def quality(self, model: BoundaryModel, dev: list[Sentence]) -> float:
        """Return the mean F of words and sentences on a development set, which chooses the epoch."""
        other = Tokenizer("learned")
        other.model_, other.splitter_ = model, self.splitter_
        scores = other.evaluate(dev)
        return (3 * scores["Words"].f1 + scores["Sentences"].f1) / 4

    def evaluate(self, gold: Iterable[Sentence]) -> Tokenization:
        """Tokenize the text of a treebank and score the result by the metrics of the CoNLL 2018 shared task."""
        gold = list(gold)
        from crossarc.evaluation.tokenization import evaluate_tokenization

        return evaluate_tokenization(gold, self.tokenize(raw_text(gold)))

    def to_arrays(self, prefix: str = "tokenizer.") -> dict[str, NDArray[Any]]:
        """Return what a model file keeps, with a prefix before each name."""
        header = {f"{prefix}format": np.array([FORMAT, KINDS.index(self.kind)], dtype=np.int64)}
        if self.kind == "rules":
            return header
        if self.model_ is None:
            raise CrossarcError("this tokenizer has not learned anything: call fit first")
        return {
            **header,
            **learned.model_arrays(self.model_, f"{prefix}boundaries."),
            **self.splitter_.to_arrays(f"{prefix}multiword."),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str = "tokenizer.") -> Tokenizer:
        """Return the tokenizer that a model file keeps; `ValueError` or `LookupError` for damaged arrays."""
        header = arrays[f"{prefix}format"]
        if header.shape != (2,) or not 1 <= header[0] <= FORMAT or not 0 <= header[1] < len(KINDS):
            raise ValueError("the tokenizer is damaged or of another version")
        tokenizer = cls("rules" if header[1] else "learned")
        if tokenizer.kind == "learned":
            tokenizer.model_ = learned.stored_model(arrays, f"{prefix}boundaries.", rules=header[0] > 1)
            tokenizer.splitter_ = MultiwordSplitter.from_arrays(arrays, f"{prefix}multiword.")
        return tokenizer


def surface_forms(texts: Iterable[SentenceText]) -> Iterable[tuple[str, tuple[str, ...]]]:
    """The tokens of sentences with their words."""
    for text in texts:
        yield from zip(text.tokens, text.words, strict=True)
