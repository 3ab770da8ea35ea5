"""The models and trainers by the kind that settings ask for and model files name."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from crossarc.errors import CrossarcError
from crossarc.parsers.model import Arrays, Model
from crossarc.parsers.settings import GraphOutput, Settings
from crossarc.parsers.trainer import Trainer
from crossarc.treebank.corpus import Corpus

# Model and trainer of each kind, as module and name: a parser that is loaded needs the modules of its own kind only.
# Trainers take trees or graphs, settings, the model to start from, and a directed model that enhances trees, if there
# is one.
KINDS = {
    "transition": ("transition.model:TransitionModel", "transition.trainer:TransitionTrainer"),
    "dag": ("transition.dag:DagTransitionModel", "transition.dag:DagTransitionTrainer"),
    "graph": ("graph.model:GraphModel", "graph.trainer:GraphTrainer"),
    "joint": ("graph.model:JointModel", "graph.trainer:JointTrainer"),
    "rounds": ("graph.model:RoundModel", "graph.trainer:RoundTrainer"),
    "second-order": ("graph.second_order:SecondOrderModel", "graph.second_order:SecondOrderTrainer"),
    "dag-mst": ("graph.dag:DagMstModel", "graph.dag:DagMstTrainer"),
    "guided": ("graph.guided:GuidedModel", "graph.guided:GuidedTrainer"),
    "enhanced": ("composites:EnhancedModel", "composites:EnhancedTrainer"),
    "stacked": ("composites:StackedModel", "composites:StackedTrainer"),
    "neural": ("neural.model:NeuralModel", "neural.trainer:NeuralTrainer"),
    "neural-graph": ("neural.graphs:NeuralGraphModel", "neural.graph_trainer:NeuralGraphTrainer"),
    "neural-ensemble": ("neural.composites:EnsembleModel", "neural.composites:EnsembleTrainer"),
    "neural-hybrid": ("neural.composites:HybridModel", "neural.composites:HybridTrainer"),
}
TRANSFORMED = "composites:Transformed"


def named(place: str) -> Any:
    """Return a class by its module and name."""
    module, _, name = place.partition(":")
    return getattr(import_module(f"crossarc.parsers.{module}"), name)


def stored_model(manifest: dict[str, Any], arrays: Arrays) -> Model:
    """Return the model of a file; `LookupError` or `ValueError` for a file that holds none."""
    model: Model = named(KINDS[manifest["kind"]][0]).from_arrays(manifest, arrays)
    if model.settings.kind != manifest["kind"]:
        raise ValueError(f"the settings are of a model of the kind {model.settings.kind}")
    wrap: Callable[[Model], Model] = named(TRANSFORMED) if model.settings.transform != "none" else lambda inner: inner
    return wrap(model)


def trainer_of(corpus: Corpus, settings: Settings, init: Model | None = None, directed: Model | None = None) -> Trainer:
    """Return what trains a parser of these settings on a corpus."""
    from crossarc.parsers.graphs import Graphs, graph_transform  # what is only parsed with needs neither
    from crossarc.parsers.trees import Trees

    make: Callable[..., Trainer] = named(KINDS[settings.kind][1])
    helper = (directed,) if directed is not None else ()
    if isinstance(settings, GraphOutput):
        return make(Graphs.of(corpus, graph_transform(settings)), settings, init)
    trees = Trees.of(corpus)
    if settings.transform == "none":
        trees = trees.projective() if settings.is_projective else trees
        return make(trees, settings, init, *helper)
    if directed is not None:
        raise CrossarcError("a directed model and a transform do not go together: leave one of the two out")
    transformed = named(TRANSFORMED)
    before = init.model if isinstance(init, transformed) else None
    trainer = make(trees.encoded(named("composites:transform_of")(settings)), settings, before)
    trainer.wrap = transformed
    return trainer
