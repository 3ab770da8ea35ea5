"""The settings of parsers with undirected spanning trees."""

from __future__ import annotations

from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from crossarc.errors import CrossarcError
from crossarc.parsers.arcs.settings import ArcSettings, ArcTreeSettings
from crossarc.parsers.settings import Settings


class UndirectedSettings(ArcSettings):
    """The settings of parsers with undirected spanning trees."""

    kept: ClassVar[tuple[str, ...]] = ("combine", "enhance", "stack")

    family: Literal["undirected"] = "undirected"
    system: Literal["undirected"] = "undirected"
    # How the scores of both directions become one; "none" has features without directions.
    combine: Literal["none", "mean", "product", "max", "min"] = "none"
    # What finds the spanning tree; "auto" is prim, or boruvka where lengths leave edges out. All but prim then look
    # only at the edges that are left.
    method: Literal["auto", "prim", "kruskal", "boruvka", "kkt"] = "auto"
    # Whether learning counts wrong edges, or also right ones that point the wrong way.
    loss: Literal["edges", "heads"] = "edges"
    # How many arcs of a tree a directed model may reverse; it is trained together with the undirected one.
    enhance: int = Field(0, ge=0, le=1000)
    # A third model sees the trees of the undirected and the directed one. While it learns, models of the other parts
    # guess the trees of each of so many parts of the treebank; 0 for no such model.
    stack: int = Field(0, ge=0, le=1000)
    # With directions combined: learn from the best directed tree.
    directed_training: bool = False

    def place(self, what: Literal["Model", "Trainer"]) -> str:
        """Alone, enhanced, or with a model on top."""
        way = "Stacked" if self.stack else "Enhanced" if self.enhance else "Undirected"
        return f"crossarc.papers.undirected_mst.{what.lower()}:{way}{what}"

    @model_validator(mode="after")
    def check(self) -> Self:
        """Refuse values that do not go together."""
        if self.stack == 1 or (self.stack and not self.enhance):
            raise CrossarcError(
                "setting stack: it needs at least two parts of the treebank, and a directed model (enhance); "
                "take mst-combined, or leave it out"
            )
        if self.loss == "heads" and self.combine != "none":
            raise CrossarcError(
                "setting loss belongs to parsers with undirected features; those with directed features always count "
                "wrong heads: leave it out"
            )
        if self.directed_training and self.combine == "none":
            raise CrossarcError(
                "setting directed_training belongs to parsers with directed features, and these have none; "
                "take mst-undirected-df, or leave it out"
            )
        return self

    def check_directed(self, directed: Settings) -> None:
        """Refuse a directed model of another kind, or one that no setting asks for."""
        if not self.enhance:
            super().check_directed(directed)
        if not isinstance(directed, ArcTreeSettings) or directed.system != "chu-liu-edmonds":
            raise CrossarcError(f"the directed model is a {directed.parser!r}; it must be an 'mst'")
        if directed.labels == "joint":
            raise CrossarcError(
                "the directed model scores arcs together with their labels, and is to enhance trees that have none "
                'yet; train it with labels = "after"'
            )


def directed_settings(settings: UndirectedSettings) -> ArcTreeSettings:
    """Return the settings of the directed parser that is learned with an undirected one: those of `mst`."""
    shared = {name: value for name, value in settings.model_dump().items() if name in ArcTreeSettings.model_fields}
    return ArcTreeSettings(**{**shared, "family": "arcs", "system": "chu-liu-edmonds", "parser": "mst"})
