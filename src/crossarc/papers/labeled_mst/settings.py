"""The settings of parsers that find heads in rounds."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from crossarc.parsers.arcs.settings import ArcSettings


class RoundSettings(ArcSettings):
    """The settings of parsers that find heads in rounds, from the bottom up."""

    kept: ClassVar[tuple[str, ...]] = ("order", "absorb", "child_labels")
    model_class = "crossarc.papers.labeled_mst.rounds:RoundModel"
    trainer_class = "crossarc.papers.labeled_mst.rounds:RoundTrainer"

    family: Literal["rounds"] = "rounds"
    system: Literal["bottom-up"] = "bottom-up"
    # The tags of each round; found by the training trees if there are none.
    order: list[str | list[str]] = Field([])
    # Whether words that have a head can no longer be heads.
    absorb: bool = True
    # Whether later rounds see the labels of the dependents found in earlier rounds.
    child_labels: bool = False
