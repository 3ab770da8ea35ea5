"""The settings of parsers of graphs by shift-reduce, which make graphs projective and acyclic, and back."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from crossarc.parsers.moves.settings import MoveGraphSettings


class ShiftReduceSettings(MoveGraphSettings):
    """The settings of shift-reduce parsers of graphs."""

    kept: ClassVar[tuple[str, ...]] = ("reversal", "lifting")

    family: str = "projective-graph-moves"
    # Which arc of a cycle is reversed: one whose dependent keeps another head, or the shortest (Sagae and Tsujii 2008).
    reversal: Literal["default", "paper"] = "default"
    # Which crossing arc is lifted first: the shortest, or one whose lift does not end at node 0, which is 0.8 better in
    # Danish (labelled F on the development set).
    lifting: Literal["shortest", "root-last"] = "root-last"
    # Derivations in a beam are compared by the sum over their steps, or by the mean, which does not favour short ones.
    compare: Literal["sum", "mean"] = "sum"

    @property
    def compares_means(self) -> bool:
        """Whether a beam compares derivations by the mean of their steps, and not by the sum."""
        return self.compare == "mean"

    def transform_options(self) -> dict[str, Any]:
        """Return what the transform around the parser is told."""
        return {**super().transform_options(), "reversal": self.reversal, "lifting": self.lifting}
