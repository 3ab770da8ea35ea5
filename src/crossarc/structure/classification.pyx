"""The classes of many trees at once: the kernels of this package in one loop, without GIL and allocation."""
import numpy as np

from crossarc.core.typedefs cimport offset_t, token_t

from crossarc.errors import StructureError
from crossarc.structure.classes import Classes


cdef enum:
    VALID, WORDS, ROOTS, DEPTH, PROJECTIVE, PLANAR, PLANES, GAPS, NESTED, EDGE, NON_PROJECTIVE, FIGURES


cdef offset_t measure(Space* space, Board* board, token_t* figures) noexcept nogil:
    """Fill the figures of one sentence and give the number of crossing pairs, arcs of node 0 left out."""
    cdef token_t figure
    cdef offset_t crossings
    for figure in range(FIGURES):
        figures[figure] = 0
    if not arrange(space):
        return 0
    figures[VALID] = 1
    figures[WORDS] = space.n
    figures[ROOTS] = space.first[1]
    figures[DEPTH] = greatest_depth(space)
    figures[NON_PROJECTIVE] = mark_non_projective(space)
    figures[PLANAR] = figures[PLANES] = figures[NESTED] = 1
    if not figures[NON_PROJECTIVE]:
        figures[PROJECTIVE] = 1
        return 0
    figures[GAPS] = count_gaps(space)
    figures[NESTED] = nests_well(space)
    take_tree_arcs(space, True)
    crossings = measure_edges(space, &figures[EDGE])
    if crossings:
        figures[PLANAR] = 0
        take_tree_arcs(space, False)
        figures[PLANES] = assign_planes(space, board)
    return crossings


def classify(heads, starts, *, errors="raise"):
    """The classes of many trees at once. Planarity and crossings leave out arcs from node 0.

    Parameters
    ----------
    heads : the heads of all sentences one after the other, n + 1 entries each, the first of each -1
    starts : where each sentence begins in `heads`, then the length of `heads`; S + 1 entries
    errors : "raise" stops at a sentence that is not a tree, "skip" marks it as not valid

    >>> found = classify([-1, 2, 0, -1, 3, 4, 0, 3], [0, 3, 8])
    >>> found.projective.tolist(), found.planes.tolist(), found.gap_degree.tolist()
    ([True, False], [1, 2], [0, 1])
    """
    cdef const token_t[::1] flat
    cdef const offset_t[::1] at
    cdef token_t[:, ::1] figures
    cdef offset_t[::1] crossings
    cdef Workspace work = Workspace()
    cdef Colouring colouring = Colouring()
    cdef offset_t s, count
    cdef bint stop

    if errors not in ("raise", "skip"):
        raise ValueError(f"errors must be 'raise' or 'skip', not {errors!r}")
    stop = errors == "raise"
    heads, starts = checked_batch(heads, starts)
    flat = heads
    at = starts
    count = at.shape[0] - 1
    table = np.zeros((count, FIGURES), dtype=np.int32)
    pairs = np.zeros(count, dtype=np.int64)
    if count:
        work.reserve(np.diff(starts).max())
        figures = table
        crossings = pairs
        with nogil:
            for s in range(count):
                work.space.heads = &flat[at[s]]
                work.space.n = <token_t> (at[s + 1] - at[s] - 1)
                crossings[s] = measure(&work.space, &colouring.board, &figures[s, 0])
                if stop and not figures[s, VALID]:
                    break
    if stop and not table[:, VALID].all():
        wrong = int(np.argmin(table[:, VALID]))
        raise StructureError(f"sentence {wrong}: {describe_fault(heads[starts[wrong]:starts[wrong + 1]])}")
    column = np.ascontiguousarray(table.T)
    return Classes(
        valid=column[VALID].astype(np.bool_), words=column[WORDS], roots=column[ROOTS], depth=column[DEPTH],
        projective=column[PROJECTIVE].astype(np.bool_), planar=column[PLANAR].astype(np.bool_),
        planes=column[PLANES], gap_degree=column[GAPS], well_nested=column[NESTED].astype(np.bool_),
        edge_degree=column[EDGE], non_projective=column[NON_PROJECTIVE], crossings=pairs,
    )


def checked_batch(heads, starts):
    """Heads and starts as contiguous copies that fit each other."""
    heads = copied(heads, "heads", StructureError)
    starts = copied(starts, "starts", StructureError)
    if starts.size and starts.dtype.kind not in "iu":
        raise StructureError(f"starts must be integers, not {starts.dtype}")
    starts = starts.astype(np.int64, copy=False)
    if heads.ndim != 1 or (heads.size and heads.dtype.kind not in "iu"):
        raise StructureError(f"heads must be one row of integers, not {heads.dtype} of shape {heads.shape}")
    if heads.dtype != np.int32:
        # A number that int32 cannot hold is out of range in any case, and must not wrap around to a valid head.
        heads = np.where((heads < -1) | (heads > 2**31 - 1), -2, heads)
    heads = heads.astype(np.int32, copy=False)
    if (starts.ndim != 1 or starts.size == 0 or starts[0] != 0 or starts[starts.size - 1] != heads.size
            or (starts < 0).any() or (starts > heads.size).any()):
        raise StructureError(f"starts must go from 0 to the {heads.size} entries of heads")
    lengths = np.diff(starts)
    if (lengths < 1).any():
        raise StructureError(f"sentence {int(np.argmax(lengths < 1))} has no entry for node 0")
    first = heads[starts[:starts.size - 1]]
    if (first != -1).any():
        wrong = int(np.argmax(first != -1))
        raise StructureError(f"sentence {wrong}: heads[0] must be -1, since node 0 has no head")
    return heads, starts
