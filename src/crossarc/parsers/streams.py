"""Streams of sentences through a model: batches, threads, order kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

from crossarc.core.strings import StringTable
from crossarc.errors import DecodeError
from crossarc.parsers.analysis import Analysis, Request
from crossarc.parsers.constraints import Constraints, Source, constraints_of, place_of
from crossarc.parsers.graphs import with_graphs
from crossarc.parsers.inner_trees import InnerTrees
from crossarc.parsers.model import DagModel, Model
from crossarc.treebank.corpus import Corpus
from crossarc.treebank.sentence import Sentence
from crossarc.treebank.tree_writing import write_trees

BATCH_WORDS = 20_000  # half as many where threads share the work: the last batches then leave none idle for long
Result = TypeVar("Result")


def parse_batch(model: Model, sentences: list[Sentence]) -> list[Sentence]:
    """Return the sentences with new heads and labels."""
    corpus = Corpus.of(sentences)
    return write_trees(sentences, *model.parse(corpus), corpus.starts, StringTable(model.labels))


def analyse_batch(
    model: Model, sentences: list[Sentence], known: list[Constraints], request: Request
) -> list[Analysis]:
    """Return the k best trees of each sentence under its constraints; errors name the sentence."""
    if not sentences:
        return []
    found = model.analyse(Corpus.of(sentences), known, request)
    result = []
    for sentence in sentences:
        try:
            result.append(next(found).of(sentence))
        except DecodeError as error:
            raise DecodeError(f"{place_of(sentence)}: {error}") from None
    return result


def analyse_stream(
    model: Model, sentences: Iterable[Sentence], threads: int, constraints: Source | None, request: Request
) -> Iterator[Analysis]:
    """Analyse a stream, in order."""

    def work(batch: list[Sentence]) -> list[Analysis]:
        known = [constraints_of(constraints, sentence) for sentence in batch]
        return analyse_batch(model, batch, known, request)

    return in_batches(work, sentences, threads)


def parse_stream(
    model: Model, sentences: Iterable[Sentence], threads: int, constraints: Source | None, request: Request
) -> Iterator[Sentence]:
    """Parse a stream, in order; only sentences under constraints are analysed."""
    usual = model if request.beam is None else model.with_beam(request.beam)

    def work(batch: list[Sentence]) -> list[Sentence]:
        parsed = parse_batch(usual, batch)
        known = [constraints_of(constraints, sentence) for sentence in batch] if constraints is not None else []
        bound = [place for place, each in enumerate(known) if each]
        found = analyse_batch(model, [batch[place] for place in bound], [known[place] for place in bound], request)
        for place, analysis in zip(bound, found, strict=True):
            parsed[place] = analysis.best.sentence
        return parsed

    return in_batches(work, sentences, threads)


def graph_stream(
    model: DagModel, sentences: Iterable[Sentence], threads: int, trees: InnerTrees | None
) -> Iterator[Sentence]:
    """Parse a stream into graphs, in order; with `trees`, also into the best tree inside each."""

    def work(batch: list[Sentence]) -> list[Sentence]:
        parsed = with_graphs(model, Corpus.of(batch))
        return parsed if trees is None else trees.write(parsed)

    return in_batches(work, sentences, threads)


def in_batches(
    work: Callable[[list[Sentence]], list[Result]], sentences: Iterable[Sentence], threads: int
) -> Iterator[Result]:
    """Yield the results of a function for the batches of a stream, in order; threads work on several at once."""
    stream = batches(sentences, BATCH_WORDS if threads <= 1 else BATCH_WORDS // 2)
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


def batches(sentences: Iterable[Sentence], size: int) -> Iterator[list[Sentence]]:
    """Yield sentences in lists of some thousand words, all of one format."""
    batch: list[Sentence] = []
    words = 0
    for sentence in sentences:
        if batch and (words >= size or sentence.format != batch[0].format):
            yield batch
            batch, words = [], 0
        batch.append(sentence)
        words += len(sentence) + 1
    if batch:
        yield batch
