"""What can be chosen about a parser, and the presets: names for choices that belong together."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from crossarc.errors import CrossarcError, UnknownName


class Settings(BaseModel):
    """The settings of a transition parser; they are kept in the model file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    parser: str = "arc-hybrid"
    system: str = "arc-hybrid"
    features: str = "stack"
    epochs: int = Field(10, ge=1)
    seed: int = Field(1, ge=0)
    explore: float = Field(0.9, ge=0, le=1)
    static_epochs: int = Field(1, ge=0)
    cut: bool = True
    prune: float = Field(0.0005, ge=0, lt=1)
    # What the model that training starts from weighs beside what is learned: 0 forgets most of it.
    inertia: float = Field(3.0, ge=0)
    single_root: bool | Literal["auto"] = "auto"
    # How undirected parses get their directions: away from node 0, or as labels say, with either table of costs.
    reconstruction: Literal["naive", "label", "label-first"] = "naive"
    # The pseudo-projective encoding around the parser.
    transform: Literal["none", "head"] = "none"


def undirected(system: str, reconstruction: str) -> dict[str, Any]:
    """An undirected system with one of the reconstructions; naive ones must learn all links of the root."""
    name = f"{system}-undirected"
    return {"system": name, "features": name, "reconstruction": reconstruction, "explore": 0.0}


PRESETS: dict[str, dict[str, Any]] = {
    "arc-standard": {"system": "arc-standard", "features": "stack", "explore": 0.0},
    "arc-eager": {"system": "arc-eager", "features": "arc-eager"},
    "arc-eager-pp": {"system": "arc-eager", "features": "arc-eager", "transform": "head"},
    "arc-hybrid": {"system": "arc-hybrid", "features": "stack"},
    "swap": {"system": "swap", "features": "stack", "explore": 0.0},
    "planar": {"system": "planar", "features": "planar", "explore": 0.0},
    "planar-naive": undirected("planar", "naive"),
    "planar-label": undirected("planar", "label"),
    "two-planar": {"system": "two-planar", "features": "two-planar", "explore": 0.0},
    "two-planar-naive": undirected("two-planar", "naive"),
    "two-planar-label": undirected("two-planar", "label"),
    "covington": {"system": "covington", "features": "covington"},
    "covington-naive": undirected("covington", "naive"),
    "covington-label": undirected("covington", "label"),
}


def make_settings(parser: str, **options: Any) -> Settings:
    """The settings of a preset with some of them chosen otherwise."""
    if parser not in PRESETS:
        raise UnknownName("parser", parser, PRESETS)
    try:
        return Settings(parser=parser, **{**PRESETS[parser], **options})
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(map(str, first["loc"]))
        if first["type"] == "extra_forbidden":
            raise UnknownName("setting", name, Settings.model_fields) from None
        raise CrossarcError(f"setting {name} = {first['input']!r}: {first['msg']}") from None
