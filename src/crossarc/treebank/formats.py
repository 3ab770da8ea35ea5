"""The treebank formats: what each column holds, and how to tell them apart."""

from __future__ import annotations

from dataclasses import dataclass

from crossarc.errors import UnknownName

# What the columns of any format are called inside crossarc, and the name of the property that gives them.
COLUMNS = ("form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")


@dataclass(frozen=True)
class Format:
    """A column format.

    `columns` names the fixed columns in order; `aliases` maps our name of a column to the format's own where they differ.
    With `extra`, any number of argument columns may follow, the same number on every line of a sentence.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    extensions: tuple[str, ...]
    aliases: tuple[tuple[str, str], ...] = ()
    extra: bool = False
    ranges: bool = False

    def index(self, column: str) -> int:
        """The place of a column, -1 when the format has none of that name."""
        name = dict(self.aliases).get(column, column)
        return self.columns.index(name) if name in self.columns else -1


CONLLU = Format(
    "conllu", "CoNLL-U", ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc"),
    (".conllu",), ranges=True,
)
CONLLX = Format(
    "conllx", "CoNLL-X", ("id", "form", "lemma", "cpostag", "postag", "feats", "head", "deprel", "phead", "pdeprel"),
    (".conllx", ".conll06"), (("upos", "cpostag"), ("xpos", "postag")),
)
CONLL09 = Format(
    "conll09", "CoNLL-2009",
    ("id", "form", "lemma", "plemma", "pos", "ppos", "feat", "pfeat", "head", "phead", "deprel", "pdeprel",
     "fillpred", "pred"),
    (".conll09",), (("upos", "pos"), ("xpos", "pos"), ("feats", "feat")), extra=True,
)
SDP = Format(
    "sdp", "SDP 2015", ("id", "form", "lemma", "pos", "top", "pred", "frame"),
    (".sdp",), (("upos", "pos"), ("xpos", "pos")), extra=True,
)

FORMATS = {each.name: each for each in (CONLLU, CONLLX, CONLL09, SDP)}


def get_format(name: str) -> Format:
    """The format of that name; an unknown one lists the valid ones."""
    if name not in FORMATS:
        raise UnknownName("format", name, FORMATS)
    return FORMATS[name]
