"""Damaged files of linear models, with their checksums redone: refused when loaded, or what they hold works."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from random import Random

from fuzz.modelfiles import LINEAR, Models, damaged, used


@dataclass(frozen=True)
class File:
    """The bytes of a model file."""

    kind: str
    data: bytes


def prepare(folder: Path) -> Models:
    """Nothing is trained yet."""
    return Models(folder, LINEAR)


def make(seed: int, context: Models) -> File:
    """A file of some kind, perhaps with parts of a file of another kind."""
    rng = Random(seed)
    kind = rng.choice([*context.kinds])
    return File(kind, damaged(rng, context, kind))


def check(given: File, context: Models) -> str:
    """The file is refused, or gives trees or graphs."""
    return used(given.data, given.kind, context)
