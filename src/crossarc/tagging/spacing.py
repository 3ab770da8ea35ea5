"""Tokens of a text as sentences, with everything that brings the text back: offsets and white space in MISC.

White space is written as UDPipe writes it: `SpaceAfter=No` for none, nothing for one space, and otherwise
`SpacesAfter=...`; what stands before the first token is in its `SpacesBefore=...`. There, `\\s`, `\\t`, `\\n`, `\\r`,
`\\p` (for |) and `\\\\` are escapes. `TokenRange=begin:end` gives the offsets in the text. UTF-8 has no lone
surrogates: a form has U+FFFD instead, and `Surface=...` has the form itself with `\\u` and four digits for each.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crossarc.tagging.boundaries import write_spans
from crossarc.tagging.characters import BLANK_LINE, Characters, code_points
from crossarc.treebank import Sentence
from crossarc.treebank.formats import CONLLU
from crossarc.treebank.sentence import Scanner

Split = Callable[[str], Sequence[str] | None]
ESCAPES = {"\\": "\\\\", " ": "\\s", "\t": "\\t", "\n": "\\n", "\r": "\\r", "|": "\\p"}
TO_ESCAPE = re.compile("[\\\\ \t\n\r|\ud800-\udfff]")
ESCAPED = re.compile(r"\\(u[0-9a-fA-F]{4}|[stnrp\\])")
UNESCAPES = {escape[1]: character for character, escape in ESCAPES.items()}
SURROGATES = re.compile("[\ud800-\udfff]")
LINE_BREAKS = dict.fromkeys(map(ord, "\t\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"), " ")


def escape(text: str) -> str:
    """Return a text as a value of MISC.

    >>> escape(" \\n|\\xa0")
    '\\\\s\\\\n\\\\p\\xa0'
    """
    return TO_ESCAPE.sub(lambda match: ESCAPES.get(match[0]) or f"\\u{ord(match[0]):04x}", text)


def unescape(value: str) -> str:
    """Return the text that `escape` wrote; other backslashes stay as they are.

    >>> unescape("\\\\s\\\\n\\\\p\\xa0") == " \\n|\\xa0"
    True
    """
    return ESCAPED.sub(lambda match: UNESCAPES.get(match[1]) or chr(int(match[1][1:], 16)), value)


@dataclass(frozen=True, eq=False)
class Spans:
    """The tokens of a text: where each begins and ends, whether it ends a sentence or begins a paragraph."""

    begins: NDArray[np.int64]
    ends: NDArray[np.int64]
    last: NDArray[np.uint8]
    paragraphs: NDArray[np.uint8]

    @classmethod
    def at(
        cls, characters: Characters, begins: NDArray[np.int64], ends: NDArray[np.int64], last: NDArray[np.bool_]
    ) -> Spans:
        """Return the spans of tokens by their first and last characters; a blank line begins a paragraph."""
        gaps = characters.gaps[np.maximum(begins - 1, 0)]
        paragraphs = (begins == 0) | (gaps == BLANK_LINE)
        places = characters.places
        return cls(places[begins], places[ends] + 1, last.astype(np.uint8), paragraphs.astype(np.uint8))

    def __len__(self) -> int:
        return len(self.begins)


class Sentences(list[Sentence]):
    """The sentences of a text; `spaces` is a text that has no tokens, only white space."""

    spaces: str = ""


def sentences_of(
    text: str, spans: Spans, split: Split | None = None, document: str = "", offset: int = 0, first: int = 1
) -> Sentences:
    """Return the sentences of a text from its tokens.

    `split` gives the words of a multiword token or None, and `document` is the id of the document. A later piece of a
    document has the `offset` where it begins and the number of its `first` sentence.
    """
    if not len(spans):
        result = Sentences()
        result.spaces = text
        return result
    counts = np.ones(len(spans), dtype=np.int32)
    words: list[bytes] = []
    if split:
        pairs = zip(spans.begins.tolist(), spans.ends.tolist(), strict=True)
        for k, found in enumerate([split(text[begin:end]) for begin, end in pairs]):
            if found is not None:
                counts[k] = len(found)
                words += [SURROGATES.sub("\ufffd", word).encode() for word in found]
    ends = np.cumsum([len(word) for word in words], dtype=np.int64)
    name = SURROGATES.sub("\ufffd", document).translate(LINE_BREAKS)
    header = f"# newdoc id = {name}\n" if document else "# newdoc\n"
    raw = write_spans(
        code_points(text),
        spans.begins,
        spans.ends,
        spans.last,
        spans.paragraphs,
        counts,
        ends,
        b"".join(words),
        header.encode() if first == 1 or not offset else b"",
        offset,
        first,
    )
    found_sentences = Scanner(CONLLU, "").feed(raw, True)
    return Sentences(one if isinstance(one, Sentence) else Sentence(one[0], line=one[1]) for one in found_sentences)


def values_of(misc: str) -> dict[str, str]:
    """Return the values of a MISC field by their names."""
    return dict(pair.partition("=")[::2] for pair in misc.split("|"))


def space_after(misc: str) -> str:
    """Return the white space that follows a token, by its MISC."""
    if misc == "_":
        return " "
    values = values_of(misc)
    if "SpacesAfter" in values:
        return unescape(values["SpacesAfter"])
    return "" if values.get("SpaceAfter") == "No" else " "


def surface_tokens(sentence: Sentence) -> list[tuple[str, str, tuple[str, ...]]]:
    """Return the form, the MISC and the words of each token: multiword tokens have several words."""
    tokens: list[tuple[str, str, tuple[str, ...]]] = []
    forms = sentence.forms
    if not sentence.ranges:
        return [(form, misc, (form,)) for form, misc in zip(forms[1:], sentence.misc[1:], strict=True)]
    covered = 0
    for token in sentence.rows:
        if token.is_range:
            begin, _, end = token.id.partition("-")
            covered = int(end)
            tokens.append((token.form, token.misc, tuple(forms[int(begin) : covered + 1])))
        elif not token.is_empty and int(token.id) > covered:
            tokens.append((token.form, token.misc, (token.form,)))
    return tokens


def text_of(sentences: Iterable[Sentence]) -> str:
    """Return the text that sentences were made from.

    Sentences of other tools come back as far as their MISC says.

    >>> from crossarc.tagging import Tokenizer
    >>> text = " Two  lines,\\r\\na tab:\\t. "
    >>> text_of(Tokenizer("rules").tokenize(text)) == text
    True
    """
    pieces: list[str] = []
    for sentence in sentences:
        for form, misc, _ in surface_tokens(sentence):
            if misc != "_":
                values = values_of(misc)
                if "SpacesBefore" in values:
                    pieces.append(unescape(values["SpacesBefore"]))
                if "Surface" in values:
                    form = unescape(values["Surface"])
            pieces.append(form)
            pieces.append(space_after(misc))
    return "".join(pieces) if pieces else getattr(sentences, "spaces", "")
