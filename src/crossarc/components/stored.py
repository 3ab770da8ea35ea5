"""Trained objects that a model file holds: saving, loading, copying, and sending them to other processes."""

from __future__ import annotations

import copy
import copyreg
import os
from abc import abstractmethod
from dataclasses import astuple
from functools import lru_cache
from typing import Any, ClassVar, Protocol, Self

from crossarc.components.modelfile import Arrays, Manifest, Origin, model_bytes, open_model, unpack_model, write_model
from crossarc.errors import ModelError

REOPENED = 4  # models that came in pickles and stay open in a process


class Removable(Protocol):
    """A checkpoint, or those of several stages."""

    def remove(self) -> None:
        """Delete the files."""


class Stored:
    """Base of objects that a model file can hold.

    Copies share the model, which never changes. An object that was loaded from a file or saved to one is pickled as the
    path of the file, with its size and checksum, and the other process reads the same file, or maps it if it was mapped
    here: the pickle is small. An object that was never saved, or whose file has changed, is pickled as the bytes of a
    model file. Code that changes the object must set `origin_` to None.
    """

    shared_: ClassVar[tuple[str, ...]] = ("model_",)  # attributes that never change
    origin_: Origin | None = None  # the file that has this very object
    checkpoint_: Removable | None = None  # of the training that it comes from

    @abstractmethod
    def stored_parts(self) -> tuple[Manifest, Arrays]:
        """Return the manifest and the arrays of its model file."""

    @classmethod
    @abstractmethod
    def from_parts(cls, manifest: Manifest, arrays: Arrays, name: str) -> Self:
        """Return what a model file holds; `ModelError`, with the name of the file, if that is something else."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a model file and delete the checkpoint; the same training gives the same bytes.

        The file appears only when it is complete.
        """
        self.origin_ = write_model(path, *self.stored_parts())
        if self.checkpoint_ is not None:
            self.checkpoint_.remove()
            self.checkpoint_ = None

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, mapped: bool = False) -> Self:
        """Return what a model file holds.

        With `mapped` processes share the memory of the file, which must then never be truncated or written to.
        """
        manifest, arrays, origin = open_model(path, mapped=mapped)
        found = cls.from_parts(manifest, arrays, os.fspath(path))
        found.origin_ = origin
        return found

    @property
    def has_parts(self) -> bool:
        """Whether there is something that a model file could hold."""
        return True

    def __reduce__(self) -> tuple[Any, ...]:
        if not self.has_parts:
            return copyreg.__newobj__, (type(self),), {**vars(self), "checkpoint_": None}  # type: ignore[attr-defined]
        if self.origin_ is not None and self.origin_.is_unchanged():
            return from_file, (type(self), *astuple(self.origin_))
        return from_bytes, (type(self), model_bytes(*self.stored_parts()))

    def __copy__(self) -> Self:
        twin = type(self).__new__(type(self))
        vars(twin).update(vars(self))
        twin.checkpoint_ = None  # it belongs to one training
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        twin = copy.copy(self)
        own = {name: value for name, value in vars(twin).items() if name not in self.shared_}
        vars(twin).update(copy.deepcopy(own, memo))
        return twin


def from_file(cls: type[Stored], *origin: Any) -> Stored:
    """Return the object that was pickled as the path of its file."""
    return copy.copy(reopened(cls, Origin(*origin)))  # type: ignore[arg-type]


@lru_cache(REOPENED)
def reopened(cls: type[Stored], origin: Origin) -> Stored:
    """Return what a file holds; a process that unpickles it once for each task reads it once."""
    try:
        found = cls.open(origin.path, mapped=origin.mapped)
    except FileNotFoundError:
        raise ModelError(
            f"{origin.path}: there is no such model file, and what was pickled is only its path; bring the file there"
        ) from None
    if found.origin_ != origin:
        raise ModelError(f"{origin.path}: the model file was changed after it was pickled; load it and pickle it again")
    return found


def from_bytes(cls: type[Stored], data: bytes) -> Stored:
    """Return the object that was pickled as the bytes of a model file."""
    return cls.from_parts(*unpack_model(data, "the pickled model"), "the pickled model")
