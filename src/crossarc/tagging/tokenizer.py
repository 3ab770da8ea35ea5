"""Text in, sentences out: splits text into sentences and tokens, by rules or as a treebank does."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Self

from crossarc.components.learner import Learner, checkpoint_at
from crossarc.components.training import Epoch, Progress
from crossarc.core.checked import checked_count, checked_name
from crossarc.errors import CrossarcError, UnknownName
from crossarc.tagging.multiword import MultiwordSplitter
from crossarc.tagging.spacing import Sentences, Spans, text_of
from crossarc.tagging.tokenizer_model import MOST_WORDS, TokenizerModel, checked_most
from crossarc.treebank import Sentence

if TYPE_CHECKING:
    from crossarc.evaluation.tokenization import Tokenization
    from crossarc.tagging.training_text import SentenceText

__all__ = ["Sentences", "Tokenizer", "text_of"]

log = logging.getLogger(__name__)

Kind = Literal["learned", "rules"]
KINDS = ("learned", "rules")


class Tokenizer(Learner[TokenizerModel]):
    """Splits text into sentences and tokens.

    The kind "rules" needs no training. The kind "learned" splits as the treebank that `fit` was given, multiword tokens
    included. The same seed and the same treebank give the same tokenizer. A sentence with more than
    `max_sentence_words` words is cut where it ends most likely, and `notes` says how often that happened.

    >>> for sentence in Tokenizer("rules").tokenize("It works. Don't panic!"):
    ...     print(sentence.forms[1:], sentence.misc[1])
    ('It', 'works', '.') TokenRange=0:2
    ("Don't", 'panic', '!') TokenRange=10:15
    """

    title = "tokenizer"
    remedy = 'call fit first, or use Tokenizer("rules")'
    component = TokenizerModel

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
        self.kind = kind
        self.epochs = checked_count("epochs", epochs)
        self.seed = checked_count("seed", seed, 0)
        self.cut = checked_count("cut", cut)
        self.most_words = checked_most(max_sentence_words)
        self.model_ = TokenizerModel(max_sentence_words=max_sentence_words) if kind == "rules" else None

    @property
    def max_sentence_words(self) -> int:
        """How many words a sentence may have."""
        return self.most_words

    @max_sentence_words.setter
    def max_sentence_words(self, words: int) -> None:
        self.most_words = checked_most(words)
        self.origin_ = None
        if self.model_ is not None:
            self.model_ = replace(self.model_, max_sentence_words=words, cuts=[])

    def tokenize(self, text: str, *, document: str = "", offset: int = 0, first: int = 1) -> Sentences:
        """Return the sentences of a text; `document` is an id for its `# newdoc` comment.

        A later piece of a document has the `offset` where it begins and the number of its `first` sentence.
        """
        document = checked_name("document", document)
        return self.model.tokenize(text, document=document, offset=offset, first=first)

    def stream(
        self, blocks: Iterable[str], *, document: str = "", offset: int = 0, first: int = 1
    ) -> Iterator[Sentence]:
        """Yield the sentences of a long text that comes in blocks, as from a file; memory does not grow with it.

        The sentences do not depend on the blocks.
        """
        document = checked_name("document", document)
        return self.model.stream(blocks, document=document, offset=offset, first=first)

    def find_spans(self, text: str) -> Spans:
        """Return where the tokens of a text are, with sentences of any length."""
        return self.model.find_tokens(text, 0)[0]

    def notes(self) -> list[str]:
        """Return remarks about the texts so far."""
        return self.model.notes()

    def reset_notes(self) -> None:
        """Forget the remarks about the texts so far."""
        self.model.reset_notes()

    def fit(
        self,
        sentences: Iterable[Sentence],
        dev: Iterable[Sentence] | None = None,
        *,
        checkpoint: str | os.PathLike[str] | None = None,
        resume: bool = False,
        on_epoch: Callable[[Epoch], None] = lambda epoch: None,
        on_progress: Callable[[Progress], None] = lambda progress: None,
    ) -> Self:
        """Learn from the sentences of a treebank; with `dev`, keep the epoch that is best there.

        `checkpoint`, `resume`, `on_epoch` and `on_progress` are as in `Parser.fit`.
        """
        if self.kind == "rules":
            raise CrossarcError('rules do not learn; use Tokenizer("learned")')
        # What only training needs.
        from crossarc.parsers.provenance import digest
        from crossarc.tagging.boundary_training import BoundaryTrainer
        from crossarc.tagging.training_text import MADE_UP, NO_SPACING, lacks_spacing, sentence_texts

        sentences, held_out = list(sentences), list(dev or ())
        texts = [text for text in sentence_texts(sentences) if text.tokens]
        if not texts:
            raise CrossarcError("a tokenizer needs at least one sentence to learn from")
        if lacks_spacing(sentences):
            log.warning("%s, so the tokenizer learns from text that was made up: %s", NO_SPACING, MADE_UP)
        settings: dict[str, Any] = {"epochs": self.epochs, "seed": self.seed, "cut": self.cut}
        file = checkpoint_at(
            checkpoint,
            resume,
            lambda: {"settings": settings, "train": digest(sentences), "dev": digest(held_out)},
        )
        trainer = BoundaryTrainer(texts, MultiwordSplitter.learn(surface_forms(texts)), **settings)
        model = self.run(trainer, held_out or None, on_epoch, on_progress, file)
        return self.keep(replace(model, max_sentence_words=self.most_words), file)

    def evaluate(self, gold: Iterable[Sentence]) -> Tokenization:
        """Tokenize the text of a treebank and score the result by the metrics of the CoNLL 2018 shared task."""
        return self.model.evaluate(list(gold))

    @classmethod
    def around(cls, model: TokenizerModel) -> Self:
        """Return a tokenizer that splits as a model does."""
        kind: Kind = "rules" if model.boundaries is None else "learned"
        tokenizer = cls(kind, max_sentence_words=model.max_sentence_words)
        tokenizer.model_ = model
        return tokenizer


def surface_forms(texts: Iterable[SentenceText]) -> Iterable[tuple[str, tuple[str, ...]]]:
    """The tokens of sentences with their words."""
    for text in texts:
        yield from zip(text.tokens, text.words, strict=True)
