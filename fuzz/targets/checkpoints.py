"""Damaged checkpoints, with their checksums redone: training refuses to resume, or gives a model that works."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from crossarc.components.modelfile import model_bytes, unpack_model
from crossarc.errors import CrossarcError
from crossarc.parsers import Parser
from crossarc.pipeline import Pipeline
from crossarc.tagging import Tagger, Tokenizer
from fuzz.modelfiles import SIZES, Arrays, Learner, Manifest, Models, damage_array, damage_manifest, great_numbers, used

EPOCHS = 3
PIPELINE: dict[str, Any] = {"epochs": 1, "jackknife": 3, "tagger": {"epochs": 1}}
KINDS: dict[str, tuple[Callable[[], Learner], str]] = {  # and the end of the name of the file
    "arc-hybrid": (lambda: Parser("arc-hybrid", epochs=EPOCHS), ""),
    "maxent": (lambda: Parser("arc-eager", epochs=EPOCHS, learner="maxent"), ""),
    "fast": (lambda: Parser("arc-standard", epochs=EPOCHS, fast=True), ""),
    "mst": (lambda: Parser("mst", epochs=EPOCHS), ""),
    "carreras": (lambda: Parser("carreras-npa", epochs=EPOCHS, labels="joint", starts=["mst", "arc-hybrid"]), ""),
    "dag-mst": (lambda: Parser("dag-mst", epochs=EPOCHS), ""),
    "combined": (lambda: Parser("mst-combined", epochs=EPOCHS, stack=2), ""),
    "neural": (lambda: Parser("neural", epochs=EPOCHS, **SIZES), ""),
    "tagger": (lambda: Tagger(epochs=EPOCHS), ""),
    "tokenizer": (lambda: Tokenizer(epochs=EPOCHS), ""),
    "finished": (lambda: Pipeline("arc-hybrid", **PIPELINE), ".tokenizer"),
    "folds": (lambda: Pipeline("arc-hybrid", **PIPELINE), ".jackknife"),
}


class KilledError(Exception):
    """The end of a training after its second epoch."""


@dataclass
class Trainings:
    """Checkpoints by kind, written when they are first asked for."""

    models: Models
    stored: dict[str, tuple[Manifest, Arrays]] = field(default_factory=dict)

    def of(self, kind: str) -> tuple[Manifest, Arrays]:
        """The manifest and the arrays of a checkpoint."""
        if kind not in self.stored:
            make, end = KINDS[kind]
            path = self.models.folder / f"{kind}.checkpoint"

            def kill(epoch: Any) -> None:
                if epoch.number == EPOCHS - 1:
                    raise KilledError

            def kill_stage(name: str) -> None:
                if name == "parser":
                    raise KilledError

            how: dict[str, Any] = {"on_stage": kill_stage} if end else {"on_epoch": kill, "checkpoint": path}
            with suppress(KilledError):
                make().fit(self.models.treebank, self.models.treebank[:3], **{"checkpoint": path, **how})
            if not end:
                self.go_on_once(make, path)
            self.stored[kind] = unpack_model(Path(f"{path}{end}").read_bytes(), kind)
        return self.stored[kind]

    def go_on_once(self, make: Callable[[], Learner], path: Path) -> None:
        """Write the checkpoint of the last epoch but one, which a training that was killed in it does not have."""

        def kill(progress: Any) -> None:
            if progress.epoch == EPOCHS:
                raise KilledError

        with suppress(KilledError):
            make().fit(self.models.treebank, self.models.treebank[:3], checkpoint=path, on_progress=kill)


@dataclass(frozen=True)
class File:
    """The bytes of a checkpoint."""

    kind: str
    data: bytes


def prepare(folder: Path) -> Trainings:
    """Nothing is trained yet."""
    return Trainings(Models(folder, {}))


def make(seed: int, context: Trainings) -> File:
    """A checkpoint of some kind, perhaps with parts of a checkpoint of another kind."""
    rng = Random(seed)
    kind = rng.choice([*KINDS])
    manifest, arrays = context.of(kind)
    manifest, arrays = json.loads(json.dumps(manifest)), dict(arrays)
    manifest.pop("format_version")
    other = context.of(rng.choice([*KINDS]))
    for _ in range(rng.choice((1, 1, 2))):
        how = rng.random()
        if how < 0.3:
            damage_manifest(rng, manifest, other[0])
        elif how < 0.4:
            great_numbers(rng, arrays)
        else:
            damage_array(rng, arrays, other[1])
    return File(kind, model_bytes(manifest, arrays))


def check(given: File, context: Trainings) -> str:
    """Training refuses the file in one line, or goes on to a model that works."""
    learner_of, end = KINDS[given.kind]
    path = context.models.folder / "damaged.checkpoint"
    for each in context.models.folder.glob("damaged.*"):
        each.unlink()
    Path(f"{path}{end}").write_bytes(given.data)
    learner, treebank = learner_of(), context.models.treebank
    saved = context.models.folder / "resumed"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # weights may be as great as they can be
            learner.fit(treebank, treebank[:3], checkpoint=path, resume=True)
            learner.save(saved)
    except CrossarcError as error:
        assert str(error).isprintable(), f"the message is not one line: {error}"
        return "refused"
    return f"resumed, {used(saved.read_bytes(), given.kind, context.models)}"
