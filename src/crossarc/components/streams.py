"""Streams of sentences through anything that works on batches: threads, order kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

from crossarc.core.checked import checked_count
from crossarc.treebank.sentence import Sentence

BATCH_BYTES = 2 << 20  # a batch that is full before it has its words: forms may be long
BATCH_WORDS = 20_000  # half as many where threads share the work: the last batches then leave none idle for long
Result = TypeVar("Result")
Batch = TypeVar("Batch")


def in_batches(
    work: Callable[[list[Sentence]], list[Result]], sentences: Iterable[Sentence], threads: int
) -> Iterator[Result]:
    """Return the results of a function for the sentences of a stream, which it gets in batches."""
    checked_count("threads", threads)
    return in_order(work, batches(sentences, BATCH_WORDS if threads <= 1 else BATCH_WORDS // 2), threads)


def in_order(work: Callable[[Batch], list[Result]], stream: Iterable[Batch], threads: int) -> Iterator[Result]:
    """Return the results of a function for the batches of a stream, in order; threads work on several at once."""
    return ordered(work, stream, checked_count("threads", threads))


def ordered(work: Callable[[Batch], list[Result]], stream: Iterable[Batch], threads: int) -> Iterator[Result]:
    """Yield what `in_order` returns."""
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
    words = room = 0
    for sentence in sentences:
        if batch and (words >= size or room >= BATCH_BYTES or sentence.format != batch[0].format):
            yield batch
            batch, words, room = [], 0, 0
        batch.append(sentence)
        words += len(sentence) + 1
        room += len(sentence.raw)
    if batch:
        yield batch
