"""What `fuzz.coverage` tries: functions of bytes that raise if anything is wrong, and bytes to begin with."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import crossarc
from crossarc import Parser
from crossarc.components.modelfile import parse, unpack_model
from crossarc.errors import CrossarcError, ModelError
from crossarc.structure import describe_fault
from crossarc.tagging import Tokenizer, text_of
from crossarc.treebank import Sentence, read, read_arrays, validate, write

EXAMPLE = Path(crossarc.__file__).parent / "data" / "example.conllu"
Check = Callable[[bytes], None]


def reader() -> tuple[Check, list[bytes]]:
    """Treebanks: what can be read is written and read again as the same, and repaired files have no more faults."""
    example = EXAMPLE.read_bytes().split(b"\n\n")
    names = ("conllu", "conllx", "conll09", "conllu")

    def check(data: bytes) -> None:
        if not data:
            return
        given, data = names[data[0] % len(names)], data[1:]
        try:
            sentences = list(read(io.BytesIO(data), given))
        except CrossarcError as error:
            check_message(error)
            try:
                findings = [each for each in validate(io.BytesIO(data), given) if not isinstance(each, Sentence)]
                assert findings, f"{error}, but validation finds nothing"
                list(read(io.BytesIO(data), given, on_error="fix", check="all", report=lambda finding: None))
            except CrossarcError as another:
                check_message(another)
            return
        out = io.BytesIO()
        write(sentences, out, given)
        again = list(read(io.BytesIO(out.getvalue()), given))
        assert [sentence.raw for sentence in again] == [sentence.raw for sentence in sentences], "written as another"
        assert len(read_arrays(io.BytesIO(data), given)) == len(sentences), "arrays of other sentences"

    return check, [bytes([number % 4]) + text + b"\n\n" for number, text in enumerate(example)]


def manifest() -> tuple[Check, list[bytes]]:
    """Manifests of small models whose arrays stay as they are: refused when loaded, or the model parses."""
    sentences = list(read(EXAMPLE))[:12]
    presets: dict[str, dict[str, Any]] = {
        "arc-hybrid": {},
        "mst": {},
        "carreras": {},
        "dag-covington": {},
        "dag-mst": {},
        "neural": {"hidden": 8, "lexical_size": 8, "tag_size": 8, "arc_size": 8},
    }
    parts = []
    with TemporaryDirectory() as folder:
        for preset, settings in presets.items():
            file = Path(folder, preset)
            Parser(preset, epochs=1, **settings).fit(sentences).save(file)
            parts.append(unpack_model(file.read_bytes(), preset))

    def check(data: bytes) -> None:
        if not data:
            return
        arrays = parts[data[0] % len(parts)][1]
        try:
            found = parse(data[1:])
        except (ValueError, RecursionError):
            return
        if not isinstance(found, dict):
            return
        try:
            parser = Parser.from_parts(found, arrays, "model")
        except ModelError as error:
            check_message(error)
            return
        try:
            parsed = list(parser.parse(sentences[:3]))
        except CrossarcError as error:
            check_message(error)
            return
        for sentence in parsed:
            check_parse(sentence)

    return check, [bytes([n]) + json.dumps(manifest).encode() for n, (manifest, _) in enumerate(parts)]


def check_parse(sentence: Sentence) -> None:
    """A tree, unless the sentence has only a graph, and a graph that reads again."""
    assert sentence.has_graph or not describe_fault(sentence.heads), describe_fault(sentence.heads)
    out = io.BytesIO()
    write([sentence], out, "conllu")
    assert len(list(read(io.BytesIO(out.getvalue()), "conllu"))) == 1, "the parse does not read again"


def tokenizer() -> tuple[Check, list[bytes]]:
    """Texts: given back whole by both tokenizers, the same in pieces, and sentences that read again."""
    learned = Tokenizer(epochs=3).fit(read(EXAMPLE))
    rules = Tokenizer("rules", max_sentence_words=20)

    def check(data: bytes) -> None:
        text = data.decode("utf-8", "surrogateescape")
        for each in (learned, rules):
            sentences = each.tokenize(text)
            assert text_of(sentences) == text, "another text"
            cut = len(text) // 3
            pieces = list(each.stream([text[:cut], text[cut : 2 * cut], text[2 * cut :]]))
            assert [sentence.raw for sentence in pieces] == [sentence.raw for sentence in sentences], "others in pieces"
            out = io.BytesIO()
            write(sentences, out, "conllu")
            again = list(read(io.BytesIO(out.getvalue()), "conllu", check="syntax"))
            assert [sentence.raw for sentence in again] == [sentence.raw for sentence in sentences], "written as others"

    texts = [sentence.text.encode() for sentence in read(EXAMPLE)]
    odd = (
        "www.a-b.com/x?y=1. 12:30 $1,200.50 :-) 👩‍👩‍👧 don't",
        "שלום. مرحبا! 猫が。",
        "a\r\n\r\nb\u2028c\ufeff",
        '"(«x»)"...',
    )
    return check, [*texts, *(text.encode() for text in odd)]


def check_message(error: Exception) -> None:
    """An error has one line."""
    assert str(error).splitlines() == [str(error)], f"the message {error!s:r} has not one line"


TARGETS = {"reader": reader, "manifest": manifest, "tokenizer": tokenizer}
