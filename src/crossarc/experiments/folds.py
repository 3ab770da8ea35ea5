"""The plan of a cross-validation: its parsers, given as text or as tables of settings, and its jobs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from crossarc.errors import CrossarcError, UnknownName
from crossarc.experiments.jobs import FoldJob, Treebank
from crossarc.parsers.presets import make_settings

if TYPE_CHECKING:
    from crossarc.treebank import Sentence

AGAINST = ("usual", "all")
Parsers = Sequence[str] | Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Candidate:
    """A parser to compare: its name in the tables, and its settings with the preset under `parser`."""

    name: str
    settings: dict[str, Any]


@dataclass(frozen=True)
class CrossValidation:
    """Parsers to compare on the folds of one file; `settings` are those of all parsers unless they have their own."""

    file: str
    candidates: tuple[Candidate, ...]
    folds: int = 10
    seed: int = 1
    settings: dict[str, Any] = field(default_factory=dict)
    on_error: Literal["fail", "skip", "fix"] = "fail"
    against: Literal["usual", "all"] = "usual"  # which pairs are tested, see `pairs_to_test`
    keep_parses: bool = False

    note = ""  # of the page

    def __post_init__(self) -> None:
        """Refuse unknown parsers and settings, and too few folds, before anything is read."""
        if self.file == "-":
            raise CrossarcError("-: each job reads the treebank again, so it cannot be standard input; give a file")
        if not self.candidates:
            raise CrossarcError("cross-validation needs at least one parser, for example --parser mst")
        if self.folds < 2:
            raise CrossarcError(f"cross-validation needs at least 2 folds, not {self.folds}")
        if self.against not in AGAINST:
            raise UnknownName("choice of pairs to test", self.against, AGAINST)
        for candidate in self.candidates:
            try:
                make_settings(**self.settings_of(candidate))
            except CrossarcError as error:
                raise CrossarcError(f"parser {candidate.name}: {error}") from None

    @property
    def treebank(self) -> Treebank:
        """The file as a treebank, named by its folder and its name without extension."""
        path = Path(self.file).absolute()
        return Treebank("/".join((path.parent.name, path.name.split(".")[0])).lstrip("/"), {"train": self.file})

    @property
    def title(self) -> str:
        """The title of the page."""
        return f"Cross-validation on {self.treebank.name}"

    def settings_of(self, candidate: Candidate) -> dict[str, Any]:
        """The settings given to a parser, with its preset under `parser`."""
        return {"seed": self.seed, **self.settings, **candidate.settings}

    def jobs(self, sentences: Sequence[Sentence]) -> list[FoldJob]:
        """All jobs over the sentences of the file: all folds of the first parser, then those of the second."""
        if len(sentences) < self.folds:
            raise CrossarcError(
                f"{self.file}: {len(sentences)} sentences are too few for {self.folds} folds; --folds sets the number"
            )
        treebank = self.treebank
        return [
            FoldJob(
                name=candidate.name,
                treebank=treebank,
                seed=self.seed,
                settings=self.settings_of(candidate),
                on_error=self.on_error,
                keep_parses=self.keep_parses,
                fold=fold,
                folds=self.folds,
            )
            for candidate in self.candidates
            for fold in range(1, self.folds + 1)
        ]


def candidates_of(parsers: Parsers) -> tuple[Candidate, ...]:
    """The parsers given as texts such as `eisner:transform=head,cap=30`, or by name with their settings."""
    if isinstance(parsers, str):
        raise CrossarcError(f"parsers are a list or a table, not a text; write [{parsers!r}]")
    if isinstance(parsers, Mapping):
        return tuple(Candidate(name, {"parser": name, **settings}) for name, settings in parsers.items())
    return tuple(map(read_candidate, parsers))


def read_candidate(text: str) -> Candidate:
    """A preset with settings, as on the command line.

    >>> read_candidate("eisner:transform=head,cap=30").settings
    {'parser': 'eisner', 'transform': 'head', 'cap': 30}
    """
    preset, colon, rest = text.partition(":")
    settings = read_settings(rest.split(",") if colon else [], text)
    if "parser" in settings:
        raise CrossarcError(f"{text}: the parser is {preset}, before the colon; leave parser= out")
    return Candidate(text, {"parser": preset, **settings})


def read_settings(texts: Iterable[str], place: str) -> dict[str, Any]:
    """The settings in texts such as `cap=30`; numbers, true, false and JSON lists are read as such.

    >>> read_settings(["transform=head", "cut=3", "prune=0", "lengths=true"], "--set")
    {'transform': 'head', 'cut': 3, 'prune': 0, 'lengths': True}
    """
    settings: dict[str, Any] = {}
    for text in texts:
        name, equals, value = (each.strip() for each in text.partition("="))
        if not name or not equals or not value:
            raise CrossarcError(f"{place}: {text!r} is not a setting; write name=value, for example cap=30")
        if name in settings:
            raise CrossarcError(f"{place}: setting {name} is given twice; leave one out")
        settings[name] = read_value(value)
    return settings


def read_value(text: str) -> bool | int | float | str | list[Any]:
    """The value of a setting given as text."""
    try:
        value = json.loads(text, parse_constant=str)  # NaN and Infinity are not values here
    except ValueError:
        return text
    return value if isinstance(value, bool | int | float | str | list) else text
