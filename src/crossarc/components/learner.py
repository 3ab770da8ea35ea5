"""Learners, which users train, save and load: settings before the training, a component after it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Generic, Self, TypeVar

from crossarc.components.checkpoint import Checkpoint
from crossarc.components.component import Arrays, Component, Manifest
from crossarc.components.description import reading
from crossarc.components.stored import Stored
from crossarc.components.training import Epoch, Progress, Trainer, run_epochs
from crossarc.errors import CrossarcError

Kind = TypeVar("Kind", bound=Component)


def checkpoint_at(
    path: str | os.PathLike[str] | None, resume: bool, signature: Callable[[], Mapping[str, Any]]
) -> Checkpoint | None:
    """Return the checkpoint of a training, which its signature belongs to; None without a path."""
    if resume and path is None:
        raise CrossarcError("there is nothing to resume from; name the file with checkpoint=")
    return Checkpoint(path, signature(), resume=resume) if path is not None else None


class Learner(Stored, Generic[Kind]):
    """Something that learns a component: tokenizers and taggers.

    A class names the component, has the settings as arguments, and a `fit` that ends with `keep`.
    """

    title: ClassVar[str]  # in messages
    remedy: ClassVar[str] = "call fit first"  # where it has not learned
    component: ClassVar[type[Component]]
    model_: Kind | None = None
    checkpoint_: Checkpoint | None = None

    @property
    def model(self) -> Kind:
        """The trained component; an error if there is none yet."""
        if self.model_ is None:
            raise CrossarcError(f"this {self.title} has not learned anything: {self.remedy}")
        return self.model_

    def run(
        self,
        trainer: Trainer,
        dev: Any,
        on_epoch: Callable[[Epoch], None],
        on_progress: Callable[[Progress], None],
        checkpoint: Checkpoint | None,
    ) -> Kind:
        """Return the component that a trainer learns, from its checkpoint on if it resumes."""
        found: Any = run_epochs(trainer, dev, on_epoch, on_progress, checkpoint, self.component.stored)
        found.reset_notes()
        return found  # type: ignore[no-any-return]

    def keep(self, model: Kind, checkpoint: Checkpoint | None) -> Self:
        """Take what was learned in place of what was learned before; what fails until then changes nothing."""
        self.model_, self.origin_, self.checkpoint_ = model, None, checkpoint
        return self

    def stored_parts(self) -> tuple[Manifest, Arrays]:
        """Return the manifest and the arrays of its model file."""
        return self.model.to_arrays()

    @classmethod
    def from_parts(cls, manifest: Manifest, arrays: Arrays, name: str) -> Self:
        """Return what a model file holds; `name` is that of the file in messages."""
        with reading(f"{name}: the file holds no {cls.title} that crossarc can use"):
            return cls.around(cls.component.stored(manifest, arrays))

    @classmethod
    def around(cls, model: Any) -> Self:
        """Return a learner that has learned a component."""
        learner = cls()
        learner.model_ = model
        return learner

    @property
    def has_parts(self) -> bool:
        """Whether it has learned something."""
        return self.model_ is not None
