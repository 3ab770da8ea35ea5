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
    single_root: bool | Literal["auto"] = "auto"


PRESETS: dict[str, dict[str, Any]] = {
    "arc-standard": {"system": "arc-standard", "features": "stack", "explore": 0.0},
    "arc-eager": {"system": "arc-eager", "features": "arc-eager"},
    "arc-hybrid": {"system": "arc-hybrid", "features": "stack"},
    "swap": {"system": "swap", "features": "stack", "explore": 0.0},
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
