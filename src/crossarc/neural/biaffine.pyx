"""Scores of all arcs of each sentence by the vectors of their ends, the gradients of these, and losses.

The nodes of a batch are in the order of their sentences, from `starts[i]` to `starts[i + 1]`. The scores of a sentence
of n words are a square of (n + 1) ** 2 numbers, [dependent, head]; those of all sentences stand one after another.
"""
import numpy as np

from libc.math cimport INFINITY
from libc.stdlib cimport free, malloc

from crossarc.core.typedefs cimport int32_t, offset_t, token_t, uint8_t


# Classes of direction and distance: nine to the left, nine to the right, and node 0.
DISTANCES = 19
cdef enum:
    NEAR = 9
    ROOT = 18
    MOST_NODES = 0x7FFFFFFF


cdef inline int32_t distance_class(token_t dependent, token_t head) noexcept nogil:
    """The class of the direction and the length of an arc."""
    cdef token_t length = head - dependent if head > dependent else dependent - head
    cdef int32_t found
    if head == 0 or head == dependent:  # no arc leads from a word to itself
        return ROOT
    if length <= 4:
        found = length - 1
    elif length <= 6:
        found = 4
    elif length <= 9:
        found = 5
    elif length <= 15:
        found = 6
    elif length <= 30:
        found = 7
    else:
        found = 8
    return found + NEAR if head > dependent else found


def square_places(starts):
    """Where the square of each sentence begins, and the end."""
    sizes = np.diff(starts)
    return np.concatenate([[0], np.cumsum(sizes * sizes)]).astype(np.int64)


cdef int check_squares(const offset_t[::1] starts, const offset_t[::1] places, Py_ssize_t cells) except -1:
    """Refuse sentences whose squares would lead out of an array of so many cells."""
    cdef Py_ssize_t sentence, n, count = starts.shape[0] - 1
    if count < 0 or places.shape[0] != count + 1 or starts[0] != 0 or places[0] != 0 or places[count] != cells:
        raise ValueError("the sentences and the squares of their arcs do not fit each other")
    for sentence in range(count):
        if not starts[sentence] <= starts[sentence + 1] <= MOST_NODES:
            raise ValueError("the sentences of a batch do not follow one another")
        n = starts[sentence + 1] - starts[sentence]
        if places[sentence + 1] != places[sentence] + n * n:
            raise ValueError("the sentences and the squares of their arcs do not fit each other")
    return 0


cdef int check_nodes(const offset_t[::1] starts, bint fits) except -1:
    """Refuse arrays whose rows are not the nodes of the sentences; `fits` says whether they are."""
    if not fits:
        raise ValueError(f"the arrays do not fit the {starts[starts.shape[0] - 1]} nodes of the sentences")
    return 0


cdef Py_ssize_t longest(const offset_t[::1] starts) noexcept nogil:
    """The greatest number of nodes of a sentence."""
    cdef Py_ssize_t i, most = 0
    for i in range(starts.shape[0] - 1):
        if starts[i + 1] - starts[i] > most:
            most = starts[i + 1] - starts[i]
    return most


cdef real_t* room(Py_ssize_t size, const real_t* kind) except NULL:
    """Memory for so many numbers of the type that `kind` points to."""
    cdef void* found = malloc((size + 1) * sizeof(real_t))
    if found == NULL:
        raise MemoryError
    return <real_t*>found


def score_arcs(const real_t[:, ::1] dependents not None, const real_t[:, ::1] heads not None,
               const real_t[::1] as_head not None, const real_t[:, ::1] near not None,
               const offset_t[::1] starts not None, const offset_t[::1] places not None, real_t[::1] out not None):
    """Write dependents * heads of all pairs of nodes, plus `as_head` of the head and `near` of the arc's distance."""
    cdef Py_ssize_t size = dependents.shape[1], most, sentence, n, d, h, at
    cdef real_t* row
    check_squares(starts, places, out.shape[0])
    n = starts[starts.shape[0] - 1]
    check_nodes(starts, n == dependents.shape[0] == heads.shape[0] == as_head.shape[0] == near.shape[0]
                and heads.shape[1] == size and near.shape[1] == DISTANCES)
    most = longest(starts)
    if not out.shape[0]:
        return
    cdef real_t* panels = room(panel_room(size, most), &out[0])
    with nogil:
        for sentence in range(starts.shape[0] - 1):
            at, n = starts[sentence], starts[sentence + 1] - starts[sentence]
            pack_raw(&heads[at, 0], size, n, 1, size, panels)
            multiply_raw(n, n, size, &dependents[at, 0], size, panels, &out[places[sentence]], n, False)
            for d in range(n):
                row = &out[places[sentence] + d * n]
                for h in range(n):
                    row[h] += as_head[at + h] + near[at + d, distance_class(<token_t>d, <token_t>h)]
    free(panels)


def score_arcs_back(real_t[::1] gradient not None, const real_t[:, ::1] dependents not None,
                    const real_t[:, ::1] heads not None, const offset_t[::1] starts not None,
                    const offset_t[::1] places not None, real_t[:, ::1] of_dependents not None,
                    real_t[:, ::1] of_heads not None, real_t[::1] of_as_head not None,
                    real_t[:, ::1] of_near not None):
    """Write the gradients of all that `score_arcs` reads, given that of the scores."""
    cdef Py_ssize_t size = dependents.shape[1], most, sentence, n, d, h, at
    cdef real_t* square
    check_squares(starts, places, gradient.shape[0])
    n = starts[starts.shape[0] - 1]
    check_nodes(starts, n == dependents.shape[0] == heads.shape[0] and heads.shape[1] == size)
    check_nodes(starts, n == of_dependents.shape[0] == of_heads.shape[0] == of_as_head.shape[0] == of_near.shape[0]
                and size == of_dependents.shape[1] == of_heads.shape[1] and of_near.shape[1] == DISTANCES)
    most = longest(starts)
    if not gradient.shape[0]:
        return
    of_as_head[:] = 0
    of_near[:] = 0
    cdef real_t* panels = room(panel_room(most, size), &gradient[0])
    cdef real_t* turned
    try:
        turned = room(most * most, &gradient[0])
    except MemoryError:
        free(panels)
        raise
    with nogil:
        for sentence in range(starts.shape[0] - 1):
            at, n = starts[sentence], starts[sentence + 1] - starts[sentence]
            square = &gradient[places[sentence]]
            pack_raw(&heads[at, 0], n, size, size, 1, panels)
            multiply_raw(n, size, n, square, n, panels, &of_dependents[at, 0], size, False)
            transpose_raw(square, n, n, turned)
            pack_raw(&dependents[at, 0], n, size, size, 1, panels)
            multiply_raw(n, size, n, turned, n, panels, &of_heads[at, 0], size, False)
            for d in range(n):
                add_raw(n, square + d * n, &of_as_head[at])
                for h in range(n):
                    of_near[at + d, distance_class(<token_t>d, <token_t>h)] += square[d * n + h]
    free(panels)
    free(turned)


def log_probabilities(real_t[::1] scores not None, const offset_t[::1] starts not None,
                      const offset_t[::1] places not None):
    """Turn the scores of arcs into the logarithms of the probabilities of each word's heads, in place."""
    cdef Py_ssize_t sentence, n, d
    cdef real_t* row
    check_squares(starts, places, scores.shape[0])
    with nogil:
        for sentence in range(starts.shape[0] - 1):
            n = starts[sentence + 1] - starts[sentence]
            for d in range(1, n):
                row = &scores[places[sentence] + d * n]
                row[d] = -INFINITY
                if real_t is float:
                    log_softmax_f32(n, row)
                else:
                    log_softmax_f64(n, row)


def head_loss(real_t[::1] scores not None, const offset_t[::1] starts not None, const offset_t[::1] places not None,
              const token_t[::1] gold not None, double weight):
    """The loss of choosing each word's head on its own, and how many words choose another than the gold head.

    The loss is minus the sum of the logarithms of the probabilities of gold heads. The scores become its gradient times
    `weight`.
    """
    cdef Py_ssize_t sentence, n, d, h, wrong = 0
    cdef double loss = 0
    cdef real_t* row
    cdef real_t total, right
    check_squares(starts, places, scores.shape[0])
    check_nodes(starts, gold.shape[0] == starts[starts.shape[0] - 1])
    for sentence in range(starts.shape[0] - 1):
        n = starts[sentence + 1] - starts[sentence]
        for d in range(1, n):
            if not 0 <= gold[starts[sentence] + d] < n:
                raise ValueError(f"the gold head {gold[starts[sentence] + d]} in a sentence of {n - 1} words")
    with nogil:
        for sentence in range(starts.shape[0] - 1):
            n = starts[sentence + 1] - starts[sentence]
            if not n:
                continue
            row = &scores[places[sentence]]
            for h in range(n):
                row[h] = 0
            for d in range(1, n):
                row += n
                row[d] = -INFINITY
                right = row[gold[starts[sentence] + d]]
                for h in range(n):
                    if row[h] > right:
                        wrong += 1
                        break
                softmax_raw(n, row, &total)
                loss += total - right
                row[gold[starts[sentence] + d]] -= 1
                for h in range(n):
                    row[h] *= <real_t>weight
                row[d] = 0
    return loss, wrong


cdef double spread_choice(Py_ssize_t n, const real_t* row, const uint8_t* gold, real_t* every,
                          real_t* right) noexcept nogil:
    """The loss of choosing one head of a word that has several: any with the highest number in `gold` is right.

    Writes its gradient to `every`.
    """
    cdef Py_ssize_t h, found = 0
    cdef uint8_t best = 1
    cdef real_t total, of_right
    for h in range(n):
        best = max(best, gold[h])
    for h in range(n):
        found += gold[h] == best
        every[h] = row[h]
        right[h] = row[h] if gold[h] == best else -INFINITY
    if not found:  # nothing to choose
        for h in range(n):
            every[h] = 0
        return 0
    softmax_raw(n, every, &total)
    softmax_raw(n, right, &of_right)
    for h in range(n):
        every[h] -= right[h] if gold[h] == best else 0
    return total - of_right


def arc_loss(real_t[::1] scores not None, const offset_t[::1] starts not None, const offset_t[::1] places not None,
             const uint8_t[::1] gold not None, double weight, double choice):
    """The loss of choosing each arc on its own by the sign of its score, and how many arcs are wrong by that.

    `gold` says of each arc whether it is there, by 1, or by 2 if it is in the tree. To this loss that of choosing a
    gold head of each word is added `choice` times: it compares heads with each other. The head in the tree is to be
    chosen, any gold head if there is none. The scores become the gradient of the loss times `weight`.
    """
    cdef Py_ssize_t sentence, n, d, h, most, wrong = 0
    cdef double loss = 0
    cdef real_t pair[2]
    cdef real_t total
    cdef real_t* row
    cdef const uint8_t* there
    check_squares(starts, places, scores.shape[0])
    if gold.shape[0] != scores.shape[0]:
        raise ValueError("gold must say of each arc whether it is there")
    most = longest(starts)
    if not scores.shape[0]:
        return 0.0, 0
    cdef real_t* rooms = room(2 * most, &scores[0])
    with nogil:
        for sentence in range(starts.shape[0] - 1):
            n = starts[sentence + 1] - starts[sentence]
            for d in range(n):
                row, there = &scores[places[sentence] + d * n], &gold[places[sentence] + d * n]
                if d == 0:
                    for h in range(n):
                        row[h] = 0
                    continue
                row[d] = -INFINITY
                loss += choice * spread_choice(n, row, there, rooms, rooms + most)
                for h in range(n):
                    if d == h:
                        row[h] = 0
                        continue
                    wrong += (row[h] > 0) != (there[h] > 0)
                    pair[0], pair[1] = row[h], 0
                    softmax_raw(2, &pair[0], &total)
                    loss += total - (row[h] if there[h] else 0)
                    row[h] = <real_t>weight * (pair[0] - (there[h] > 0) + <real_t>choice * rooms[h])
    free(rooms)
    return loss, wrong


def choice_loss(real_t[:, ::1] scores not None, const int32_t[::1] gold not None, double weight):
    """The loss of choosing one column of each row, and how many rows choose another than the gold one.

    The loss is minus the sum of the logarithms of the probabilities of the gold ones. The scores become its gradient
    times `weight`.
    """
    cdef Py_ssize_t row, j, wrong = 0, width = scores.shape[1]
    cdef double loss = 0
    cdef real_t total, right
    if gold.shape[0] != scores.shape[0]:
        raise ValueError(f"{scores.shape[0]} rows have {gold.shape[0]} gold columns")
    for row in range(gold.shape[0]):
        if not 0 <= gold[row] < width:
            raise ValueError(f"there is no column {gold[row]} among {width}")
    with nogil:
        for row in range(scores.shape[0]):
            right = scores[row, gold[row]]
            for j in range(width):
                if scores[row, j] > right:
                    wrong += 1
                    break
            softmax_raw(width, &scores[row, 0], &total)
            loss += total - right
            scores[row, gold[row]] -= 1
            for j in range(width):
                scores[row, j] *= <real_t>weight
    return loss, wrong
