"""The settings of parsers that score arcs and pairs of arcs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from crossarc.errors import CrossarcError, UnknownName
from crossarc.parsers.settings import GraphOutput, LinearSettings

OWN_STARTS = {"mst": "coarse", "mst-undirected": "undirected"}  # those of the parser itself, as factors/ calls them
MOST_STARTS = 6
MIRA_COST = 0.01  # by trial on a development set


class ArcSettings(LinearSettings):
    """The settings of all parsers that score arcs: weights of features, learned from whole trees."""

    kept: ClassVar[tuple[str, ...]] = ("lengths", "labels")

    learner: Literal["perceptron", "mira"] = "mira"
    # Learn from the tree that is best when each wrong arc counts one more.
    augment: bool = True
    # Weights below 0.01 cost English EWT 0.1 LAS on its development set, and are seven in ten features.
    prune: float = Field(0.01, ge=0, lt=1)
    # Leave out arcs longer than any of training between words with such tags.
    lengths: bool = False

    @model_validator(mode="after")
    def check_shared(self) -> Self:
        """Refuse a cost of the perceptron."""
        if self.learner == "perceptron" and self.cost is not None:
            raise CrossarcError("setting cost belongs to mira; perceptron has none: leave it out")
        return self

    @classmethod
    def usual_cost(cls, learner: str) -> float | None:
        """Return the usual cost of a learner; None if it has none."""
        return MIRA_COST if learner == "mira" else None

    @classmethod
    def adapted(cls, preset: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of a preset; refuse learners of single decisions."""
        if options.get("learner", "mira") not in ("mira", "perceptron"):
            raise CrossarcError(
                f"learner {options['learner']} learns single decisions, parsers that score arcs whole trees; take mira"
            )
        return super().adapted(preset, options)

    @classmethod
    def foreign(cls, name: str, parser: str) -> str | None:
        """Return the message about a setting that other parsers have."""
        if name == "labels":
            return f"labels = 'joint': {parser} knows arcs, and so labels, only after the tree; take mst"
        return None


class ArcTreeSettings(ArcSettings):
    """The settings of parsers with a directed decoder."""

    family: Literal["arcs"] = "arcs"
    system: Literal["chu-liu-edmonds", "eisner"] = "chu-liu-edmonds"
    # Labels by a second model over the finished tree, or the best label of each arc before there is a tree.
    labels: Literal["after", "joint"] = "after"

    def place(self, what: Literal["Model", "Trainer"]) -> str:
        """With labels after the tree, or joint."""
        return f"crossarc.parsers.arcs.{what.lower()}:{'Joint' if self.labels == 'joint' else 'ArcTree'}{what}"

    @property
    def is_projective(self) -> bool:
        """With Eisner's algorithm."""
        return self.system == "eisner"


class SecondOrderSettings(ArcSettings):
    """The settings of parsers that score pairs of arcs."""

    kept: ClassVar[tuple[str, ...]] = ("starts",)
    as_guide: ClassVar[dict[str, Any]] = {"labels": "joint"}

    family: Literal["second-order"] = "second-order"
    system: Literal["carreras"] = "carreras"
    # Each of many pairs says little: weights below 0.01 cost Hungarian 0.3 to 0.5 LAS on its development set.
    prune: float = Field(0.003, ge=0, lt=1)
    # A first-order model keeps so many heads of each word, but none further below the best than `MARGIN`. 0 keeps all
    # in sentences of up to 100 words.
    heads: int = Field(8, ge=0, le=64)
    # Words of the projective tree are moved as long as each move gains more than this; None keeps trees projective.
    reattach: float | None = Field(None, ge=0, le=1e30)
    # Moves also start from these trees, and the best end is taken: the best of the first-order model ("mst"), an
    # undirected one by its scores ("mst-undirected"), or that of a transition parser, named by its preset, which is
    # trained too.
    starts: list[str] = Field([])
    # Labels by a second model over the finished tree, or inside the chart, where pairs of arcs see them.
    labels: Literal["after", "joint"] = "after"

    @property
    def is_projective(self) -> bool:
        """Without moves."""
        return self.reattach is None

    @property
    def guides(self) -> list[str]:
        """The transition parsers among the starts."""
        return [name for name in self.starts if name not in OWN_STARTS]

    def place(self, what: Literal["Model", "Trainer"]) -> str:
        """Alone, or guided by transition parsers."""
        return (
            f"crossarc.parsers.{'composites.guided:Guided' if self.guides else 'arcs.second_order:SecondOrder'}{what}"
        )

    @model_validator(mode="after")
    def check(self) -> Self:
        """Refuse starts where no words are moved, or too many."""
        if self.starts and self.reattach is None:
            raise CrossarcError(f"setting starts belongs to carreras-npa; {self.parser} moves no words: leave it out")
        if len(set(self.starts)) < len(self.starts) or len(self.starts) > MOST_STARTS:
            raise CrossarcError(f"setting starts = {self.starts}: name up to {MOST_STARTS} starts, each once")
        return self

    def check_members(self, presets: Mapping[str, Any]) -> None:
        """Refuse starts that are neither trees of the parser itself nor those of a transition parser."""
        if not self.starts:
            return
        moves = (name for name, each in presets.items() if (each.method, each.output) == ("moves", "tree"))
        guides = (name for name in moves if "transform" not in presets[name].settings)
        known = [*OWN_STARTS, *guides]
        for name in self.starts:
            if name not in known:
                raise UnknownName("start", name, known)


class ArcGraphSettings(GraphOutput, ArcSettings):
    """The settings of the parser that scores arcs and gives words several heads."""

    model_class = "crossarc.parsers.arcs.graphs:ArcGraphModel"
    trainer_class = "crossarc.parsers.arcs.graphs:ArcGraphTrainer"

    family: Literal["graph-arcs"] = "graph-arcs"
    system: Literal["dag-mst"] = "dag-mst"
    # Weights below 0.01 cost Danish 0.1 labelled F on its development set.
    prune: float = Field(0.003, ge=0, lt=1)

    @model_validator(mode="after")
    def check(self) -> Self:
        """Refuse settings that belong to other parsers."""
        if self.use_tree and self.lengths:
            raise CrossarcError("setting lengths leaves out arcs that a given tree may have; leave it or use_tree out")
        if self.transform != "none":
            raise CrossarcError(f"setting transform belongs to parsers of trees; {self.parser} has none: leave it out")
        return self

    @classmethod
    def feature_model(cls, preset: Mapping[str, Any], options: Mapping[str, Any]) -> str:
        """Return the name of the feature model; none has features of a given tree."""
        return str(preset["features"])
