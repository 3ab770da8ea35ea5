"""Small packed files that unpack to hundreds of MB: refused or read, and never 500 MB resident."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

import crossarc
from crossarc.core.strings import StringTable
from crossarc.errors import CrossarcError
from crossarc.parsers.networks.vectors import read_vectors
from crossarc.pipeline import Pipeline
from crossarc.tagging import Tokenizer
from crossarc.treebank import read, read_arrays, validate
from crossarc.treebank.json_lines import read_json_documents
from crossarc.treebank.streams import text_blocks
from fuzz.treebanks import check_message
from fuzz.worker import peak_resident

MB = 1 << 20
MOST = 500 * MB
ROW = b"1\tHi\thi\tINTJ\t_\t_\t0\troot\t_\t_\n"
STARTS = (
    b"",
    ROW,
    ROW + b"\n",
    b'{"text": "',
    b'{"text": "a", "x": [',
    b"#SDP 2015\n",
    b"word ",
    b"1\ta\ta\ta\ta\ta\ta\ta\t0\t0\tr\tr\t_\t_",
)
FILLS = (
    b"\0",
    b"\n",
    b"#\n",
    b"x\n",
    b"\t_",
    b" ",
    b"a ",
    b"a",
    b"[",
    b"[],",
    b"1\t",
    b"0.5 ",
    b"\r\n",
    b"|1:a",
    ROW,
    ROW + b"\n",
    b"\xff",
    b"\xe2\x80\xa8",
    b'{"text": "a"}\n',
)


@dataclass(frozen=True)
class Bomb:
    """A start and what follows it, many times; how it is packed; and which function reads it."""

    start: bytes
    fill: bytes
    size: int
    packing: str
    reader: str


def all_of(items: Iterable[object]) -> None:
    """Look at all items and keep none."""
    for _ in items:
        pass


@cache
def english() -> Tokenizer:
    """The tokenizer of `crossarc parse` for text."""
    found = crossarc.load("en")
    assert isinstance(found, Pipeline)
    return found.tokenizer


READERS: dict[str, Callable[[io.BytesIO], object]] = {
    "read": lambda file: all_of(read(file, "conllu")),
    "sdp": lambda file: all_of(read(file, "sdp", on_error="skip", report=lambda finding: None)),
    "conll09": lambda file: all_of(read(file, "conll09", on_error="fix", check="all", report=lambda finding: None)),
    "any": lambda file: all_of(read(file)),
    "arrays": lambda file: read_arrays(file, "conllu"),
    "validate": lambda file: all_of(validate(file, "conllu", graph=True)),
    "json": lambda file: all_of(read_json_documents(file, on_error="skip", report=lambda message: None)),
    "text": lambda file: all_of(english().stream(text_blocks(file))),
    "vectors": lambda file: read_vectors(file, StringTable(), 100),  # type: ignore[arg-type]
}


def prepare(folder: Path) -> None:
    """Nothing is needed."""


def make(seed: int, context: None) -> Bomb:
    """Return a bomb; few are large."""
    rng = Random(seed)
    size = rng.choice((1, 3, 5, 9, 30, 70) if rng.random() < 0.9 else (150, 300)) * MB
    reader = rng.choice(sorted(READERS))
    size = min(size, 3 * MB) if reader == "text" else size  # which takes longer
    return Bomb(rng.choice(STARTS), rng.choice(FILLS), size, rng.choice(("gzip", "zstd", "blocks")), reader)


def pieces(bomb: Bomb) -> Iterable[bytes]:
    """The bytes of a bomb in pieces of a MB or so."""
    yield bomb.start
    piece = bomb.fill * (MB // len(bomb.fill))
    for _ in range(bomb.size // MB):
        yield piece


def packed(bomb: Bomb) -> bytes:
    """The bomb."""
    if bomb.packing == "gzip":
        out = io.BytesIO()
        with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=1, mtime=0) as file:
            for piece in pieces(bomb):
                file.write(piece)
        return out.getvalue()
    if bomb.packing == "zstd":
        import zstandard

        packer = zstandard.ZstdCompressor(level=1).compressobj()
        return b"".join([*map(packer.compress, pieces(bomb)), packer.flush()])
    count = bomb.size >> 17  # blocks of one byte each, which four bytes unpack to
    head = b"\x28\xb5\x2f\xfd\x00\x38"
    return head + b"".join((1 << 20 | 2 | (k == count - 1)).to_bytes(3, "little") + bomb.fill[:1] for k in range(count))


def check(given: Bomb, context: None) -> str:
    """Read the bomb."""
    data = packed(given)
    try:
        READERS[given.reader](io.BytesIO(data))
        outcome = "read"
    except CrossarcError as error:
        check_message(error)
        outcome = "refused"
    peak = peak_resident()
    assert peak < MOST, f"{peak / 1e6:,.0f} MB were resident"
    return f"{given.reader} {outcome}"
