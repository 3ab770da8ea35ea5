"""Seeds that once failed: a file TARGET.txt for each target, whose lines are a seed and what it found."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent


def names() -> list[str]:
    """The targets that have such seeds."""
    return sorted(file.stem for file in FOLDER.glob("*.txt"))


def seeds(name: str) -> dict[int, str]:
    """The seeds of a target and what they found."""
    found = {}
    for number, line in enumerate((FOLDER / f"{name}.txt").read_text().splitlines(), 1):
        seed, _, what = line.partition(" ")
        if not what or not seed.isdigit():
            raise ValueError(f"{name}.txt:{number}: expected a seed and what it found, not {line!r}")
        found[int(seed)] = what
    return found
