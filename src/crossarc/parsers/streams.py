"""Streams of sentences through a model: batches, threads, order kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

from crossarc.errors import DecodeError
from crossarc.parsers.analysis import Analysis, Request
from crossarc.parsers.columns import given_tags
from crossarc.parsers.constraints import Constraints, Source, constraints_of, place_of
from crossarc.parsers.inner_trees import InnerTrees
from crossarc.parsers.model import Columns, DagModel, Model
from crossarc.treebank.corpus import Corpus
from crossarc.treebank.sentence import Sentence
from crossarc.treebank.text_writing import write_columns

BATCH_WORDS = 20_000  # half as many where threads share the work: the last batches then leave none idle for long
Result = TypeVar("Result")
Batch = TypeVar("Batch")


def parse_batch(model: Model, sentences: list[Sentence], keep_tags: bool = False) -> list[Sentence]:
    """Return the sentences with new trees, and new tags if the model gives them; `keep_tags` keeps those there."""
    corpus = Corpus.of(sentences)
    return write_new(sentences, corpus, model.parse_columns(corpus), keep_tags)


def write_new(sentences: list[Sentence], corpus: Corpus, columns: Columns, keep_tags: bool) -> list[Sentence]:
    """Return the sentences with new columns; `keep_tags` keeps the tags that are there."""
    if keep_tags:
        for name, kept in given_tags(corpus).items():
            if name in columns:
                columns[name][0][kept] = -1
    return write_columns(sentences, corpus.starts, columns)


def analyse_batch(
    model: Model, sentences: list[Sentence], known: list[Constraints], request: Request
) -> list[Analysis]:
    """Return the k best trees of each sentence under its constraints; errors name the sentence."""
    if not sentences:
        return []
    corpus = Corpus.of(sentences)
    tags, found = model.analyse_columns(corpus, known, request)
    if tags:
        sentences = write_new(sentences, corpus, tags, request.keep_tags)
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
        known = [constraints_of(constraints, sentence) for sentence in batch] if constraints is not None else []
        bound = [place for place, each in enumerate(known) if each]
        if not bound:
            return parse_batch(usual, batch, request.keep_tags)
        free = sorted(set(range(len(batch))) - set(bound))
        found = analyse_batch(model, [batch[place] for place in bound], [known[place] for place in bound], request)
        parsed = dict(zip(bound, (analysis.best.sentence for analysis in found), strict=True))
        if free:
            parsed |= zip(free, parse_batch(usual, [batch[place] for place in free], request.keep_tags), strict=True)
        return [parsed[place] for place in range(len(batch))]

    return in_batches(work, sentences, threads)


def graph_stream(
    model: DagModel, sentences: Iterable[Sentence], threads: int, trees: InnerTrees | None
) -> Iterator[Sentence]:
    """Parse a stream into graphs, in order; with `trees`, also into the best tree inside each."""
    return in_batches(lambda batch: graph_batch(model, batch, trees), sentences, threads)


def graph_batch(model: DagModel, sentences: list[Sentence], trees: InnerTrees | None = None) -> list[Sentence]:
    """Return the sentences with new graphs; with `trees`, also with the best tree inside each."""
    from crossarc.parsers.graphs import with_graphs

    parsed = with_graphs(model, Corpus.of(sentences))
    return parsed if trees is None else trees.write(parsed)


def in_batches(
    work: Callable[[list[Sentence]], list[Result]], sentences: Iterable[Sentence], threads: int
) -> Iterator[Result]:
    """Yield the results of a function for the sentences of a stream, which it gets in batches."""
    return in_order(work, batches(sentences, BATCH_WORDS if threads <= 1 else BATCH_WORDS // 2), threads)


def in_order(work: Callable[[Batch], list[Result]], stream: Iterable[Batch], threads: int) -> Iterator[Result]:
    """Yield the results of a function for the batches of a stream, in order; threads work on several at once."""
    if threads <= 1:
        for batch in stream:
            yield from work(batch)
        return
    stream = iter(stream)
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
