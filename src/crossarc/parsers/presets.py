"""The presets: names for settings that belong together, and the class of trees or graphs that each builds."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Literal, TypeVar

from pydantic import ValidationError

from crossarc.components.description import check_manifest
from crossarc.core.checked import MOST
from crossarc.core.registry import Registry
from crossarc.errors import SHORT, CrossarcError
from crossarc.parsers.description import StoredSettings
from crossarc.parsers.families import FAMILIES, REMOVED, asks_for_nothing, check_names, owner_of, settings_class
from crossarc.parsers.settings import Settings


@dataclass(frozen=True)
class Preset:
    """A parser by name: the family of its settings, what it builds, what sets it apart, and the settings."""

    family: str
    builds: str
    notes: str
    settings: Mapping[str, Any]

    @property
    def method(self) -> Literal["moves", "arcs", "networks"]:
        """The method by which it builds trees or graphs."""
        return FAMILIES[self.family].method

    @property
    def output(self) -> Literal["tree", "graph"]:
        """The class of trees or graphs that it builds."""
        return FAMILIES[self.family].output


def read_presets(package: str) -> dict[str, Preset]:
    """Return the presets in the table of a package."""
    text = files(package).joinpath("presets.toml").read_text(encoding="utf-8")
    return {name: Preset(**values) for name, values in tomllib.loads(text).items()}


def check_preset(name: str, preset: object) -> None:
    """Refuse anything but presets of known families."""
    if not isinstance(preset, Preset) or not {"system", "features"} <= {*preset.settings}:
        raise CrossarcError(
            f"the preset {name!r} is {preset!r}; it must be a Preset whose settings have a system and features"
        )
    _ = FAMILIES[preset.family]


PRESETS: Registry[Preset] = Registry("parser", "presets", read_presets("crossarc.parsers"), check_preset)


def preset_names(*methods: str, output: str = "tree") -> list[str]:
    """Return the presets of some methods, or of all, that build trees, or graphs."""
    return [name for name, each in PRESETS.items() if each.output == output and (not methods or each.method in methods)]


def make_settings(parser: str, **options: Any) -> Settings:
    """Return the settings of a preset with some of them changed."""
    preset = PRESETS[parser]
    check_names(options)
    fixed = {"family": preset.family, "system": preset.settings["system"]}
    for name, value in fixed.items():
        if options.get(name, value) != value:
            raise CrossarcError(
                f"setting {name} = {options[name]!r}: the {name} of {parser} is {value}; "
                "leave it out, or take another parser"
            )
    values = {"parser": parser, "family": preset.family, **preset.settings}
    return checked_settings(settings_class(preset.family).adapted(values, options))


def checked_settings(values: dict[str, Any]) -> Settings:
    """Return the settings of these values; refuse names, values and combinations that no parser has.

    Settings of other families pass where their value asks for nothing, removed ones where they say what holds now.
    """
    family = settings_class(values["family"])
    foreign = [name for name in values if name not in family.model_fields]
    foreign = [name for name in foreign if name not in REMOVED or values[name] != REMOVED[name][0]]
    check_names(dict.fromkeys(foreign))
    for name in foreign:
        if not asks_for_nothing(name, values[name]):
            said = family.foreign(name, values["parser"])
            if said is None:
                said = f"setting {name} belongs to {owner_of(name, family)}; {values['parser']} has none: leave it out"
            raise CrossarcError(said)
    own = {name: value for name, value in values.items() if name in family.model_fields}
    for name, value in own.items():
        if isinstance(value, int) and abs(value) >= MOST:
            raise CrossarcError(f"setting {name} = {SHORT.repr(value)}: write a number below 2 ** 31")
    try:
        settings = family.model_validate(own)
    except ValidationError as error:
        first = error.errors()[0]
        names = [str(place) for place in first["loc"] if place not in FAMILIES]
        raise CrossarcError(f"setting {'.'.join(names)} = {SHORT.repr(first['input'])}: {first['msg']}") from None
    settings.check_members(PRESETS)
    return settings


def check_options(options: dict[str, Any]) -> None:
    """Refuse settings that no family of parsers accepts."""
    check_names(options)
    first: dict[str, str] = {}  # preset of each family
    for name, each in PRESETS.items():
        first.setdefault(each.family, name)
    errors = []
    for name in first.values():
        try:
            make_settings(name, **options)
            return
        except CrossarcError as error:
            errors.append(error)
    raise errors[0]


Kind = TypeVar("Kind", bound=Settings)


def stored_basics(manifest: dict[str, Any], kind: type[Kind]) -> tuple[Kind, list[str], bool]:
    """Return the settings, the labels and whether there is one root, of a model file; `ValueError` for others."""
    settings = stored_settings(manifest["settings"])
    if not isinstance(settings, kind):
        raise ValueError("the settings belong to another family")
    return settings, manifest["labels"], manifest["single_root"]


def stored_settings(values: dict[str, Any]) -> Settings:
    """Return the settings of a model file; `ValueError` for those that a user could not choose."""
    check_manifest(values, StoredSettings)
    try:
        preset = PRESETS[values["parser"]]
        if (values["family"], values["system"]) != (preset.family, preset.settings["system"]):
            raise ValueError(f"the system of {values['parser']} is {preset.settings['system']}")
        return checked_settings(values)
    except CrossarcError as error:
        raise ValueError(str(error)) from None
