"""Random treebank files in all formats, damage to bytes, and packings, which targets share."""

from __future__ import annotations

import gzip
import re
from collections import Counter
from random import Random

from crossarc.errors import CrossarcError
from crossarc.treebank import FORMATS, Sentence, convert
from fuzz.samples import ODD, sentence

PACKINGS = ("plain", "plain", "gzip", "zstd", "members", "cut", "damaged")
# Pieces of treebank files.
PIECES = (
    *(
        b"\t",
        b"\n",
        b"\n\n",
        b"\r\n",
        b"_",
        b"0",
        b"1",
        b"2",
        b"1-2",
        b"2.1",
        b"0.1",
        b"#",
        b" ",
        b"|",
        b":",
        b"+",
        b"-",
    ),
    *(
        b"# sent_id = x\n",
        b"# text = a b\n",
        b"0:root",
        b"1:x|2:y",
        b"#SDP 2015\n",
        b"Y",
        b"\xef\xbb\xbf",
        b"\xff",
        b"\x00",
    ),
    *(
        b"999999999",
        b"99999999999",
        b"-1",
        b"SpaceAfter=No",
        b"TokenRange=0:3",
        b"1\tHi\thi\tINTJ\t_\t_\t0\troot\t_\t_\n",
    ),
)
CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def treebank(rng: Random) -> tuple[str, bytes]:
    """The name of a format and the bytes of some sentences in it."""
    name = rng.choice(sorted(FORMATS))
    pieces = []
    for _ in range(rng.randint(1, 4)):
        try:
            pieces.append(convert(sentence(rng, rng.randint(1, 6)), name, Counter()).raw)
        except CrossarcError:  # labels that no format has, or that this one does not
            pieces.append(b"1\ta" + b"\t_" * (len(FORMATS[name].columns) - 2) + b"\n\n")
    data = b"".join(pieces)
    return name, data.replace(b"\n", b"\r\n") if rng.random() < 0.1 else data


def damaged(rng: Random, data: bytes) -> bytes:
    """Bytes with some of them changed, moved, repeated or left out."""
    for _ in range(rng.choice((0, 1, 1, 1, 2, 3, 8))):
        begin = rng.randint(0, len(data))
        end = min(len(data), begin + rng.choice((0, 1, 1, 2, 5, 40)))
        piece = rng.choice(PIECES) if rng.random() < 0.7 else rng.choice(ODD).encode(errors="surrogatepass")
        new = rng.choice((piece, piece, b"", bytes([rng.randrange(256)]), data[begin:end] * rng.randint(2, 9)))
        data = data[:begin] + new + data[end:]
    return data


def packed(rng: Random, data: bytes, packing: str) -> bytes:
    """Bytes packed in one of `PACKINGS`."""
    if packing == "plain":
        return data
    middle = rng.randint(0, len(data))
    parts = [data[:middle], data[middle:]] if packing == "members" else [data]
    found = b"".join(map(zstd if packing == "zstd" or rng.random() < 0.5 else gzip_of, parts))
    if packing == "cut":
        return found[: rng.randint(0, len(found))]
    return damaged(rng, found) if packing == "damaged" else found


def gzip_of(data: bytes) -> bytes:
    """Bytes packed by gzip, the same each time."""
    return gzip.compress(data, mtime=0)


def zstd(data: bytes) -> bytes:
    """Bytes packed by zstd."""
    import zstandard

    return zstandard.ZstdCompressor().compress(data)


def check_message(error: CrossarcError, most: int = 4_000) -> None:
    """Refuse messages of several lines, and long ones."""
    text = str(error)
    assert text, "the error says nothing"
    assert "\n" not in text, f"the message has several lines: {text[:300]!r}"
    assert len(text) < most, f"the message has {len(text):,} characters: {text[:300]!r}"


def same(one: list[Sentence], other: list[Sentence]) -> bool:
    """Whether two lists have sentences of the same bytes, except for the empty lines behind the last."""
    return [each.raw.rstrip() for each in one] == [each.raw.rstrip() for each in other]
