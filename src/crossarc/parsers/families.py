"""The families of settings by name, and the check of values that a user, a TOML file or a model file gives.

The `family` field chooses the type of settings, so that a parser refuses a setting that it does not have, and the same
checks hold for all.
"""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from crossarc.errors import CrossarcError, UnknownName
from crossarc.parsers.settings import (
    AT_ONCE,
    COSTS,
    ArcSettings,
    DagMstSettings,
    DagSettings,
    GraphSettings,
    LinearSettings,
    NeuralGraphSettings,
    NeuralSettings,
    RoundSettings,
    SecondOrderSettings,
    Settings,
    TransitionSettings,
    UndirectedSettings,
)

FAMILIES: dict[str, type[Settings]] = {
    "transition": TransitionSettings,
    "dag": DagSettings,
    "graph": ArcSettings,
    "undirected": UndirectedSettings,
    "rounds": RoundSettings,
    "second-order": SecondOrderSettings,
    "dag-mst": DagMstSettings,
    "neural": NeuralSettings,
    "neural-graph": NeuralGraphSettings,
}
TITLES = {
    "transition": "transition parsers",
    "dag": "parsers of graphs",
    "graph": "graph parsers",
    "undirected": "undirected graph parsers",
    "rounds": "mst-bottom-up",
    "second-order": "second-order parsers",
    "dag-mst": "dag-mst",
    "neural": "neural parsers",
    "neural-graph": "neural-graph",
}
NEUTRAL = {"explore": 0.0}  # values that ask for nothing, beside the defaults
ALL_FIELDS = dict.fromkeys(name for family in FAMILIES.values() for name in family.model_fields)


def family_of(name: str) -> type[Settings] | None:
    """Return the first family that has a setting; None for unknown settings."""
    return next((family for family in FAMILIES.values() if name in family.model_fields), None)


def owner_of(name: str, asked: type[Settings]) -> str:
    """Return what to call the parsers that have a setting which the asked family does not have."""
    owner = next(family for family in FAMILIES if name in FAMILIES[family].model_fields)
    if name in LinearSettings.model_fields and not issubclass(asked, LinearSettings):
        return "linear parsers"
    return "mst and eisner" if owner == "graph" and issubclass(asked, GraphSettings) else TITLES[owner]


def check_names(values: dict[str, Any]) -> None:
    """Refuse names that no parser has as a setting."""
    for name in values:
        if name not in ALL_FIELDS:
            raise UnknownName("setting", name, ALL_FIELDS)


def usual_value(name: str) -> Any:
    """Return the default of a setting in the first family that has it."""
    family = family_of(name)
    return family.model_fields[name].default if family is not None else None


def checked_settings(values: dict[str, Any]) -> Settings:
    """Return the settings of these values; refuse names, values and combinations that no parser has.

    Settings of other families pass where their value asks for nothing.
    """
    check_names(values)
    family = FAMILIES[values["family"]]
    foreign = [name for name in values if name not in family.model_fields]
    for name in foreign:
        if values[name] not in (usual_value(name), NEUTRAL.get(name)):
            if name == "labels" and issubclass(family, GraphSettings):
                raise CrossarcError(
                    f"labels = 'joint': {values['parser']} knows arcs, and so labels, only after the tree; take mst"
                )
            owner = owner_of(name, family)
            other = "graph parsers have" if owner == TITLES["transition"] else f"{values['parser']} has"
            raise CrossarcError(f"setting {name} is of {owner}; {other} none: leave it out")
    own = {name: value for name, value in values.items() if name not in foreign}
    learner = own.get("learner", family.model_fields["learner"].default if "learner" in family.model_fields else None)
    if learner in ("maxent", *AT_ONCE) and issubclass(family, GraphSettings):
        raise CrossarcError(f"learner {learner} learns single decisions, graph parsers whole trees; take mira")
    if "cost" in family.model_fields and own.get("cost") is None:
        own["cost"] = COSTS.get(str(learner))
    try:
        settings = family.model_validate(own)
    except ValidationError as error:
        first = error.errors()[0]
        names = [str(place) for place in first["loc"] if place not in FAMILIES]
        raise CrossarcError(f"setting {'.'.join(names)} = {first['input']!r}: {first['msg']}") from None
    return settings
