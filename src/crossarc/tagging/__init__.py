"""Between raw text and the parsers: the sentence splitter and tokenizer, and the tagger."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crossarc.core.lazy import lazily

if TYPE_CHECKING:
    from crossarc.tagging.jackknife import jackknife_tags
    from crossarc.tagging.tagger import Tagger
    from crossarc.tagging.tokenizer import Sentences, Tokenizer, text_of

__all__ = ["Sentences", "Tagger", "Tokenizer", "jackknife_tags", "text_of"]

__getattr__, __dir__ = lazily(
    __name__,
    jackknife="jackknife_tags",
    tagger="Tagger",
    tokenizer="Sentences Tokenizer text_of",
)
