"""The width of text on a terminal and on a page, its direction, and its unsafe characters."""

from __future__ import annotations

import re
import unicodedata

ELLIPSIS = "…"
ZERO_WIDTH_JOINER = "\u200d"
EMOJI_PRESENTATION = "\ufe0f"

# Characters that XML 1.0 forbids even as references (section 2.2), and lone surrogates, which cannot be encoded.
INVALID_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
# Characters that would move the cursor, change colours or change the direction of a terminal line.
UNSAFE_ON_TERMINAL = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")

# Advance widths of a common sans-serif font in em, rather too wide: words must not overlap.
NARROW = frozenset("iljtfrI.,;:'’‘|!()[]{}/\\-`·")
BROAD = frozenset("mwMW@%&—…œæŒÆ")


def is_mark(character: str) -> bool:
    """Whether a character has no width: combining marks, joiners and other format characters."""
    return unicodedata.category(character) in ("Mn", "Me", "Cf") or "\u1160" <= character <= "\u11ff"


def terminal_width(text: str) -> int:
    """The number of terminal cells of a text.

    Wide and full-width characters take two cells, combining and format characters none. Emoji after a zero-width joiner
    and skin tones after a symbol take no further cell.

    >>> [terminal_width(word) for word in ("cat", "猫", "ne\u0301e")]
    [3, 2, 3]
    """
    total = previous = 0
    joined = symbol = False  # what the last character was
    for character in text:
        if character == ZERO_WIDTH_JOINER:
            joined = previous == 2
            continue
        if character == EMOJI_PRESENTATION:
            total += previous == 1
            previous = 2
            continue
        # Between letters (Persian, Indic scripts) a joiner only changes their shape.
        swallowed = joined and unicodedata.category(character) == "So"
        joined = False
        if swallowed or is_mark(character) or (symbol and "\U0001f3fb" <= character <= "\U0001f3ff"):
            continue
        symbol = unicodedata.category(character) == "So"
        previous = 2 if unicodedata.east_asian_width(character) in "WF" else 1
        total += previous
    return total


def page_width(text: str, size: float) -> float:
    """The estimated width of a text in a sans-serif font of a size, rather too wide than too narrow."""
    return size * sum(map(advance, text))


def advance(character: str) -> float:
    """The width of one character in em."""
    if character.isascii():
        if character in NARROW:
            return 0.4
        if character in BROAD:
            return 0.98
        return 0.75 if character.isupper() else 0.62
    if is_mark(character):
        return 0.0
    if character in BROAD or unicodedata.east_asian_width(character) in "WF":
        return 1.05
    return 0.76 if character.isupper() else 0.66


def runs_right_to_left(text: str) -> bool:
    """Whether most of the letters of a text belong to a script written from right to left."""
    classes = [unicodedata.bidirectional(character) for character in text]
    backward = sum(kind in ("R", "AL") for kind in classes)
    return backward > classes.count("L")


def holds_right_to_left(text: str) -> bool:
    """Whether any letter of a text is written from right to left."""
    return any(unicodedata.bidirectional(character) in ("R", "AL", "AN") for character in text)


def printable(text: str) -> str:
    """The text for one terminal line, with control characters replaced."""
    return UNSAFE_ON_TERMINAL.sub("\ufffd", text)


def isolated(text: str) -> str:
    """The text, in a directional isolate if it has right-to-left letters, so that later columns stay in place."""
    return f"\u2068{text}\u2069" if holds_right_to_left(text) else text


def shortened(text: str, cells: int) -> str:
    """The text cut to a number of terminal cells, with an ellipsis if something was cut."""
    if terminal_width(text) <= cells:
        return text
    end = len(text)
    while end and terminal_width(text[:end]) > cells - 1:
        end -= 1
    return text[:end] + ELLIPSIS if cells > 0 else ""


def escaped(text: str) -> str:
    """The text as XML or HTML character data or attribute value; characters that XML forbids are replaced.

    >>> escaped('<"&\\x07')
    '&lt;&quot;&amp;\ufffd'
    """
    text = INVALID_IN_XML.sub("\ufffd", text)
    for character, name in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&#39;")):
        text = text.replace(character, name)
    return text
