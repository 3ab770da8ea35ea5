"""Files of pretrained vectors with odd words, numbers, lines and packings: refused, or finite vectors of length 1."""

from __future__ import annotations

import gzip
import math
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np

from crossarc.core.strings import StringTable
from crossarc.errors import CrossarcError
from crossarc.parsers.networks.vectors import read_vectors
from fuzz.samples import FLOATS, ODD

WORDS = ("the", "The", "cake", "ß", "SS", "İ", "a.b", "猫")
USUAL = ("0.5", "-1", "1e-3", "0", "3.25", "-0.125")
NUMBERS = (*("1e39", "1e400", "nan", "inf", "1_0", "0x1", "१", "--1", "1e", ""), *map(repr, FLOATS))


@dataclass(frozen=True)
class File:
    """The bytes of a file, and how many words besides those of the treebank are kept."""

    data: bytes
    rows: int


def prepare(folder: Path) -> Path:
    """Where the files are written."""
    return folder


def make(seed: int, context: Path) -> File:
    """Lines of a word and numbers, most of them as they should be."""
    rng = Random(seed)
    width, lines = rng.choice((1, 2, 3, 5, 300)), []
    if rng.random() < 0.4:
        lines.append(f"{rng.choice((0, 3, 10**30))} {width}")
    faults = rng.choice((0.0, 0.0, 0.1, 0.5))
    for _ in range(rng.choice((0, 1, 3, 10))):
        word = rng.choice(WORDS) if rng.random() < 0.7 else rng.choice(ODD)
        numbers = [rng.choice(USUAL) for _ in range(width)]
        if rng.random() < faults:
            numbers[rng.randrange(width)] = rng.choice(NUMBERS)
        if rng.random() < faults / 3:
            numbers = numbers[: rng.randint(0, width)] or numbers * 2
        lines.append(word + rng.choice((" ", " ", "  ", "\t") if rng.random() < faults else " ") + " ".join(numbers))
    data = rng.choice(("\n", "\n", "\r\n")).join(lines).encode(errors="surrogatepass")
    if rng.random() < 0.1 and data:
        changed = bytearray(data)
        changed[rng.randrange(len(changed))] = rng.choice(b"\x00\xff\xfe\n \xc3_")
        data = bytes(changed)
    if rng.random() < 0.02:
        data += b"word" + b" 0.5" * 300_000
    if rng.random() < 0.1:
        data = gzip.compress(data, 1)
        data = data[: rng.randint(1, len(data))] if rng.random() < 0.3 else data
    return File(data, rng.choice((0, 1, 2, 50)))


def check(given: File, context: Path) -> str:
    """What is read are words in lower case, each once, and finite vectors of length 1 or less."""
    path = context / "vectors"
    path.write_bytes(given.data)
    words = StringTable(WORDS)
    try:
        table, vectors = read_vectors(path, words, given.rows)
    except CrossarcError as error:
        assert str(error).isprintable(), f"the message is not one line: {error}"
        return "refused"
    wanted = {word.lower() for word in WORDS}
    assert len(table) == len(vectors), "some words have no vectors"
    assert not vectors[: table.reserved].any(), "unknown words have a vector"
    assert all(word == word.lower() for word in table), "a word is not in lower case"
    assert sum(word not in wanted for word in table) <= given.rows, "there are too many other words"
    assert np.isfinite(vectors).all(), "a vector is not finite"
    lengths = np.sqrt(np.square(vectors[table.reserved :], dtype=np.float64).sum(axis=1))
    assert all(length < 1e-3 or math.isclose(length, 1, rel_tol=1e-4) or length < 1 for length in lengths), "too long"
    return "read"
