"""The settings of parsers with networks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from crossarc.errors import CrossarcError, UnknownName
from crossarc.parsers.settings import GraphOutput, Settings

# EWT dev: 0.3 LAS less than with the usual size, 1.8 times the speed and half the time of training.
FAST_SIZES = {"hidden": 96}


class NetworkSettings(Settings):
    """The settings of all parsers with a network that scores arcs."""

    kept: ClassVar[tuple[str, ...]] = (
        "lexical_size",
        "tag_size",
        "hidden",
        "layers",
        "arc_size",
        "label_size",
        "vectors",
    )

    epochs: int = Field(20, ge=1)
    # A smaller network, nearly twice as fast: `FAST_SIZES`, unless other sizes are asked for.
    fast: bool = False
    # A word, lemma or part of a word has an embedding if it occurs so often; all others share one.
    cut: int = Field(2, ge=1)
    # The numbers in the sums of embeddings, in one direction of each layer, and in the vectors of arcs and of labels.
    lexical_size: int = Field(128, ge=1, le=4096)
    tag_size: int = Field(96, ge=1, le=4096)
    hidden: int = Field(160, ge=1, le=4096)
    layers: int = Field(2, ge=1, le=8)
    arc_size: int = Field(128, ge=1, le=4096)
    label_size: int = Field(96, ge=1, le=4096)
    # Pretrained vectors of words, a text file of word2vec or fastText: those of all words of the treebank, and of some
    # other words, which are the most frequent ones if the file is sorted so.
    vectors: str = ""
    # Which share of the outputs of layers training leaves out. None goes by the size of the treebank: 0.4 below 50,000
    # words, else 0.33.
    dropout: float | None = Field(None, ge=0, lt=1)
    # Adam's rate at its highest; it rises over the first steps and falls to 0 at the end.
    rate: float = Field(0.002, gt=0, le=1)
    # The words that are learned from in one step. In small treebanks fewer are, so that an epoch has some steps.
    batch: int = Field(400, ge=1)

    @classmethod
    def adapted(cls, preset: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of a preset, with smaller sizes if it is to be fast."""
        return super().adapted({**preset, **FAST_SIZES} if options.get("fast") else preset, options)


class NetworkTreeSettings(NetworkSettings):
    """The settings of parsers of trees with networks."""

    kept: ClassVar[tuple[str, ...]] = ("labels", "ensemble", "guides", "predict")
    features_of_forms: ClassVar[str] = "neural-forms"

    family: Literal["networks"] = "networks"
    system: Literal["chu-liu-edmonds", "eisner"] = "chu-liu-edmonds"
    # Each word chooses its head on its own, or the whole tree is one choice (matrix-tree theorem).
    loss: Literal["heads", "trees"] = "heads"
    # Labels after the tree, or the best label of each arc before there is a tree.
    labels: Literal["after", "joint"] = "after"
    # Networks of so many seeds, whose probabilities are averaged.
    ensemble: int = Field(1, ge=1, le=32)
    # Linear parsers by their presets, trained together with the network; arcs and labels of their trees score more.
    guides: list[str] = Field([])
    # The heads that are learned too: upos, xpos, feats, lemma, registered ones. What they write is no feature then.
    predict: list[str] = Field([])

    @property
    def is_projective(self) -> bool:
        """With Eisner's algorithm."""
        return self.system == "eisner"

    @property
    def predicted(self) -> list[str]:
        """The columns that heads write, besides those of trees."""
        from crossarc.parsers.networks.heads import known_heads  # settings of other parsers need none

        return [column for name in self.predict for column in known_heads()[name].gives or [name]]

    def place(self, what: Literal["Model", "Trainer"]) -> str:
        """One network, several, or guided by linear parsers."""
        if self.guides or self.ensemble > 1:
            return f"crossarc.parsers.composites.{'hybrid:Hybrid' if self.guides else 'ensemble:Ensemble'}{what}"
        return f"crossarc.parsers.networks.{what.lower()}:NetworkTree{what}"

    @model_validator(mode="after")
    def check(self) -> Self:
        """Refuse values that do not go together."""
        if len(set(self.guides)) < len(self.guides):
            raise CrossarcError(f"setting guides = {self.guides}: name each once")
        if self.guides and self.transform != "none":
            raise CrossarcError("settings guides and transform do not go together: leave one of the two out")
        if self.predict and (self.guides or self.ensemble > 1):
            raise CrossarcError("setting predict belongs to one network: leave guides and ensemble out")
        if self.predict and len(columns := [*self.gives, *self.predicted]) > len(set(columns)):
            raise CrossarcError(f"setting predict = {self.predict}: name each once, and one head for each column")
        return self

    def check_members(self, presets: Mapping[str, Any]) -> None:
        """Refuse guides that are no linear parsers of trees."""
        if not self.guides:
            return
        known = [name for name, each in presets.items() if each.method != "networks" and each.output == "tree"]
        for name in self.guides:
            if name not in known:
                raise UnknownName("guide", name, known)


class NetworkGraphSettings(GraphOutput, NetworkSettings):
    """The settings of the parser of graphs with a network."""

    model_class = "crossarc.parsers.networks.graphs:NetworkGraphModel"
    trainer_class = "crossarc.parsers.networks.graph_trainer:NetworkGraphTrainer"

    family: Literal["graph-networks"] = "graph-networks"
    system: Literal["best-graph"] = "best-graph"
    cycles: Literal["reverse", "allow"] = "allow"

    @model_validator(mode="after")
    def check(self) -> Self:
        """Refuse what belongs to other parsers of graphs, or of trees."""
        if self.transform != "none":
            raise CrossarcError(f"setting transform belongs to parsers of trees; {self.parser} has none: leave it out")
        return self
