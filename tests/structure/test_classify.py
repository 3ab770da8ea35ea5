"""`classify` agrees with the functions for one sentence, whatever the batch."""

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossarc import structure
from crossarc.errors import StructureError
from structure.test_trees import trees


def flatten(sentences):
    starts = np.cumsum([0, *map(len, sentences)])
    return np.array([head for heads in sentences for head in heads], dtype=np.int32), starts


@given(st.lists(trees(), max_size=8))
@settings(max_examples=150, deadline=None)
def test_batches_agree_with_single_sentences(sentences):
    found = structure.classify(*flatten(sentences))
    assert len(found) == len(sentences)
    assert found.valid.all()
    for s, heads in enumerate(sentences):
        assert found.words[s] == len(heads) - 1
        assert found.roots[s] == heads.count(0)
        assert found.depth[s] == structure.depths(heads).max()
        assert found.projective[s] == structure.is_projective(heads)
        assert found.planar[s] == structure.is_planar(heads)
        assert found.planes[s] == structure.plane_count(heads)
        assert found.gap_degree[s] == structure.gap_degree(heads)
        assert found.well_nested[s] == structure.is_well_nested(heads)
        assert found.edge_degree[s] == structure.edge_degree(heads)
        assert found.non_projective[s] == len(structure.non_projective_edges(heads))
        assert found.crossings[s] == len(structure.crossing_pairs(heads))


def test_no_sentences():
    found = structure.classify([], [0])
    assert len(found) == 0
    assert found.crossings.dtype == np.int64


def test_skipped_sentences():
    heads, starts = flatten([[-1, 0], [-1, 2, 1], [-1, 3, 4, 0, 3]])
    found = structure.classify(heads, starts, errors="skip")
    assert found.valid.tolist() == [True, False, True]
    assert found.planes.tolist() == [1, 0, 2]
    with pytest.raises(StructureError, match="sentence 1: heads form a cycle 1 -> 2 -> 1"):
        structure.classify(heads, starts)


@pytest.mark.parametrize(
    ("heads", "starts", "message"),
    [
        ([-1, 0], [0, 1], "from 0 to the 2 entries"),
        ([-1, 0], [1, 2], "from 0 to the 2 entries"),
        ([-1, 0], [], "from 0 to the 2 entries"),
        ([-1, 0], [0, 0, 2], "sentence 0 has no entry for node 0"),
        ([-1, 0, 0], [0, 2, 3], r"sentence 1: heads\[0\] must be -1"),
        ([-1, 0, -1, 2**40], [0, 2, 4], "sentence 1: word 1 has head"),
        ([-1.5, 0.5], [0, 2], "integers"),
    ],
)
def test_faults_are_named(heads, starts, message):
    with pytest.raises(StructureError, match=message):
        structure.classify(heads, starts)


def test_unknown_way_with_errors():
    with pytest.raises(ValueError, match="'raise' or 'skip'"):
        structure.classify([-1], [0, 1], errors="ignore")


def test_threads_agree():
    heads, starts = flatten([[-1, 3, 4, 0, 3]] * 200 + [[-1, 5, 5, 1, 2, 0]] * 200)
    results = []

    def work():
        results.append(structure.classify(heads, starts))

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(results) == 4
    for found in results:
        assert found.crossings.tolist() == [1] * 200 + [2] * 200
        assert found.well_nested.tolist() == [True] * 200 + [False] * 200
