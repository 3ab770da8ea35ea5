"""Counts of the evaluations, and the percentages computed from them."""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass
from typing import Any


def percent(part: int, whole: int) -> float:
    """The share of a whole in percent; nothing of nothing is 0, as in the shared tasks' scripts."""
    return 100 * (part / whole) if whole else 0.0


class Share:
    """An attribute: one count of an object in percent of another."""

    def __init__(self, part: str, whole: str) -> None:
        self.part, self.whole = part, whole

    def __get__(self, scores: object, kind: type | None = None) -> float:
        if scores is None:
            return self  # type: ignore[return-value]
        return percent(getattr(scores, self.part), getattr(scores, self.whole))


@dataclass(frozen=True)
class Figures:
    """Base of scores: counts are fields, and figures computed from them are shares and properties."""

    def to_dict(self) -> dict[str, Any]:
        """All of them by name, for JSON."""
        derived = [name for name, value in vars(type(self)).items() if isinstance(value, Share | property)]
        return plain_fields(self) | {name: getattr(self, name) for name in derived}


def plain_fields(figures: Any) -> dict[str, Any]:
    """The fields of a dataclass by name, for JSON."""
    return {each.name: plain(getattr(figures, each.name)) for each in fields(figures)}


def plain(value: Any) -> Any:
    """A value for JSON, with what is inside it."""
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, tuple):
        return [plain(each) for each in value]
    if hasattr(value, "to_dict"):
        return value.to_dict()
    return plain_fields(value) if is_dataclass(value) else value


@dataclass(frozen=True)
class Score(Figures):
    """Items of gold and system that were matched one to one, after Zeman et al. (2018).

    `aligned` is the number of aligned words the metric looked at, where it looks at aligned words.

    >>> score = Score(correct=3, gold=4, system=6)
    >>> score.precision, score.recall, score.f1
    (50.0, 75.0, 60.0)
    """

    correct: int
    gold: int
    system: int
    aligned: int | None = None

    precision = Share("correct", "system")
    recall = Share("correct", "gold")

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return percent(2 * self.correct, self.system + self.gold)

    @property
    def aligned_accuracy(self) -> float | None:
        """The correct among the aligned words, None where the metric has no aligned words."""
        return None if self.aligned is None else percent(self.correct, self.aligned)


@dataclass(frozen=True)
class ClassScore(Figures):
    """Precision and recall of a class of edges that gold and system may draw differently.

    An edge may be of the class in gold and be found by the system without being of the class there (a right head in a
    tree that is projective after all). So both have true positives of their own: `recalled` of the `gold` ones are
    right in the system, `precise` of the `system` ones are right in gold (Kuhlmann and Nivre 2010).

    >>> score = ClassScore(gold=4, recalled=3, system=0, precise=0)
    >>> score.recall, score.precision
    (75.0, None)
    """

    gold: int
    recalled: int
    system: int
    precise: int

    @property
    def precision(self) -> float | None:
        """The right ones among those of the system, None where it has none."""
        return percent(self.precise, self.system) if self.system else None

    @property
    def recall(self) -> float | None:
        """The right ones among those of gold, None where it has none."""
        return percent(self.recalled, self.gold) if self.gold else None

    @property
    def f1(self) -> float | None:
        """The harmonic mean, for sides with the same true positives; None when one of the two is None."""
        precision, recall = self.precision, self.recall
        if precision is None or recall is None:
            return None
        return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
