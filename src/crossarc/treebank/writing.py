"""Sentences back into files, byte for byte."""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import BinaryIO, cast

from crossarc.treebank.conversion import convert, describe_losses
from crossarc.treebank.formats import SDP, Format, format_of_path, get_format
from crossarc.treebank.sentence import Sentence
from crossarc.treebank.streams import BOM, atomic_writer, write_blocks

log = logging.getLogger(__name__)

SDP_HEADER = b"#SDP 2015\n"
ENDS = (b"\n\n", b"\n\r\n")  # of a sentence with an empty line after it

__all__ = ["atomic_writer", "write"]


def write(
    sentences: Iterable[Sentence] | Sentence,
    target: str | os.PathLike[str] | BinaryIO,
    format: str | Format | None = None,
    *,
    losses: Counter[str] | None = None,
) -> int:
    """Write sentences to a path, "-" or a binary file, and return their number.

    The format is the one named, or the one of the path's extension, or each sentence's own. What it cannot carry is
    counted in `losses`, or else logged at the end. The file appears only when it is complete.
    """
    if isinstance(sentences, Sentence):
        sentences = [sentences]
    wanted = get_format(format) if isinstance(format, str) else format
    if hasattr(target, "write"):
        return write_to(sentences, cast(BinaryIO, target), wanted, losses)
    path = os.fspath(cast(str, target))
    with atomic_writer(path) as file:
        return write_to(sentences, file, wanted or format_of_path(path), losses)


def write_to(sentences: Iterable[Sentence], file: BinaryIO, wanted: Format | None, losses: Counter[str] | None) -> int:
    """Write to an open file in large blocks.

    The last sentence of a file may lack the empty line after it; it is added if another sentence follows.
    """
    lost: Counter[str] = Counter() if losses is None else losses
    count = 0

    def pieces() -> Iterator[bytes]:
        nonlocal count
        raw = b""
        for sentence in sentences:
            if wanted is not None and sentence.format is not wanted:
                sentence = convert(sentence, wanted, lost)
            if count:
                if not raw.endswith(ENDS):
                    yield missing_end(raw)
                raw = sentence.raw.removeprefix(BOM)
            else:
                raw = sentence.raw
                if wanted is SDP and not raw.startswith(b"#SDP"):
                    yield SDP_HEADER
            count += 1
            yield raw

    write_blocks(file, pieces())
    if losses is None and lost and wanted is not None:
        log.warning("%s", describe_losses(lost, wanted))
    return count


def missing_end(raw: bytes) -> bytes:
    """The line ends that are missing after a sentence."""
    newline = b"\r\n" if b"\r\n" in raw else b"\n"
    ends = raw[len(raw.rstrip()) :].count(b"\n")
    return newline * max(0, 2 - ends)
