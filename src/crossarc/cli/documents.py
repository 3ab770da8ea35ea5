"""The input and output of `crossarc parse`: text, JSON lines, treebank files and drawings."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from crossarc.cli.arguments import OFFICE, PICTURES, extension
from crossarc.cli.draw import KINDS, draw_pictures, screen_options
from crossarc.errors import CrossarcError, UnknownName

if TYPE_CHECKING:
    from crossarc.tagging import Tokenizer
    from crossarc.treebank import Sentence

TEXTS = ("txt", "text", "md")  # extensions
LINES = ("jsonl", "ndjson")
# What to take instead of extensions that are not written.
INSTEAD = {"json": "jsonl", **dict.fromkeys(PICTURES, "svg"), **dict.fromkeys(OFFICE, "conllu")}
Parse = Callable[[Iterable["Sentence"], str], Iterator["Sentence"]]


def input_kind(path: str, source: str | None) -> str:
    """The content of a file, text, jsonl or trees, by the name of a format, or by the extension."""
    from crossarc.treebank.formats import FORMATS

    if source is not None:
        if source not in ("text", "jsonl", *FORMATS):
            raise UnknownName("format", source, ("text", "jsonl", *FORMATS))
        return source if source in ("text", "jsonl") else "trees"
    kind = extension(path)
    return "text" if kind in TEXTS else "jsonl" if kind in LINES else "trees"


def output_kind(output: str, to: str | None, *, drawn: bool) -> str:
    """The kind of output: a drawing (txt, svg, html), jsonl, the name of a format, or "" for that of each sentence.

    `drawn` says that a drawing is what a terminal shows.
    """
    from crossarc.treebank.formats import EXTENSIONS, FORMATS

    if to is not None:
        if to not in ("jsonl", *KINDS, *FORMATS):
            raise UnknownName("format", to, (*FORMATS, "jsonl", *KINDS))
        return to
    if output == "-":
        return "txt" if drawn and sys.stdout.isatty() else ""
    kind = extension(output)
    if kind in INSTEAD:
        raise CrossarcError(f"{output}: {kind} is not written; take .{INSTEAD[kind]}, or name a format with --to")
    if kind in (*KINDS, *LINES):
        return kind if kind in KINDS else "jsonl"
    if kind and f".{kind}" not in EXTENSIONS:
        endings = ", ".join((*EXTENSIONS, *(f".{each}" for each in (*LINES, *KINDS))))
        raise CrossarcError(f"{output}: {kind} is not written; take {endings}, or name a format with --to")
    return ""


def write_output(outputs: Iterable[Any], output: str, kind: str) -> None:
    """Write sentences, or documents with sentences, as they come."""
    from crossarc.treebank import write
    from crossarc.treebank.json_lines import write_json_lines

    if kind in KINDS:
        from crossarc.draw.picture import picture_of

        width, color = screen_options(output)
        pictures = (picture_of(sentence, ("upos",)) for sentence in outputs)
        draw_pictures(pictures, output, title="Sentences", width=width, color=color, kind=kind)
    elif kind == "jsonl":
        write_json_lines(outputs, output)
    else:
        write(outputs, output, kind or None)


def parsed_documents(
    documents: Iterable[dict[str, Any]], tokenizer: Tokenizer, parse: Parse, *, whole: bool, first: int = 1
) -> Iterator[Any]:
    """Yield the sentences of documents, or the whole documents with their sentences, in order.

    Sentences are numbered from 1 in each whole document, or through all documents from `first`.
    """
    waiting: deque[tuple[dict[str, Any], int]] = deque()  # documents that are tokenized, with their sentences

    def tokenized() -> Iterator[Sentence]:
        number_of_next = 1 if whole else first
        for number, document in enumerate(documents, 1):
            name = document.get("id")
            name = str(number if name is None else name)
            count = 0
            for sentence in tokenizer.stream([document["text"]], document=name, first=number_of_next):
                count += 1
                yield sentence
            number_of_next += 0 if whole else count
            if whole:
                waiting.append((document, count))

    sentences: list[Sentence] = []

    def complete() -> Iterator[dict[str, Any]]:
        while waiting and len(sentences) >= waiting[0][1]:
            document, count = waiting.popleft()
            yield {**document, "sentences": sentences[:count]}
            del sentences[:count]

    parsed = parse(tokenized(), "the documents")
    if not whole:
        yield from parsed
        return
    for sentence in parsed:
        yield from complete()  # those without sentences that come before this one
        sentences.append(sentence)
    yield from complete()
