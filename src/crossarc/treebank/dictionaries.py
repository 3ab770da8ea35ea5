"""Sentences as plain dicts that JSON can write, and back, with nothing lost.

A field that is "_" becomes None, or an empty dict or list. Fields that are not of the usual form, such as FEATS with a
name given twice, stay strings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from crossarc.errors import SHORT, TreebankError
from crossarc.treebank.fields import arcs_of
from crossarc.treebank.formats import CONLLU, SDP, Format, get_format
from crossarc.treebank.sentence import Sentence

Plain = dict[str, Any]

LISTS = ("tokens", "ranges", "empty_nodes")


def to_dict(sentence: Sentence) -> Plain:
    """Return a sentence as a dict; see `Sentence.to_dict`."""
    keys, columns = layout_of(sentence.format)
    result = frame_of(sentence)
    result["tokens"] = token_dicts(keys, [sentence.column(column)[1:] for column in columns])
    if sentence.format.extra:
        add_arguments(sentence, result["tokens"])
    return result


def frame_of(sentence: Sentence) -> Plain:
    """Return the dict of a sentence, still without its tokens."""
    result: Plain = {"id": sentence.id, "text": sentence.text}
    if sentence.format is not CONLLU:
        result["format"] = sentence.format.name
    result["tokens"] = []
    keys, columns = layout_of(sentence.format)
    for name, rows in (("ranges", sentence.ranges), ("empty_nodes", sentence.empty_nodes)):
        result[name] = token_dicts(keys, [[row[column] for row in rows] for column in columns]) if rows else []
    result["comments"] = list(sentence.comments)
    return result


@cache
def layout_of(format: Format) -> tuple[list[str], list[str]]:
    """Return the keys of a token of a format, and the column of each."""
    pairs = [(key, column) for column in format.columns for key in keys_of(column, format)]
    return [key for key, _ in pairs], [column for _, column in pairs]


@cache
def keys_of(column: str, format: Format) -> list[str]:
    """Return our names for a column of a format; a tag column alone is both UPOS and XPOS.

    >>> keys_of("pos", get_format("sdp")), keys_of("phead", get_format("conllx"))
    (['upos', 'xpos'], ['phead'])
    """
    return [ours for ours, name in format.aliases if name == column] or [column]


def token_dicts(keys: list[str], columns: Sequence[Sequence[str]]) -> list[Plain]:
    """Return a dict for each token from the columns of all, with offsets where MISC has TokenRange."""
    values = [READERS.get(key, optional)(column) for key, column in zip(keys, columns, strict=True)]
    tokens = [dict(zip(keys, row, strict=True)) for row in zip(*values, strict=True)]
    for token in tokens:
        if token["lemma"] is None and token["form"] == "_":
            token["lemma"] = "_"  # the lemma of an underscore
        misc = token.get("misc")
        if misc and "TokenRange" in misc and isinstance(misc, dict):
            begin, _, end = str(misc["TokenRange"]).partition(":")
            if is_number(begin) and is_number(end):
                token["start"], token["end"] = int(begin), int(end)
    return tokens


def add_arguments(sentence: Sentence, tokens: list[Plain]) -> None:
    """Add the argument columns as they are, and the graph that they describe as `deps`."""
    for token, arguments in zip(tokens, sentence.arguments, strict=True):
        token["deps"] = []
        token["arguments"] = optional(arguments)
    found = arcs_of(sentence)
    if found is not None:
        for head, dependent, label in zip(found[0].tolist(), found[1].tolist(), found[2], strict=True):
            tokens[dependent - 1]["deps"].append([head, label])


def is_number(text: str) -> bool:
    """Whether a text is a number as ids and heads are written."""
    return text.isdigit() and text.isascii() and (text[0] != "0" or text == "0")


def optional(column: Sequence[str]) -> list[str | None]:
    """Return the values of a column, None for "_"."""
    return [None if field == "_" else field for field in column]


def numbers(column: Sequence[str]) -> list[int | str | None]:
    """Return ids or heads as numbers; others, such as "3-4", stay strings."""
    return [int(field) if is_number(field) else None if field == "_" else field for field in column]


def pairs(column: Sequence[str]) -> list[dict[str, str | None] | str]:
    """Return the entries of FEATS or MISC; those without "=" have None as their value.

    >>> pairs(["Case=Nom|Number=Sing", "Draft|SpaceAfter=No", "_", "a=1|a=2"])
    [{'Case': 'Nom', 'Number': 'Sing'}, {'Draft': None, 'SpaceAfter': 'No'}, {}, 'a=1|a=2']
    """
    result: list[dict[str, str | None] | str] = []
    for field in column:
        found: dict[str, str | None] = {}
        if field != "_":
            entries = field.split("|")
            for entry in entries:
                name, equals, value = entry.partition("=")
                found[name] = value if equals else None
            if len(found) < len(entries) or "" in found:
                result.append(field)
                continue
        result.append(found)
    return result


def arcs(column: Sequence[str]) -> list[list[list[int | str]] | str]:
    """Return the heads and labels of DEPS; the heads that are empty nodes are strings.

    >>> arcs(["2:nsubj|4.1:nsubj:pass", "_"])
    [[[2, 'nsubj'], ['4.1', 'nsubj:pass']], []]
    """
    result: list[list[list[int | str]] | str] = []
    for field in column:
        found: list[list[int | str]] = []
        for entry in field.split("|") if field != "_" else ():
            head, colon, label = entry.partition(":")
            if not head or not colon:
                result.append(field)
                break
            found.append([int(head) if is_number(head) else head, label])
        else:
            result.append(found)
    return result


READERS: dict[str, Callable[[Sequence[str]], Sequence[Any]]] = {
    "id": numbers,
    "form": list,
    "feats": pairs,
    "head": numbers,
    "deps": arcs,
    "misc": pairs,
}


def from_dict(data: Mapping[str, Any]) -> Sentence:
    """Return the sentence of a dict; see `Sentence.from_dict`."""
    if not isinstance(data, Mapping):
        raise TreebankError(f"a sentence is a dict, not {SHORT.repr(data)}")
    form = get_format(data.get("format", CONLLU.name))
    words, ranges, empty = (tokens_of(data, name) for name in LISTS)
    if not words:
        raise TreebankError("the dict has no tokens; a sentence has words under 'tokens'")
    lines = comments_of(data, form)
    before: dict[str, list[Plain]] = {}
    after: dict[str, list[Plain]] = {}
    for token in ranges:
        before.setdefault(str(token.get("id", "")).partition("-")[0], []).append(token)
    for token in empty:
        after.setdefault(str(token.get("id", "")).partition(".")[0], []).append(token)
    lines += [row_of(token, form) for token in after.pop("0", ())]
    for place, token in enumerate(words, start=1):
        number = str(token.get("id", place))
        lines += [row_of(each, form) for each in before.pop(number, ())]
        lines.append(row_of({"id": place, **token}, form))
        lines += [row_of(each, form) for each in after.pop(number, ())]
    for token in [each for rest in (before, after) for group in rest.values() for each in group]:
        raise TreebankError(f"the id {token.get('id')!r} belongs to no word; ranges are like '1-2', empty nodes '8.1'")
    return Sentence("\n".join([*lines, "", ""]).encode(), form)


def tokens_of(data: Mapping[str, Any], name: str) -> list[Plain]:
    """Return the tokens under a name of a dict, none if there is nothing."""
    found = data.get(name)
    if found is None:
        return []
    if not isinstance(found, list | tuple) or not all(isinstance(each, Mapping) for each in found):
        raise TreebankError(f"{name} is {SHORT.repr(found)}; it must be a list of dicts")
    return list(found)


def comments_of(data: Mapping[str, Any], form: Format) -> list[str]:
    """Return the comment lines of a dict; without `comments`, those of its id and text."""
    comments = data.get("comments")
    if comments is None:
        title = "#" if form is SDP else "# sent_id = "
        comments = [f"{title}{data['id']}"] if data.get("id") else []
        if data.get("text") and form is not SDP:
            comments.append(f"# text = {data['text']}")
    if not isinstance(comments, list | tuple):
        raise TreebankError(f"comments is {SHORT.repr(comments)}; it must be a list of lines that begin with '#'")
    for comment in comments:
        if not isinstance(comment, str) or not comment.startswith("#") or "\n" in comment or comment.endswith("\r"):
            raise TreebankError(f"{SHORT.repr(comment)} is not a comment: one line that begins with '#'")
    return list(comments)


def row_of(token: Mapping[str, Any], form: Format) -> str:
    """Return the line of a token."""
    fields = []
    for column in form.columns:
        keys = keys_of(column, form)
        value = next((token[key] for key in reversed(keys) if token.get(key) is not None), None)
        fields.append(field_of(value, keys[0], token, column == form.columns[-1] and form.open_end))
    if form.extra:
        arguments = token.get("arguments")
        if not isinstance(arguments, list | tuple | None):
            raise TreebankError(f"arguments is {SHORT.repr(arguments)}; it must be a list of labels")
        fields += [field_of(value, "arguments", token) for value in arguments or ()]
    return "\t".join(fields)


def field_of(value: Any, key: str, token: Mapping[str, Any], tabs: bool = False) -> str:
    """Return a value as the text of a field; only a last column may have tabs."""
    text = None
    match value:
        case None:
            text = "_"
        case str():
            text = value
        case int() if key in ("id", "head") and not isinstance(value, bool):
            text = str(value) if value >= 0 else "_"
        case dict() if key in ("feats", "misc"):
            text = "|".join(name if each is None else f"{name}={each}" for name, each in value.items()) or "_"
        case list() | tuple() if key == "deps" and all(
            isinstance(arc, list | tuple) and len(arc) == 2 for arc in value
        ):
            text = "|".join(f"{head}:{label}" for head, label in value) or "_"
    if text is None:
        raise TreebankError(
            f"token {token.get('id')!r}: {key} is {SHORT.repr(value)}, which no field of a sentence can be"
        )
    if "\n" in text or text.endswith("\r") or ("\t" in text and not tabs):
        raise TreebankError(
            f"token {token.get('id')!r}: {key} is {SHORT.repr(text)}; a field holds neither tabs nor line ends"
        )
    return text
