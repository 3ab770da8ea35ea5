"""The training state after the last finished epoch, kept in a file: an interrupted training goes on from there."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, Strict

from crossarc.components.component import Arrays, Component, Manifest, Scores, part, prefixed
from crossarc.components.description import (
    Count,
    Described,
    Description,
    Held,
    check_manifest,
    check_numbers,
    one_line,
    reading,
)
from crossarc.components.modelfile import read_model, write_model
from crossarc.errors import CrossarcError, ModelError

Row = tuple[int, float, Scores | None]  # of an epoch: number, share of wrong decisions, scores


@dataclass
class TrainingState:
    """The finished epochs and the best model so far."""

    epochs: list[Row] = field(default_factory=list)
    best: Component | None = None
    quality: float = 0.0  # of the best model


class Signature(Described):
    """What a checkpoint belongs to."""

    model_config = ConfigDict(extra="allow")

    settings: dict[str, Any]


StoredScores = list[Annotated[tuple[str, float], Strict(False)]]  # JSON has lists only
StoredRow = Annotated[tuple[Count, float, StoredScores | None], Strict(False)]


class CheckpointDescription(Description):
    """The manifest of a checkpoint: of a training, of what was learned, or of so many folds."""

    kind: Literal["checkpoint"]
    signature: Signature
    epochs: list[StoredRow] = Field(default=[])
    best: Held | None = None
    quality: float = 0.0
    finished: Held | None = None
    folds: Count = 0


class Checkpoint:
    """A checkpoint file. `signature` says what it belongs to: settings, data, the model that training started from.

    Training goes on only from a checkpoint of the same signature, so that it gives the same model, byte for byte, as
    without the interruption.
    """

    def __init__(self, path: str | os.PathLike[str], signature: Mapping[str, Any], *, resume: bool) -> None:
        self.path = os.fspath(path)
        self.signature = dict(signature)
        self.resume = resume

    def write(self, weights: Arrays, state: TrainingState) -> None:
        """Keep a training state; the one before stays until the new one is complete."""
        best = state.best.to_arrays() if state.best is not None else None
        manifest = {
            "epochs": [[number, wrong, scores and [*scores.items()]] for number, wrong, scores in state.epochs],
            "best": best[0] if best is not None else None,
            "quality": state.quality,
        }
        self.put(manifest, prefixed(weights, "weights.") | (prefixed(best[1], "best.") if best is not None else {}))

    def read(
        self, restore: Callable[[Arrays], None], model_of: Callable[[dict[str, Any], Arrays], Component]
    ) -> TrainingState | None:
        """Hand the weights of the file to `restore` and return its state; None without a file, or if not to resume."""
        found = self.get()
        if found is None:
            return None
        manifest, arrays = found
        with self.reading():
            restore(part(arrays, "weights."))
            best = model_of(manifest["best"], part(arrays, "best.")) if manifest["best"] is not None else None
            epochs = [(number, wrong, dict(scores) if scores else None) for number, wrong, scores in manifest["epochs"]]
            return TrainingState(epochs, best, manifest["quality"])

    def reading(self) -> AbstractContextManager[None]:
        """Make a `ModelError` of what is raised because the file is damaged."""
        return reading(f"{self.path}: the checkpoint cannot be used", "; train without resuming")

    def put(self, manifest: Manifest, arrays: Arrays) -> None:
        """Write the file, with what it belongs to."""
        write_model(self.path, {"kind": "checkpoint", "signature": self.signature, **manifest}, arrays)

    def get(self) -> tuple[Manifest, Arrays] | None:
        """Return what `put` wrote; None without a file, or if not to resume."""
        if not self.resume or not os.path.exists(self.path):
            return None
        manifest, arrays = read_model(self.path)
        if manifest.get("kind") != "checkpoint":
            raise ModelError(
                f"{self.path}: this is not a checkpoint of a training; remove it, or train without resuming"
            )
        with self.reading():
            check_manifest(manifest, CheckpointDescription)
            check_numbers(arrays)
        differences = list(differing(manifest["signature"], self.signature))
        if differences:
            raise CrossarcError(
                f"{self.path}: the checkpoint belongs to another training: {'; '.join(differences)}; "
                "give it what it began with, or train again without resuming"
            )
        return manifest, arrays

    def finish(self, manifest: Manifest, arrays: Arrays) -> None:
        """Keep what was learned in place of the training state, since the training ended and others follow."""
        self.put({"finished": manifest}, arrays)

    def finished(self) -> tuple[Manifest, Arrays] | None:
        """Return what `finish` kept; None if the training did not end, or if not to resume."""
        if not self.resume or not os.path.exists(self.path) or "finished" not in read_model(self.path, verify=False)[0]:
            return None
        found = self.get()
        return (found[0]["finished"], found[1]) if found is not None else None

    def remove(self) -> None:
        """Delete the file, if there is one."""
        if os.path.exists(self.path):
            os.remove(self.path)


# What a difference in anything but a setting means.
MEANINGS = {
    "train": "the training sentences differ",
    "dev": "the development sentences differ",
    "features": "the feature model differs",
    "init": "the model to start from differs",
    "directed": "the directed model differs",
}


def differing(there: Mapping[str, Any], here: Mapping[str, Any]) -> list[str]:
    """The differences between two signatures, in words."""
    settings = here["settings"]
    names = sorted({*settings, *there["settings"]})
    found = [
        one_line(f"{name} was {there['settings'].get(name)} and is {settings.get(name)}")
        for name in names
        if there["settings"].get(name) != settings.get(name)
    ]
    return found + [text for name, text in MEANINGS.items() if there.get(name) != here.get(name)]
