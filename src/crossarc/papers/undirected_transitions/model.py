"""Trained parsers that find links by moves, and their training."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crossarc.papers.undirected_transitions.settings import UndirectedMoveSettings
from crossarc.parsers.model import Ints
from crossarc.parsers.moves.model import MoveModel, MoveTreeModel
from crossarc.parsers.moves.trainer import MoveTreeTrainer
from crossarc.parsers.trees import Trees
from crossarc.transitions.system import Targets, TransitionSystem
from crossarc.treebank.corpus import Corpus


@dataclass(frozen=True, eq=False)
class UndirectedMoveModel(MoveTreeModel):
    """A trained transition parser that finds links, which get directions afterwards."""

    settings: UndirectedMoveSettings

    def links(self, corpus: Corpus) -> tuple[Ints, Ints]:
        """Return the links before they get directions.

        Each link is stored at one of its two nodes, as the other node and the label; nodes without a link have -1.
        """
        tokens = self.attributes.encode(corpus)
        heads, labels = self.search_tokens(tokens, corpus.starts, -1, (False, False, False))
        return heads, labels // self.settings.label_kinds  # -1 stays

    def own_figures(self, gold: Corpus) -> dict[str, float]:
        """Return the score of the links."""
        return {"link_las": self.link_score(gold)}

    def link_score(self, gold: Corpus) -> float:
        """Return the gold arcs that are among the links with their labels, in percent.

        The LAS of the trees differs from this by the mistakes of the reconstruction.
        """
        others, labels = self.links(gold)
        table = gold.strings["deprel"]
        numbers = np.array([*(table[name] for name in self.labels), -1], dtype=np.int32)
        labels = numbers[labels]
        starts = np.repeat(gold.starts[:-1], np.diff(gold.starts))
        nodes = np.arange(len(others)) - starts
        heads, deprels = gold["head"], gold["deprel"]
        above = starts + np.maximum(heads, 0)  # the place of the gold head
        right = (others == heads) & (labels == deprels)
        right |= (others[above] == nodes) & (labels[above] == deprels)
        return 100 * float(right[heads >= 0].mean())


class UndirectedMoveTrainer(MoveTreeTrainer):
    """Learns the moves that build links."""

    settings: UndirectedMoveSettings
    model_type = UndirectedMoveModel

    def prepare(self, trees: Trees, init: MoveModel | None) -> tuple[TransitionSystem, Targets, int]:
        """Return the system, the trees that it is to build, and the number of labels that its actions have."""
        system, targets, count = super().prepare(trees, init)
        if self.settings.label_kinds == 1:
            return system, targets, count
        # Every label says on which side the head is: 2 X for the right, 2 X + 1 for the left.
        places = np.arange(len(trees.heads)) - np.repeat(trees.starts[:-1], np.diff(trees.starts))
        labels = (2 * trees.labels + (trees.heads < places)).astype(np.int32)
        return system, Targets(trees.heads, labels, trees.starts), 2 * count
