"""What the evaluations count, and the percentages that follow from the counts."""

from __future__ import annotations

from dataclasses import dataclass


def percent(part: int, whole: int) -> float:
    """The share of a whole in percent; nothing of nothing is 0, as in the shared tasks' scripts."""
    return 100 * (part / whole) if whole else 0.0


@dataclass(frozen=True)
class Score:
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

    @property
    def precision(self) -> float:
        """The correct among those of the system."""
        return percent(self.correct, self.system)

    @property
    def recall(self) -> float:
        """The correct among those of gold."""
        return percent(self.correct, self.gold)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return percent(2 * self.correct, self.system + self.gold)

    @property
    def aligned_accuracy(self) -> float | None:
        """The correct among the aligned words, None where the metric knows no aligned words."""
        return None if self.aligned is None else percent(self.correct, self.aligned)

    def as_dict(self) -> dict[str, float | int | None]:
        """The counts and the percentages by name."""
        return {
            "correct": self.correct,
            "gold": self.gold,
            "system": self.system,
            "aligned": self.aligned,
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
            "aligned_accuracy": self.aligned_accuracy,
        }


@dataclass(frozen=True)
class ClassScore:
    """Precision and recall of a class of edges that gold and system may draw differently.

    An edge may be of the class in gold and be found by the system without being of the class there (a right
    head in a tree that is projective after all). So both have true positives of their own: `recalled` of the
    `gold` ones are right in the system, `precise` of the `system` ones are right in gold (Kuhlmann and Nivre
    2010).

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

    def as_dict(self) -> dict[str, float | int | None]:
        """The counts and the percentages by name."""
        return {
            "gold": self.gold,
            "recalled": self.recalled,
            "system": self.system,
            "precise": self.precise,
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
        }
