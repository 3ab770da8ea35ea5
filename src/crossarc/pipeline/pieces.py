"""Long texts in pieces that are tokenized one by one, so that memory does not grow with the text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from crossarc.tagging import Tokenizer
from crossarc.treebank.sentence import Sentence

PIECE = 100_000  # characters after which a text is cut at its last blank line
LONGEST = 1_000_000  # after which it is cut at its last line, after twice as many at its last space
BLANK_LINE, LINE, SPACE = (re.compile(pattern) for pattern in (r"\n[^\S\n]*\n\s*", r"\s*\n\s*", r"\s+"))


class Piece(NamedTuple):
    """A part of a text, and where it begins there."""

    text: str
    offset: int


def pieces(blocks: Iterable[str], size: int = PIECE, longest: int = LONGEST) -> Iterator[Piece]:
    """Yield a text that comes in blocks as pieces; each begins with a paragraph, if paragraphs are not too long.

    >>> [piece.text for piece in pieces(["One.\\n\\nTwo.\\n", "\\n\\nThree."], size=5)]
    ['One.\\n\\n', 'Two.\\n\\n\\n', 'Three.']
    """
    kept, offset = "", 0
    for block in blocks:
        kept += block
        if len(kept) >= size and (end := cut(kept, longest)):
            yield Piece(kept[:end], offset)
            kept, offset = kept[end:], offset + end
    if kept or not offset:
        yield Piece(kept, offset)


def cut(text: str, longest: int) -> int:
    """Return where a text is cut, if anywhere; white space stays with what is before it."""
    end = len(text.rstrip())  # what goes on in the next block cannot be cut yet
    for pattern, least in ((BLANK_LINE, 0), (LINE, longest), (SPACE, 2 * longest)):
        if len(text) >= least:
            places = [match.end() for match in pattern.finditer(text, 0, end)]
            if places:
                return places[-1]
    return len(text) if len(text) >= 4 * longest else 0


def tokenized(tokenizer: Tokenizer, blocks: Iterable[str], document: str = "") -> Iterator[Sentence]:
    """Yield the sentences of one long text that comes in blocks, as from a file."""
    first = 1
    for text, offset in pieces(blocks):
        found = tokenizer.tokenize(text, document=document, offset=offset, first=first)
        first += len(found)
        yield from found
