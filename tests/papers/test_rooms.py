"""Each paper has a room that can be imported and a page, and everything that a page names exists."""

import importlib
import re
import shlex
import tomllib
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import get_args

import pytest
import typer

from crossarc import Parser
from crossarc.cli.app import application
from crossarc.decode import __all__ as decoders
from crossarc.errors import CrossarcError
from crossarc.evaluation import KINDS
from crossarc.experiments import METRICS, Experiment
from crossarc.experiments.folds import read_candidate, read_settings
from crossarc.features.templates import feature_models
from crossarc.parsers import PRESETS
from crossarc.parsers.extensions import KINDS as EXTENSIONS
from crossarc.parsers.extensions import registry_of
from crossarc.parsers.families import all_settings, settings_class
from crossarc.parsers.moves.learners import LEARNERS
from crossarc.parsers.presets import make_settings
from crossarc.transitions import GRAPH_SYSTEMS, SYSTEMS

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "crossarc"
PAPERS = SOURCE / "papers"
ROOMS = sorted(path.name for path in PAPERS.iterdir() if path.is_dir() and path.name != "__pycache__")
COMMANDS = typer.main.get_command(application()).commands
ENTRIES = [
    (entry.group, entry.name, entry.module)
    for kind in EXTENSIONS
    for entry in entry_points(group=registry_of(kind).group)
    if entry.module.startswith("crossarc.papers.")
]
DECLARED = [
    (group, name, place.partition(":")[0])
    for group, names in tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "entry-points"
    ].items()
    for name, place in names.items()
]


def text_of(room):
    return (PAPERS / room / "README.md").read_text(encoding="utf-8")


# The rooms


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_is_a_package_with_a_page(room):
    assert importlib.import_module(f"crossarc.papers.{room}").__doc__
    page = text_of(room)
    assert page.startswith("# ")
    assert 30 <= page.count("\n") <= 70, "a page of a paper is short"
    for part in ("**What it proposes.**", "| in the paper | where it is | how to use it |", "docs/results/"):
        assert part in page, f"the page of {room} lacks {part}"
    for title in ("What is different here, and why", "What is not here", "What is in this room"):
        assert f"\n## {title}\n" in page, f"the page of {room} lacks the section {title}"


def test_what_is_installed_is_what_is_declared():
    assert sorted(ENTRIES) == sorted(DECLARED), "install crossarc again"
    assert {module.rpartition(".")[2] for _, _, module in DECLARED} <= set(ROOMS)


@pytest.mark.parametrize(("group", "name", "module"), ENTRIES, ids=[f"{group}-{name}" for group, name, _ in ENTRIES])
def test_pages_name_what_their_room_offers(group, name, module):
    room = importlib.import_module(module)
    offered = getattr(room, group.rpartition(".")[2].upper())
    assert name in offered
    if group != "crossarc.families":
        assert re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text_of(module.rpartition(".")[2]))


@pytest.mark.parametrize("room", ROOMS)
def test_the_guide_names_the_page(room):
    assert f"(../src/crossarc/papers/{room}/README.md)" in (ROOT / "docs" / "README.md").read_text(encoding="utf-8")


# What pages name


def is_object(span):
    """A module, or what is in one: `crossarc.decode.mst`."""
    *parts, name = span.split(".")
    if parts[:1] != ["crossarc"]:
        return False
    try:
        return hasattr(importlib.import_module(".".join(parts)), name) or is_module(span)
    except ImportError:
        return False


def is_module(span):
    try:
        importlib.import_module(span)
    except ImportError:
        return False
    return True


def is_file(span):
    """A file or folder, from the root or from the sources."""
    return "/" in span and any((folder / span).exists() for folder in (ROOT, SOURCE))


@cache
def names():
    """Everything that has a name of its own: presets, settings and their values, metrics ..."""
    settings = all_settings()
    fields = [settings_class(family).model_fields[name] for name, families in settings.items() for family in families]
    values = {value for field in fields for value in get_args(field.annotation) if isinstance(value, str)}
    things = (PRESETS, feature_models(), SYSTEMS, GRAPH_SYSTEMS, LEARNERS, settings, METRICS, KINDS, decoders, values)
    return {*Experiment.model_fields, *(name for each in things for name in each)}


def is_part_of_presets(span):
    """What names of presets have in common: `-label`."""
    return span[:1] == "-" and span[1:2] != "-" and any(span in f"{name}-" for name in PRESETS)


def is_setting(span):
    """A setting with a value that some parser accepts: `labels = "joint"`."""
    try:
        options = tomllib.loads(span)
    except tomllib.TOMLDecodeError:
        return False
    return " = " in span and any(accepts(name, options) for name in PRESETS)


def accepts(preset, options):
    try:
        model = make_settings(preset, **options).features
    except CrossarcError:
        return False
    return model in feature_models()


def is_option(span):
    """Options of commands and of benchmarks: `--kinds danish --acyclic`."""
    scripts = "".join(path.read_text(encoding="utf-8") for path in sorted(ROOT.glob("benchmarks/*.py")))
    known = {option for command in COMMANDS.values() for each in command.params for option in each.opts}
    options = re.findall(r"--[\w-]+", span)
    return span.startswith("--") and all(option in known or f'"{option}"' in scripts for option in options)


def is_command(span):
    """A command of crossarc, at least its name and some of its options."""
    program, _, rest = span.partition(" ")
    if program != "crossarc":
        return False
    name, *arguments = shlex.split(rest)
    known = {option for each in COMMANDS[name].params for option in each.opts} if name in COMMANDS else set()
    return bool(known) and {each for each in arguments if each.startswith("-")} <= known


KINDS_OF_SPANS = (is_object, is_file, is_part_of_presets, is_setting, is_option, is_command)


def exists(span):
    return span in names() or any(kind(span) for kind in KINDS_OF_SPANS)


SPANS = sorted({(room, span) for room in ROOMS for span in re.findall(r"`([^`\n]+)`", text_of(room))})


@pytest.mark.parametrize(("room", "span"), SPANS, ids=[f"{room}-{span}" for room, span in SPANS])
def test_what_a_page_names_exists(room, span):
    assert exists(span), f"the page of {room} names `{span}`, which is not a module, file, preset, setting or command"


@pytest.mark.parametrize(
    "span",
    [
        "crossarc.decode.msd",
        "crossarc.papers.forgotten",
        "papers/forgotten/orders.py",
        "mst-forgotten",
        "-forgotten",
        'labels = "forgotten"',
        'features = "forgotten"',
        "--forgotten",
        "crossarc forgotten",
        "crossarc parse --forgotten",
        "forgotten",
    ],
)
def test_names_that_are_not_there_are_missed(span):
    assert not exists(span)


LINES = sorted({(room, line) for room in ROOMS for line in re.findall(r"^ {4}(\S.*)$", text_of(room), re.M)})


@pytest.mark.parametrize(("room", "line"), LINES, ids=[f"{room}-{line[:60]}" for room, line in LINES])
def test_commands_can_be_given(room, line):
    """Their options and values are accepted, and what they take from the repository is there."""
    program, name, *arguments = shlex.split(line)
    for argument in (name, *arguments):
        assert is_file(argument) or argument.split("/")[0] not in ("benchmarks", "experiments"), argument
    if program == "python":
        text = (ROOT / name).read_text(encoding="utf-8")
        assert all(f'"{each}"' in text for each in arguments if each.startswith("--"))
        return
    assert program == "crossarc"
    given = COMMANDS[name].make_context(name, arguments).params
    if name == "train":
        own = {key: given[key] for key in ("epochs", "learner", "beam") if given[key] is not None}
        Parser(given["parser"], **own, **read_settings(given["setting"], "--set"))
    elif name == "crossval":
        for each in map(read_candidate, given["parser"]):
            make_settings(**{**read_settings(given["setting"], "--set"), **each.settings})
