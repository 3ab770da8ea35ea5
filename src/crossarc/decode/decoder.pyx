"""The common part of decoders over score matrices: one or many matrices, checked; constraints; threads.

A decoder is an object with the memory it works in. A parser keeps one for each thread, reserves it for its longest
sentence and calls `solve` for each with the GIL released; the Python functions of `crossarc.decode` do the same with
`decode`.
"""
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np

from libc.stdint cimport int8_t, uint64_t
from libc.string cimport memcpy

from crossarc.core.typedefs cimport score_t, token_t

from crossarc.core.arrays import copied
from crossarc.decode.constraints import (
    arcs_of, below_in, constrained, constraints_of, describe_cut, explain)
from crossarc.errors import DecodeError

cdef enum:
    LARGEST_SHARE = 16      # sentences a thread takes at a time, if there are many

WANTED = {
    NO_TREE: "tree",
    NO_SINGLE_ROOT: "tree",             # with a single root, as is added
    NO_PROJECTIVE_TREE: "projective tree",
    NOT_CONNECTED: "undirected tree",
}


cdef class Decoder:
    """An inference algorithm over the matrix of a sentence, for one thread."""

    def __cinit__(self, bint single_root=True, *args, **options):
        self.single_root = single_root
        self.room = -1

    cdef int reserve(self, token_t n) except -1:
        """Make room for sentences of up to n words."""
        raise NotImplementedError

    cdef Outcome solve(self, const score_t* scores, Py_ssize_t stride, token_t n, token_t* heads) noexcept nogil:
        """Set heads[1..n]; the score of the arc from h to d is scores[d * stride + h]. Scores must be valid."""
        return NO_TREE

    def constrain(self, scores, lengths, required, forbidden):
        """A copy of the scores in which constraints hold."""
        return constrained(scores, lengths, required, forbidden)

    def twin(self):
        """Another decoder with the same options, for another thread."""
        return type(self)(self.single_root)


# The flags of NumPy for arrays that are contiguous and aligned.
cdef int PLAIN = 0x0001 | 0x0100


cdef class Matrices:
    """The score matrices of one sentence or of many, with the number of words of each."""

    def __cinit__(self, scores, lengths=None):
        if ((<object>scores).__class__ is not np.ndarray or scores.dtype != np.float64
                or scores.flags.num & PLAIN != PLAIN):
            scores = checked_array(scores)
        self.array = scores
        self.single = scores.ndim == 2
        if self.single:
            self.one = scores
            self.size = 1
            self.width = <token_t>self.one.shape[0]
            if self.width == 0 or self.one.shape[1] != self.width:
                raise shape_error(scores.shape)
            self.data = &self.one[0, 0]
        elif scores.ndim == 3:
            self.many = scores
            self.size = self.many.shape[0]
            self.width = <token_t>self.many.shape[1]
            if self.width == 0 or self.many.shape[2] != self.width:
                raise shape_error(scores.shape)
            self.data = &self.many[0, 0, 0] if self.size else NULL
        else:
            raise shape_error(scores.shape)
        self.longest = self.width - 1
        if lengths is not None:
            self.words_view = self.lengths = checked_lengths(lengths, self.size, self.width - 1, self.single)
            if self.size:
                self.words = &self.words_view[0]
                self.longest = int(self.lengths.max())

    cdef token_t length(self, Py_ssize_t sentence) noexcept nogil:
        return self.words[sentence] if self.words != NULL else self.longest

    cdef const score_t* matrix(self, Py_ssize_t sentence) noexcept nogil:
        return self.data + sentence * self.width * self.width


def checked_sizes(n, single, least, most, what):
    """The number of nodes or words of one graph or of many as a row of int32, a copy."""
    array = copied([n] if single else n, "n", DecodeError)
    if array.ndim != 1 or array.size and array.dtype.kind not in "iu" or ((array < least) | (array > most)).any():
        many = "" if single else " of each graph, a row of integers"
        raise DecodeError(f"n must be the number of {what}{many}, {least} or more, not {n!r}"
                          + ("; many graphs need offsets too" if np.ndim(n) else ""))
    return array.astype(np.int32, copy=False)


def checked_offsets(offsets, graphs, m):
    """Where the arcs or edges of each graph begin in a row of m, and where the last ones end, as int64, a copy."""
    array = copied(offsets, "offsets", DecodeError)
    if array.shape != (graphs + 1,) or array.dtype.kind not in "iu":
        raise DecodeError(f"offsets must be {graphs + 1} integers for {graphs} graphs, not {array.dtype} of shape "
                          f"{array.shape}")
    array = array.astype(np.int64, copy=False)
    steps = np.diff(array)
    if array[0] != 0 or array[graphs] != m or (steps < 0).any():
        raise DecodeError(f"offsets must rise from 0 to {m}, where the last graph ends")
    if (steps > 2**31 - 2).any():
        raise DecodeError(f"graph {steps.argmax()} has more arcs or edges than can be counted")
    return array


def checked_numbers(values, name):
    """A row of doubles, a copy that may be changed."""
    array = copied(values, name, DecodeError)
    if array.ndim != 1 or array.size and array.dtype.kind not in "fiu":
        raise DecodeError(f"{name} must be a row of numbers, not {array.dtype} of shape {array.shape}")
    return array.astype(np.float64, copy=False)


def shape_error(shape):
    return DecodeError("scores must have the shape (n + 1, n + 1), or (sentences, N + 1, N + 1) for a batch, not "
                       f"{shape}")


def checked_array(scores, name="scores"):
    """Scores as a contiguous and aligned array of doubles, without a copy where possible."""
    array = scores if isinstance(scores, np.ndarray) else copied(scores, name, DecodeError)
    if array.dtype.kind not in "fiu":
        raise DecodeError(f"{name} must be numbers, not {array.dtype}")
    array = np.ascontiguousarray(array, dtype=np.float64)
    return array if array.flags.aligned else array.copy()


def checked_lengths(lengths, size, longest, single=False):
    """The number of words of each sentence as int32, a copy; of a single one it may be a number."""
    array = copied(lengths, "lengths", DecodeError)
    if single:
        array = array.reshape(-1)
    if array.shape != (size,) or array.dtype.kind not in "iu":
        raise DecodeError(f"lengths must be {size} integers, not {array.dtype} of shape {array.shape}")
    wrong = np.flatnonzero((array < 0) | (array > longest))
    if wrong.size:
        raise DecodeError(f"lengths[{wrong[0]}] is {array[wrong[0]]}; the matrices have room for 0 to {longest} words")
    return array.astype(np.int32, copy=False)


cdef bint is_sound(const score_t* scores, Py_ssize_t stride, token_t n) noexcept nogil:
    """Whether each score in use is -inf or of a size that can be summed. The diagonal and row 0 are not in use."""
    cdef token_t d
    for d in range(1, n + 1):
        if is_odd(scores + d * stride, n + 1) and not is_sound_row(scores + d * stride, n, d):
            return False
    return True


cdef inline bint is_odd(const score_t* row, token_t size) noexcept nogil:
    """Whether some score is too large, NaN or infinite of either sign: by their bits, without a branch."""
    cdef uint64_t limit, bits, gathered = 0
    cdef score_t largest = LARGEST
    cdef token_t h
    memcpy(&limit, &largest, sizeof(limit))
    for h in range(size):
        memcpy(&bits, row + h, sizeof(bits))
        gathered |= limit - 1 - (bits & <uint64_t>0x7FFFFFFFFFFFFFFF)
    return gathered >> 63


cdef bint is_sound_row(const score_t* row, token_t n, token_t d) noexcept nogil:
    """The same for the row of word d, one score at a time, where -inf and the diagonal are fine."""
    cdef token_t h
    for h in range(n + 1):
        if h != d and not is_sound_score(row[h]):
            return False
    return True


cdef int solve_some(Matrices matrices, Decoder decoder, Py_ssize_t begin, Py_ssize_t end, bint checked,
                    token_t* heads, int8_t* outcomes) noexcept nogil:
    """Decode the sentences begin..end-1."""
    cdef Py_ssize_t s
    cdef const score_t* scores
    cdef token_t n
    for s in range(begin, end):
        n = matrices.length(s)
        scores = matrices.matrix(s)
        if checked or is_sound(scores, matrices.width, n):
            outcomes[s] = decoder.solve(scores, matrices.width, n, heads + s * matrices.width)
        else:
            outcomes[s] = BAD_SCORE
    return 0


def decode(Decoder decoder, scores, lengths=None, required=None, forbidden=None, threads=1):
    """The heads of each sentence by a decoder: int32, (n + 1,) or (sentences, N + 1), -1 for node 0 and padding.

    Scores are not copied. If another thread writes to them meanwhile, the heads may be no tree, but are nodes.
    """
    cdef Matrices given = Matrices(scores, lengths)
    cdef Matrices matrices = given
    cdef token_t[::1] one
    cdef token_t* heads
    cdef int8_t outcome = SOLVED
    cdef bint checked = False
    if required is not None or forbidden is not None:
        check_all(matrices)
        checked = True
        required, forbidden = copies(required, forbidden)
        matrices = Matrices(decoder.constrain(given.array, given.lengths, required, forbidden), given.lengths)
    if threads != 1:
        threads = checked_count(threads, "threads")
    if matrices.single and matrices.longest == matrices.width - 1:      # a short way, for small sentences
        found = np.empty(matrices.width, dtype=np.int32)
        one = found
        one[0] = -1
        decoder.reserve(matrices.longest)
        heads = &one[0]
        with nogil:
            solve_some(matrices, decoder, 0, 1, checked, heads, &outcome)
        if outcome != SOLVED:
            raise failure(decoder, given, required, forbidden, 0, outcome)
        return found
    found = np.full((matrices.size, matrices.width), -1, dtype=np.int32)
    outcomes = np.zeros(matrices.size, dtype=np.int8)
    if matrices.size:
        share(threads, matrices.size, lambda: partial(solve_batch, decoder.twin(), matrices, checked, found, outcomes))
        wrong = np.flatnonzero(outcomes)
        if wrong.size:
            raise failure(decoder, given, required, forbidden, wrong[0], outcomes[wrong[0]])
    return found[0] if matrices.single else found


def solvable_matrices(decode_one, scores, lengths, single_root, required, forbidden, threads):
    """Scores in which the constraints hold; a sentence without any tree is an error, which `decode_one` explains."""
    cdef Matrices given = Matrices(scores, lengths)
    cdef Matrices matrices = given
    check_all(given)
    if required is not None or forbidden is not None:
        required, forbidden = copies(required, forbidden)
        matrices = Matrices(constrained(given.array, given.lengths, required, forbidden), given.lengths)
    if np.isneginf(matrices.array).any():
        decode_one(given.array, given.lengths, single_root=single_root, required=required, forbidden=forbidden,
                   threads=threads)
    return matrices


def copies(required, forbidden):
    """Copies of the constraints that there are."""
    return (None if required is None else copied(required, "required", DecodeError),
            None if forbidden is None else copied(forbidden, "forbidden", DecodeError))


def decode_several(decode_one, new_worker, scores, lengths, k, single_root, required, forbidden, threads):
    """The k best trees of each sentence and their scores."""
    k = checked_count(k, "k")
    matrices = solvable_matrices(decode_one, scores, lengths, single_root, required, forbidden, threads)
    if max(matrices.size, 1) * k * matrices.width > MOST_HEADS:
        raise DecodeError(f"{k} trees for each of {matrices.size} sentences of up to {matrices.width - 1} words are "
                          f"more than {MOST_HEADS} heads; ask for fewer trees, or decode fewer sentences at a time")
    heads = np.full((matrices.size, k, matrices.width), -1, dtype=np.int32)
    totals = np.full((matrices.size, k), -np.inf)
    if matrices.size:
        share(threads, matrices.size, lambda: new_worker(matrices, single_root, k, heads, totals))
    return (heads[0], totals[0]) if matrices.single else (heads, totals)


def sum_over_trees(decode_one, new_worker, scores, lengths, arcs, single_root, required, forbidden, threads):
    """Marginals, of the shape of the scores, or without `arcs` the partition function of each sentence."""
    matrices = solvable_matrices(decode_one, scores, lengths, single_root, required, forbidden, threads)
    result = np.zeros((matrices.size, matrices.width**2 if arcs else 1))
    if matrices.size:
        share(threads, matrices.size, lambda: new_worker(matrices, single_root, arcs, result))
    if arcs:
        check_marginals(matrices, result)
        return result.reshape(matrices.array.shape)
    return float(result[0, 0]) if matrices.single else result[:, 0]


def check_marginals(Matrices matrices, const score_t[:, ::1] marginals):
    """Raise for the first word whose heads do not have a probability of 1 together: rounding left no digit of them."""
    cdef Py_ssize_t s
    cdef token_t d, h
    cdef score_t total
    for s in range(matrices.size):
        for d in range(1, matrices.length(s) + 1):
            total = 0
            for h in range(matrices.length(s) + 1):
                total += marginals[s, <Py_ssize_t>d * matrices.width + h]
            if not 1 - 1e-6 < total < 1 + 1e-6:
                place = "" if matrices.single else f"sentence {s}: "
                raise DecodeError(f"{place}the probabilities of the heads of word {d} have no digits left: scores are "
                                  "too far apart; scale them, or forbid arcs by -inf")


def checked_count(value, name, least=1):
    """A whole number of something as an int."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise DecodeError(f"{name} must be {least} or more, not {value!r}")
    return int(value)


def share(threads, size, new_worker):
    """Decode a batch in threads; each has a worker, a function of the first sentence and the one after the last.

    Each thread takes shares of a few sentences; the result does not depend on which thread takes which.
    """
    threads = min(checked_count(threads, "threads"), size)
    if threads <= 1:
        new_worker()(0, size)
        return
    few = max(1, min(LARGEST_SHARE, size // (4 * threads)))

    def work(thread):
        worker = new_worker()
        for begin in range(few * thread, size, few * threads):
            worker(begin, min(begin + few, size))

    with ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(work, range(threads)):
            pass


def solve_batch(Decoder decoder, Matrices matrices, bint checked, token_t[:, ::1] heads, int8_t[::1] outcomes,
                Py_ssize_t begin, Py_ssize_t end):
    """Decode some sentences of a batch."""
    decoder.reserve(matrices.longest)
    with nogil:
        solve_some(matrices, decoder, begin, end, checked, &heads[0, 0], &outcomes[0])


def check_all(Matrices matrices):
    """Raise for the first score that cannot be used."""
    cdef Py_ssize_t s, wrong = -1
    with nogil:
        for s in range(matrices.size):
            if not is_sound(matrices.matrix(s), matrices.width, matrices.length(s)):
                wrong = s
                break
    if wrong >= 0:
        raise failure(None, matrices, None, None, wrong, BAD_SCORE)


def failure(Decoder decoder, Matrices matrices, required, forbidden, sentence, outcome):
    """The error for a sentence that could not be decoded: it names the wrong score, or what leaves no tree.

    `required` and `forbidden` are arrays of the shapes that go with the scores, or None.
    """
    cdef Decoder any_roots
    n = matrices.longest if matrices.lengths is None else int(matrices.lengths[sentence])
    whole = matrices.array if matrices.single else matrices.array[sentence]
    place = "" if matrices.single else f"sentence {sentence}: "
    array = whole[:n + 1, :n + 1].copy()
    if outcome == NO_MEMORY:
        return MemoryError()
    if outcome == BAD_SCORE:
        return bad_score(array, place)
    if outcome == NOT_SYMMETRIC:
        return not_symmetric(array, place)
    if required is not None:
        required = (required if matrices.single else required[sentence])[:n + 1]
    if forbidden is not None:
        forbidden = (forbidden if matrices.single else forbidden[sentence])[:n + 1, :n + 1]
    if is_solvable(decoder, decoder.constrain(array, None, required, forbidden)):
        return changed(place)
    wanted = WANTED[outcome]
    any_roots = decoder.twin()
    any_roots.single_root = False           # tells whether that is what cannot be
    if outcome == NO_SINGLE_ROOT or decoder.single_root and is_solvable(
            any_roots, decoder.constrain(array, None, required, forbidden)):
        wanted += " with a single root"

    def solvable(arcs):
        return is_solvable(decoder, decoder.constrain(array, None, *constraints_of(arcs, n + 1)))

    return DecodeError(place + explain(
        arcs_of(array, required, forbidden), solvable, wanted,
        "scores that are -inf" if (np.isneginf(array) & ~np.eye(n + 1, dtype=bool))[1:].any() else "",
        lambda: describe_cut(n, below_in(array), wanted.endswith("single root"))))


def is_solvable(Decoder decoder, const score_t[:, ::1] scores):
    """Whether one sentence has a tree at all."""
    cdef token_t n = <token_t>scores.shape[0] - 1
    cdef token_t[::1] heads = np.empty(n + 1, dtype=np.int32)
    cdef Outcome outcome
    decoder.reserve(n)
    with nogil:
        outcome = decoder.solve(&scores[0, 0], n + 1, n, &heads[0])
    return outcome == SOLVED


def bad_score(scores, place):
    """The error that names the first score that is NaN, inf or too large."""
    used = ~np.eye(len(scores), dtype=bool)
    used[0] = False
    with np.errstate(invalid="ignore"):
        good = (np.abs(scores) < LARGEST) | (scores == -np.inf)
    wrong = np.argwhere(used & ~good)
    if not len(wrong):
        return changed(place)
    dependent, head = wrong[0]
    value = "NaN" if np.isnan(scores[dependent, head]) else f"{scores[dependent, head]:g}"
    return DecodeError(f"{place}scores[{dependent}, {head}] is {value}; scores are numbers below 1e300 in size, or "
                       "-inf for a forbidden arc")


def changed(place):
    """Return the error about scores that are sound now, and were not when they were used."""
    return DecodeError(f"{place}the scores changed while they were in use; let no other thread write to them")


def not_symmetric(scores, place):
    """Return the error that names two scores that must be equal."""
    wrong = np.argwhere(np.tril(scores[1:, 1:] != scores[1:, 1:].T, -1)) + 1
    if not len(wrong):
        return changed(place)
    d, h = wrong[0]
    return DecodeError(f"{place}scores[{d}, {h}] is {scores[d, h]:g} but scores[{h}, {d}] is {scores[h, d]:g}; an "
                       "undirected decoder needs one score for both, such as their mean")
