"""The presets: names for settings that belong together."""

from __future__ import annotations

from typing import Any, TypeVar

from crossarc.errors import CrossarcError, UnknownName
from crossarc.parsers.families import FAMILIES, check_names, checked_settings
from crossarc.parsers.settings import AT_ONCE, FAST_SIZES, GraphOutput, NetworkSettings, Settings

# How often training goes on from the model's own mistakes where costs are not exact, by trial on development sets.
EXPLORE = {"planar": 0.9, "two-planar": 0.5, "covington": 0.5}


def transition(system: str, features: str = "stack", **settings: Any) -> dict[str, Any]:
    """Return the settings of a transition parser."""
    return {"family": "transition", "system": system, "features": features, **settings}


def dag(system: str, features: str, **settings: Any) -> dict[str, Any]:
    """Return the settings of a transition parser that gives graphs."""
    return {"family": "dag", "system": system, "features": features, **settings}


def undirected(system: str, reconstruction: str) -> dict[str, Any]:
    """Return the settings of an undirected system with one of the reconstructions."""
    name = f"{system}-undirected"
    return transition(name, name, reconstruction=reconstruction, explore=EXPLORE[system])


def graph(decoder: str, family: str = "graph", features: str = "mst", **settings: Any) -> dict[str, Any]:
    """Return the settings of a first-order graph parser."""
    return {"family": family, "system": decoder, "features": features, **settings}


def second_order(**settings: Any) -> dict[str, Any]:
    """Return the settings of a second-order graph parser."""
    return graph("carreras", "second-order", "carreras", cost=0.03, **settings)


def neural(decoder: str, **settings: Any) -> dict[str, Any]:
    """Return the settings of a parser with a network."""
    return graph(decoder, "neural", "neural", **settings)


PRESETS: dict[str, dict[str, Any]] = {
    "arc-standard": transition("arc-standard", explore=0.0),
    "arc-eager": transition("arc-eager", "arc-eager"),
    "arc-eager-pp": transition("arc-eager", "arc-eager", transform="head"),
    "arc-hybrid": transition("arc-hybrid"),
    "swap": transition("swap", explore=0.0),
    "planar": transition("planar", "planar", explore=EXPLORE["planar"]),
    "planar-naive": undirected("planar", "naive"),
    "planar-label": undirected("planar", "label"),
    "two-planar": transition("two-planar", "two-planar", explore=EXPLORE["two-planar"]),
    "two-planar-naive": undirected("two-planar", "naive"),
    "two-planar-label": undirected("two-planar", "label"),
    "covington": transition("covington", "covington"),
    "covington-naive": undirected("covington", "naive"),
    "covington-label": undirected("covington", "label"),
    "dag-standard": dag("dag-standard", "dag-standard", explore=0.0),
    "dag-eager": dag("dag-eager", "dag-eager"),
    "dag-covington": dag("dag-covington", "dag-covington", explore=EXPLORE["covington"]),
    "dag-mst": graph("dag-mst", "dag-mst", cost=0.02),
    "neural-graph": graph("best-graph", "neural-graph", "neural"),
    "mst": graph("chu-liu-edmonds"),
    "eisner": graph("eisner"),
    "mst-bottom-up": graph("bottom-up", "rounds", "mst-bottom-up"),
    "mst-undirected": graph("undirected", "undirected"),
    "mst-undirected-df": graph("undirected", "undirected", combine="mean"),
    "mst-undirected-lep": graph("undirected", "undirected", enhance=5),
    "mst-combined": graph("undirected", "undirected", enhance=5, stack=4),
    "carreras": second_order(),
    "carreras-npa": second_order(reattach=0.3),
    "carreras-pp-head": second_order(transform="head"),
    "carreras-pp-path": second_order(transform="path"),
    "carreras-pp-headpath": second_order(transform="headpath"),
    "neural": neural("chu-liu-edmonds"),
    "neural-projective": neural("eisner"),
    "neural-hybrid": neural("chu-liu-edmonds", guides=["carreras-npa", "planar"]),
}
TRANSITION_PRESETS = [name for name, preset in PRESETS.items() if preset["family"] == "transition"]
DAG_PRESETS = [name for name, preset in PRESETS.items() if issubclass(FAMILIES[preset["family"]], GraphOutput)]
TREE_PRESETS = [name for name in PRESETS if name not in DAG_PRESETS]
NEURAL_PRESETS = [name for name, preset in PRESETS.items() if preset["family"] == "neural"]
GRAPH_PRESETS = [name for name in TREE_PRESETS if name not in (*TRANSITION_PRESETS, *NEURAL_PRESETS)]


def make_settings(parser: str, **options: Any) -> Settings:
    """Return the settings of a preset with some of them changed."""
    if parser not in PRESETS:
        raise UnknownName("parser", parser, PRESETS)
    check_names(options)
    preset = dict(PRESETS[parser])
    for name in ("family", "system"):
        if options.get(name, preset[name]) != preset[name]:
            raise CrossarcError(
                f"setting {name} = {options[name]!r}: the {name} of {parser} is {preset[name]}; "
                "leave it out, or take another parser"
            )
    learner = options.get("learner", "")
    if learner and learner != "mira":
        preset.pop("cost", None)  # which is that of mira
    if learner in AT_ONCE and preset["family"] in ("transition", "dag"):
        preset["explore"] = 0.0
        options = {**options, "epochs": 1}
    sizes = {"rich": preset["features"], "compact": f"{preset['features']}-compact"}
    if options.get("fast") and issubclass(FAMILIES[preset["family"]], NetworkSettings):
        preset |= FAST_SIZES
    if options.get("use_tree") and preset["family"] != "dag-mst":  # which has no features of the tree
        preset["features"] = sizes["rich"] = f"{preset['features']}-tree"
    if options.get("features") in sizes:
        options = {**options, "features": sizes[options["features"]]}
    return checked_settings({"parser": parser, **preset, **options})


def check_options(options: dict[str, Any]) -> None:
    """Refuse settings that no family of parsers accepts."""
    check_names(options)
    errors = []
    for family in dict.fromkeys(preset["family"] for preset in PRESETS.values()):
        name = next(name for name, preset in PRESETS.items() if preset["family"] == family)
        try:
            make_settings(name, **options)
            return
        except CrossarcError as error:
            errors.append(error)
    raise errors[0]


Family = TypeVar("Family", bound=Settings)


def stored_basics(manifest: dict[str, Any], family: type[Family]) -> tuple[Family, list[str], bool]:
    """Return the settings, the labels and whether there is one root, of a model file; `ValueError` for others."""
    settings = stored_settings(manifest["settings"])
    labels, single_root = manifest["labels"], manifest["single_root"]
    if not isinstance(settings, family):
        raise ValueError("the settings are of another family")
    if not labels or not isinstance(single_root, bool):
        raise ValueError("there are no labels, or it is not said how many roots there are")
    return settings, labels, single_root


def stored_settings(values: dict[str, Any]) -> Settings:
    """Return the settings of a model file; `ValueError` for those that a user could not choose."""
    try:
        preset = PRESETS[values["parser"]]
        if (values["family"], values["system"]) != (preset["family"], preset["system"]):
            raise ValueError(f"the system of {values['parser']} is {preset['system']}")
        return checked_settings(values)
    except CrossarcError as error:
        raise ValueError(str(error)) from None
