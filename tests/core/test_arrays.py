"""Numbers that int32 cannot hold are refused wherever nodes or labels come in, never wrapped to others."""

import numpy as np
import pytest

from crossarc import decode, structure
from crossarc.core.arrays import as_int32
from crossarc.errors import CrossarcError
from crossarc.transforms.lifting import reattach
from crossarc.transitions import coverage, get_system
from crossarc.transitions.derivation import derive
from crossarc.transitions.system import Configuration, links_of, naive
from crossarc.treebank.graph import Graph

TREE = np.array([-1, 2, 0])
WRAPS = TREE + np.array([0, 2**32, 0])  # int32 would make the same tree of it
LABELS = np.array([-1, 1, 1])
LOW = -(2**32)


def graph(heads, dependents):
    return Graph(("", "a", "b"), np.array(heads), np.array(dependents), ("x", "y"))


@pytest.mark.parametrize(
    "call",
    [
        lambda: decode.enhance(WRAPS, np.zeros((3, 3))),
        lambda: decode.orient([(1, 2**32 + 2), (2, 0)]),
        lambda: decode.mst(np.zeros((3, 3)), required=WRAPS),
        lambda: decode.undirected(np.zeros((3, 3)), required=WRAPS),
        lambda: decode.mst(np.zeros((3, 3)), [2**32 + 2]),
        lambda: decode.mst_sparse(2, [1, 2], [2**32, 1], [1.0, 1.0]),
        lambda: decode.mst_sparse(2, [2**32 + 1, 2], [0, 1], [1.0, 1.0]),
        lambda: decode.mst_sparse(2**32 + 2, [1, 2], [0, 1], [1.0, 1.0]),
        lambda: decode.mst_sparse(2, [1, 2], [0, 1], [1.0, 1.0], required=WRAPS),
        lambda: decode.spanning_tree(2, [(0, 2**32 + 1)], [1.0]),
        lambda: decode.spanning_tree(2, [(0, 1), (0, 1)], [1.0, 1.0], required=[2**32]),
        lambda: decode.labels_of(WRAPS, np.zeros((3, 3), dtype=np.int64)),
        lambda: decode.labels_of(TREE, np.full((3, 3), 2**32 + 2)),
        lambda: structure.is_projective(WRAPS),
        lambda: structure.crossing_pairs(WRAPS),
        lambda: structure.classify(WRAPS, [0, 3]),
        lambda: structure.is_acyclic(graph([0, 2**32 + 1], [1, 2])),
        lambda: structure.is_acyclic(graph([0, 1], [1, 2**32 + 2])),
        lambda: reattach(WRAPS, LABELS, LABELS),
        lambda: reattach(TREE, LABELS + 2**32, LABELS),
        lambda: reattach(TREE, LABELS, LABELS + LOW),
        lambda: coverage(get_system("arc-standard"), [WRAPS]),
        lambda: derive(get_system("arc-standard"), WRAPS, LABELS),
        lambda: derive(get_system("arc-standard"), TREE, LABELS + LOW),
        lambda: Configuration(get_system("arc-standard"), TREE, LABELS + 2**32),
        lambda: links_of(WRAPS, LABELS),
        lambda: links_of(TREE, LABELS + 2**32),
        lambda: naive(2, [2**32, 1], [1, 2], [0, 0]),
    ],
)
def test_nothing_wraps(call):
    with pytest.raises(CrossarcError):
        call()


def test_what_fits_stays():
    for kind in (np.int8, np.int64, np.uint16, np.uint64):
        found = as_int32(np.array([[1, 2], [3, 4]], dtype=kind)[:, ::-1], "heads", ValueError)
        assert found.dtype == np.int32
        assert found.flags.c_contiguous
        assert found.tolist() == [[2, 1], [4, 3]]
    assert as_int32([], "heads", ValueError).dtype == np.int32
    with pytest.raises(ValueError, match=r"heads\[1, 0\] is -2147483649, which"):
        as_int32([[0, 1], [-(2**31) - 1, 2**40]], "heads", ValueError)
    with pytest.raises(ValueError, match="labels must be integers, not float64"):
        as_int32([0.5], "labels", ValueError)
    assert decode.labels_of(TREE, np.full((3, 3), 200, dtype=np.uint8)).tolist() == [-1, 200, 200]


def test_derivations_want_a_label_for_each_word():
    for call in (derive, Configuration):
        with pytest.raises(CrossarcError, match=r"3 heads need as many labels, not an array of shape \(2,\)"):
            call(get_system("arc-standard"), TREE, [-1, 1])
