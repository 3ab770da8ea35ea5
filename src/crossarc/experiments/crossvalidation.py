"""Cross-validation: several parsers on the folds of one file, their scores over all folds, and paired tests.

The design and the figures are those of Bjorkelund and Kuhn (2012), "Comparing Non-projective Strategies for Labeled
Graph-Based Dependency Parsing", section 3.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from crossarc.evaluation import ClassScore, Trees, TreeScores
from crossarc.evaluation.scores import Figures, Score, Share
from crossarc.evaluation.significance import t_test
from crossarc.experiments.comparisons import counts_by_sentence
from crossarc.experiments.fold_parses import write_parses
from crossarc.experiments.folds import CrossValidation, Parsers, candidates_of
from crossarc.experiments.runner import Report, Result, run

if TYPE_CHECKING:
    from crossarc.treebank import Sentence

LEVELS = (0.001, 0.01, 0.05)


@dataclass(frozen=True)
class Breakdown(Figures):
    """The size of a treebank and its non-projective edges, as in Table 1 of the paper."""

    sentences: int
    words: int
    np_edges: int
    np_sentences: int

    np_edges_percent = Share("np_edges", "words")
    np_sentences_percent = Share("np_sentences", "sentences")

    @classmethod
    def of(cls, sentences: Iterable[Sentence]) -> Breakdown:
        """Count the sentences."""
        trees = Trees.of(sentences)
        edges = trees.non_projective
        return cls(len(trees), len(trees.heads), int(edges.sum()), int((trees.by_sentence(edges) > 0).sum()))


@dataclass(frozen=True)
class GraphRow(Figures):
    """The graphs of a parser over all folds: arcs with their labels and without, and whole graphs."""

    labelled: Score
    unlabelled: Score
    sentences: int
    exact: int

    exact_match = Share("exact", "sentences")

    @classmethod
    def of(cls, parts: Sequence[Mapping[str, Any]]) -> GraphRow:
        """Add up the scores of the folds, from their JSON."""
        labelled, unlabelled = (
            Score(*(sum(part[kind][name] for part in parts) for name in ("correct", "gold", "system")))
            for kind in ("labelled", "unlabelled")
        )
        return cls(labelled, unlabelled, *(sum(part[name] for part in parts) for name in ("sentences", "exact")))


@dataclass(frozen=True)
class Row:
    """A parser over all folds: its scores, the CPU seconds of all folds, and the right and all words of each sentence.

    The sentences are in the order of the folds, which is the same for all parsers.
    """

    name: str
    settings: dict[str, Any]  # with the defaults of the preset
    scores: TreeScores
    training_seconds: float
    parsing_seconds: float
    right: NDArray[np.int64]
    words: NDArray[np.int64]
    graphs: GraphRow | None = None  # of a parser of graphs, whose trees are those of gold and say nothing

    @property
    def exact(self) -> NDArray[np.int64]:
        """For each sentence, 1 if all its words are right."""
        exact: NDArray[np.int64] = (self.right == self.words).astype(np.int64)
        return exact

    def to_dict(self) -> dict[str, Any]:
        """The figures by name, for JSON. There is no F-measure: precision and recall count different edges as right."""
        edges = self.scores.non_projective
        trees = {
            "las": self.scores.las,
            "lem": self.scores.lem,
            "np_precision": edges.precision,
            "np_recall": edges.recall,
            "np_predicted": edges.system,
            "np_gold": edges.gold,
        }
        return {
            "settings": self.settings,
            "words": self.scores.words,
            "sentences": self.scores.sentences,
            **(trees if self.graphs is None else {"graphs": self.graphs.to_dict()}),
            "training_seconds": self.training_seconds,
            "parsing_seconds": self.parsing_seconds,
        }


@dataclass(frozen=True)
class PairedTest:
    """A parser against another: LAS of the first minus that of the second, and the p value of the paired t-test.

    The same for exact match (LEM).
    """

    parser: str
    against: str
    difference: float
    t: float
    p: float
    lem_difference: float = 0.0
    lem_p: float = 1.0

    @property
    def level(self) -> str:
        """The significance level that the p value reaches."""
        return next((f"p < {level}" for level in LEVELS if self.p < level), "not significant")


@dataclass(frozen=True)
class CrossValidated:
    """The result of a cross-validation; `rows` has None for a parser whose jobs have not all succeeded."""

    plan: CrossValidation
    treebank: Breakdown
    rows: tuple[Row | None, ...]
    tests: tuple[PairedTest, ...]
    failures: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Everything by name, for JSON."""
        named = zip(self.plan.candidates, self.rows, strict=True)
        return {
            "file": self.plan.file,
            "folds": self.plan.folds,
            "seed": self.plan.seed,
            "treebank": self.treebank.to_dict(),
            "parsers": [{"name": each.name, **(row.to_dict() if row else {"failed": True})} for each, row in named],
            "tests": [{**vars(test), "level": test.level} for test in self.tests],
            "failures": list(self.failures),
        }


def cross_validate(
    file: str | os.PathLike[str],
    parsers: Parsers,
    *,
    folds: int = 10,
    seed: int = 1,
    settings: Mapping[str, Any] | None = None,
    on_error: Literal["fail", "skip", "fix"] = "fail",
    cache: str | os.PathLike[str] = ".cache",
    workers: int = 1,
    retry: bool = False,
    rerun: bool = False,
    against: Literal["usual", "all"] = "usual",
    parses: str | os.PathLike[str] | None = None,
    report: Report = lambda progress: None,
) -> CrossValidated:
    """Train and score parsers on all folds of a file; results are cached as by `run`.

    `parsers` are texts such as `eisner:transform=head,cap=30`, or a table of names with settings as in an experiment.
    The first is the baseline. `settings` are those of all parsers; `seed` makes the folds and is the seed of parsers
    that have none of their own. `against` chooses the pairs that are tested, see `pairs_to_test`. With a folder for
    `parses`, these are written too, see `write_parses`.
    """
    from crossarc.treebank import read

    common = dict(settings or {})
    keep = parses is not None
    plan = CrossValidation(os.fspath(file), candidates_of(parsers), folds, seed, common, on_error, against, keep)
    sentences = list(read(plan.file, check="tree", on_error=on_error))
    results = run(plan.jobs(sentences), cache, workers=workers, retry=retry, rerun=rerun, report=report)
    if parses is not None:
        write_parses(plan, results, cache, parses)
    return gather(plan, sentences, results)


def gather(plan: CrossValidation, sentences: Iterable[Sentence], results: Sequence[Result]) -> CrossValidated:
    """The scores over all folds from the results of all jobs, in their order."""
    groups = [results[at : at + plan.folds] for at in range(0, len(results), plan.folds)]
    rows = tuple(map(row_of, groups))
    failures = dict.fromkeys(f"{result.job}: {result.error}" for result in results if result.failed)
    settings = [group[0].job.all_settings for group in groups]
    pairs = [(rows[one], rows[other]) for one, other in pairs_to_test(settings, plan.against)]
    tests = tuple(
        paired_test(one, other) for one, other in pairs if one and other and one.graphs is other.graphs is None
    )
    return CrossValidated(plan, Breakdown.of(sentences), rows, tests, tuple(failures))


def row_of(results: Sequence[Result]) -> Row | None:
    """The row of a parser from the results of its folds; None if one of them failed."""
    figures = [result.figures for result in results if result.figures is not None]
    counts = [counted for result in results if (counted := counts_by_sentence(result, no_punctuation=False))]
    if len(figures) < len(results):
        return None
    return Row(
        name=results[0].job.name,
        settings=results[0].job.all_settings,
        scores=add_up([each["scores"]["with_punctuation"] for each in figures]),
        training_seconds=sum(each["training"]["cpu_seconds"] for each in figures),
        parsing_seconds=sum(each["parsing"]["cpu_seconds"] for each in figures),
        right=np.concatenate([each["las"] for each in counts]),
        words=np.concatenate([each["words"] for each in counts]),
        graphs=GraphRow.of([each["graphs"] for each in figures]) if figures[0].get("graphs") else None,
    )


def add_up(parts: Sequence[Mapping[str, Any]]) -> TreeScores:
    """The scores of several files together, as if these were one file, from the scores of each as JSON."""

    def sums(kind: type[TreeScores | ClassScore], counts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        names = [each.name for each in fields(kind) if each.name != "non_projective"]
        return {name: sum(part[name] for part in counts) for name in names}

    edges = ClassScore(**sums(ClassScore, [part["non_projective"] for part in parts]))
    return TreeScores(**sums(TreeScores, parts), non_projective=edges)


def pairs_to_test(settings: Sequence[Mapping[str, Any]], against: str = "usual") -> Iterator[tuple[int, int]]:
    """The pairs of parsers whose difference is tested, by their places, without repetition.

    The usual pairs are those of the paper: each is compared with the first, the last with each, and a parser with a cap
    with the same parser without one. With "all" each is compared with all before it.

    >>> list(pairs_to_test([{}, {}, {}], "all"))
    [(1, 0), (2, 0), (2, 1)]
    >>> list(pairs_to_test([{"cap": None}, {"cap": 3, "x": 1}, {"cap": None, "x": 1}, {"cap": None, "x": 2}]))
    [(1, 0), (2, 0), (3, 0), (3, 1), (3, 2), (1, 2)]
    """
    if against == "all":
        yield from ((one, other) for one in range(len(settings)) for other in range(one))
        return
    last = len(settings) - 1
    uncapped = [{**each, "cap": None} for each in settings]
    pairs = [(number, 0) for number in range(1, len(settings))]
    pairs += [(last, number) for number in range(1, last)]
    pairs += [
        (one, other)
        for one, each in enumerate(settings)
        for other, rest in enumerate(settings)
        if each.get("cap") is not None and rest.get("cap") is None and uncapped[one] == uncapped[other]
    ]
    seen: set[frozenset[int]] = set()
    for pair in pairs:
        if frozenset(pair) not in seen:
            seen.add(frozenset(pair))
            yield pair


def paired_test(one: Row, other: Row) -> PairedTest:
    """The paired t-tests of two parsers: the number of right words in each sentence, and whether all are right."""
    found, exact = t_test(one.right - other.right), t_test(one.exact - other.exact)
    las, lem = one.scores.las - other.scores.las, one.scores.lem - other.scores.lem
    return PairedTest(one.name, other.name, las, found.t, found.p, lem, exact.p)
