"""The contract of trained parsers: parsers of trees and parsers of graphs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NoReturn, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from crossarc.components.component import Arrays, Component, Scores
from crossarc.components.description import Description
from crossarc.core.strings import StringTable
from crossarc.errors import CrossarcError, DecodeError, ModelError, UnsoundScores
from crossarc.features.attributes import Attributes
from crossarc.features.edges import EdgeModel
from crossarc.features.inputs import InputModel
from crossarc.features.templates import FeatureModel
from crossarc.parsers.analysis import Analysis, Request, Scales
from crossarc.parsers.calibration import calibrate
from crossarc.parsers.columns import given_tags
from crossarc.parsers.constraints import NONE, Constraints, Source, constraints_of, place_of
from crossarc.parsers.description import GraphDescription, ParserDescription
from crossarc.parsers.settings import Settings
from crossarc.transitions.coverage import Coverage
from crossarc.treebank.corpus import Corpus
from crossarc.treebank.sentence import Sentence
from crossarc.treebank.text_writing import write_columns

if TYPE_CHECKING:
    from crossarc.parsers.graphs import Arcs
    from crossarc.parsers.inner_trees import InnerTrees

Ints = NDArray[np.int32]
Columns = dict[str, tuple[Ints, StringTable | None]]
Analyser = Callable[[Request], Iterator[Analysis]]
Result = TypeVar("Result")


@dataclass(frozen=True)
class Wish:
    """The options of a user: sentences or analyses of them, constraints, trees inside graphs."""

    request: Request
    analysed: bool = False
    constraints: Source | None = None
    trees: InnerTrees | None = None


class Model(Component):
    """A trained parser: what parsers of trees and of graphs share."""

    kind = "parser"
    description: ClassVar[type[Description]] = ParserDescription
    output: ClassVar[Literal["tree", "graph"]]
    measures: ClassVar[tuple[str, str]]  # the names of its scores: of labelled and of unlabelled arcs
    settings: Settings
    features: FeatureModel | EdgeModel | InputModel
    attributes: Attributes
    labels: list[str]
    single_root: bool
    has_alternatives = False  # whether it gives probabilities
    is_projective = False  # whether all its trees are
    usual_scales = Scales(1.0, 1.0)  # of a model that was not calibrated
    long_sentence: int = 0  # longer sentences are not searched in full; 0 if all are
    long_note = ""  # what is done with them

    @abstractmethod
    def parsed(self, sentences: list[Sentence], *, keep_tags: bool = False) -> list[Sentence]:
        """Return the sentences with what the parser gives; `keep_tags` keeps the tags that are there."""

    @abstractmethod
    def worker(self, wish: Wish) -> Callable[[list[Sentence]], list[Any]]:
        """Return a function that parses a batch of sentences with these options; refuse options that it lacks."""

    @abstractmethod
    def coverage(self, corpus: Corpus) -> Coverage:
        """Return how much of a corpus the parser could build without mistakes."""

    @abstractmethod
    def fitted_scales(self, gold: list[Sentence]) -> Scales:
        """Return the scales under which probabilities fit best with what is right in some sentences."""

    def learned_of(self, sentences: list[Sentence]) -> dict[str, Any]:
        """Return the fields of the manifest about the training data."""
        return {}

    def own_figures(self, gold: Corpus) -> dict[str, float]:
        """Return scores that only parsers of this kind have, by name, for experiments."""
        return {}

    def shared_manifest(self) -> dict[str, Any]:
        """Return the fields that the manifests of all models have."""
        names = ("kind", "labels", "single_root")
        own = {name: getattr(self, name) for name in names}
        return {**own, "settings": self.settings.model_dump(), "features": self.features.text}

    def with_beam(self, width: int) -> Self:
        """Return the same model with a beam of another width."""
        if width != 1:
            raise CrossarcError(
                f"a beam of {width}; parsers that score arcs find the best tree without one: leave it out"
            )
        return self

    def tuned(self, dev: Corpus) -> Self:
        """Return the model with the values that only a development set gives; most models have none."""
        return self


class TreeModel(Model):
    """A trained parser that gives trees."""

    output = "tree"
    measures = ("LAS", "UAS")
    has_alternatives = True
    scores_labels = False  # whether labels have scores of their own

    @abstractmethod
    def parse(self, corpus: Corpus) -> tuple[Ints, Ints]:
        """Return heads and labels of all nodes of a corpus."""

    def parse_columns(self, corpus: Corpus) -> Columns:
        """Return the new values of the columns of a corpus, as `write_columns` takes them: trees, and tags if any."""
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
        """Return a function that analyses a corpus under different scales, without constraints."""
        return lambda request: self.analyse(corpus, [NONE] * (len(corpus.starts) - 1), request)

    def parsed(self, sentences: list[Sentence], *, keep_tags: bool = False) -> list[Sentence]:
        """Return the sentences with new trees, and new tags if the model gives them; `keep_tags` keeps those there."""

        def parse(batch: list[Sentence]) -> list[Sentence]:
            corpus = Corpus.of(batch)
            return written(batch, corpus, self.parse_columns(corpus), keep_tags)

        return naming_culprits(sentences, parse)

    def analysed(self, sentences: list[Sentence], known: list[Constraints], request: Request) -> list[Analysis]:
        """Return the k best trees of each sentence under its constraints; errors name the sentence."""
        if not sentences:
            return []
        corpus = Corpus.of(sentences)
        tags, found = self.analyse_columns(corpus, known, request)
        if tags:
            sentences = written(sentences, corpus, tags, request.keep_tags)
        result = []
        for sentence in sentences:
            try:
                result.append(next(found).of(sentence))
            except DecodeError as error:
                raise DecodeError(f"{place_of(sentence)}: {error}") from None
        return result

    def worker(self, wish: Wish) -> Callable[[list[Sentence]], list[Any]]:
        """Return a function that parses or analyses a batch; sentences under constraints are always analysed."""
        request, source = wish.request, wish.constraints
        usual = self if request.beam is None else self.with_beam(request.beam)

        def analyse(batch: list[Sentence]) -> list[Analysis]:
            return naming_culprits(
                batch, lambda part: self.analysed(part, [constraints_of(source, each) for each in part], request)
            )

        def parse(batch: list[Sentence]) -> list[Sentence]:
            known = [constraints_of(source, sentence) for sentence in batch] if source is not None else []
            bound = [place for place, each in enumerate(known) if each]
            if not bound:
                return usual.parsed(batch, keep_tags=request.keep_tags)
            free = sorted(set(range(len(batch))) - set(bound))
            found = analyse([batch[place] for place in bound])
            parsed = dict(zip(bound, (analysis.best.sentence for analysis in found), strict=True))
            if free:
                rest = usual.parsed([batch[place] for place in free], keep_tags=request.keep_tags)
                parsed |= zip(free, rest, strict=True)
            return [parsed[place] for place in range(len(batch))]

        return analyse if wish.analysed else parse

    def fitted_scales(self, gold: list[Sentence]) -> Scales:
        """Return the scales under which probabilities fit best with what is right in some sentences."""
        return calibrate(self, gold)

    def score(self, gold: Corpus) -> Scores:
        """Return LAS and UAS over all words of a corpus, in percent."""
        return self.score_trees(*self.parse(gold), gold)

    def score_trees(self, heads: Ints, labels: Ints, gold: Corpus) -> Scores:
        """Return LAS and UAS of trees with the labels of this model, over all words of a corpus, in percent."""
        table = gold.strings["deprel"]
        numbers = np.array([*(table[name] for name in self.labels), -1], dtype=np.int32)
        words = gold["head"] >= 0
        right = (heads == gold["head"])[words]
        both = right & (numbers[labels] == gold["deprel"])[words]
        return {"LAS": 100 * float(both.mean()), "UAS": 100 * float(right.mean())}


class GraphModel(Model):
    """A trained parser that gives graphs, in which words may have several heads."""

    description: ClassVar[type[Description]] = GraphDescription
    output = "graph"
    measures = ("LF", "UF")
    most_heads: int  # of a word
    most_parallel: int  # arcs from one word to another

    @abstractmethod
    def parse_graphs(self, corpus: Corpus) -> Arcs:
        """Return the arcs of the graphs of a corpus, sentence by sentence."""

    def parsed(self, sentences: list[Sentence], *, keep_tags: bool = False) -> list[Sentence]:
        """Return the sentences with new graphs."""
        from crossarc.parsers.graphs import with_graphs  # only graphs need transforms of them

        return naming_culprits(sentences, lambda batch: with_graphs(self, Corpus.of(batch)) if batch else [])

    def worker(self, wish: Wish) -> Callable[[list[Sentence]], list[Any]]:
        """Return a function that parses a batch; with trees, the best tree inside each graph is written too."""
        if wish.analysed or wish.constraints is not None:
            self.refuse_analysis()
        beam, trees = wish.request.beam, wish.trees
        usual = self if beam is None else self.with_beam(beam)
        return usual.parsed if trees is None else lambda batch: trees.write(usual.parsed(batch))

    def fitted_scales(self, gold: list[Sentence]) -> Scales:
        """Refuse probabilities."""
        self.refuse_analysis()

    def refuse_analysis(self) -> NoReturn:
        """Raise the error about options that only parsers of trees have."""
        raise CrossarcError(
            f"{self.settings.parser} gives graphs: only parsers of trees have probabilities, k best trees and "
            "constraints; leave them out"
        )

    def learned_of(self, sentences: list[Sentence]) -> dict[str, Any]:
        """Return the relation between the trees and the graphs of the training data."""
        from crossarc.parsers.inner_trees import InnerTrees

        return {"trees": InnerTrees.of(sentences, self.single_root).to_dict()}

    def score(self, gold: Corpus) -> Scores:
        """Return F of labelled and of unlabelled arcs, in percent."""
        from crossarc.evaluation.graphs import evaluate_graphs  # parsing needs no evaluation
        from crossarc.parsers.graphs import sentences_of, with_graphs

        scores = evaluate_graphs(sentences_of(gold), with_graphs(self, gold))
        return {"LF": scores.labelled.f1, "UF": scores.unlabelled.f1}

    def coverage(self, corpus: Corpus) -> Coverage:
        """Return how much of the graphs comes back after encoding and decoding; `words` and `right` count arcs."""
        from crossarc.parsers.graphs import graph_coverage

        return graph_coverage(self.settings, corpus)


def naming_culprits(sentences: list[Sentence], parse: Callable[[list[Sentence]], list[Result]]) -> list[Result]:
    """Return what a function gives for sentences; if scores are unsound, name the first sentence that has such."""
    try:
        return parse(sentences)
    except UnsoundScores:
        for sentence in sentences:
            try:
                parse([sentence])
            except UnsoundScores as error:
                words = " ".join(sentence.forms[1:6])
                raise ModelError(f"{place_of(sentence)} that begins with {words!r}: {error}") from None
        raise


def written(sentences: list[Sentence], corpus: Corpus, columns: Columns, keep_tags: bool) -> list[Sentence]:
    """Return the sentences with new columns; `keep_tags` keeps the tags that are there."""
    if keep_tags:
        for name, kept in given_tags(corpus).items():
            if name in columns:
                columns[name][0][kept] = -1
    return write_columns(sentences, corpus.starts, columns)


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
