"""The settings of parsers: those that all parsers share, and those of linear parsers and of parsers of graphs.

The settings of each method are in the package of its models: `moves.settings`, `arcs.settings` and `networks.settings`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from crossarc.errors import CrossarcError


class Settings(BaseModel):
    """The settings that all parsers have; a model file keeps them."""

    model_config = ConfigDict(defer_build=True, extra="forbid", frozen=True, allow_inf_nan=False)

    # Other settings that weights depend on: a parser must agree in these with the one that it starts from.
    kept: ClassVar[tuple[str, ...]] = ("system", "features", "transform")
    # The classes of the model and of its trainer, as module and name.
    model_class: ClassVar[str]
    trainer_class: ClassVar[str]
    gives_graphs: ClassVar[bool] = False
    # The settings under which such a parser guides a network best.
    as_guide: ClassVar[dict[str, Any]] = {}
    # The columns that the parser writes, besides those that it predicts.
    gives: ClassVar[tuple[str, ...]] = ("head", "deprel")
    # The feature model with which the parser can predict tags itself, since it looks at none; empty if it cannot.
    features_of_forms: ClassVar[str] = ""

    family: str
    parser: str
    # The transition system, or the decoder.
    system: str
    # A feature model by name or a TOML file; "compact" and "rich" are those made for the system.
    features: str
    epochs: int = Field(10, ge=1)
    seed: int = Field(1, ge=0)
    single_root: bool | Literal["auto"] = "auto"
    # The pseudo-projective encoding around the parser.
    transform: Literal["none", "head", "path", "headpath"] = "none"
    # How many of the labels that the encoding adds are kept, the most frequent ones; None for all.
    cap: int | None = Field(None, ge=0)

    @property
    def model_place(self) -> str:
        """The place of the class of the model."""
        return self.place("Model")

    @property
    def trainer_place(self) -> str:
        """The place of the class of its trainer."""
        return self.place("Trainer")

    def place(self, what: Literal["Model", "Trainer"]) -> str:
        """Return the place of the class of the model, or of its trainer."""
        return self.model_class if what == "Model" else self.trainer_class

    @classmethod
    def adapted(cls, preset: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of a preset under the options of a user."""
        rich = cls.feature_model(preset, options)
        models = {"rich": rich, "compact": f"{rich}-compact"}
        values = {**preset, "features": rich, **options}
        name = values["features"]
        return {**values, "features": models.get(name, name) if isinstance(name, str) else name}

    @classmethod
    def feature_model(cls, preset: Mapping[str, Any], options: Mapping[str, Any]) -> str:
        """Return the name of the feature model that belongs to a preset under the options of a user."""
        return str(preset["features"])

    @classmethod
    def foreign(cls, name: str, parser: str) -> str | None:
        """Return the message about a setting that other parsers have; None for the general message."""
        return None

    def check_members(self, presets: Mapping[str, Any]) -> None:
        """Refuse the names of parsers inside this one that are unknown, or do not fit."""

    def check_start(self, before: Settings) -> None:
        """Refuse to start from the weights of a parser of other settings."""
        for name in dict.fromkeys((*kept_of(type(before)), *kept_of(type(self)))):
            there, here = getattr(before, name, None), getattr(self, name, None)
            if there != here:
                same = self.parser == before.parser
                remedy = f"leave {name} as it was" if same else f"train a {before.parser!r}"
                raise CrossarcError(
                    f"a parser {self.parser!r} cannot start from the weights of a parser {before.parser!r}: "
                    f"{name} is {here!r} here and {there!r} there; {remedy}"
                )

    def check_directed(self, directed: Settings) -> None:
        """Refuse a directed model that enhances trees, since nothing asks for one."""
        raise CrossarcError(
            f"a directed model enhances the trees of undirected parsers, and {self.parser!r} does not: "
            "leave it out, or take mst-undirected-lep"
        )

    @property
    def is_projective(self) -> bool:
        """Whether the parser learns and builds projective trees only."""
        return False

    @model_validator(mode="after")
    def check_cap(self) -> Self:
        """Refuse a cap of labels where there is no encoding."""
        if self.cap is not None and self.transform == "none":
            raise CrossarcError(f"setting cap = {self.cap} belongs to a transform: set transform too, or leave it out")
        return self


def kept_of(settings: type[Settings]) -> list[str]:
    """Return the names of the settings that the weights of such parsers depend on."""
    return [name for each in reversed(settings.__mro__) for name in vars(each).get("kept", ())]


class LinearSettings(Settings):
    """The settings of all parsers with weights of features."""

    # C of learners that have one: how much one mistake may change.
    cost: float | None = Field(None, ge=1e-9, le=1e9)
    # A feature counts from this update on, with learners of all instances at once from this instance on.
    cut: int = Field(2, ge=1)
    # Weights below this share of the greatest are not kept in the model.
    prune: float = Field(0.0005, ge=0, lt=1)
    # How much the model that training starts from weighs: 0 forgets most of it.
    inertia: float = Field(3.0, ge=0)

    @classmethod
    def usual_cost(cls, learner: str) -> float | None:
        """Return the usual cost of a learner; None if it has none."""
        raise NotImplementedError

    @classmethod
    def adapted(cls, preset: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of a preset; its cost is that of MIRA, and each learner has a usual one."""
        usual = {name: value for name, value in preset.items() if name != "cost"}
        values = super().adapted(preset if options.get("learner", "mira") == "mira" else usual, options)
        if values.get("cost") is None:
            values["cost"] = cls.usual_cost(values.get("learner", cls.model_fields["learner"].default))
        return values


class GraphOutput(BaseModel):
    """The settings of parsers that give graphs: how graphs become what the parser can build."""

    kept: ClassVar[tuple[str, ...]] = ("cycles", "empty", "lemmas", "use_tree")
    gives_graphs: ClassVar[bool] = True
    gives: ClassVar[tuple[str, ...]] = ("deps",)

    # Cycles are broken by reversing arcs, with marked labels; or the parser builds them.
    cycles: Literal["reverse", "allow"] = "reverse"
    # Paths through empty nodes become arcs with marked labels; or arcs of empty nodes stay as they are in the input.
    empty: Literal["collapse", "keep"] = "collapse"
    # Lemmas and cases in labels are written as placeholders that the words fill in.
    lemmas: bool = True
    # Use the tree in HEAD and DEPREL as features; dag-mst begins with it.
    use_tree: bool = False

    def transform_options(self) -> dict[str, Any]:
        """Return what the transform around the parser is told."""
        return {"acyclic": self.cycles == "reverse", "lemmas": self.lemmas, "empty": self.empty}

    @classmethod
    def feature_model(cls, preset: Mapping[str, Any], options: Mapping[str, Any]) -> str:
        """Return the name of the feature model, another one if it sees a given tree."""
        return f"{preset['features']}-tree" if options.get("use_tree") else str(preset["features"])
