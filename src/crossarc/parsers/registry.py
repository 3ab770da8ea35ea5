"""The models and trainers by the kind that settings ask for and model files name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from crossarc.errors import CrossarcError
from crossarc.parsers.composites import (
    EnhancedModel,
    EnhancedTrainer,
    StackedModel,
    StackedTrainer,
    Transformed,
    transform_of,
)
from crossarc.parsers.graph.dag import DagMstModel, DagMstTrainer
from crossarc.parsers.graph.guided import GuidedModel, GuidedTrainer
from crossarc.parsers.graph.model import GraphModel, JointModel, RoundModel
from crossarc.parsers.graph.second_order import SecondOrderModel, SecondOrderTrainer
from crossarc.parsers.graph.trainer import GraphTrainer, JointTrainer, RoundTrainer
from crossarc.parsers.graphs import Graphs, graph_transform
from crossarc.parsers.model import Arrays, Model
from crossarc.parsers.neural.composites import EnsembleModel, EnsembleTrainer, HybridModel, HybridTrainer
from crossarc.parsers.neural.graphs import NeuralGraphModel, NeuralGraphTrainer
from crossarc.parsers.neural.model import NeuralModel
from crossarc.parsers.neural.trainer import NeuralTrainer
from crossarc.parsers.settings import GraphOutput, Settings
from crossarc.parsers.trainer import Trainer
from crossarc.parsers.transition.dag import DagTransitionModel, DagTransitionTrainer
from crossarc.parsers.transition.model import TransitionModel
from crossarc.parsers.transition.trainer import TransitionTrainer
from crossarc.parsers.trees import Trees
from crossarc.treebank.corpus import Corpus

# Trainers take trees or graphs, settings, the model to start from, and a directed model that enhances trees, if there
# is one.
KINDS: dict[str, tuple[type[Model], Callable[..., Trainer]]] = {
    "transition": (TransitionModel, TransitionTrainer),
    "dag": (DagTransitionModel, DagTransitionTrainer),
    "graph": (GraphModel, GraphTrainer),
    "joint": (JointModel, JointTrainer),
    "rounds": (RoundModel, RoundTrainer),
    "second-order": (SecondOrderModel, SecondOrderTrainer),
    "dag-mst": (DagMstModel, DagMstTrainer),
    "guided": (GuidedModel, GuidedTrainer),
    "enhanced": (EnhancedModel, EnhancedTrainer),
    "stacked": (StackedModel, StackedTrainer),
    "neural": (NeuralModel, NeuralTrainer),
    "neural-graph": (NeuralGraphModel, NeuralGraphTrainer),
    "neural-ensemble": (EnsembleModel, EnsembleTrainer),
    "neural-hybrid": (HybridModel, HybridTrainer),
}


def stored_model(manifest: dict[str, Any], arrays: Arrays) -> Model:
    """Return the model of a file; `LookupError` or `ValueError` for a file that holds none."""
    model = KINDS[manifest["kind"]][0].from_arrays(manifest, arrays)
    if model.settings.kind != manifest["kind"]:
        raise ValueError(f"the settings are of a model of the kind {model.settings.kind}")
    return Transformed(model) if model.settings.transform != "none" else model


def trainer_of(corpus: Corpus, settings: Settings, init: Model | None = None, directed: Model | None = None) -> Trainer:
    """Return what trains a parser of these settings on a corpus."""
    make, helper = KINDS[settings.kind][1], (directed,) if directed is not None else ()
    if isinstance(settings, GraphOutput):
        return make(Graphs.of(corpus, graph_transform(settings)), settings, init)
    trees = Trees.of(corpus)
    if settings.transform == "none":
        trees = trees.projective() if settings.is_projective else trees
        return make(trees, settings, init, *helper)
    if directed is not None:
        raise CrossarcError("a directed model and a transform do not go together: leave one of the two out")
    before = init.model if isinstance(init, Transformed) else None
    trainer = make(trees.encoded(transform_of(settings)), settings, before)
    trainer.wrap = Transformed
    return trainer
