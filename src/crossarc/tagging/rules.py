"""Tokens and sentences by rules, for text without a model.

A text is first written as one letter for each character's class, its shape, and the patterns run over that. So they see
all scripts alike, and marks belong to their letters. The time is linear in the text: every pattern that can fail looks
at a bounded number of characters.
"""

from __future__ import annotations

import re
import string
from functools import cache

import numpy as np
from numpy.typing import NDArray

from crossarc.tagging.addresses import find_addresses, trimmed
from crossarc.tagging.characters import BLANK_LINE, CLASS, NAMES, Characters
from crossarc.tagging.spacing import Spans

# Letters of a shape: A upper, a lower or caseless, m mark, j joiner, 0 digit, c h k scripts without spaces, s symbol,
# f flag, ! full stop of another script, o other punctuation, ~ dash, x control. A mark of ASCII is itself, and the
# space is a space.
OWN = {
    "edge": "x",
    "space": " ",
    "extender": "m",
    "joiner": "j",
    "digit": "0",
    "number": "0",
    "open": "(",
    "close": ")",
    "quote": '"',
    "dash": "~",
    "full stop": "!",
    "comma": ";",
    "other punctuation": "o",
    "currency": "$",
    "mathematics": "+",
    "modifier": "^",
    "flag": "f",
    "symbol": "s",
    "format": "x",
    "control": "x",
    "letter CJK": "c",
    "letter HIRAGANA": "h",
    "letter KATAKANA": "k",
}
APOSTROPHE = 0x2019  # a quotation mark by its category
GERSHAYIM = 0x22, 0x05F4  # between Hebrew letters they mark an abbreviation
HEBREW = CLASS["letter HEBREW"]
DECIMALS = 0x066B, 0x066C  # the point and the comma of Arabic numbers
WORD = r"[Aa][mj]*(?:[Aa0_][mj]*)*"
HOST = r"[Aa0][Aa0m-]{0,62}"
PLAIN = "|".join(
    (
        rf"(?P<tag>[#@]{WORD})",
        r"(?P<number>0[mj]*(?:[0mj]|[.,:'/](?=0))*(?:[Aa]{1,2}(?![Aa0_mj]))?)",
        r"(?P<initials>(?:[Aa]m{0,4}\.){2,}|Aa\.(?:Aa?\.)+)",
        rf"(?P<word>{WORD}(?:['&-]{WORD}|-0[0mj]*)*)",
        r"(?P<dense>c[mj]*|h[hmj]*|k[kmj]*)",
        r"(?P<face>[:;=]['^-]?(?:[()\[\]/\\|*]|[Aa0](?![Aa0_]))|<0(?!0)|\^_\^|-_-)",
        r"(?P<flag>ff?[mj]*)",
        r"(?P<symbol>s[mj]*(?:(?<=j)s[mj]*)*)",
        r"(?P<run>\.+|[!?]+|-+|\*+|=+|_+|~+|\++)",
        r"(?P<other>[^ ][mj]*)",
    )
)
TOKEN = re.compile(rf"(?P<host>{HOST}(?:\.{HOST}){{1,8}})|{PLAIN}")
PLAIN_TOKEN = re.compile(PLAIN)
PATH = re.compile(r"(?::0{1,5})?(?:/[^ \"<>]*)?")
ENDING = re.compile(r"[.!?]+$")
FACES = frozenset("()[]/\\|*DPpOo3^-")


def words_of(text: str) -> frozenset[str]:
    """Return the words of a list."""
    return frozenset(text.split())


DOMAINS = words_of("""
    com org net edu gov mil int info biz io ai co uk us de fr es it nl be ch at se no dk fi pl cz ru ua cn jp kr in br
    au ca nz eu gr tr pt ie il za mx ar tv me app dev
""")
# A full stop behind these never ends a sentence.
TITLES = words_of("""
    mr mrs ms dr prof st gen col sgt lt capt cmdr rev hon sen rep gov pres vs fig figs eq nos vol pp ca cf eds mt ave
    approx dept est univ e.g i.e z.b d.h bzw vgl dhr mevr mme mlle sra dra núm pág hr frk проф акад ул им рис стр
    см напр κ κα κος καθ δρ π.χ δηλ د أ डॉ प्रो पं
""")
# Behind these it may.
ABBREVIATIONS = words_of(
    "etc inc ltd co corp jr sr al a.m p.m u.s u.k u.n ph.d b.c a.d usw ibid г гг т д др тыс млн руб т.д т.п κ.λπ κλπ"
)
# And before a number these have one.
NUMBERED = words_of("no nr art abs p ch sec jan feb mar apr jun jul aug sep sept oct nov dec αρ άρθ")
# A mark before these belongs to a name: Yahoo! Inc.
COMPANIES = words_of("inc ltd co corp plc llc gmbh")
LONGEST_COMPANY = 5
# Words that tell that a new sentence has begun behind an abbreviation with dots inside.
STARTERS = words_of("""
    the he she it they we you i this that these those but and so in on at for a an there however when if as his her
    their our my its what who how why
""")


@cache
def letters() -> NDArray[np.uint8]:
    """Return the letter of each class."""
    table = np.zeros(256, dtype=np.uint8)
    for number, name in enumerate(NAMES):
        if name in OWN:
            letter = OWN[name]
        elif name in string.punctuation:
            letter = name
        else:
            letter = "A" if name.startswith("upper") else "a"
        table[number] = ord(letter)
    return table


def find_spans(text: str) -> Spans:
    """Return the tokens of a text.

    >>> text = "Dr. J. Smith can't pay $1,000.50 (see http://a.b/c?d=1). Why?"
    >>> spans = find_spans(text)
    >>> [text[begin:end] for begin, end in zip(spans.begins, spans.ends)]
    ['Dr.', 'J.', 'Smith', "can't", 'pay', '$', '1,000.50', '(', 'see', 'http://a.b/c?d=1', ')', '.', 'Why', '?']
    >>> [text[begin:end] for begin, end, last in zip(spans.begins, spans.ends, spans.last) if last]
    ['.', '?']
    """
    characters = Characters.of(text)
    squeezed = characters.squeezed
    shapes = letters()[characters.classes]
    shapes[characters.points == APOSTROPHE] = ord("'")
    shapes[1:-1][between_hebrew(characters)] = ord("'")
    shapes[np.isin(characters.points, DECIMALS)] = ord(",")
    shape = shapes.tobytes().decode("ascii")
    begins, ends = tokens_of(squeezed, shape)
    last = sentence_ends(squeezed, shape, characters.gaps, begins, ends)
    return Spans.at(
        characters, np.array(begins, dtype=np.int64), np.array(ends, dtype=np.int64) - 1, np.array(last, dtype=np.bool_)
    )


def between_hebrew(characters: Characters) -> NDArray[np.bool_]:
    """Return for each character but the first and the last whether it is a mark inside a Hebrew word."""
    hebrew = characters.classes == HEBREW
    inner: NDArray[np.bool_] = hebrew[:-2] & hebrew[2:] & np.isin(characters.points[1:-1], GERSHAYIM)
    return inner


def tokens_of(text: str, shape: str) -> tuple[list[int], list[int]]:
    """Return where tokens begin and end in a text with one space for each run of white space."""
    begins: list[int] = []
    ends: list[int] = []
    addresses = dict(find_addresses(text))
    place = 0
    while place < len(shape):
        if place in addresses:
            begins.append(place)
            place = addresses[place]
            ends.append(place)
            continue
        match = TOKEN.match(shape, place)
        if match is None:  # a space
            place += 1
            continue
        begins.append(place)
        place = token_end(text, shape, match)
        ends.append(place)
    return begins, ends


def token_end(text: str, shape: str, match: re.Match[str]) -> int:
    """Return where a token that a pattern found really ends."""
    kind, begin, end = match.lastgroup, match.start(), match.end()
    if kind == "host":
        if is_host(text[begin:end]):
            path = PATH.match(shape, end)
            return trimmed(text, begin, path.end() if path else end)
        plain = PLAIN_TOKEN.match(shape, begin)
        if plain is not None:
            kind, end = plain.lastgroup, plain.end()
    if kind == "face" and not ((begin == 0 or shape[begin - 1] == " ") and text[end - 1] in FACES):
        return begin + 1
    if kind == "word" and shape[end : end + 1] == "." and shape[end + 1 : end + 2] != ".":
        is_numbered = shape[end + 1 : end + 3] == " 0" and text[begin:end].lower() in NUMBERED
        return end + (is_numbered or is_abbreviation(text[begin:end]))
    return end


def is_host(token: str) -> bool:
    """Whether a token with dots is an address of the web."""
    host = token.lower()
    return host.startswith("www.") or (host.rpartition(".")[2] in DOMAINS and not host[0].isdigit())


def is_abbreviation(word: str) -> bool:
    """Whether a full stop behind a word belongs to it: known abbreviations, and initials."""
    lower = word.lower()
    return lower in TITLES or lower in ABBREVIATIONS or (len(word) == 1 and word.isupper() and word != "I")


def sentence_ends(text: str, shape: str, gaps: NDArray[np.uint8], begins: list[int], ends: list[int]) -> list[bool]:
    """Return for each token whether a sentence ends with it."""
    count = len(begins)
    last = [False] * count
    blank = {int(place) for place in np.flatnonzero(gaps == BLANK_LINE)}
    k = 0
    while k < count:
        if k + 1 == count or ends[k] in blank:
            last[k] = True
        elif may_end(text, shape, begins[k], ends[k]):
            close = k
            while close + 1 < count and begins[close + 1] == ends[close] and shape[ends[close]] in ")]}\"'":
                close += 1
            if close + 1 == count or not goes_on(text, shape, begins[k], ends[k], ends[close], begins[close + 1]):
                k = close
                last[k] = True
        k += 1
    return last


def may_end(text: str, shape: str, begin: int, end: int) -> bool:
    """Whether a sentence may end with a token."""
    if shape[begin] in ".!?":
        return ENDING.match(shape, begin, end) is not None
    if shape[begin] in "Aa" and shape[end - 1] == ".":  # an abbreviation or an initial
        word = text[begin : end - 1].lower()
        return end - begin > 2 and word not in TITLES and word not in NUMBERED
    return text[begin:end] == "…"


def is_caseless(letter: str) -> bool:
    """Whether a small letter begins sentences too: Georgian letters are small, and their capitals are for headings."""
    return "\u10d0" <= letter <= "\u10ff"


def goes_on(text: str, shape: str, begin: int, end: int, close: int, following: int) -> bool:
    """Whether a sentence goes on behind a token that may end it: the next token tells."""
    if shape[begin] == "!" and text[begin] != "!":  # a full stop of a script without case
        return False
    if close == following:  # no white space
        return shape[following] not in "chk"
    if (text[following].islower() and not is_caseless(text[following])) or shape[following] in ",;:)!?.":
        return True
    if text[begin] in "!?" and text[following : following + LONGEST_COMPANY].partition(".")[0].lower() in COMPANIES:
        return True
    if shape[begin] in "Aa" and "." in text[begin : end - 1]:
        word = PLAIN_TOKEN.match(shape, following)
        return word is None or text[following : word.end()].lower() not in STARTERS
    return False
