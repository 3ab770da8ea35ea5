"""Between raw text and the parsers: the sentence splitter and tokenizer."""

from crossarc.tagging.tokenizer import Sentences, Tokenizer, text_of

__all__ = ["Sentences", "Tokenizer", "text_of"]
