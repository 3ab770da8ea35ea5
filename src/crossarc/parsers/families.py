"""The families of settings: the place of each class, and the name of its parsers in errors.

A family is imported when one of its parsers is asked for, or when an error must know whose setting a name is.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any, Literal, NamedTuple

from crossarc.core.registry import Registry
from crossarc.errors import CrossarcError, UnknownName
from crossarc.parsers.settings import LinearSettings, Settings


class Family(NamedTuple):
    """Parsers with the same settings."""

    method: Literal["moves", "arcs", "networks"]
    output: Literal["tree", "graph"]
    place: str  # of the settings: module and name
    title: str


FAMILIES: Registry[Family] = Registry(
    "family of settings",
    "families",
    {
        "moves": Family("moves", "tree", "crossarc.parsers.moves.settings:MoveTreeSettings", "transition parsers"),
        "graph-moves": Family(
            "moves", "graph", "crossarc.parsers.moves.settings:MoveGraphSettings", "parsers of graphs"
        ),
        "arcs": Family("arcs", "tree", "crossarc.parsers.arcs.settings:ArcTreeSettings", "mst and eisner"),
        "second-order": Family(
            "arcs", "tree", "crossarc.parsers.arcs.settings:SecondOrderSettings", "second-order parsers"
        ),
        "graph-arcs": Family("arcs", "graph", "crossarc.parsers.arcs.settings:ArcGraphSettings", "dag-mst"),
        "networks": Family(
            "networks", "tree", "crossarc.parsers.networks.settings:NetworkTreeSettings", "neural parsers"
        ),
        "graph-networks": Family(
            "networks", "graph", "crossarc.parsers.networks.settings:NetworkGraphSettings", "neural-graph"
        ),
    },
)
METHODS = {"moves": "transition parsers", "arcs": "parsers that score arcs", "networks": "neural parsers"}
NEUTRAL = {"explore": 0.0}  # values that ask for nothing, besides the defaults


def placed(place: str) -> Any:
    """Return a class by its module and name."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def settings_class(family: str) -> type[Settings]:
    """Return the class of the settings of a family."""
    found: type[Settings] = placed(FAMILIES[family].place)
    return found


@cache
def all_settings() -> dict[str, list[str]]:
    """Return the names of all settings, each with the families that have it."""
    found: dict[str, list[str]] = {}
    for family in FAMILIES:
        for name in settings_class(family).model_fields:
            found.setdefault(name, []).append(family)
    return found


# Removed settings: the value that they always have now, as models of before may say, and what holds without them.
REMOVED: dict[str, tuple[Any, str]] = {
    "static_epochs": (1, "the first epoch always follows the oracle alone"),
    "learning_rate": (0.1, "maximum entropy always has 0.1"),
    "l2": (0.0001, "maximum entropy always has 0.0001"),
    "degree": (2, "LIBSVM always has the kernel (0.01 * x * y + 1) ** 2"),
    "gamma": (0.01, "LIBSVM always has the kernel (0.01 * x * y + 1) ** 2"),
    "coef0": (1.0, "LIBSVM always has the kernel (0.01 * x * y + 1) ** 2"),
    "vector_rows": (50_000, "the vectors of 50,000 other words are kept; shorten the file for fewer"),
    "part_dropout": (None, "it goes by the size of the treebank"),
    "word_dropout": (0.25, "it is always 0.25"),
    "reachable": (
        0.995,
        "rounds always leave 99.5% of the gold arcs within reach; name the tags of each round with order",
    ),
    "average": (True, "the weights are always the mean of those of all steps"),
    "k_best": (1, "MIRA always learns from the best tree; more of them gained nothing"),
    "margin": (2.0, "it is always 2; heads keeps fewer or more heads of each word"),
    "missing": (3.0, "a missing arc always costs 3 in learning"),
    "numbers": (1, "marks of lifted arcs have no numbers; crossarc transform and crossarc.transforms have this option"),
    "prefer": (
        "first",
        "lifted edges go back to the first place; crossarc transform and crossarc.transforms have this option",
    ),
    "beside_size": (128, "the second pass always has 128 numbers"),
}


def check_names(values: dict[str, Any]) -> None:
    """Refuse names that no parser has as a setting."""
    for name in values:
        if name in REMOVED and name not in all_settings():
            raise CrossarcError(f"there is no setting {name} any more: {REMOVED[name][1]}; leave it out")
        if name not in all_settings():
            raise UnknownName("setting", name, all_settings())


def asks_for_nothing(name: str, value: Any) -> bool:
    """Whether a setting of other parsers has its usual value there, so that it may stand where it means nothing."""
    if name in NEUTRAL and value == NEUTRAL[name]:
        return True
    return all(value == settings_class(family).model_fields[name].default for family in all_settings()[name])


def owner_of(name: str, asked: type[Settings]) -> str:
    """Return the name of the parsers that have a setting which the given family does not have."""
    if name in LinearSettings.model_fields and not issubclass(asked, LinearSettings):
        return "linear parsers"
    families = [FAMILIES[family] for family in all_settings()[name]]
    method = FAMILIES[asked.model_fields["family"].default].method
    families = [each for each in families if each.method == method] or families  # the nearest, if there are some
    if len({each.title for each in families}) == 1:
        return families[0].title
    if all(each.output == "graph" for each in families):
        return FAMILIES["graph-moves"].title
    methods = dict.fromkeys(each.method for each in families)
    return " and ".join(METHODS[each] for each in methods)
