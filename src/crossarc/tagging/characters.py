"""Characters as numbers: code points, lower case and classes, for the rules and for the learned model.

A class has the properties of a character that matter to a tokenizer: its Unicode category, its case, and its script
where that changes how words are written. Each punctuation mark of ASCII is a class of its own. The tables are filled
when a character is first met.
"""

from __future__ import annotations

import string
import unicodedata
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

# The first classes are numbers that native code knows.
EDGE: Final = 0
SPACE: Final = 1
EXTENDER: Final = 2  # belongs to the character before it: combining marks, variation selectors, skin tones
JOINER: Final = 3  # the zero-width joiner, which belongs to both its neighbours

NAMES: Final = (
    "edge",
    "space",
    "extender",
    "joiner",
    *(f"{case} {script}" for case in ("upper", "lower") for script in ("LATIN", "GREEK", "CYRILLIC", "other")),
    "letter ARABIC",
    "letter HEBREW",
    "letter HANGUL",
    "letter DEVANAGARI",
    "letter other",
    "letter CJK",
    "letter HIRAGANA",
    "letter KATAKANA",
    "letter THAI",
    "letter LAO",
    "letter KHMER",
    "letter MYANMAR",
    "letter TIBETAN",
    "digit",
    "number",
    "open",
    "close",
    "quote",
    "dash",
    "full stop",
    "comma",
    "other punctuation",
    "currency",
    "mathematics",
    "modifier",
    "flag",
    "symbol",
    "format",
    "control",
    *string.punctuation,
)
CLASS: Final = {name: number for number, name in enumerate(NAMES)}
SCRIPTS_WITHOUT_SPACES: Final = (
    "CJK",
    "HIRAGANA",
    "KATAKANA",
    "THAI",
    "LAO",
    "KHMER",
    "MYANMAR",
    "TIBETAN",
)
# In these classes a word can begin or end anywhere.
DENSE: Final = tuple(CLASS[f"letter {script}"] for script in SCRIPTS_WITHOUT_SPACES)
FIRST_UPPER: Final = CLASS["upper LATIN"]
FIRST_LOWER: Final = CLASS["lower LATIN"]
FIRST_CASELESS: Final = CLASS["letter ARABIC"]
DIGIT: Final = CLASS["digit"]
FULL_STOPS: Final = frozenset("。！？｡।॥؟۔։።፧༎။។‼⁇⁈⁉")
COMMAS: Final = frozenset("，、；：､،؛·")
CATEGORIES: Final = {
    "Nd": "digit",
    "Nl": "number",
    "No": "number",
    "Ps": "open",
    "Pe": "close",
    "Pi": "quote",
    "Pf": "quote",
    "Pd": "dash",
    "Sc": "currency",
    "Sm": "mathematics",
    "Sk": "modifier",
    "So": "symbol",
    "Cf": "format",
}
CODE_POINTS: Final = 0x110000
# Rules about the place behind a character: nothing ends there, a token ends there, or no sentence ends there.
WHOLE: Final = 1
APART: Final = 2
GOES_ON: Final = 3

# 0 in `classes` stands for a character that was not met yet.
classes_table: Final = np.zeros(CODE_POINTS, dtype=np.uint8)
lower_table: Final = np.zeros(CODE_POINTS, dtype=np.uint32)


def class_of(character: str) -> int:
    """Return the class of a character.

    >>> [NAMES[class_of(character)] for character in "Aя中9.»"]
    ['upper LATIN', 'lower CYRILLIC', 'letter CJK', 'digit', '.', 'quote']
    """
    return CLASS[class_name(character)]


def class_name(character: str) -> str:
    """Return the name of a character's class."""
    category = unicodedata.category(character)
    if character.isspace():
        return "space"
    if character in CLASS:
        return character
    if category.startswith("M") or "\U0001f3fb" <= character <= "\U0001f3ff" or character == "\u200c":
        return "extender"
    if character == "\u200d":
        return "joiner"
    if character in FULL_STOPS:
        return "full stop"
    if character in COMMAS:
        return "comma"
    if "\U0001f1e6" <= character <= "\U0001f1ff":
        return "flag"
    if category.startswith("L"):
        return letter_class(character, category)
    if category.startswith("P"):
        return CATEGORIES.get(category, "other punctuation")
    return CATEGORIES.get(category, "control")


def letter_class(character: str, category: str) -> str:
    """Return the name of a letter's class: case and script."""
    script = unicodedata.name(character, "OTHER").split()[0]
    if script == "IDEOGRAPHIC":
        script = "CJK"
    kind = {"Lu": "upper", "Lt": "upper", "Ll": "lower"}.get(category, "letter")
    if f"{kind} {script}" in CLASS:
        return f"{kind} {script}"
    return f"{kind} other"


def code_points(text: str) -> NDArray[np.uint32]:
    """Return the code points of a text, lone surrogates included; classes and lower case are known after this."""
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint32, copy=False)
    unknown = points[classes_table[points] == 0]
    if len(unknown):
        for point in np.unique(unknown).tolist():
            character = chr(point)
            lower = character.lower()
            lower_table[point] = ord(lower) if len(lower) == 1 else point
            classes_table[point] = class_of(character)  # last, as other threads look at it first
    return points


# The kinds of white space between two tokens.
NO_GAP: Final = 0
ONE_SPACE: Final = 1
MORE_SPACE: Final = 2
NEW_LINE: Final = 3
BLANK_LINE: Final = 4


@dataclass(frozen=True, eq=False)
class Characters:
    """A text without white space at its ends and with one space for each run of white space.

    `places` says where in the text each character is, `gaps` what kind of white space a space stands for. `fixed` has
    the rule about the place behind each character, 0 for none.
    """

    points: NDArray[np.uint32]
    lower: NDArray[np.uint32]
    classes: NDArray[np.uint8]
    gaps: NDArray[np.uint8]
    places: NDArray[np.int64]
    fixed: NDArray[np.uint8] | None = None

    @classmethod
    def of(cls, text: str) -> Characters:
        """Return the characters of a text.

        >>> characters = Characters.of("  A\\r\\n b\\n \\nc ")
        >>> characters.places.tolist(), characters.gaps.tolist()
        ([2, 3, 6, 7, 10], [0, 3, 0, 4, 0])
        """
        points = code_points(text)
        classes = classes_table[points]
        space = classes == SPACE
        kept = ~space
        kept[1:] |= ~space[:-1]
        filled = np.flatnonzero(~space)
        end = int(filled[-1]) + 1 if len(filled) else 0
        first = int(filled[0]) if len(filled) else 0
        places = np.flatnonzero(kept[:end])
        places = places[np.searchsorted(places, first) :]
        gaps = gap_kinds(points, classes, places)
        points = points[places]
        lower = lower_table[points]
        lower[gaps > 0] = ord(" ")
        return cls(points, lower, classes[places], gaps, places)

    def __len__(self) -> int:
        return len(self.points)

    @property
    def squeezed(self) -> str:
        """The characters as a string."""
        return self.points.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")


def gap_kinds(points: NDArray[np.uint32], classes: NDArray[np.uint8], places: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Return the kind of white space that begins at each place, `NO_GAP` for other characters."""
    kinds = np.zeros(len(places), dtype=np.uint8)
    gaps = np.flatnonzero(classes[places] == SPACE)
    if not len(gaps):
        return kinds
    breaks = ((points == 0x0A) | (points == 0x85) | (points == 0x2028)).astype(np.int64)
    breaks[points == 0x2029] = 2
    returns = points == 0x0D
    returns[:-1] &= points[1:] != 0x0A
    before = np.concatenate(([0], np.cumsum(breaks + returns)))
    begins, ends = places[gaps], places[gaps + 1]
    lines = before[ends] - before[begins]
    found = np.where(ends - begins > 1, MORE_SPACE, ONE_SPACE)
    found[lines == 1] = NEW_LINE
    found[lines > 1] = BLANK_LINE
    kinds[gaps] = found
    return kinds
