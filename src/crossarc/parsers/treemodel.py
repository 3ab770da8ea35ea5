"""What all trained parsers of trees share, whatever finds the trees: streams of sentences in and out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from crossarc.core.strings import StringTable
from crossarc.parsers.analysis import Analysis
from crossarc.parsers.calibration import TRANSITION_SCALES, Scales
from crossarc.parsers.constraints import Constraints, Source, constraints_of
from crossarc.treebank.corpus import Corpus
from crossarc.treebank.sentence import Sentence
from crossarc.treebank.tree_writing import write_trees

Arrays = dict[str, NDArray[Any]]
Result = TypeVar("Result")
BATCH_WORDS = 20_000


class TreeModel:
    """A trained parser of trees."""

    labels: list[str]
    single_root: bool
    scores_labels = False  # whether labels have scores of their own
    knows_alternatives = True  # whether it can tell how sure it is
    usual_scales = TRANSITION_SCALES  # of a model that was not calibrated
    # What is done with sentences too long to be searched in full.
    beyond = "words further apart than 500, or fewer in the longest, were not looked at together"

    def parse_corpus(self, corpus: Corpus) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Heads and labels of all nodes of a corpus."""
        raise NotImplementedError

    def with_beam(self, width: int) -> TreeModel:
        """The same model with a beam of another width."""
        raise NotImplementedError

    def to_arrays(self) -> tuple[dict[str, Any], Arrays]:
        """What the model file keeps."""
        raise NotImplementedError

    def notes(self) -> list[str]:
        """What is worth knowing of the sentences parsed so far."""
        return []

    def anew(self) -> TreeModel:
        """The same model, which has parsed nothing yet as far as its notes know."""
        return self

    def trees_of(self, corpus: Corpus) -> tuple[NDArray[np.int32], list[str]]:
        """Heads and names of labels of all nodes of a corpus."""
        heads, labels = self.parse_corpus(corpus)
        names = [*self.labels, ""]  # -1, the label of node 0, is the last
        return heads, [names[label] for label in labels.tolist()]

    def parse_batch(self, sentences: list[Sentence]) -> list[Sentence]:
        """The sentences with new heads and labels."""
        corpus = Corpus.of(sentences)
        return write_trees(sentences, *self.parse_corpus(corpus), corpus.starts, StringTable(self.labels))

    def parse(self, sentences: Iterable[Sentence], threads: int = 1) -> Iterator[Sentence]:
        """Parse a stream, in order."""
        return in_batches(self.parse_batch, sentences, threads)

    def analyse_batch(
        self, sentences: list[Sentence], k: int, known: list[Constraints], scales: Scales, beam: int | None
    ) -> list[Analysis]:
        """The k best trees of each sentence under its constraints, and their probabilities.

        `beam` is how many derivations a transition parser follows, if not as many as it thinks fit.
        """
        raise NotImplementedError

    def analyse(
        self,
        sentences: Iterable[Sentence],
        threads: int,
        k: int,
        constraints: Source | None,
        scales: Scales,
        beam: int | None,
    ) -> Iterator[Analysis]:
        """Analyse a stream, in order."""

        def work(batch: list[Sentence]) -> list[Analysis]:
            known = [constraints_of(constraints, sentence) for sentence in batch]
            return self.analyse_batch(batch, k, known, scales, beam)

        return in_batches(work, sentences, threads)

    def parse_under(
        self, sentences: Iterable[Sentence], threads: int, constraints: Source, scales: Scales, beam: int | None
    ) -> Iterator[Sentence]:
        """Parse a stream, in order, under constraints; sentences without any go the usual way."""

        def work(batch: list[Sentence]) -> list[Sentence]:
            known = [constraints_of(constraints, sentence) for sentence in batch]
            bound = [place for place, each in enumerate(known) if each]
            parsed = (self if beam is None else self.with_beam(beam)).parse_batch(batch)
            found = self.analyse_batch(
                [batch[place] for place in bound], 1, [known[place] for place in bound], scales, beam
            )
            for place, analysis in zip(bound, found, strict=True):
                parsed[place] = analysis.best.sentence
            return parsed

        return in_batches(work, sentences, threads)


def in_batches(
    work: Callable[[list[Sentence]], list[Result]], sentences: Iterable[Sentence], threads: int
) -> Iterator[Result]:
    """What a function makes of the batches of a stream, in order; threads have a few of them under way at a time."""
    stream = batches(sentences)
    if threads <= 1:
        for batch in stream:
            yield from work(batch)
        return
    with ThreadPoolExecutor(threads) as pool:
        waiting = [pool.submit(work, batch) for batch in islice(stream, 2 * threads)]
        while waiting:
            done = waiting.pop(0).result()
            waiting += [pool.submit(work, batch) for batch in islice(stream, 1)]
            yield from done


def batches(sentences: Iterable[Sentence]) -> Iterator[list[Sentence]]:
    """Sentences in lists of some thousand words, all of one format."""
    batch: list[Sentence] = []
    words = 0
    for sentence in sentences:
        if batch and (words >= BATCH_WORDS or sentence.format != batch[0].format):
            yield batch
            batch, words = [], 0
        batch.append(sentence)
        words += len(sentence) + 1
    if batch:
        yield batch


def quick_scores(model: TreeModel, gold: list[Sentence]) -> tuple[float, float]:
    """LAS and UAS over all words of sentences, in percent."""
    corpus = Corpus.of(gold)
    heads, strings = model.trees_of(corpus)
    table = corpus.strings["deprel"]
    labels = np.array([table[string] for string in strings], dtype=np.int32)
    words = corpus["head"] >= 0
    right = (heads == corpus["head"])[words]
    both = right & (labels == corpus["deprel"])[words]
    return 100 * float(both.mean()), 100 * float(right.mean())
