"""What all trained parsers of trees share, whatever finds the trees: streams of sentences in and out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossarc.core.strings import StringTable
from crossarc.treebank.corpus import Corpus
from crossarc.treebank.planting import plant_trees
from crossarc.treebank.sentence import Sentence

Arrays = dict[str, NDArray[Any]]
BATCH_WORDS = 20_000


class TreeModel:
    """A trained parser of trees."""

    labels: list[str]
    single_root: bool

    def parse_corpus(self, corpus: Corpus) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Heads and labels of all nodes of a corpus."""
        raise NotImplementedError

    def to_arrays(self) -> tuple[dict[str, Any], Arrays]:
        """What the model file keeps."""
        raise NotImplementedError

    def notes(self) -> list[str]:
        """What is worth knowing of the sentences parsed so far."""
        return []

    def trees_of(self, corpus: Corpus) -> tuple[NDArray[np.int32], list[str]]:
        """Heads and names of labels of all nodes of a corpus."""
        heads, labels = self.parse_corpus(corpus)
        names = [*self.labels, ""]  # -1, the label of node 0, is the last
        return heads, [names[label] for label in labels.tolist()]

    def parse_batch(self, sentences: list[Sentence]) -> list[Sentence]:
        """The sentences with new heads and labels."""
        corpus = Corpus.of(sentences)
        return plant_trees(sentences, *self.parse_corpus(corpus), corpus.starts, StringTable(self.labels))

    def parse(self, sentences: Iterable[Sentence], threads: int = 1) -> Iterator[Sentence]:
        """Parse a stream, in order; with several threads a few batches are under way at a time."""
        stream = batches(sentences)
        if threads <= 1:
            for batch in stream:
                yield from self.parse_batch(batch)
            return
        with ThreadPoolExecutor(threads) as pool:
            waiting = [pool.submit(self.parse_batch, batch) for batch in islice(stream, 2 * threads)]
            while waiting:
                done = waiting.pop(0).result()
                waiting += [pool.submit(self.parse_batch, batch) for batch in islice(stream, 1)]
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
