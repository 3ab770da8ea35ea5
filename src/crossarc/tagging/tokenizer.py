"""Text in, sentences out: splits text into sentences and tokens, by rules or as a treebank does."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from crossarc.errors import CrossarcError, UnknownName
from crossarc.tagging import learned, rules
from crossarc.tagging.boundaries import BoundaryModel
from crossarc.tagging.characters import BLANK_LINE, Characters
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
from crossarc.tagging.windows import CUT, Counts, cut_sentences, likely_by_punctuation, windows
from crossarc.treebank import Sentence

if TYPE_CHECKING:
    from crossarc.evaluation.tokenization import Tokenization
    from crossarc.tagging.tagger import Steps

__all__ = ["Sentences", "Tokenizer", "text_of"]

log = logging.getLogger(__name__)

Kind = Literal["learned", "rules"]
KINDS = ("learned", "rules")
FORMAT = 2  # of the arrays; those of format 1 do not say whether rules are followed
MOST_WORDS = 1_000  # of a sentence; the longest in any treebank has about half as many


class Tokenizer:
    """Splits text into sentences and tokens.

    The kind "rules" needs no training. The kind "learned" splits as the treebank that `fit` was given, multiword tokens
    included. The same seed and the same treebank give the same tokenizer. A sentence with more than
    `max_sentence_words` words is cut where it ends most likely, and `notes` says how often that happened.

    >>> for sentence in Tokenizer("rules").tokenize("It works. Don't panic!"):
    ...     print(sentence.forms[1:], sentence.misc[1])
    ('It', 'works', '.') TokenRange=0:2
    ("Don't", 'panic', '!') TokenRange=10:15
    """

    def __init__(
        self,
        kind: Kind = "learned",
        *,
        epochs: int = 12,
        seed: int = 1,
        cut: int = 2,
        max_sentence_words: int = MOST_WORDS,
    ) -> None:
        if kind not in KINDS:
            raise UnknownName("kind of tokenizer", kind, KINDS)
        if not isinstance(max_sentence_words, int) or max_sentence_words < 1:
            raise CrossarcError(f"max_sentence_words = {max_sentence_words!r}: name a number of words, 1 or more")
        self.kind = kind
        self.epochs = epochs
        self.seed = seed
        self.cut = cut
        self.max_sentence_words = max_sentence_words
        self.cuts_: list[int] = []  # how often sentences were cut, window by window
        self.model_: BoundaryModel | None = None
        self.splitter_ = MultiwordSplitter({}, {})

    def tokenize(self, text: str, *, document: str = "", offset: int = 0, first: int = 1) -> Sentences:
        """Return the sentences of a text; `document` is an id for its `# newdoc` comment.

        A later piece of a document has the `offset` where it begins and the number of its `first` sentence.
        """
        found = Sentences(self.stream([text], document=document, offset=offset, first=first))
        if not found:
            found.spaces = text
        return found

    def stream(
        self, blocks: Iterable[str], *, document: str = "", offset: int = 0, first: int = 1
    ) -> Iterator[Sentence]:
        """Yield the sentences of a long text that comes in blocks, as from a file; memory does not grow with it.

        They are those of the whole text, in whatever blocks it comes.
        """
        split = self.splitter_.split if self.splitter_.forms or self.splitter_.suffixes else None
        for text, spans, place in windows(blocks, self.find_sentences):
            found = sentences_of(text, spans, split, document, offset + place, first)
            first += len(found)
            if cuts := int(np.count_nonzero(spans.last == CUT)):
                self.cuts_.append(cuts)
            yield from found

    def find_spans(self, text: str) -> Spans:
        """Return where the tokens of a text are, with sentences of any length."""
        return self.find_tokens(text, 0)[0]

    def find_tokens(self, text: str, begin: int) -> tuple[Spans, NDArray[np.float32] | None]:
        """Return the tokens of a text from a place on, where a sentence begins; the text before is only looked at.

        A learned tokenizer also says how likely a sentence ends with each token.
        """
        if self.kind == "learned":
            if self.model_ is None:
                raise CrossarcError(
                    'this tokenizer has not learned anything: call fit first, or use Tokenizer("rules")'
                )
            return learned.find_spans(self.model_, text, begin)
        spans = rules.find_spans(text[begin:])
        if begin and len(spans):
            gaps = Characters.of(f"{text[:begin]}.").gaps
            spans.paragraphs[0] = gaps[-2] == BLANK_LINE
        return Spans(spans.begins + begin, spans.ends + begin, spans.last, spans.paragraphs), None

    def find_sentences(self, text: str, begin: int) -> Spans:
        """Return the tokens of a text from a place on, with sentences that are not too long."""
        spans, sureness = self.find_tokens(text, begin)

        def likely(first: int, end: int) -> NDArray[np.floating]:
            return sureness[first:end] if sureness is not None else likely_by_punctuation(text, spans, first, end)

        def words(first: int, end: int) -> list[int]:
            both = zip(spans.begins[first:end].tolist(), spans.ends[first:end].tolist(), strict=True)
            return [len(self.splitter_.split(text[begin:end]) or "1") for begin, end in both]

        return cut_sentences(spans, likely, Counts(words, self.splitter_.most_words), self.max_sentence_words)

    def notes(self) -> list[str]:
        """Return what is worth knowing of the texts so far."""
        cuts, most = sum(self.cuts_), self.max_sentence_words
        return [f"sentences of more than {most:,} words were cut, {cuts:,} times in all"] if cuts else []

    def reset_notes(self) -> None:
        """Forget what was noted of the texts so far."""
        self.cuts_.clear()

    def fit(
        self,
        sentences: Iterable[Sentence],
        dev: Iterable[Sentence] | None = None,
        on_step: Steps = lambda done, of: None,
    ) -> Self:
        """Learn from the sentences of a treebank; with `dev`, keep the epoch that is best there.

        `on_step` is called after each epoch with how many are done and how many there are.
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
            on_step(epoch, self.epochs)
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
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], prefix: str = "tokenizer.", *, max_sentence_words: int = MOST_WORDS
    ) -> Tokenizer:
        """Return the tokenizer that a model file keeps; `ValueError` or `LookupError` for damaged arrays."""
        header = arrays[f"{prefix}format"]
        if header.shape != (2,) or not 1 <= header[0] <= FORMAT or not 0 <= header[1] < len(KINDS):
            raise ValueError("the tokenizer is damaged or of another version")
        tokenizer = cls("rules" if header[1] else "learned", max_sentence_words=max_sentence_words)
        if tokenizer.kind == "learned":
            tokenizer.model_ = learned.stored_model(arrays, f"{prefix}boundaries.", rules=header[0] > 1)
            tokenizer.splitter_ = MultiwordSplitter.from_arrays(arrays, f"{prefix}multiword.")
        return tokenizer


def surface_forms(texts: Iterable[SentenceText]) -> Iterable[tuple[str, tuple[str, ...]]]:
    """The tokens of sentences with their words."""
    for text in texts:
        yield from zip(text.tokens, text.words, strict=True)
