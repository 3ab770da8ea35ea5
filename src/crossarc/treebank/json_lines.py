"""Documents as JSON lines: one JSON object with a text on each line, its other fields kept."""

from __future__ import annotations

import json
import logging
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO, Literal, NoReturn, cast

from crossarc.errors import TreebankError, UnknownName
from crossarc.treebank.sentence import Sentence
from crossarc.treebank.streams import Source, atomic_writer, name_of, numbered_lines, write_blocks
from crossarc.treebank.text_writing import sentence_json

log = logging.getLogger(__name__)

Document = dict[str, Any]
OnError = Literal["fail", "skip"]
POLICIES = ("fail", "skip")


def read_json_documents(
    source: Source,
    *,
    text: str | None = "text",
    on_error: OnError = "fail",
    report: Callable[[str], None] | None = None,
    largest: int | None = None,
) -> Iterator[Document]:
    """The documents of a file in JSON lines, one at a time, as dicts with all their fields.

    `source` is what `read` takes; gzip and zstd are recognised. `text` names the field with the text, which each
    document must have; None asks for no such field. For a line that is not a document, "fail" raises `TreebankError`
    and "skip" leaves it out; `report` then receives the message, or else it is logged. Blank lines do not count. A line
    of more than `largest` bytes (2 MB) is always refused.

    >>> list(read_json_documents(['{"id": 7, "text": "She left."}']))
    [{'id': 7, 'text': 'She left.'}]
    """
    if on_error not in POLICIES:
        raise UnknownName("policy for errors", on_error, POLICIES)
    return documents_of(source, text, on_error, report or log_message, largest)


def documents_of(
    source: Source, text: str | None, on_error: OnError, report: Callable[[str], None], largest: int | None
) -> Iterator[Document]:
    """The work of `read_json_documents`."""
    name = name_of(source)
    for number, line in numbered_lines(source, largest):
        try:
            document = parse_document(line, text)
        except ValueError as error:
            message = f"{name}:{number}: {error}"
            if on_error == "fail":
                raise TreebankError(f'{message}; on_error "skip" leaves the line out') from None
            report(f"{message}; left out")
        else:
            yield document


def parse_document(line: bytes, text: str | None) -> Document:
    """The document of a line; a `ValueError` says what is wrong and what to do."""
    try:
        document = json.loads(line.decode(), parse_constant=refuse_constant, parse_float=finite)
    except UnicodeDecodeError as error:
        raise ValueError(
            f"byte 0x{line[error.start]:02x} at column {error.start + 1} is not UTF-8; save it as UTF-8"
        ) from None
    except json.JSONDecodeError as error:
        if line.lstrip().startswith(b"["):
            raise ValueError("a list begins here; write each of its documents on a line of its own") from None
        raise ValueError(
            f"this is not JSON ({error.msg} at column {error.colno}); write one object on each line"
        ) from None
    except RecursionError:
        raise ValueError("the object has too many levels; leave out the fields that are not needed") from None
    if not isinstance(document, dict):
        raise ValueError(f'this is {kind_of(document)}, not an object; write {{"text": ...}} on each line')
    if text is not None:
        if text not in document:
            known = ", ".join(map(repr, document)) or "none at all"
            raise ValueError(f"the document has no field {text!r} with its text (it has {known}); rename the field")
        if not isinstance(document[text], str):
            raise ValueError(f"the field {text!r} is {kind_of(document[text])}; it must be a string")
    return document


def refuse_constant(name: str) -> NoReturn:
    """Refuse NaN and infinity, which JSON does not have."""
    raise ValueError(f"{name} is not JSON; write null")


def finite(digits: str) -> float:
    """The number of a text; one that is too large is refused."""
    value = float(digits)
    if math.isinf(value):
        raise ValueError(f"the number {digits} is too large; write it as a string")
    return value


def kind_of(value: object) -> str:
    """The name of the type of a value in JSON."""
    names = {bool: "a boolean", int: "a number", float: "a number", str: "a string", list: "a list", dict: "an object"}
    return names.get(type(value), "null")


def log_message(message: str) -> None:
    """Log a line that was left out, if the caller takes no reports."""
    log.warning("%s", message)


def write_json_lines(
    documents: Iterable[Mapping[str, Any] | Sentence], target: str | os.PathLike[str] | BinaryIO
) -> int:
    """Write documents to a path, "-" or a binary file, one on each line, and return their number.

    A document is a sentence, or a dict that JSON can write, that may hold sentences as they are, most often under
    "sentences": `Sentence.to_dict` is written for them. A sentence on a line of its own also gets the id of its
    "document" and the number of its "paragraph" there, as far as `# newdoc` and `# newpar` say so. The file appears
    only when it is complete; .gz and .zst are compressed.

    >>> import io
    >>> out = io.BytesIO()
    >>> write_json_lines([{"id": 7, "text": "Go", "sentences": [Sentence.from_columns(forms=["", "Go"])]}], out)
    1
    >>> out.getvalue().decode()[:59]
    '{"id": 7, "text": "Go", "sentences": [{"id": "", "text": "G'
    """
    if hasattr(target, "write"):
        return write_to(documents, cast(BinaryIO, target))
    with atomic_writer(cast(str, target)) as file:
        return write_to(documents, file)


def write_to(documents: Iterable[Mapping[str, Any] | Sentence], file: BinaryIO) -> int:
    """Write to an open file in large blocks."""
    count = 0

    def lines() -> Iterator[bytes]:
        nonlocal count
        place = Place()
        for document in documents:
            count += 1
            if isinstance(document, Sentence):
                yield place.of(document).encode()
            else:
                yield from document_pieces(document)

    write_blocks(file, lines())
    return count


@dataclass
class Place:
    """The current document of a stream of sentences, and the paragraph in it."""

    document: str | None = None
    paragraph: int = 0

    def of(self, sentence: Sentence) -> str:
        """Go on to a sentence; return its line, with document and paragraph if they are known."""
        begins = False
        for comment in sentence.comments:
            name, _, value = comment[1:].partition("=")
            kind = name.split()[:1]
            if kind == ["newdoc"]:
                self.document, self.paragraph = value.strip() or None, 0
            begins |= kind in (["newdoc"], ["newpar"])
        self.paragraph += begins
        text = sentence_json(sentence)
        if not self.paragraph:
            return f"{text}\n"
        begin = f'{{"id": {encode(sentence.id)}, '
        return f'{begin}"document": {encode(self.document)}, "paragraph": {self.paragraph}, {text[len(begin) :]}\n'


def document_pieces(document: Mapping[str, Any]) -> Iterator[bytes]:
    """Yield a document as a line of JSON in UTF-8, sentence by sentence, so that no text has all of a long one."""
    before = b"{"
    for name, value in document.items():
        yield before + encoded(name) + b": "
        before = b", "
        if isinstance(value, list) and value and all(isinstance(each, Sentence) for each in value):
            for number, sentence in enumerate(value):
                yield (b", " if number else b"[") + sentence_json(sentence).encode()
            yield b"]"
        else:
            yield encoded(value)
    yield b"}\n" if document else b"{}\n"


def encoded(value: object) -> bytes:
    """A value as JSON with all characters as they are; with lone surrogates, which UTF-8 does not have, in ASCII."""
    try:
        return encode(value).encode()
    except UnicodeEncodeError:
        return json.dumps(value, allow_nan=False, default=plain).encode()


def plain(value: object) -> Any:
    """The dict that JSON writes for a sentence; other objects are refused."""
    if isinstance(value, Sentence):
        return value.to_dict()
    raise TypeError(f"JSON cannot write {value!r} of a document; leave it out, or make it a string")


encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, default=plain).encode
