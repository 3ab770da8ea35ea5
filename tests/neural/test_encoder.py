"""Batches as recurrent layers take them, and the encoder on them."""

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crossarc.neural.encoder import Batch, Encoder

lengths = st.lists(st.integers(1, 9), min_size=0, max_size=8)


def starts_of(sizes):
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


@given(lengths)
def test_the_rows_of_a_batch(sizes):
    starts = starts_of(sizes)
    batch = Batch(starts)
    nodes = int(starts[-1])
    assert sorted(batch.rows.tolist()) == list(range(nodes))
    assert batch.places[batch.rows].tolist() == list(range(nodes))
    assert batch.rows[batch.places].tolist() == list(range(nodes))
    assert len(batch.steps) == max(sizes, default=0) + 1
    assert batch.steps[0] == 0
    assert batch.steps[-1] == nodes
    running = np.diff(batch.steps)
    assert (running > 0).all()
    assert (np.diff(running) <= 0).all(), "sentences that have ended drop out"
    for step in range(len(running)):
        rows = slice(batch.steps[step], batch.steps[step + 1])
        sentences = batch.sentences[rows]
        assert batch.rows[rows].tolist() == (starts[sentences] + step).tolist()
        assert all(sizes[sentence] > step for sentence in sentences)
        assert np.array_equal(sentences, batch.sentences[: len(sentences)]), "a sentence keeps its place in all steps"
    assert [sizes[sentence] for sentence in batch.sentences[: len(sizes)]] == sorted(sizes, reverse=True)


@given(lengths, st.integers(0, 50))
def test_a_sentence_has_the_same_vectors_in_any_batch(sizes, seed):
    rng = np.random.default_rng(seed)
    starts = starts_of(sizes)
    encoder = Encoder([(7, 5), (4, 3)], 6, 2, np.random.default_rng(1))
    nodes = int(starts[-1])
    numbers = [rng.integers(-1, 7, (nodes, 2)).astype(np.int32), rng.integers(0, 4, (nodes, 1)).astype(np.int32)]
    whole = encoder.forward(encoder.prepare(numbers), np.arange(nodes), Batch(starts))
    assert whole.shape == (nodes, 12)
    prepared = encoder.prepare(numbers)
    for begin, end in itertools.pairwise(starts):
        own = [np.ascontiguousarray(each[begin:end]) for each in numbers]
        batch = Batch(starts_of([end - begin]))
        alone = encoder.forward(encoder.prepare(own), np.arange(end - begin), batch)
        assert np.array_equal(alone, whole[begin:end])
        assert np.array_equal(encoder.forward(prepared, np.arange(begin, end), batch), whole[begin:end])
