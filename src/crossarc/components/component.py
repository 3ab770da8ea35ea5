"""The contract of what is trained and stored: tokenizers, taggers, parsers of trees and parsers of graphs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Self, TypeVar

from numpy.typing import NDArray

from crossarc.components.description import Description, check_manifest, check_numbers

Arrays = dict[str, NDArray[Any]]
Manifest = dict[str, Any]
Member = TypeVar("Member", bound="Component")
Scores = dict[str, float]  # by the name of the measure, in percent


class Component(ABC):
    """Something that was trained. It is immutable, and any number of threads may use it."""

    kind: str  # of its file
    description: ClassVar[type[Description]]  # of its manifest
    reads: tuple[str, ...] = ("form",)  # the columns of sentences that it looks at
    gives: tuple[str, ...] = ()  # the columns that it writes

    @abstractmethod
    def to_arrays(self) -> tuple[Manifest, Arrays]:
        """Return the manifest and the arrays that a model file keeps."""

    @classmethod
    @abstractmethod
    def from_arrays(cls, manifest: Manifest, arrays: Arrays) -> Self:
        """Return the component of a file whose manifest is as described; `ValueError` or `LookupError` for others."""

    @classmethod
    def stored(cls, manifest: Manifest, arrays: Arrays) -> Self:
        """Return the component of a file after a check of its manifest and its numbers; errors as in `from_arrays`."""
        check_manifest(manifest, cls.description)
        check_numbers(arrays)
        return cls.from_arrays(manifest, arrays)

    @abstractmethod
    def score(self, gold: Any) -> Scores:
        """Return how good it is on a development set, by measures in a fixed order."""

    def quality(self, scores: Scores) -> float:
        """Return the number by which epochs are compared: the first measure."""
        return next(iter(scores.values()))

    def scored(self) -> Self:
        """Return the component after it was scored on the development set, with what it noted there."""
        return self

    def describe(self) -> dict[str, str]:
        """Return what `crossarc info` prints about it besides its settings."""
        return {}

    def notes(self) -> list[str]:
        """Return remarks about the input so far."""
        return []

    def reset_notes(self) -> None:  # noqa: B027
        """Forget what was noted of the input so far; most components note nothing."""


def part(arrays: Arrays, prefix: str) -> Arrays:
    """Return the arrays whose names begin with a prefix, without it."""
    return {name.removeprefix(prefix): arrays[name] for name in arrays if name.startswith(prefix)}


def prefixed(arrays: Arrays, prefix: str) -> Arrays:
    """Return the arrays with a prefix before their names."""
    return {f"{prefix}{name}": array for name, array in arrays.items()}


# ---- components that hold others: the members stand in the file under their numbers


def numbered(each: Iterable[Arrays], name: str = "member") -> Arrays:
    """Return the arrays of several members as one, each with the name and number of the member before it."""
    found: Arrays = {}
    for number, own in enumerate(each):
        found |= prefixed(own, f"{name}{number}.")
    return found


def arrays_of(arrays: Arrays, number: int, name: str = "member") -> Arrays:
    """Return the arrays of one member out of those that `numbered` returned."""
    return part(arrays, f"{name}{number}.")


def stored_members(members: Iterable[Component]) -> tuple[list[Manifest], Arrays]:
    """Return the manifests of members, and their arrays as one."""
    found = [member.to_arrays() for member in members]
    return [manifest for manifest, _ in found], numbered(own for _, own in found)


def members_of(
    manifests: Iterable[Manifest], arrays: Arrays, model_of: Callable[[Manifest, Arrays], Member]
) -> tuple[Member, ...]:
    """Return the members of a file that `stored_members` gave; `model_of` makes one of its manifest and arrays."""
    return tuple(model_of(each, arrays_of(arrays, number)) for number, each in enumerate(manifests))
