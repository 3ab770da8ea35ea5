"""Second-order parsers whose moves also start from the trees of transition parsers, trained together with them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from crossarc.components.component import Arrays, arrays_of, members_of, numbered, stored_members
from crossarc.components.description import Description, Held
from crossarc.parsers.arcs.second_order import SecondOrderModel, SecondOrderTrainer
from crossarc.parsers.arcs.settings import SecondOrderSettings
from crossarc.parsers.arcs.storage import ArcDescription
from crossarc.parsers.families import placed
from crossarc.parsers.model import Ints
from crossarc.parsers.moves.model import MoveTreeModel
from crossarc.parsers.moves.trainer import MoveTreeTrainer
from crossarc.parsers.presets import make_settings
from crossarc.parsers.registry import stored_model
from crossarc.parsers.trees import Trees
from crossarc.treebank.corpus import Corpus


class GuidedDescription(ArcDescription):
    """The manifest of a second-order parser with guides."""

    members: list[Held]


@dataclass(frozen=True, eq=False)
class GuidedModel(SecondOrderModel):
    """A second-order parser with transition parsers as guides. Very long sentences are parsed without them."""

    description: ClassVar[type[Description]] = GuidedDescription
    guides: tuple[MoveTreeModel, ...] = ()

    def start_trees(self, corpus: Corpus) -> Ints:
        """Return the heads of all nodes in the trees of the guides, a row each."""
        return np.stack([guide.parse(corpus)[0] for guide in self.guides])

    def to_arrays(self) -> tuple[dict[str, Any], Arrays]:
        """Return the manifest and the arrays that a model file keeps."""
        (manifest, arrays), (guides, own) = super().to_arrays(), stored_members(self.guides)
        return {**manifest, "members": guides}, arrays | own

    @classmethod
    def from_arrays(cls, manifest: dict[str, Any], arrays: Arrays) -> Self:
        """Return the model of a file."""
        model = super().from_arrays(manifest, arrays)
        guides = members_of(manifest["members"], arrays, stored_model)
        if [guide.settings.parser for guide in guides] != model.settings.guides:
            raise ValueError("the guides are not those of the settings")
        if any(guide.single_root is not model.single_root for guide in guides):
            raise ValueError("the guides have another number of roots")
        return model.guided_by(guides)

    def guided_by(self, guides: tuple[MoveTreeModel, ...]) -> Self:
        """Return the model with these transition parsers as guides."""
        own = {field.name: getattr(self, field.name) for field in fields(self)}
        return type(self)(**{**own, "guides": guides})


class GuidedTrainer(SecondOrderTrainer):
    """Learns a second-order parser and the transition parsers that guide it."""

    model_type = GuidedModel

    def __init__(self, trees: Trees, settings: SecondOrderSettings, init: GuidedModel | None) -> None:
        super().__init__(trees, settings, init)
        shared = {"epochs": settings.epochs, "seed": settings.seed, "single_root": self.examples.single_root}
        self.guides: list[MoveTreeTrainer] = []
        for number, name in enumerate(settings.guides):
            before = init.guides[number] if init is not None else None
            own = make_settings(name, **shared)
            self.guides.append(placed(own.trainer_place)(trees, own, before))

    def begin(self, epoch: int) -> None:
        """Prepare an epoch of all parsers."""
        for guide in self.guides:
            guide.begin(epoch)

    def learn(self, sentences: NDArray[np.int64]) -> tuple[int, int]:
        """Learn from some sentences; return how many heads and labels there are and how many of them are wrong."""
        for guide in self.guides:
            guide.learn(sentences)
        return super().learn(sentences)

    def model(self) -> GuidedModel:
        """Return the learned model."""
        model = super().model()
        assert isinstance(model, GuidedModel)
        return model.guided_by(tuple(guide.model() for guide in self.guides))  # type: ignore[misc]

    def state(self) -> Arrays:
        """Return the weights, for a checkpoint."""
        return super().state() | numbered(guide.state() for guide in self.guides)

    def restore(self, arrays: Arrays) -> None:
        """Go on from the weights of a checkpoint."""
        super().restore(arrays)
        for number, guide in enumerate(self.guides):
            guide.restore(arrays_of(arrays, number))
