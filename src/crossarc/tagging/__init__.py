"""Between raw text and the parsers: the sentence splitter and tokenizer, and the tagger."""

from crossarc.tagging.jackknife import jackknife_tags
from crossarc.tagging.tagger import Tagger
from crossarc.tagging.tokenizer import Sentences, Tokenizer, text_of

__all__ = ["Sentences", "Tagger", "Tokenizer", "jackknife_tags", "text_of"]
