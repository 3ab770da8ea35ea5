"""The definition of an experiment: its TOML file, its treebanks and its jobs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from crossarc.core.checked import read_toml
from crossarc.errors import SHORT, CrossarcError, UnknownName
from crossarc.experiments.jobs import SplitJob, Treebank
from crossarc.experiments.metrics import DEFAULT_COLUMNS, get_metric
from crossarc.parsers.presets import make_settings
from crossarc.treebank.formats import format_of_path

PARTS = ("train", "dev", "test")
# Entries that an experiment must have.
EXAMPLES = {"title": '"My experiment"', "parsers": '["mst", "arc-hybrid"]', "treebanks": '["en_ewt"]'}


class Experiment(BaseModel):
    """Parsers x treebanks x seeds, and the metrics in the tables."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str
    # The settings of each parser by its name in the tables; without a setting `parser` the name is that of a preset.
    parsers: dict[str, dict[str, Any]]
    treebanks: list[str] = Field(min_length=1)
    seeds: list[int] = Field([1], min_length=1)
    settings: dict[str, Any] = {}  # of all parsers, unless they have their own
    score: Literal["dev", "test"] = "test"
    on_error: Literal["fail", "skip", "fix"] = "fail"
    columns: list[str] = list(DEFAULT_COLUMNS)  # metrics in the table of each treebank; [] for no such tables
    overview: list[str] = []  # metrics with a table of parsers x treebanks each
    pairs: list[tuple[str, str]] = []  # parsers to compare sentence by sentence, one table each
    among_all: list[str] = []  # parsers to compare with the mean of all, one table each
    punctuation: Literal["counted", "left out", "both"] = "counted"  # in the tables of pairs and among_all
    note: str = ""  # text below the title of the page

    @field_validator("parsers", mode="before")
    @classmethod
    def presets_by_name(cls, value: Any) -> Any:
        """Turn a list of presets into a table of presets without settings."""
        if not isinstance(value, list):
            return value
        if not all(isinstance(name, str) for name in value):
            raise ValueError("write the names of presets in quotes")
        return {name: {} for name in value}

    @field_validator("parsers")
    @classmethod
    def some_parsers(cls, value: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
        """Refuse an experiment without parsers."""
        if not value:
            raise ValueError("names no parser")
        return value

    def settings_of(self, name: str, seed: int) -> dict[str, Any]:
        """The settings given to a parser of this experiment, with its preset under `parser`."""
        return {"parser": name, **self.settings, **self.parsers[name], "seed": seed}

    def check(self) -> None:
        """Refuse unknown parsers, settings and metrics before anything runs."""
        for name in self.parsers:
            make_settings(**self.settings_of(name, self.seeds[0]))
        for figure in (*self.columns, *self.overview):
            get_metric(figure)
        for name in (*(name for pair in self.pairs for name in pair), *self.among_all):
            if name not in self.parsers:
                raise UnknownName("parser in this experiment", name, self.parsers)

    def jobs(self, data: str | os.PathLike[str]) -> list[SplitJob]:
        """All jobs over the treebanks in a folder, in the order of the tables."""
        return [
            SplitJob(
                name=name,
                treebank=treebank,
                seed=seed,
                settings=self.settings_of(name, seed),
                on_error=self.on_error,
                score=self.score,
            )
            for treebank in (find_treebank(Path(data), each, ("train", self.score)) for each in self.treebanks)
            for name in self.parsers
            for seed in self.seeds
        ]


def read_experiment(path: str | os.PathLike[str]) -> Experiment:
    """The experiment of a TOML file."""
    name = os.fspath(path)
    entries = read_toml(path)
    try:
        experiment = Experiment.model_validate(entries)
        experiment.check()
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        if first["type"] == "extra_forbidden":
            raise CrossarcError(f"{name}: {UnknownName('entry', place, Experiment.model_fields)}") from None
        if first["type"] == "missing":
            example = EXAMPLES.get(place, "...")
            raise CrossarcError(f"{name}: there is no {place}; write {place} = {example}") from None
        raise CrossarcError(f"{name}: {place} = {SHORT.repr(first['input'])}: {first['msg']}") from None
    except CrossarcError as error:
        raise CrossarcError(f"{name}: {error}") from None
    return experiment


def find_treebank(data: Path, name: str, needed: Sequence[str] = ("train", "test")) -> Treebank:
    """The treebank in a folder, with files such as train.conllu or en_ewt-ud-train.conllu."""
    folder = data / name
    if not folder.is_dir():
        there = sorted(each.name for each in data.glob("*/")) if data.is_dir() else []
        found = f"it has {', '.join(there)}" if there else "it has no folders"
        raise CrossarcError(f"{data}: there is no treebank {name!r}; {found} (--data gives the folder of treebanks)")
    files = {part: path for part in PARTS if (path := find_part(folder, part))}
    if missing := [part for part in needed if part not in files]:
        raise CrossarcError(f"{folder}: there is no {missing[0]}.conllu, and no file whose name ends in -{missing[0]}")
    return Treebank(name, files)


def find_part(folder: Path, part: str) -> str | None:
    """The file of a part of a treebank, in any known format; None if there is none."""
    paths = [
        path
        for path in sorted(folder.iterdir())
        if (stem := path.name.split(".")[0]) and (stem == part or stem.endswith((f"-{part}", f"_{part}")))
        if format_of_path(path.name) is not None
    ]
    if len(paths) > 1:
        raise CrossarcError(f"{folder}: {paths[0].name} and {paths[1].name} both look like the {part} part; keep one")
    return str(paths[0]) if paths else None
