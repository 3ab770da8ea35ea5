"""The contract of trained parsers: what `Parser` asks of a model, whatever finds its trees."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from crossarc.core.strings import StringTable
from crossarc.errors import CrossarcError
from crossarc.features.attributes import Attributes
from crossarc.features.edges import EdgeModel
from crossarc.features.inputs import InputModel
from crossarc.features.templates import FeatureModel
from crossarc.parsers.analysis import Analysis, Request, Scales
from crossarc.parsers.constraints import NONE, Constraints
from crossarc.parsers.settings import Settings
from crossarc.transitions.coverage import Coverage
from crossarc.treebank.corpus import Corpus

if TYPE_CHECKING:
    from crossarc.parsers.graphs import Arcs

Arrays = dict[str, NDArray[Any]]
Ints = NDArray[np.int32]
Columns = dict[str, tuple[Ints, StringTable | None]]
Analyser = Callable[[Request], Iterator[Analysis]]


class Model(ABC):
    """A trained parser. It is immutable, and any number of threads may use it."""

    kind: str  # of its file
    output: Literal["tree", "graph"] = "tree"
    settings: Settings
    features: FeatureModel | EdgeModel | InputModel
    attributes: Attributes
    labels: list[str]
    single_root: bool
    scores_labels = False  # whether labels have scores of their own
    predicts_tags = False  # whether it gives tags beside trees
    has_alternatives = True  # whether it knows how sure it is
    is_projective = False  # whether all its trees are
    usual_scales: Scales  # of a model that was not calibrated
    long_sentence: int = 0  # longer sentences are not searched in full; 0 if all are
    long_note = ""  # what is done with them

    @abstractmethod
    def parse(self, corpus: Corpus) -> tuple[Ints, Ints]:
        """Return heads and labels of all nodes of a corpus."""

    def parse_columns(self, corpus: Corpus) -> Columns:
        """Return what is written to the columns of a corpus, as `write_columns` takes it: trees, and tags if any."""
        heads, labels = self.parse(corpus)
        return {"head": (heads, None), "deprel": (labels, StringTable(self.labels))}

    @abstractmethod
    def analyse(self, corpus: Corpus, constraints: list[Constraints], request: Request) -> Iterator[Analysis]:
        """Yield the k best trees of each sentence under its constraints, with their probabilities."""

    def analyse_columns(
        self, corpus: Corpus, constraints: list[Constraints], request: Request
    ) -> tuple[Columns, Iterator[Analysis]]:
        """Return tags as they are written to the columns of a corpus, if the model gives them, and the analyses."""
        return {}, self.analyse(corpus, constraints, request)

    def analyser(self, corpus: Corpus) -> Analyser:
        """Return what analyses a corpus again and again under different scales; constraints there are none."""
        return lambda request: self.analyse(corpus, [NONE] * (len(corpus.starts) - 1), request)

    @abstractmethod
    def coverage(self, corpus: Corpus) -> Coverage:
        """Return how much of the trees of a corpus the parser could build without mistakes."""

    def shared_manifest(self) -> dict[str, Any]:
        """Return what the manifests of all models say."""
        names = ("kind", "labels", "single_root")
        own = {name: getattr(self, name) for name in names}
        return {**own, "settings": self.settings.model_dump(), "features": self.features.text}

    @abstractmethod
    def to_arrays(self) -> tuple[dict[str, Any], Arrays]:
        """Return the manifest and the arrays that a model file keeps."""

    @classmethod
    @abstractmethod
    def from_arrays(cls, manifest: dict[str, Any], arrays: Arrays) -> Self:
        """Return the model of a file; `ValueError` or `LookupError` if it holds none."""

    def describe(self) -> dict[str, str]:
        """Return what `crossarc info` prints about the model besides its settings."""
        return {}

    def with_beam(self, width: int) -> Model:
        """Return the same model with a beam of another width."""
        if width != 1:
            raise CrossarcError(f"a beam of {width}; graph parsers find the best tree without one: leave it out")
        return self

    def notes(self) -> list[str]:
        """Return what is worth knowing of the sentences parsed so far."""
        return []

    def reset_notes(self) -> None:  # noqa: B027
        """Forget what was noted of the sentences parsed so far; most models note nothing."""

    def tuned(self, dev: Corpus) -> Model:
        """Return the model with what can be found by a development set alone; most models have nothing of the kind."""
        return self

    def scored(self) -> Model:
        """Return the model after it has parsed the development set, with what it noted there."""
        return self


class DagModel(Model):
    """A trained parser that gives graphs, in which words may have several heads."""

    output = "graph"
    has_alternatives = False
    most_heads: int  # of a word
    most_parallel: int  # arcs from one word to another

    @abstractmethod
    def parse_graphs(self, corpus: Corpus) -> Arcs:
        """Return the arcs of the graphs of a corpus, sentence by sentence."""

    def parse(self, corpus: Corpus) -> tuple[Ints, Ints]:
        """Refuse to give trees."""
        raise CrossarcError(f"{self.settings.parser} gives graphs, not trees")

    def coverage(self, corpus: Corpus) -> Coverage:
        """Return how much of the graphs comes back after encoding and decoding; `words` and `right` count arcs."""
        from crossarc.parsers.graphs import graph_coverage  # only graphs need transforms of them

        return graph_coverage(self.settings, corpus)

    def analyse(self, corpus: Corpus, constraints: list[Constraints], request: Request) -> Iterator[Analysis]:
        """Refuse what is known of trees alone."""
        self.refuse_analysis()

    def refuse_analysis(self) -> NoReturn:
        """Say what is known of trees alone."""
        raise CrossarcError(
            f"{self.settings.parser} gives graphs: probabilities, k best trees and constraints are of parsers of "
            "trees; leave them out"
        )


def pack_attributes(attributes: Attributes) -> Arrays:
    """Return the vocabulary as a model file keeps it."""
    arrays: Arrays = {}
    for name, table in attributes.tables.items():
        arrays[f"strings.{name}"], arrays[f"offsets.{name}"] = table.pack()
    return arrays


def unpack_attributes(arrays: Arrays, names: tuple[str, ...]) -> Attributes:
    """Return the vocabulary that `pack_attributes` gave."""
    tables = {name: StringTable.unpack(arrays[f"strings.{name}"], arrays[f"offsets.{name}"]) for name in names}
    return Attributes(tables)


def part(arrays: Arrays, prefix: str) -> Arrays:
    """Return the arrays whose names begin with a prefix, without it."""
    return {name.removeprefix(prefix): arrays[name] for name in arrays if name.startswith(prefix)}


def prefixed(arrays: Arrays, prefix: str) -> Arrays:
    """Return the arrays with a prefix before their names."""
    return {f"{prefix}{name}": array for name, array in arrays.items()}


def quick_scores(model: Model, gold: Corpus) -> tuple[float, float]:
    """Return LAS and UAS over all words of a corpus, in percent; F of labelled and unlabelled arcs for graphs."""
    if isinstance(model, DagModel):
        from crossarc.evaluation.graphs import evaluate_graphs  # parsing needs no evaluation
        from crossarc.parsers.graphs import sentences_of, with_graphs

        scores = evaluate_graphs(sentences_of(gold), with_graphs(model, gold))
        return scores.labelled.f1, scores.unlabelled.f1
    return tree_scores(*model.parse(gold), model.labels, gold)


def tree_scores(heads: Ints, labels: Ints, names: list[str], gold: Corpus) -> tuple[float, float]:
    """Return LAS and UAS of trees over all words of a corpus, in percent; `names` are those of the labels."""
    table = gold.strings["deprel"]
    numbers = np.array([*(table[name] for name in names), -1], dtype=np.int32)
    words = gold["head"] >= 0
    right = (heads == gold["head"])[words]
    both = right & (numbers[labels] == gold["deprel"])[words]
    return 100 * float(both.mean()), 100 * float(right.mean())
