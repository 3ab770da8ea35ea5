"""The models by the kind that their files name, and the trainers by the family of their settings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from crossarc.errors import CrossarcError
from crossarc.parsers.composites import EnhancedModel, StackedModel, Transformed, undirected_trainer
from crossarc.parsers.graph.model import GraphModel, JointModel, RoundModel
from crossarc.parsers.graph.trainer import graph_trainer
from crossarc.parsers.model import Arrays, Model
from crossarc.parsers.settings import Settings
from crossarc.parsers.trainer import Trainer
from crossarc.parsers.transition.model import TransitionModel
from crossarc.parsers.transition.trainer import TransitionTrainer
from crossarc.parsers.trees import Trees
from crossarc.transforms.pseudo_projective import PseudoProjective

MODELS: dict[str, type[Model]] = {
    model.kind: model for model in (TransitionModel, GraphModel, JointModel, RoundModel, EnhancedModel, StackedModel)
}
# Each takes trees, settings, the model to start from, and a directed model that enhances trees.
TRAINERS: dict[str, Callable[..., Trainer]] = {
    "transition": TransitionTrainer,
    "graph": graph_trainer,
    "rounds": graph_trainer,
    "undirected": undirected_trainer,
}


def stored_model(manifest: dict[str, Any], arrays: Arrays) -> Model:
    """Return the model of a file; `LookupError` or `ValueError` for a file that holds none."""
    model = MODELS[manifest["kind"]].from_arrays(manifest, arrays)
    return Transformed(model) if model.settings.transform != "none" else model


def trainer_of(trees: Trees, settings: Settings, init: Model | None = None, directed: Model | None = None) -> Trainer:
    """Return what trains a parser of these settings."""
    make = TRAINERS[settings.family]
    if settings.transform == "none":
        return make(trees, settings, init, directed)
    if directed is not None:
        raise CrossarcError("a directed model and a transform do not go together: leave one of the two out")
    before = init.model if isinstance(init, Transformed) else None
    trainer = make(trees.encoded(PseudoProjective(settings.transform)), settings, before, None)
    trainer.wrap = Transformed
    return trainer
