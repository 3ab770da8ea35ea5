"""Tokens of a text as sentences, with everything that brings the text back: offsets and white space in MISC.

White space is written as UDPipe writes it: `SpaceAfter=No` for none, nothing for one space, and otherwise
`SpacesAfter=...`; what stands before the first token is in its `SpacesBefore=...`. There, `\\s`, `\\t`, `\\n`, `\\r`,
`\\p` (for |) and `\\\\` are escapes. `TokenRange=begin:end` gives the offsets in the text. UTF-8 has no lone
surrogates: a form has U+FFFD instead, and `Surface=...` has the form itself with `\\u` and four digits for each.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from crossarc.treebank import Sentence

Split = Callable[[str], Sequence[str] | None]
ESCAPES = {"\\": "\\\\", " ": "\\s", "\t": "\\t", "\n": "\\n", "\r": "\\r", "|": "\\p"}
TO_ESCAPE = re.compile("[\\\\ \t\n\r|\ud800-\udfff]")
ESCAPED = re.compile(r"\\(u[0-9a-f]{4}|[stnrp\\])")
UNESCAPES = {escape[1]: character for character, escape in ESCAPES.items()}
SURROGATES = re.compile("[\ud800-\udfff]")
LINE_BREAKS = dict.fromkeys(map(ord, "\t\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"), " ")
BLANK = "\t_\t_\t_\t_\t_\t_\t_\t"


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


@dataclass
class Spans:
    """The tokens of a text: where each begins and ends, and whether a sentence ends with it."""

    begins: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    last: list[bool] = field(default_factory=list)


class Sentences(list[Sentence]):
    """The sentences of a text; `spaces` is a text that has no tokens, only white space."""

    spaces: str = ""


def sentences_of(
    text: str, spans: Spans, paragraphs: Iterable[int], split: Split | None = None, document: str = ""
) -> Sentences:
    """Return the sentences of a text from its tokens.

    `paragraphs` are the offsets at which paragraphs begin, `split` gives the words of a multiword token or None, and
    `document` is the id of the document.
    """
    result = Sentences()
    if not spans.begins:
        result.spaces = text
        return result
    begins_paragraph = {spans.begins[0], *paragraphs}
    odd = SURROGATES.search(text) is not None
    header = [f"# newdoc id = {clean(document)}\n" if document else "# newdoc\n"]
    before = text[: spans.begins[0]]
    prefix = f"SpacesBefore={escape(before)}|" if before else ""
    rows: list[str] = []
    word = 0
    first = spans.begins[0]
    following = [*spans.begins[1:], len(text)]
    line = 1
    for begin, end, after, ends_sentence in zip(spans.begins, spans.ends, following, spans.last, strict=True):
        form = text[begin:end]
        if after == end:
            misc = f"SpaceAfter=No|{prefix}"
        elif after == end + 1 and text[end] == " ":
            misc = prefix
        else:
            misc = f"SpacesAfter={escape(text[end:after])}|{prefix}"
        prefix = ""
        if odd and SURROGATES.search(form):
            misc += f"Surface={escape(form)}|"
            form = SURROGATES.sub("\ufffd", form)
        words = split(form) if split else None
        word += 1
        if words is None:
            rows.append(f"{word}\t{form}{BLANK}{misc}TokenRange={begin}:{end}\n")
        else:
            rows.append(f"{word}-{word + len(words) - 1}\t{form}{BLANK}{misc}TokenRange={begin}:{end}\n")
            rows += [f"{word + k}\t{each}{BLANK}_\n" for k, each in enumerate(words)]
            word += len(words) - 1
        if ends_sentence:
            if first in begins_paragraph:
                header.append("# newpar\n")
            header.append(f"# sent_id = {len(result) + 1}\n# text = {clean(text[first:end])}\n")
            rows.append("\n")
            raw = "".join(header + rows)
            result.append(Sentence(raw.encode(), line=line))
            line += raw.count("\n")
            header, rows, word, first = [], [], 0, after
    return result


def clean(text: str) -> str:
    """Return a text as a comment can hold it: on one line, without lone surrogates."""
    return SURROGATES.sub("\ufffd", text).translate(LINE_BREAKS)


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
