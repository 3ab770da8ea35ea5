"""What can be chosen about a parser, and the presets: names for choices that belong together."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from crossarc.errors import CrossarcError, UnknownName

WIDEST_BEAM = 1_000
MOST_DEGREE = 10
# Learners that take all instances of the static oracle at once.
AT_ONCE = ("liblinear", "libsvm")
# C of each learner: MIRA's by trial on a development set, LIBLINEAR's as MaltParser has it.
COSTS = {"mira": 0.01, "liblinear": 0.1, "libsvm": 10.0}
# What finds the trees of graph parsers.
DECODERS = ("chu-liu-edmonds", "eisner", "undirected", "bottom-up")
# The settings that only some learners know.
OWN_SETTINGS = {
    "cost": tuple(COSTS),
    "learning_rate": ("maxent",),
    "l2": ("maxent",),
    "degree": ("libsvm",),
    "gamma": ("libsvm",),
    "coef0": ("libsvm",),
}


class Settings(BaseModel):
    """The settings of a parser; they are kept in the model file. Graph parsers leave those of the search alone."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    parser: str = "arc-hybrid"
    # The transition system, or the decoder of a graph parser.
    system: str = "arc-hybrid"
    # A feature model by name or a TOML file; "compact" and "rich" are those made for the system.
    features: str = "stack"
    epochs: int = Field(10, ge=1)
    seed: int = Field(1, ge=0)
    # Two stages, the move and then its label, with the templates that weigh most and a small table of weights.
    fast: bool = False
    # How many derivations are followed side by side; with more than one, whole derivations are learned from.
    beam: int = Field(1, ge=1, le=WIDEST_BEAM)
    explore: float = Field(0.9, ge=0, le=1)
    static_epochs: int = Field(1, ge=0)
    learner: Literal["perceptron", "mira", "maxent", "liblinear", "libsvm"] = "perceptron"
    # C of MIRA, LIBLINEAR and LIBSVM: how much one mistake may change.
    cost: float | None = Field(None, gt=0)
    # Graph parsers: learn from the tree that is best when each wrong arc counts one more.
    augment: bool = False
    # Undirected graph parsers: how the scores of both directions become one; none has features without directions.
    combine: Literal["none", "mean", "product", "max", "min"] = "none"
    # Undirected graph parsers: what finds the spanning tree; "auto" is prim, or boruvka where lengths leave edges out.
    # All but prim then look only at the edges that are left.
    method: Literal["auto", "prim", "kruskal", "boruvka", "kkt"] = "auto"
    # Undirected graph parsers: whether learning counts wrong edges, or also right ones that point the wrong way.
    loss: Literal["edges", "heads"] = "edges"
    # Undirected graph parsers: how many arcs of a tree are turned round at most by a directed model, learned beside.
    enhance: int = Field(0, ge=0)
    # Undirected graph parsers: a third model sees their trees and those of the directed one beside. While it learns,
    # they are guessed in so many parts of the treebank, by models of the other parts; 0 for no such model.
    stack: int = Field(0, ge=0)
    # Undirected graph parsers that combine directions: learn from the best directed tree, not from their own.
    directed_training: bool = False
    # Rounds from the bottom up: the tags of each, else found, as many rounds as can reach this share of the gold arcs;
    # and whether words that have their heads can be heads no more.
    order: list[str | list[str]] = []
    reachable: float = Field(0.995, ge=0, le=1)
    absorb: bool = True
    # Rounds from the bottom up: whether later rounds see the labels of the dependents found in earlier ones.
    child_labels: bool = False
    # Graph parsers: leave out arcs longer than any of training between words with such tags.
    lengths: bool = False
    # Graph parsers: labels by a second model over the finished tree, or the best of each arc before there is one.
    labels: Literal["after", "joint"] = "after"
    # Graph parsers: MIRA moves the gold tree from so many of the best trees at once.
    k_best: int = Field(1, ge=1, le=100)
    # Graph parsers: keep the mean of the weights of all steps, not the last.
    average: bool = True
    # Of maxent.
    learning_rate: float = Field(0.1, gt=0)
    l2: float = Field(1e-4, ge=0)
    # LIBSVM's kernel, (gamma * x * y + coef0) ** degree. With a hundred templates these are about half linear; kernels
    # that are more quadratic were worse.
    degree: int = Field(2, ge=1, le=MOST_DEGREE)
    gamma: float = Field(0.01, gt=0)
    coef0: float = Field(1.0, ge=0)
    # A feature counts from its so many-th update on, or with LIBLINEAR and LIBSVM instance.
    cut: int = Field(2, ge=1)
    # Weights below this share of the greatest are not kept in the model.
    prune: float = Field(0.0005, ge=0, lt=1)
    # What the model that training starts from weighs beside what is learned: 0 forgets most of it.
    inertia: float = Field(3.0, ge=0)
    single_root: bool | Literal["auto"] = "auto"
    # How undirected parses get their directions: away from node 0, as labels say, with either table of costs, or as the
    # scores of these labels say.
    reconstruction: Literal["naive", "label", "label-first", "score"] = "naive"
    # Undirected transition parsers: whether links of node 0 are made like others, or it is left to the reconstruction
    # which words are roots.
    root_links: Literal["all", "none"] = "all"
    # The pseudo-projective encoding around the parser.
    transform: Literal["none", "head"] = "none"


# How often training goes on from the model's own mistakes where costs are not exact, by trial on development sets.
EXPLORE = {"planar": 0.9, "two-planar": 0.5, "covington": 0.5}


def undirected(system: str, reconstruction: str) -> dict[str, Any]:
    """An undirected system with one of the reconstructions; naive ones must learn all links of the root."""
    name = f"{system}-undirected"
    return {"system": name, "features": name, "reconstruction": reconstruction, "explore": EXPLORE[system]}


def graph(decoder: str, **settings: Any) -> dict[str, Any]:
    """A first-order graph parser: all arcs scored on their own, the best tree by a decoder, learned by MIRA."""
    # Pruned so, English EWT lost 0.1 LAS on its development set and seven in ten features: a smaller table to wait for.
    usual = {"features": "mst", "learner": "mira", "cost": 0.01, "augment": True, "prune": 0.01, "explore": 0.0}
    return {"system": decoder, **usual, **settings}


PRESETS: dict[str, dict[str, Any]] = {
    "arc-standard": {"system": "arc-standard", "features": "stack", "explore": 0.0},
    "arc-eager": {"system": "arc-eager", "features": "arc-eager"},
    "arc-eager-pp": {"system": "arc-eager", "features": "arc-eager", "transform": "head"},
    "arc-hybrid": {"system": "arc-hybrid", "features": "stack"},
    "swap": {"system": "swap", "features": "stack", "explore": 0.0},
    "planar": {"system": "planar", "features": "planar", "explore": EXPLORE["planar"]},
    "planar-naive": undirected("planar", "naive"),
    "planar-label": undirected("planar", "label"),
    "two-planar": {"system": "two-planar", "features": "two-planar", "explore": EXPLORE["two-planar"]},
    "two-planar-naive": undirected("two-planar", "naive"),
    "two-planar-label": undirected("two-planar", "label"),
    "covington": {"system": "covington", "features": "covington"},
    "covington-naive": undirected("covington", "naive"),
    "covington-label": undirected("covington", "label"),
    "mst": graph("chu-liu-edmonds"),
    "eisner": graph("eisner"),
    "mst-bottom-up": graph("bottom-up", features="mst-bottom-up"),
    "mst-undirected": graph("undirected"),
    "mst-undirected-df": graph("undirected", combine="mean"),
    "mst-undirected-lep": graph("undirected", enhance=5),
    "mst-combined": graph("undirected", enhance=5, stack=4),
}


def is_graph(system: str) -> bool:
    """Whether a parser scores all arcs and decodes them, rather than going from state to state."""
    return system in DECODERS


TRANSITION_PRESETS = [name for name, preset in PRESETS.items() if not is_graph(preset["system"])]
GRAPH_PRESETS = [name for name in PRESETS if name not in TRANSITION_PRESETS]


def make_settings(parser: str, **options: Any) -> Settings:
    """The settings of a preset with some of them chosen otherwise."""
    if parser not in PRESETS:
        raise UnknownName("parser", parser, PRESETS)
    learner = options.get("learner", PRESETS[parser].get("learner", Settings.model_fields["learner"].default))
    if is_graph(PRESETS[parser]["system"]):
        check_graph(parser, learner, options)
    else:
        check_transition(parser, options)
    check_learner(learner, options)
    if PRESETS[parser]["system"] != "bottom-up":
        check_rounds(parser, options)
    preset = {"cost": COSTS.get(str(learner)), **PRESETS[parser]}
    if learner in AT_ONCE:
        preset["explore"] = 0.0
        options = {**options, "epochs": 1}
    sizes = {"rich": PRESETS[parser]["features"], "compact": f"{PRESETS[parser]['features']}-compact"}
    if options.get("features") in sizes:
        options["features"] = sizes[options["features"]]
    if options.get("system", preset["system"]) != preset["system"]:
        raise CrossarcError(
            f"setting system = {options['system']!r}: the system of {parser} is {preset['system']}; "
            "leave it out, or take another parser"
        )
    for name in ("reconstruction", "root_links"):
        usual = Settings.model_fields[name].default
        if options.get(name, usual) != usual and not preset["system"].endswith("-undirected"):
            raise CrossarcError(
                f"setting {name} = {options[name]!r}: {parser} finds directions as it goes; "
                "leave it out, or take a -naive or -label preset"
            )
    return check_directions(check_values({"parser": parser, **preset, **options}))


def stored_settings(values: dict[str, Any]) -> Settings:
    """The settings of a model file; `ValueError` for those that a user could not choose."""
    parser, learner = values["parser"], str(values.get("learner"))
    usual = {name: field.default for name, field in Settings.model_fields.items()}
    usual |= {"cost": COSTS.get(learner), **PRESETS.get(parser, {})}
    # Only what was chosen otherwise: presets have settings of their own that their learner may not use.
    chosen = {name: value for name, value in values.items() if name not in usual or usual[name] != value}
    try:
        return make_settings(**{**chosen, "parser": parser})
    except CrossarcError as error:
        raise ValueError(str(error)) from None


def check_values(values: dict[str, Any]) -> Settings:
    """The settings of these values; refuses names that are none, and values that no parser can have."""
    try:
        return Settings(**values)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(map(str, first["loc"]))
        if first["type"] == "extra_forbidden":
            raise UnknownName("setting", name, Settings.model_fields) from None
        raise CrossarcError(f"setting {name} = {first['input']!r}: {first['msg']}") from None


def check_transition(parser: str, options: dict[str, Any]) -> None:
    """Refuse options that mean something to graph parsers only."""
    for name in ("lengths", "labels", "k_best", "average"):
        usual = Settings.model_fields[name].default
        if options.get(name, usual) != usual:
            raise CrossarcError(f"setting {name} is of graph parsers; {parser} is none: leave it out")


def check_graph(parser: str, learner: object, options: dict[str, Any]) -> None:
    """Refuse options that mean nothing to graph parsers."""
    if learner not in ("perceptron", "mira"):
        raise CrossarcError(f"learner {learner} learns single decisions, graph parsers whole trees; take mira")
    if options.get("k_best", 1) != 1 and (PRESETS[parser]["system"] != "chu-liu-edmonds" or learner != "mira"):
        raise CrossarcError(
            f"setting k_best is of mst, learned by mira; {parser} with {learner} has none: leave it out"
        )
    if options.get("labels", "after") == "joint" and PRESETS[parser]["system"] in ("undirected", "bottom-up"):
        raise CrossarcError(f"labels = 'joint': {parser} knows arcs, and so labels, only after the tree; take mst")
    for name in ("fast", "beam", "explore", "transform"):
        usual = {"fast": False, "beam": 1, "explore": 0.0, "transform": "none"}[name]
        if options.get(name, usual) != usual:
            raise CrossarcError(f"setting {name} is of transition parsers; graph parsers have none: leave it out")


def check_directions(settings: Settings) -> Settings:
    """The settings, unless what they say of undirected trees goes with no such parser."""
    for name in ("combine", "method", "loss", "enhance", "stack", "directed_training"):
        usual = Settings.model_fields[name].default
        if getattr(settings, name) != usual and settings.system != "undirected":
            raise CrossarcError(
                f"setting {name} is of undirected graph parsers; {settings.parser} has none: leave it out"
            )
    if settings.stack == 1 or (settings.stack and not settings.enhance):
        raise CrossarcError(
            "setting stack: two parts of the treebank are the fewest, and there must be a directed model beside "
            "(enhance); take mst-combined, or leave it out"
        )
    if settings.loss == "heads" and settings.combine != "none":
        raise CrossarcError(
            "setting loss is of parsers with undirected features; those of directed features always count wrong heads: "
            "leave it out"
        )
    if settings.directed_training and settings.combine == "none":
        raise CrossarcError(
            "setting directed_training is of parsers with directed features, and these have none; "
            "take mst-undirected-df, or leave it out"
        )
    return settings


def check_rounds(parser: str, options: dict[str, Any]) -> None:
    """Refuse options that only mean something to parsers that go in rounds."""
    for name in ("order", "reachable", "absorb", "child_labels"):
        usual = Settings.model_fields[name].default
        if options.get(name, usual) != usual:
            raise CrossarcError(f"setting {name} is of mst-bottom-up; {parser} has no rounds: leave it out")


def check_learner(learner: object, options: dict[str, Any]) -> None:
    """Refuse options that do not go with a learner."""
    for name, learners in OWN_SETTINGS.items():
        usual = Settings.model_fields[name].default
        if options.get(name, usual) != usual and learner not in learners:
            raise CrossarcError(f"setting {name} is of {', '.join(learners)}; {learner} has none: leave it out")
    if options.get("fast") and (learner != "perceptron" or options.get("beam", 1) != 1):
        raise CrossarcError("fast search is greedy and learned by the perceptron: leave out the beam or the learner")
    if learner == "maxent" and options.get("beam", 1) != 1:
        raise CrossarcError(
            "learner maxent with a beam: it learns single decisions, and a beam learns whole derivations; "
            "leave the beam out, or take perceptron or mira"
        )
    if learner not in AT_ONCE:
        return
    reasons = {
        "explore": (0, "it learns the decisions of the static oracle, all at once, and never parses while it learns"),
        "beam": (1, "it scores single decisions, not whole parses, so that sums of its scores mean nothing"),
    }
    for name, (most, reason) in reasons.items():
        value = options.get(name)
        if isinstance(value, int | float) and value > most:
            others = "leave it out, or take perceptron, mira or maxent"
            raise CrossarcError(f"learner {learner} with {name} = {value}: {reason}; {others}")
