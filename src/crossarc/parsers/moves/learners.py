"""The learners of the weights of transition parsers, by name. A learner of another package is an entry point."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crossarc.core.registry import Registry
from crossarc.errors import CrossarcError

if TYPE_CHECKING:
    from crossarc.learning.learners import UpdateRule
    from crossarc.parsers.moves.settings import MoveSettings

LEARNING_RATE, L2 = 0.1, 1e-4  # of maximum entropy

Ints = NDArray[np.int32]


class Instances(NamedTuple):
    """All decisions of the static oracle."""

    keys: NDArray[np.uint64]  # of all features
    rows: Ints  # the features of each decision, as places in `keys`; -1 for none
    actions: Ints  # the action of each
    action_count: int
    groups: Ints  # the part of speech of each, if each part of speech has a learner of its own
    group_of: Ints  # the group of each part of speech


@dataclass(frozen=True)
class Learner:
    """A learner: a rule that changes weights decision by decision, or a function of all decisions at once.

    `at_once` returns `Weights` or another scorer, and the share of decisions that it gets wrong. `cost` is
    the usual C, None for learners without one. `scorer` is the class that a model file keeps, as module and name.
    """

    rule: Callable[[MoveSettings], UpdateRule] | None = None
    at_once: Callable[[MoveSettings, Instances], tuple[Any, float]] | None = None
    cost: float | None = None
    probabilities: bool = False  # its scores are log probabilities of single decisions, also where a beam parses
    split_words: int = 0  # parts of speech with so many words are learned apart; 0 for none
    scorer: str = "crossarc.learning.scorers:PackedWeights"

    def rule_of(self, settings: MoveSettings) -> UpdateRule:
        """Return the rule, without one that of the perceptron; what native code cannot call is an error."""
        from crossarc.learning.learners import MaximumEntropy, Perceptron, UpdateRule

        rule = self.rule(settings) if self.rule is not None else Perceptron()
        if not isinstance(rule, UpdateRule) or hasattr(rule, "learn"):
            raise CrossarcError(
                f"the rule of learner {settings.learner} gave {rule!r}; it must give an UpdateRule, "
                "with `learn` in Cython"
            )
        if isinstance(rule, MaximumEntropy) and not self.probabilities:
            raise CrossarcError(
                f"learner {settings.learner} has the rule of maximum entropy; give it probabilities=True"
            )
        return rule

    def learned_at_once(self, settings: MoveSettings, found: Instances) -> tuple[Any, float]:
        """Return what scores after all decisions, and the share that it gets wrong; what cannot score is an error."""
        from crossarc.learning.scorers import Scorer

        assert self.at_once is not None
        weights, wrong = self.at_once(settings, found)
        if not isinstance(weights, Scorer):
            raise CrossarcError(f"learner {settings.learner} gave {weights!r}; it must give Weights or another Scorer")
        return weights, wrong


def perceptron(settings: MoveSettings) -> UpdateRule:
    """Return the rule of the averaged perceptron."""
    from crossarc.learning.learners import Perceptron

    return Perceptron()


def mira(settings: MoveSettings) -> UpdateRule:
    """Return the rule of MIRA."""
    from crossarc.learning.learners import Mira

    return Mira(settings.cost or 0.0)


def maximum_entropy(settings: MoveSettings) -> UpdateRule:
    """Return the rule of maximum entropy."""
    from crossarc.learning.learners import MaximumEntropy

    return MaximumEntropy(LEARNING_RATE, L2)


def liblinear(settings: MoveSettings, found: Instances) -> tuple[Any, float]:
    """Return the weights that LIBLINEAR learns."""
    from crossarc.learning.liblinear import learn_liblinear

    how: dict[str, Any] = {"count": found.action_count, "cost": settings.cost or 0.0, "seed": settings.seed}
    return learn_liblinear(found.keys, found.rows, found.actions, **how)


def check_learner(name: str, learner: object) -> None:
    """Refuse anything but learners."""
    if not isinstance(learner, Learner) or (learner.rule is None) == (learner.at_once is None):
        raise CrossarcError(f"the learner {name!r} is {learner!r}; it must be a Learner with a rule, or with at_once")


LEARNERS: Registry[Learner] = Registry(
    "learner",
    "learners",
    {
        "perceptron": Learner(rule=perceptron),
        "mira": Learner(rule=mira, cost=0.01),  # by trial on a development set
        "maxent": Learner(rule=maximum_entropy, probabilities=True),
        "liblinear": Learner(at_once=liblinear, cost=0.1),  # as MaltParser has it
    },
    check_learner,
)
