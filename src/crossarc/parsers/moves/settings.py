"""The settings of transition parsers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

from pydantic import Field, model_validator

from crossarc.errors import CrossarcError
from crossarc.parsers.moves.learners import LEARNERS, Learner
from crossarc.parsers.settings import GraphOutput, LinearSettings, Settings

if TYPE_CHECKING:
    from crossarc.transitions.system import TransitionSystem

WIDEST_BEAM = 1_000


class MoveSettings(LinearSettings):
    """The settings of all transition parsers."""

    # Two stages, the move and then its label, with the templates that weigh most and a small table of weights.
    fast: bool = False
    # How many derivations are followed side by side; with more than one, training learns from whole derivations, but
    # maxent still from single decisions, whose log probabilities are then summed.
    beam: int = Field(1, ge=1, le=WIDEST_BEAM)
    # How often training goes on from the model's own mistakes.
    explore: float = Field(0.9, ge=0, le=1)
    # One of `LEARNERS`.
    learner: str = "perceptron"

    @model_validator(mode="after")
    def check(self) -> Self:
        """Refuse values that do not go together."""
        if self.way_to_learn.cost is None and self.cost is not None:
            names = ", ".join(name for name, each in LEARNERS.items() if each.cost is not None)
            raise CrossarcError(f"setting cost belongs to {names}; {self.learner} has none: leave it out")
        if self.fast and (self.learner != "perceptron" or self.beam > 1):
            raise CrossarcError(
                "fast search is greedy and learned by the perceptron: leave out the beam or the learner"
            )
        if self.way_to_learn.at_once is not None:
            others = "leave it out, or take perceptron, mira or maxent"
            if self.explore > 0:
                reason = "it learns the decisions of the static oracle, all at once, and never parses while it learns"
                raise CrossarcError(f"learner {self.learner} with explore = {self.explore}: {reason}; {others}")
            if self.beam > 1:
                reason = "it scores single decisions, not whole parses, so that sums of its scores mean nothing"
                raise CrossarcError(f"learner {self.learner} with beam = {self.beam}: {reason}; {others}")
        return self

    @property
    def label_kinds(self) -> int:
        """How many labels of actions stand for each label: 2 if they say on which side the head is."""
        return 1

    @property
    def compares_means(self) -> bool:
        """Whether a beam compares derivations by the mean of their steps, and not by the sum."""
        return False

    @property
    def way_to_learn(self) -> Learner:
        """The learner."""
        return LEARNERS[self.learner]

    @classmethod
    def usual_cost(cls, learner: str) -> float | None:
        """Return the usual cost of a learner; None if it has none."""
        return LEARNERS[learner].cost

    @classmethod
    def adapted(cls, preset: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of a preset; learners that learn all at once have neither epochs nor own mistakes."""
        if "learner" in options and LEARNERS[str(options["learner"])].at_once is not None:
            preset, options = {**preset, "explore": 0.0}, {**options, "epochs": 1}
        return super().adapted(preset, options)

    def check_start(self, before: Settings) -> None:
        """Refuse to start from the weights of a parser of other settings, or without weights that can be learned."""
        remedy = "train on the old and the new data together"
        if self.fast or getattr(before, "fast", False):
            raise CrossarcError(f"fast parsers cannot start from a model, nor others from theirs; {remedy}")
        if isinstance(before, MoveSettings) and before.way_to_learn.scorer != self.way_to_learn.scorer:
            raise CrossarcError(
                f"a parser that {self.learner} learns cannot start from the weights of {before.learner}; {remedy}"
            )
        super().check_start(before)


class MoveTreeSettings(MoveSettings):
    """The settings of transition parsers that give trees."""

    family: str = "moves"
    model_class = "crossarc.parsers.moves.model:MoveTreeModel"
    trainer_class = "crossarc.parsers.moves.trainer:MoveTreeTrainer"

    @property
    def directions(self) -> tuple[bool, bool, bool]:
        """Where links get directions from: labels, labels also for links of node 0, scores; else from node 0."""
        return False, False, False

    def transition_system(self, single_root: bool) -> TransitionSystem:
        """Return the transition system; links without directions all hang together, those of node 0 too."""
        from crossarc.transitions.registry import get_system  # settings of other parsers need none

        return get_system(self.system, single_root=single_root, root_links="all")


class MoveGraphSettings(GraphOutput, MoveSettings):
    """The settings of transition parsers that give graphs."""

    family: str = "graph-moves"
    model_class = "crossarc.parsers.moves.graphs:MoveGraphModel"
    trainer_class = "crossarc.parsers.moves.graphs:MoveGraphTrainer"

    @property
    def is_projective(self) -> bool:
        """Whether the parser learns and builds projective graphs only."""
        from crossarc.transitions.registry import get_graph_system

        return get_graph_system(self.system, most_heads=1).covers == "projective"

    @model_validator(mode="after")
    def check_graphs(self) -> Self:
        """Refuse settings that belong to parsers of trees."""
        if self.fast or self.transform != "none":
            name = "fast" if self.fast else "transform"
            raise CrossarcError(f"setting {name} belongs to parsers of trees; {self.parser} has none: leave it out")
        if self.cycles == "allow" and self.is_projective:
            raise CrossarcError(
                f"cycles = 'allow': {self.parser} builds graphs without cycles only; take dag-covington or dag-mst"
            )
        return self
