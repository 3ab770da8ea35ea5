"""The treebank formats: what each column holds, and how to tell them apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice

from crossarc.errors import UnknownName

# The names of the columns of any format inside crossarc, and of the property that gives them.
COLUMNS = ("form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")


@dataclass(frozen=True, eq=False)
class Format:
    """A column format; there is one object of each.

    `columns` names the fixed columns in order; `aliases` maps our name of a column to the format's own if it differs.
    With `extra`, any number of argument columns may follow, the same number on every line of a sentence; with
    `open_end`, tabs beyond the last column belong to it.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    extensions: tuple[str, ...]
    aliases: tuple[tuple[str, str], ...] = ()
    extra: bool = False
    open_end: bool = False
    ranges: bool = False
    places: dict[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        places = {name: place for place, name in enumerate(self.columns)}
        places |= {ours: places[name] for ours, name in self.aliases}
        object.__setattr__(self, "places", places)

    def __reduce__(self) -> tuple[Callable[[str], Format], tuple[str]]:
        return get_format, (self.name,)

    def index(self, column: str) -> int:
        """The place of a column, -1 if the format does not have it."""
        return self.places.get(column, -1)


CONLLU = Format(
    "conllu",
    "CoNLL-U",
    ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc"),
    (".conllu",),
    open_end=True,
    ranges=True,
)
CONLLX = Format(
    "conllx",
    "CoNLL-X",
    ("id", "form", "lemma", "cpostag", "postag", "feats", "head", "deprel", "phead", "pdeprel"),
    (".conllx", ".conll06"),
    (("upos", "cpostag"), ("xpos", "postag")),
)
CONLL09 = Format(
    "conll09",
    "CoNLL-2009",
    tuple("id form lemma plemma pos ppos feat pfeat head phead deprel pdeprel fillpred pred".split()),  # noqa: SIM905
    (".conll09",),
    (("upos", "pos"), ("xpos", "pos"), ("feats", "feat")),
    extra=True,
)
SDP = Format(
    "sdp",
    "SDP 2015",
    ("id", "form", "lemma", "pos", "top", "pred", "frame"),
    (".sdp",),
    (("upos", "pos"), ("xpos", "pos")),
    extra=True,
)

LOOKED_AT = 1 << 17  # bytes that tell the format
COMPRESSIONS = (".gz", ".zst")
FORMATS = {each.name: each for each in (CONLLU, CONLLX, CONLL09, SDP)}

EXTENSIONS = [extension for each in FORMATS.values() for extension in each.extensions]


def get_format(name: str) -> Format:
    """The format of that name; an unknown one lists the valid ones."""
    if not isinstance(name, str) or name not in FORMATS:
        raise UnknownName("format", name, FORMATS)
    return FORMATS[name]


def format_of_path(path: str) -> Format | None:
    """The format that a file's extension names, before .gz or .zst; None for other extensions."""
    name = path.lower()
    for suffix in COMPRESSIONS:
        name = name.removesuffix(suffix)
    return next((each for each in FORMATS.values() if name.endswith(each.extensions)), None)


def format_of_content(block: bytes) -> Format:
    """The format that the token lines of a file look like; CoNLL-U when in doubt."""
    lines = block[:LOOKED_AT].removeprefix(b"\xef\xbb\xbf").split(b"\n")
    if lines[0].startswith(b"#SDP"):
        return SDP
    tokens = (line.removesuffix(b"\r") for line in lines if line.strip() and not line.startswith(b"#"))
    rows = [line.split(b"\t") for line in islice(tokens, 200)]
    if len(rows) > 1 and lines[-1]:
        rows.pop()  # the rest of the line may follow
    if not rows:
        return CONLLU
    if all(len(row) >= 7 and row[4] in (b"+", b"-") and row[5] in (b"+", b"-") for row in rows):
        return SDP
    if all(len(row) >= 14 and (row[8].isdigit() or row[8] == b"_") for row in rows):
        return CONLL09
    looks_old = all(len(row) == 10 and row[0].isdigit() for row in rows)
    if looks_old and any(row[8].isdigit() for row in rows):
        return CONLLX
    return CONLLU
