"""Addresses in running text: URLs and e-mail addresses, without the punctuation of the sentence around them."""

from __future__ import annotations

import re
from collections.abc import Iterator

MARKERS = ("://", "www.", "WWW.", "@")  # every address has one of them
LONGEST_SCHEME = 16
LONGEST_NAME = 64  # of a mailbox
# Quotation marks, full stops, commas and brackets of other scripts, and the letters of scripts without spaces, end a
# URL: in such text nothing else is between the URL and the next word.
URL_REST = re.compile(
    r"[^\s\"<>“”„«»‹›、。〈-】｡｢-､！（），：；？।॥،؛؟۔\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]+"
)
LABEL = r"[^\W_]+(?:-+[^\W_]+)*"
MAIL_REST = re.compile(rf"{LABEL}(?:\.{LABEL}){{1,8}}")
FINAL = frozenset(".,;:!?'’‘”»…*")


def has_address(text: str) -> bool:
    """Whether there may be an address in a text."""
    return any(marker in text for marker in MARKERS)


def find_addresses(text: str) -> list[tuple[int, int]]:
    """Return where the addresses of a text begin and end, in order. The time is linear in the text.

    >>> text = "See http://a.example/b_(c)?d=1, (www.site.example) or ann.lee@post.example."
    >>> [text[begin:end] for begin, end in find_addresses(text)]
    ['http://a.example/b_(c)?d=1', 'www.site.example', 'ann.lee@post.example']
    """
    found: list[tuple[int, int]] = []
    done = 0
    for place, marker in sorted(markers_of(text)):
        if place < done:
            continue
        span = mail_at(text, place, done) if marker == "@" else url_at(text, place, marker, done)
        if span is not None:
            found.append(span)
            done = span[1]
    return found


def markers_of(text: str) -> Iterator[tuple[int, str]]:
    """Yield where addresses may be."""
    for marker in MARKERS:
        place = text.find(marker)
        while place >= 0:
            yield place, marker
            place = text.find(marker, place + len(marker))


def url_at(text: str, place: int, marker: str, least: int) -> tuple[int, int] | None:
    """Return the URL that has its scheme before a place, or that begins there without a scheme."""
    begin = place
    if marker == "://":
        while begin > max(least, place - LONGEST_SCHEME) and is_scheme(text[begin - 1]):
            begin -= 1
        while begin < place and not text[begin].isalpha():
            begin += 1
        if place - begin < 2:
            return None
    elif place > least and text[place - 1].isalnum():
        return None
    match = URL_REST.match(text, place + len(marker))
    if match is None:
        return None
    end = trimmed(text, begin, match.end())
    return (begin, end) if end > place + len(marker) else None


def is_scheme(character: str) -> bool:
    """Whether a character can be in the scheme of a URL."""
    return character.isascii() and (character.isalnum() or character in "+.-")


def mail_at(text: str, place: int, least: int) -> tuple[int, int] | None:
    """Return the e-mail address around the mark @ at a place."""
    match = MAIL_REST.match(text, place + 1)
    if match is None:
        return None
    begin = place
    while begin > max(least, place - LONGEST_NAME) and (text[begin - 1].isalnum() or text[begin - 1] in "._%+-"):
        begin -= 1
    while begin < place and not text[begin].isalnum():
        begin += 1
    return (begin, match.end()) if begin < place else None


def trimmed(text: str, begin: int, end: int) -> int:
    """Return the end of an address without the punctuation of its sentence; closed brackets stay."""
    surplus = {
        close: text.count(close, begin, end) - text.count(opening, begin, end) for opening, close in ("()", "[]")
    }
    while end > begin + 1:
        final = text[end - 1]
        if surplus.get(final, 0) > 0:
            surplus[final] -= 1
        elif final not in FINAL:
            break
        end -= 1
    return end
