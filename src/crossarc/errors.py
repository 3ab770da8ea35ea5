"""The exceptions of crossarc: every error a user can cause is one of these."""

from __future__ import annotations

import difflib
import reprlib
from collections.abc import Iterable

SHORT = reprlib.Repr()  # what users gave, in messages
SHORT.maxstring = 200


class CrossarcError(Exception):
    """Base of all errors raised on purpose; its text is one line that says where, what and what to do."""


class TreebankError(CrossarcError):
    """A treebank file that cannot be read, or a sentence that is not what it must be."""


class ConversionError(CrossarcError):
    """A sentence that the target format cannot express at all."""


class AlignmentError(CrossarcError):
    """Two files that do not hold the same text, or not the same tokens where that is required."""


class StructureError(CrossarcError, ValueError):
    """Heads or arcs that are not a tree or graph where one is needed."""


class DecodeError(CrossarcError, ValueError):
    """Scores or constraints that a decoder cannot make a tree of."""


class ModelError(CrossarcError):
    """A model file that cannot be used: damaged, truncated, foreign, older or newer."""


class UnsoundScores(ModelError):  # noqa: N818 - it says what it is
    """The scores of a model that no search can use; what parses sentences adds which one it is."""

    def __init__(self) -> None:
        super().__init__(
            "the model gives scores that are not finite, or too large to be added up, and so no parse; its weights are "
            "damaged: take another copy, or train it again"
        )


class MissingDependency(CrossarcError):  # noqa: N818 - it says what it is
    """An optional package that the request needs is not installed."""

    def __init__(self, what: str, package: str) -> None:
        super().__init__(f"{what} needs the package {package}; pip install {package} brings it")


class UnknownName(CrossarcError, LookupError):  # noqa: N818 - it says what it is
    """An unknown name; the message offers the nearest valid one and lists the rest."""

    def __init__(self, kind: str, name: object, valid: Iterable[str]) -> None:
        names = sorted(valid)
        near = difflib.get_close_matches(name, names, n=1) if isinstance(name, str) else ()
        hint = f"; did you mean {near[0]!r}?" if near else ""
        super().__init__(f"no {kind} {SHORT.repr(name)}{hint} (valid: {', '.join(names)})")
