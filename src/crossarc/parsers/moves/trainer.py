"""The training of a transition parser: trees as moves, and a learner of their weights."""

from __future__ import annotations

from abc import abstractmethod
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from crossarc.components.component import Arrays
from crossarc.components.training import Trainer
from crossarc.features.attributes import Attributes
from crossarc.features.templates import FeatureModel, choose_templates, fit_model, load_model
from crossarc.learning.instances import number_features
from crossarc.learning.learners import Perceptron
from crossarc.learning.scorers import HashedWeights, PackedWeights, Weights
from crossarc.parsers.model import Ints
from crossarc.parsers.moves.learners import Instances
from crossarc.parsers.moves.model import (
    MoveModel,
    MoveTreeModel,
    Stages,
    root_table_size,
    search_of,
    tag_column,
)
from crossarc.parsers.moves.settings import MoveSettings, MoveTreeSettings
from crossarc.parsers.trees import Trees
from crossarc.transitions.search import TwoStage
from crossarc.transitions.system import Targets, TransitionSystem
from crossarc.transitions.training import StageWeights, collect_actions, instances, train, weigh

# Fast search: the templates of each stage, and the sentences by which they are weighed.
MOVE_TEMPLATES, LABEL_TEMPLATES = 88, 32
WEIGHED_SENTENCES = 2_000
STATIC_EPOCHS = 1  # the first ones follow the oracle alone

if TYPE_CHECKING:
    from crossarc.parsers.graphs import Graphs

# Attributes of all nodes, and the trees or graphs to build.
Examples = tuple[Ints, Any]


class MoveTrainer(Trainer):
    """Trees or graphs as the moves of a transition system that build them, and the weights of these moves.

    The labels, words and actions of `init`, whose weights are the first, keep their numbers; new ones come behind them.
    """

    model_type: type[MoveModel]
    weights: Any  # `Weights` or `StageWeights`, or the scorer of a learner of all instances at once

    def __init__(self, gold: Trees | Graphs, settings: MoveSettings, init: MoveModel | None = None) -> None:
        self.settings = settings
        self.epochs = settings.epochs
        self.shuffle = np.random.default_rng(settings.seed)
        self.continued = init is not None
        self.learner = settings.way_to_learn
        self.at_once = self.learner.at_once is not None
        self.sizes = gold.sizes
        gold = gold.numbered(init.labels if init is not None else [])
        corpus = gold.corpus
        self.labels = gold.names
        self.label_places = gold.label_places(init.label_places if init is not None else None)
        self.single_root = gold.single_roots(settings, init.single_root if init is not None else None)
        system, targets, kinds = self.prepare(gold, init)
        counts = collect_actions(system, targets, kinds)
        self.moves, self.move_labels = actions_of(system, counts, init)
        self.features = fit_model(load_model(settings.features), corpus) if init is None else init.features
        self.attributes = Attributes.fit(
            corpus, self.features.attributes, init.attributes if init is not None else None
        )
        self.data: Examples = (self.attributes.encode(corpus), targets)
        self.stages: Stages | None = None
        if settings.fast:
            order = self.shuffle.permutation(len(self.sizes))
            chosen = choose_stages(system, self.features, self.moves, self.move_labels, self.data, order)
            self.features, self.stages = chosen
            self.attributes = Attributes.fit(corpus, self.features.attributes)
            self.data = (self.attributes.encode(corpus), targets)
        self.root_labels = self.find_root_labels(*self.roots_of(gold))
        # Maximum entropy learns single decisions even where a beam parses.
        learned = settings.model_copy(update={"beam": 1}) if self.learner.probabilities else settings
        self.search = search_of(learned, system, self.features, self.moves, self.move_labels, self.stages)
        self.rule = self.learner.rule_of(settings)
        self.squares = self.learner.probabilities
        self.weights = Weights(len(self.moves), settings.cut, self.squares)
        if settings.fast:
            self.weights = StageWeights(HashedWeights(len(system.moves)), Weights(len(self.moves), settings.cut))
        elif init is not None and isinstance(init.scorer, PackedWeights):
            self.weights = Weights.of(len(self.moves), init.scorer.unpack(), settings.cut, self.squares)
            # As if they had held for so many steps already: the average then moves from the old weights to the new.
            steps = int(counts.sum()) if learned.beam == 1 else len(self.sizes)
            self.weights.now = int(settings.inertia * settings.epochs * steps)

    @abstractmethod
    def prepare(self, gold: Any, init: Any) -> tuple[TransitionSystem, Any, int]:
        """Return the system, the trees or graphs to build, and the number of labels that its actions have."""

    @abstractmethod
    def roots_of(self, gold: Any) -> tuple[NDArray[np.int64], Ints]:
        """Return the words under node 0, as places in the arrays of nodes, and their labels."""

    def find_root_labels(self, roots: NDArray[np.int64], labels: Ints) -> Ints:
        """The most frequent label under node 0 by tag; that of all words for tags that never occur there."""
        tokens = self.data[0]
        tag = tag_column(self.features)
        counts = np.zeros((root_table_size(self.features, self.attributes), len(self.labels)), dtype=np.int64)
        np.add.at(counts, (tokens[roots, tag] if tag >= 0 else np.zeros(len(roots), dtype=np.int32), labels), 1)
        counts[~counts.any(axis=1)] = counts.sum(axis=0)
        commonest: Ints = counts.argmax(axis=1).astype(np.int32)
        return commonest

    def begin(self, epoch: int) -> None:
        """Prepare an epoch."""
        self.explore = self.settings.explore if epoch > STATIC_EPOCHS else 0.0
        if not self.at_once:
            self.weights.random = (2 * (self.settings.seed * 1_000 + epoch) + 1) % 2**64

    def learn(self, sentences: NDArray[np.int64]) -> tuple[int, int]:
        """Learn from some sentences; return how many moves were made and how many of them were wrong."""
        if self.at_once:
            return self.learn_at_once()
        made, wrong = train(self.search, self.weights, self.rule, *self.data, sentences, self.explore)
        return made, wrong

    def learn_at_once(self) -> tuple[int, int]:
        """Learn from all moves of the static oracle."""
        tag = tag_column(self.features)
        words = np.bincount(self.data[0][:, tag] + 1 if tag >= 0 else [0])
        group_of = np.zeros(len(words), dtype=np.int32)  # the rare ones are together in group 0
        if self.learner.split_words:
            often = np.flatnonzero(words >= self.learner.split_words)
            group_of[often] = np.arange(1, len(often) + 1)
        matrix, actions, groups = instances(self.search, *self.data, group_of)
        keys, rows = number_features(matrix, self.settings.cut)
        found = Instances(keys, rows, actions, self.search.action_count, groups, group_of)
        self.weights, wrong = self.learner.learned_at_once(self.settings, found)
        return len(actions), round(wrong * len(actions))

    def model(self) -> MoveModel:
        """Return the learned model."""
        weights = self.weights
        return self.model_type(
            self.settings,
            self.features,
            self.attributes,
            self.labels,
            self.label_places,
            self.root_labels,
            self.single_root,
            self.moves,
            self.move_labels,
            weights.pack(self.settings.prune) if hasattr(weights, "pack") else weights,
            self.stages,
            **self.own_fields(),
        )

    def own_fields(self) -> dict[str, Any]:
        """Return the fields that only this kind of models has."""
        return {}

    def state(self) -> Arrays:
        """Return the weights, for a checkpoint."""
        arrays: Arrays = self.weights.to_arrays()
        return arrays

    def restore(self, arrays: Arrays) -> None:
        """Go on from the weights of a checkpoint."""
        count, cut = len(self.moves), self.settings.cut
        if self.settings.fast:
            self.weights = StageWeights.from_arrays(arrays, len(self.search.system.moves), count, cut)
        else:
            self.weights = Weights.from_arrays(arrays, count, cut, self.squares)


class MoveTreeTrainer(MoveTrainer):
    """Learns the moves that build trees."""

    settings: MoveTreeSettings
    model_type: type[MoveTreeModel] = MoveTreeModel

    def prepare(self, trees: Trees, init: MoveModel | None) -> tuple[TransitionSystem, Targets, int]:
        """Return the system, the trees that it is to build, and the number of labels that its actions have."""
        system = self.settings.transition_system(self.single_root)
        return system, Targets(trees.heads, trees.labels, trees.starts), len(trees.names)

    def roots_of(self, trees: Trees) -> tuple[NDArray[np.int64], Ints]:
        """Return the words under node 0, as places in the arrays of nodes, and their labels."""
        roots = np.flatnonzero(trees.heads == 0)
        return roots, trees.labels[roots]


def actions_of(system: TransitionSystem, counts: NDArray[np.int64], init: MoveModel | None) -> tuple[Ints, Ints]:
    """The moves and labels of all actions, by how often the oracle makes each; those of `init` come first."""
    kinds = counts.shape[1] - 1
    for move, labelled in enumerate(system.labelled):
        if labelled:
            counts[move, kinds] = 0  # wrong arcs of the oracle, in trees that it cannot build
        # A move that the oracle never makes may be the only legal one in a state of the parser's own making.
        if not counts[move].any():
            counts[move, int(counts[:, :kinds].sum(axis=0).argmax()) if labelled else kinds] = 1
    moves, labels = (each.astype(np.int32) for each in np.nonzero(counts))
    labels[labels == kinds] = -1
    if init is None:
        return moves, labels
    known = zip(init.moves.tolist(), init.move_labels.tolist(), strict=True)
    found = zip(moves.tolist(), labels.tolist(), strict=True)
    actions = np.array(list(dict.fromkeys(chain(known, found))), dtype=np.int32)
    moves, labels = (np.ascontiguousarray(column) for column in actions.T)
    return moves, labels


def choose_stages(
    system: TransitionSystem,
    features: FeatureModel,
    moves: Ints,
    labels: Ints,
    data: Examples,
    order: NDArray[np.int64],
) -> tuple[FeatureModel, Stages]:
    """The templates that weigh most after a first epoch with all of them, those for moves before those for labels."""
    count = len(features.templates)
    search = TwoStage(system, features, moves, labels, len(features.attributes), count, 0)
    weights = StageWeights(HashedWeights(len(system.moves)), Weights(len(moves)))
    train(search, weights, Perceptron(), *data, order)
    move_gains, label_gains = weigh(search, weights, *data, WEIGHED_SENTENCES)
    for_moves = set(np.argsort(-move_gains, kind="stable")[:MOVE_TEMPLATES].tolist())
    for_labels = set(np.argsort(-label_gains, kind="stable")[:LABEL_TEMPLATES].tolist())
    parts = [sorted(part) for part in (for_moves - for_labels, for_moves & for_labels, for_labels - for_moves)]
    return choose_templates(features, [place for part in parts for place in part]), (len(for_moves), len(parts[0]))
