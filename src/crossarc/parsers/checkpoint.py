"""Where a training stands after its last finished epoch, kept in a file: one that was killed goes on from there."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from crossarc.errors import CrossarcError, ModelError
from crossarc.parsers.modelfile import read_model, write_model

Arrays = dict[str, NDArray[Any]]
Packed = tuple[dict[str, Any], Arrays]


@dataclass(frozen=True)
class Stand:
    """What a checkpoint holds: the finished epochs, the weights after them, and the best model so far."""

    epochs: list[list[Any]]
    weights: Any
    best: Packed | None
    best_las: float


class Checkpoint:
    """A checkpoint file. `signature` says what it belongs to: settings, data, the model that training started from.

    Only one of the same signature is gone on from, so that the model is byte for byte that of a training which nothing
    interrupted.
    """

    def __init__(self, path: str | os.PathLike[str], signature: Mapping[str, Any], *, resume: bool) -> None:
        self.path = os.fspath(path)
        self.signature = dict(signature)
        self.resume = resume

    def write(self, weights: Any, epochs: Sequence[Sequence[Any]], best: Packed | None, best_las: float) -> None:
        """Keep a stand; one that was kept before stays until the new one is whole."""
        manifest = {
            "kind": "checkpoint",
            "signature": self.signature,
            "epochs": [list(row) for row in epochs],
            "best": best[0] if best is not None else None,
            "best_las": best_las,
        }
        arrays = {f"weights.{name}": array for name, array in weights.to_arrays().items()}
        if best is not None:
            arrays |= {f"best.{name}": array for name, array in best[1].items()}
        write_model(self.path, manifest, arrays)

    def read(self, restore: Callable[[Arrays], Any]) -> Stand | None:
        """The stand that is kept; None if there is none or it is not asked for."""
        if not self.resume or not os.path.exists(self.path):
            return None
        manifest, arrays = read_model(self.path)
        if manifest.get("kind") != "checkpoint":
            raise ModelError(f"{self.path}: this is no checkpoint of a training; remove it, or train without resuming")
        differences = list(differing(manifest["signature"], self.signature))
        if differences:
            raise CrossarcError(
                f"{self.path}: the checkpoint is of another training: {'; '.join(differences)}; "
                "give it what it began with, or train anew without resuming"
            )

        def part(prefix: str) -> dict[str, NDArray[Any]]:
            return {name.removeprefix(prefix): arrays[name] for name in arrays if name.startswith(prefix)}

        try:
            weights = restore(part("weights."))
        except (KeyError, ValueError) as error:
            raise ModelError(f"{self.path}: the checkpoint cannot be used ({error}); train without resuming") from None
        best = (manifest["best"], part("best.")) if manifest["best"] is not None else None
        return Stand(manifest["epochs"], weights, best, manifest["best_las"])

    def remove(self) -> None:
        """Take the file away, if there is one."""
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
    """What tells two signatures apart, in words."""
    settings = here["settings"]
    names = sorted({*settings, *there["settings"]})
    found = [
        f"{name} was {there['settings'].get(name)} and is {settings.get(name)}"
        for name in names
        if there["settings"].get(name) != settings.get(name)
    ]
    return found + [text for name, text in MEANINGS.items() if there.get(name) != here.get(name)]
