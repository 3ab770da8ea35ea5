"""Damaged files of networks, pipelines, taggers and tokenizers: refused when loaded, or what they hold works."""

from __future__ import annotations

from pathlib import Path

from fuzz.modelfiles import LARGE, Models
from fuzz.targets.models import check, make

__all__ = ["check", "make", "prepare"]


def prepare(folder: Path) -> Models:
    """Nothing is trained yet."""
    return Models(folder, LARGE)
