"""Jobs: one parser trained and scored on one part of a treebank, with the key of its result in the cache."""

from __future__ import annotations

import hashlib
import json
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from crossarc.features.templates import model_text
from crossarc.parsers.presets import make_settings

# Raise it when the content of a result changes, so that older results in a cache are computed again.
RESULT_FORMAT = 3


@dataclass(frozen=True)
class Treebank:
    """The files of a treebank by part."""

    name: str
    files: dict[str, str]

    @cached_property
    def digests(self) -> dict[str, str]:
        """The SHA-256 of each part."""
        return {part: sha256(path) for part, path in self.files.items()}

    @cached_property
    def size(self) -> int:
        """The bytes of the training part, to estimate the work of a job."""
        return os.path.getsize(self.files["train"])


@dataclass(frozen=True, kw_only=True)
class Job(ABC):
    """One parser, one treebank, one seed; a subclass says which sentences are for training and which are scored."""

    name: str
    treebank: Treebank
    seed: int
    settings: dict[str, Any]
    on_error: Literal["fail", "skip", "fix"] = "fail"
    keep_parses: bool = False  # whether the parses are kept in the cache, next to the result

    def __str__(self) -> str:
        return f"{self.name} on {self.treebank.name}, {self.part}"

    @property
    @abstractmethod
    def part(self) -> str:
        """The description that distinguishes the job from others with the same parser and treebank."""

    @property
    @abstractmethod
    def inputs(self) -> dict[str, Any]:
        """The inputs of the result besides the settings, the bytes of the treebank and `on_error`."""

    @property
    @abstractmethod
    def data(self) -> dict[str, Any]:
        """The sentences that its process learns from and scores."""

    @cached_property
    def all_settings(self) -> dict[str, Any]:
        """The settings with the defaults of the preset."""
        return make_settings(**self.settings).model_dump()

    @property
    def epochs(self) -> int:
        """The number of passes over the treebank."""
        return int(self.all_settings.get("epochs", 1))

    @property
    def weight(self) -> int:
        """An estimate of the work, to run the largest job first and to estimate the time left."""
        return self.treebank.size * self.epochs

    @cached_property
    def key(self) -> str:
        """The digest of all inputs of the result except the code."""
        features = self.all_settings.get("features")
        fixed = {
            "format": RESULT_FORMAT,
            "settings": self.all_settings,
            # An edited feature model is another model, also one of crossarc's own.
            "features": model_text(features) if features else "",
            "data": self.treebank.digests,
            "on_error": self.on_error,
            **self.inputs,
        }
        return hashlib.sha256(json.dumps(fixed, sort_keys=True).encode()).hexdigest()

    @property
    def file_name(self) -> str:
        """The name of its result in the cache, readable for people."""
        return f"{self.file_stem}-{self.key[:16]}.json"

    @property
    @abstractmethod
    def file_stem(self) -> str:
        """The name of its result without the digest."""

    @property
    def parses_name(self) -> str:
        """The name of its parses in the cache, with the extension of the treebank."""
        stem = self.file_name.removesuffix(".json")
        return stem + extension_of(self.treebank.files["train"])

    def order(self, folder: str | os.PathLike[str] = "") -> str:
        """The job as JSON for its process, which writes its parses to the folder if they are kept."""
        parses = {"parses": os.path.join(folder, self.parses_name)} if self.keep_parses else {}
        return json.dumps({"settings": self.settings, "on_error": self.on_error, **self.data, **parses})


@dataclass(frozen=True, kw_only=True)
class SplitJob(Job):
    """Learn from the training part of a treebank and score another part."""

    score: Literal["dev", "test"] = "test"

    @property
    def part(self) -> str:
        """The seed."""
        return f"seed {self.seed}"

    @property
    def inputs(self) -> dict[str, Any]:
        """The scored part."""
        return {"score": self.score}

    @property
    def data(self) -> dict[str, Any]:
        """The files."""
        files = self.treebank.files
        return {"train": files["train"], "dev": files.get("dev"), "gold": files[self.score]}

    @property
    def file_stem(self) -> str:
        """The folder of the treebank, the preset and the seed."""
        return f"{os.path.basename(self.treebank.name)}-{self.settings['parser']}-{self.seed}"


@dataclass(frozen=True, kw_only=True)
class FoldJob(Job):
    """Learn from all folds of a file but one and score that one; `fold` counts from 1, `seed` makes the folds.

    The last epoch is scored: nothing is chosen by the scored fold.
    """

    fold: int
    folds: int

    @property
    def part(self) -> str:
        """The fold."""
        return f"fold {self.fold} of {self.folds}"

    @property
    def inputs(self) -> dict[str, Any]:
        """The fold, and what makes the folds."""
        return {"fold": self.fold, "folds": self.folds, "folds_seed": self.seed}

    @property
    def data(self) -> dict[str, Any]:
        """The file and the fold."""
        return {"file": self.treebank.files["train"], **self.inputs}

    @property
    def file_stem(self) -> str:
        """The treebank, the preset and the fold."""
        treebank = self.treebank.name.replace("/", "-")
        return f"{treebank}-{self.settings['parser']}-fold-{self.fold}-of-{self.folds}"


def sha256(path: str) -> str:
    """The SHA-256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def extension_of(path: str) -> str:
    """The extension of a treebank, without that of its compression.

    >>> extension_of("a/train.conllu.gz"), extension_of("b.c/train")
    ('.conllu', '')
    """
    stem, extension = os.path.splitext(path)
    return os.path.splitext(stem)[1] if extension in (".gz", ".zst") else extension


def unique(jobs: Iterable[Job]) -> Iterator[Job]:
    """The jobs without duplicates."""
    return iter({job.key: job for job in jobs}.values())
