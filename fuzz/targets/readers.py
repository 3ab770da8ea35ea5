"""Treebank files of all formats and packings, damaged: what is read is written and reads again the same."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np

from crossarc.errors import CrossarcError, MissingDependency, TreebankError
from crossarc.treebank import Finding, Sentence, read, read_arrays, validate, write
from fuzz.treebanks import PACKINGS, check_message, damaged, packed, treebank


@dataclass(frozen=True)
class File:
    """The bytes of a file, what it was packed from, and the format that it is read as."""

    format: str | None
    packing: str
    plain: bytes
    data: bytes
    policy: str
    block: int


def prepare(folder: Path) -> None:
    """Nothing is needed."""


def make(seed: int, context: None) -> File:
    """Return a file."""
    rng = Random(seed)
    name, good = treebank(rng)
    plain = damaged(rng, good)
    packing = rng.choice(PACKINGS)
    read_as = rng.choice((name, name, None, "conllu", "sdp", "conll09"))
    return File(read_as, packing, plain, packed(rng, plain, packing), rng.choice(("skip", "fix")), rng.randint(1, 90))


def check(given: File, context: None) -> str:
    """Read the file in all ways."""
    try:
        found = list(read(io.BytesIO(given.data), given.format))
    except TreebankError as error:
        check_message(error)
        assert "<input>" in str(error)
        return check_others(given)
    plain = given.data if given.packing not in ("gzip", "zstd", "members") else given.plain
    if found and given.packing in ("plain", "gzip", "zstd", "members"):
        assert written(found) == plain, "what is written is not what was read"
        check_blocks(given, plain, found)
    check_again(found)
    for sentence in found:
        look_at(sentence)
    corpus = read_arrays(io.BytesIO(given.data), given.format)
    heads = np.concatenate([[], *(sentence.heads for sentence in found)])
    assert np.array_equal(corpus["head"], heads), "read_arrays has other heads than read"
    check_others(given)
    return "read" if found else "empty"


def check_blocks(given: File, plain: bytes, found: list[Sentence]) -> None:
    """The sentences do not depend on the blocks in which bytes come."""
    name = found[0].format.name

    class Slow(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            return super().read(given.block)

    assert list(read(Slow(plain), name)) == found, "blocks change the sentences"


def check_others(given: File) -> str:
    """Read with other policies and checks, which leave sentences out or repair them."""
    try:
        kept = list(
            read(io.BytesIO(given.data), given.format, on_error=given.policy, check="all", report=lambda finding: None)  # type: ignore[arg-type]
        )
        items = list(validate(io.BytesIO(given.data), given.format, roots="any"))
    except CrossarcError as error:  # of packings: no part can be read
        assert not isinstance(error, MissingDependency)
        check_message(error)
        return "refused"
    for item in items:
        if isinstance(item, Finding):
            check_message(TreebankError(str(item)))
    good = [item for item in items if isinstance(item, Sentence)]
    if given.policy == "skip":
        assert kept == good, "skip keeps other sentences than validate calls good"
    for sentence in kept:
        assert sentence.is_tree or sentence.format.index("head") < 0, "a sentence without a tree was kept"
    check_again(kept)
    return "fixed" if len(kept) > len(good) else "left out"


def check_again(found: list[Sentence]) -> None:
    """What is written reads again the same."""
    if not found:
        return
    data = written(found)
    again = list(read(io.BytesIO(data), found[0].format))
    assert len(again) == len(found), "what was written has another number of sentences"
    assert all(one.forms == other.forms for one, other in zip(again, found, strict=True)), "forms changed"
    assert written(again) == data, "what was written is written otherwise when it is read"


def written(sentences: list[Sentence]) -> bytes:
    """Sentences as they are written."""
    out = io.BytesIO()
    write(sentences, out)
    return out.getvalue()


def look_at(sentence: Sentence) -> None:
    """Look at all that a sentence has; a graph that cannot be read is an error of one line."""
    n = len(sentence)
    assert len(sentence.forms) == len(sentence.heads) == len(sentence.deprels) == n + 1
    assert Sentence.from_dict(sentence.to_dict()).forms == sentence.forms, "the dict of a sentence has other forms"
    try:
        for head, dependent, _ in sentence.graph:
            assert 0 <= dependent <= n + len(sentence.empty_nodes) or head >= 0
    except CrossarcError as error:
        check_message(error)
