"""Trees from scores of second order in arrays: the best projective tree, and better trees by moving single words."""
from functools import partial

import numpy as np

from libc.math cimport INFINITY

from crossarc.core.links cimport is_tree
from crossarc.core.typedefs cimport int32_t, int8_t, score_t, token_t

from crossarc.decode.decoder cimport BAD_SCORE

from crossarc.core.arrays import as_int32, copied
from crossarc.decode.constraints import broken
from crossarc.decode.decoder import copies, share
from crossarc.errors import DecodeError
from crossarc.structure import describe_fault

include "part_scores.pyx"
include "dense_parts.pyx"
include "carreras.pyx"
include "reattach.pyx"


cdef enum Fault:            # of a start, besides BAD_SCORE
    SOUND = 0
    NO_TREE = 101
    SEVERAL_ROOTS = 102
    NO_CANDIDATE = 103
    FORBIDDEN_PART = 104


def carreras(arcs, siblings, grandchildren, lengths=None, *, labelled=False, single_root=True, required=None,
             forbidden=None, threads=1):
    """The heads of the best projective tree with scores of siblings and grandchildren (Carreras 2007).

    `arcs[d, h]` scores the arc from h to d as in `mst`: -inf forbids it. `siblings[d, h, s]` adds the child s of h
    between h and d that is nearest to d; s == h stands for none. `grandchildren[d, h, c]` adds two children of d: the
    one between h and d that is farthest from d, where c == d stands for none, and the one on the other side of d that
    is farthest from d, where c == h stands for none. -inf forbids such a pair too. Other cells are ignored.

    Shapes are (n + 1, n + 1) for arcs and (n + 1, n + 1, n + 1) for pairs; a batch has one more axis before them. If
    `labelled`, all have a last axis of labels: the label of the arc from h to d. The result is then heads and labels.
    Other arguments are those of `mst`. O(n^4) for each label, and O(K^2 n^2) with K heads a word that are not -inf.

    >>> import numpy as np
    >>> arcs = np.array([[0, 0, 0, 0], [9, 0, 1, 0], [0, 5, 0, 1], [0, 5, 4, 0]])
    >>> siblings, grandchildren = np.zeros((2, 4, 4, 4))
    >>> carreras(arcs, siblings, grandchildren).tolist()
    [-1, 0, 1, 1]
    >>> siblings[3, 1, 2] = -2                                              # 1 does not like both
    >>> carreras(arcs, siblings, grandchildren).tolist()
    [-1, 0, 1, 2]
    """
    cdef DenseParts dense = DenseParts(arcs, siblings, grandchildren, lengths, labelled)
    required, forbidden = copies(required, forbidden)
    dense.constrain(required, forbidden)
    heads = np.full((dense.size, dense.width), -1, dtype=np.int32)
    labels = np.full((dense.size, dense.width), -1, dtype=np.int32)
    outcomes = np.zeros(dense.size, dtype=np.int8)
    share(threads, dense.size, lambda: partial(
        solve_some, dense, PartScores(), Carreras(single_root), heads, labels, outcomes))
    wrong = np.flatnonzero(outcomes)
    if wrong.size:
        raise dense.failure(int(wrong[0]), outcomes[wrong[0]], single_root, required, forbidden)
    return dense.result(heads, labels)


def solve_some(DenseParts dense, PartScores parts, Carreras search, token_t[:, ::1] heads, int32_t[:, ::1] labels,
               int8_t[::1] outcomes, Py_ssize_t begin, Py_ssize_t end):
    """Decode some sentences of a batch."""
    cdef Py_ssize_t s
    with nogil:
        for s in range(begin, end):
            outcomes[s] = search.solve(parts, &heads[s, 0], &labels[s, 0]) if dense.fill(s, parts) else BAD_SCORE


def reattach(arcs, siblings, grandchildren, heads, labels=None, lengths=None, *, threshold=0.0, single_root=True,
             required=None, forbidden=None, threads=1):
    """Heads of trees improved by moving one word at a time, with scores of second order (McDonald and Pereira 2006).

    Each round makes the move of one word to another head, or the change of one label, that raises the score most, until
    none raises it by more than `threshold`. Arcs may cross. The result is no worse than the start, but it need not be
    the best tree: finding that is NP-hard. A round takes O(1) time for each candidate arc. If the start is good, as the
    tree of `carreras` is, there are few rounds. They end: each raises the score, and there are finitely many trees.

    Scores are those of `carreras`. `grandchildren[d, h, c]` also scores the farthest child of d past h, where arcs
    cross; if d has no such child, that adds nothing. With `labels`, those of the start, all scores have a last axis of
    labels, and the result is heads and labels. With a single root, a word becomes the root if the old root moves below
    it at the same time. The start must be a tree whose arcs the scores and constraints allow. Threads share a batch.

    >>> import numpy as np
    >>> arcs = np.array([[0, 0, 0, 0, 0], [0, 0, 0, 9, 0], [0, 0, 0, 0, 9], [5, 0, 0, 0, 0], [0, 0, 0, 8, 0]])
    >>> nothing = np.zeros((5, 5, 5))
    >>> reattach(arcs, nothing, nothing, [-1, 3, 3, 0, 3]).tolist()         # a projective tree; 4 -> 2 crosses 3 -> 1
    [-1, 3, 4, 0, 3]
    """
    cdef DenseParts dense = DenseParts(arcs, siblings, grandchildren, lengths, labels is not None)
    if not isinstance(threshold, (int, float, np.integer, np.floating)) or not 0 <= threshold < np.inf:
        raise DecodeError(f"threshold must be a number of 0 or more, not {threshold!r}")
    trees = start_of(heads, "heads", dense)
    names = np.zeros_like(trees) if labels is None else start_of(labels, "labels", dense)
    required, forbidden = copies(required, forbidden)
    dense.constrain(required, forbidden)
    fault = broken(trees, dense.lengths, required, forbidden)
    if fault:
        raise DecodeError(f"{dense.place(fault[0])}the tree is against {fault[1]}; decode with these constraints "
                          "first, or take them back")
    check_labels(names, dense)
    faults = np.zeros(dense.size, dtype=np.int8)
    share(threads, dense.size, lambda: partial(
        improve_some, dense, PartScores(), Reattacher(single_root), threshold, trees, names, faults))
    wrong = np.flatnonzero(faults)
    if wrong.size:
        raise start_fault(dense, trees, names, int(wrong[0]), faults[wrong[0]])
    trees[~dense.words()] = -1
    return dense.result(trees, names)


def start_of(values, name, DenseParts dense):
    """Heads or labels of the start as a copy, one row a sentence."""
    array = copied(values, name, DecodeError)
    if array.dtype.kind not in "iu" or array.shape != dense.heads_shape:
        raise DecodeError(f"{name} must be integers of the shape {dense.heads_shape} that goes with the scores, not "
                          f"{array.dtype} {array.shape}")
    return np.atleast_2d(as_int32(array, name, DecodeError))


def check_labels(names, DenseParts dense):
    """Raise for the first label that has no scores, and set node 0 and padding to -1."""
    words = dense.words()
    wrong = np.argwhere(words & ((names < 0) | (names >= dense.labels)))
    if len(wrong):
        s, word = wrong[0]
        raise DecodeError(f"{dense.place(s)}labels[{word}] is {names[s, word]}; the scores have labels 0 to "
                          f"{dense.labels - 1}")
    names[~words] = -1


def start_fault(DenseParts dense, trees, names, s, fault):
    """The error for a sentence whose start cannot be improved."""
    heads = trees[s, :dense.length(s) + 1]
    if fault == BAD_SCORE:
        return dense.bad_score(s)
    if fault == NO_TREE:
        return DecodeError(f"{dense.place(s)}heads are not a tree: {describe_fault(heads)}")
    if fault == SEVERAL_ROOTS:
        return DecodeError(f"{dense.place(s)}heads have {(heads == 0).sum()} roots; single_root=False allows that")
    if fault == NO_CANDIDATE:
        for word in range(1, len(heads)):
            label = names[s, word]
            if np.isneginf(dense.arc_scores(s)[word, heads[word], label]):
                cell = f"{word}, {heads[word]}, {label}" if dense.labelled else f"{word}, {heads[word]}"
                return DecodeError(f"{dense.place(s)}heads[{word}] is {heads[word]}, but arcs[{cell}] is -inf")
    return DecodeError(f"{dense.place(s)}the tree has siblings or grandchildren that score -inf; start from another "
                       "tree")


def improve_some(DenseParts dense, PartScores parts, Reattacher reattacher, score_t threshold, token_t[:, ::1] trees,
                 int32_t[:, ::1] names, int8_t[::1] faults, Py_ssize_t begin, Py_ssize_t end):
    """Improve the trees of some sentences, or say what is wrong with them."""
    cdef token_t[::1] met = np.empty(dense.width, dtype=np.int32)
    cdef Py_ssize_t s
    with nogil:
        for s in range(begin, end):
            faults[s] = improve_one(dense, parts, reattacher, threshold, s, &trees[s, 0], &names[s, 0], &met[0])


cdef int8_t improve_one(DenseParts dense, PartScores parts, Reattacher reattacher, score_t threshold, Py_ssize_t s,
                        token_t* heads, int32_t* choices, token_t* met) except -1 nogil:
    cdef token_t n = dense.length(s), word
    cdef int32_t arc, roots = 0
    if heads[0] != -1 or not is_tree(heads, n, met):
        return NO_TREE
    for word in range(1, n + 1):
        roots += heads[word] == 0
    if reattacher.single_root and roots > 1:
        return SEVERAL_ROOTS
    if not dense.fill(s, parts):
        return BAD_SCORE
    for word in range(1, n + 1):
        arc = parts.find(heads[word], word)
        if arc < 0 or parts.arc_score(arc, choices[word]) == -INFINITY:
            return NO_CANDIDATE
    if reattacher.score_of(parts, heads, choices) == -INFINITY:
        return FORBIDDEN_PART
    reattacher.improve(parts, threshold, heads, choices)
    return SOUND
