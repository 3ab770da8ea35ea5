"""The k best projective trees, in order: Eisner's spans with the k best ways to build each (Huang and Chiang 2005).

A projective tree is built of spans in one way only, so different ways are different trees. The ways to build a span are
pairs of a way of its left and a way of its right part, for each place where it can be split. The ways of parts are in
order already; a heap holds the best pair of each split that was not taken yet, and when a pair is taken, the next ones
of its split come in. O(n^3 + k n^2 log n) time, O(k n^2) memory, nothing recursive.

As in eisner.pyx, of equal splits the first is taken first, so that the best tree is the one that `eisner` finds.
"""
from libc.math cimport INFINITY
from libc.stdlib cimport free

from crossarc.core.allocation cimport renew, resize
from crossarc.core.typedefs cimport int64_t, score_t, token_t

from crossarc.decode.decoder cimport MOST_HEADS, Matrices

from crossarc.decode.decoder import decode_several
from crossarc.errors import DecodeError


cdef enum SpanKind:
    HEAD_LEFT       # complete, the head at the left end
    HEAD_RIGHT      # complete, the head at the right end
    HALF            # what an arc between the ends, in either direction, closes
    WHOLE           # the words, split at the only root


cdef enum:
    SQUARES = 3     # spans of the first three kinds are found by both their ends


cdef struct Way:
    # How a span is built: where it is split, and of the ways of both parts which.
    score_t score
    token_t split
    token_t left
    token_t right


cdef struct Span:
    score_t best            # the score of the first way
    Way* ways
    token_t count


cdef struct Task:
    SpanKind kind
    token_t i
    token_t j
    token_t way


cdef struct WayChart:
    token_t n
    token_t k
    const score_t* scores
    Py_ssize_t stride
    Span* spans             # squares of n + 1 nodes, at [i][j] and again at [j][i], so that all splits read rows
    Span whole
    Way** blocks            # of ways; those before the last one in use are full
    int64_t* block_size
    Py_ssize_t block_count
    Py_ssize_t block        # the one in use
    int64_t used            # of its ways
    int64_t kept            # ways of the sentence at hand
    Way* heap
    token_t heap_size
    int64_t heap_room
    Task* tasks


cdef inline bint comes_first(const Way* a, const Way* b) noexcept nogil:
    if a.score != b.score:
        return a.score > b.score
    if a.split != b.split:
        return a.split < b.split
    return a.left < b.left if a.left != b.left else a.right < b.right


cdef void sink(WayChart* chart, token_t place) noexcept nogil:
    """Restore the order of the heap below a place."""
    cdef Way* heap = chart.heap
    cdef Way moved = heap[place]
    cdef token_t child = 2 * place + 1
    while child < chart.heap_size:
        if child + 1 < chart.heap_size and comes_first(heap + child + 1, heap + child):
            child += 1
        if not comes_first(heap + child, &moved):
            break
        heap[place] = heap[child]
        place = child
        child = 2 * place + 1
    heap[place] = moved


cdef void push_way(WayChart* chart, const Way* way) noexcept nogil:
    cdef Way* heap = chart.heap
    cdef token_t place = chart.heap_size, above
    chart.heap_size += 1
    while place:
        above = (place - 1) >> 1
        if not comes_first(way, heap + above):
            break
        heap[place] = heap[above]
        place = above
    heap[place] = way[0]


cdef inline Span* span_at(WayChart* chart, SpanKind kind, token_t i, token_t j) noexcept nogil:
    return chart.spans + (kind * <Py_ssize_t>(chart.n + 1) + i) * (chart.n + 1) + j


cdef inline score_t arc_score(const WayChart* chart, token_t dependent, token_t head) noexcept nogil:
    return chart.scores[dependent * chart.stride + head] if dependent else -INFINITY


cdef score_t find_parts(WayChart* chart, SpanKind kind, token_t i, token_t j, token_t split, Span** left,
                        Span** right) noexcept nogil:
    """The parts of a span that is split at a place, and the score of the arc that this adds."""
    if kind == HALF:
        left[0] = span_at(chart, HEAD_LEFT, i, split)
        right[0] = span_at(chart, HEAD_RIGHT, j, split + 1)
        return 0
    if kind == HEAD_LEFT:
        left[0] = span_at(chart, HALF, i, split)
        right[0] = span_at(chart, HEAD_LEFT, j, split)
        return arc_score(chart, split, i)
    if kind == HEAD_RIGHT:
        left[0] = span_at(chart, HEAD_RIGHT, i, split)
        right[0] = span_at(chart, HALF, j, split)
        return arc_score(chart, split, j)
    left[0] = span_at(chart, HEAD_RIGHT, i, split)
    right[0] = span_at(chart, HEAD_LEFT, j, split)
    return arc_score(chart, split, 0)


cdef inline score_t sum_of(SpanKind kind, score_t left, score_t arc, score_t right) noexcept nogil:
    """The sum in the order of eisner.pyx, so that rounding is the same."""
    if kind == HEAD_RIGHT:
        return left + (right + arc)
    return left + right + arc if kind == WHOLE else left + arc + right


cdef int64_t offer(WayChart* chart, SpanKind kind, token_t i, token_t j, token_t split, token_t left_way,
                   token_t right_way) noexcept nogil:
    """Put a pair of ways on the heap, if there are such; return how many pairs the split has."""
    cdef Span* left
    cdef Span* right
    cdef Way way
    cdef score_t arc = find_parts(chart, kind, i, j, split, &left, &right)
    if left_way >= left.count or right_way >= right.count or arc == -INFINITY:
        return 0
    way.score = sum_of(kind, left.ways[left_way].score if left_way else left.best, arc,
                       right.ways[right_way].score if right_way else right.best)
    way.split = split
    way.left = left_way
    way.right = right_way
    push_way(chart, &way)
    return <int64_t>left.count * right.count


cdef Way* take_room(WayChart* chart, int64_t count) except NULL nogil:
    """Room for so many ways in one row; blocks stay from one sentence to the next."""
    cdef Way* begin
    chart.kept += count
    if chart.kept > MOST_HEADS:
        with gil:
            raise DecodeError(f"{chart.k} trees over {chart.n} words have more than {MOST_HEADS} ways to build their "
                              "spans; ask for fewer trees")
    while chart.block < chart.block_count and chart.block_size[chart.block] - chart.used < count:
        chart.block += 1
        chart.used = 0
    if chart.block == chart.block_count:
        resize(<void**>&chart.blocks, (chart.block_count + 1) * sizeof(Way*))
        resize(<void**>&chart.block_size, (chart.block_count + 1) * sizeof(int64_t))
        chart.blocks[chart.block_count] = NULL
        chart.block_size[chart.block_count] = max(count, 2 * chart.kept, 1000)
        renew(<void**>&chart.blocks[chart.block_count], chart.block_size[chart.block_count] * sizeof(Way))
        chart.block_count += 1
    begin = chart.blocks[chart.block] + chart.used
    chart.used += count
    return begin


cdef int find_ways(WayChart* chart, Span* span, SpanKind kind, token_t i, token_t j, token_t begin,
                   token_t end) except -1 nogil:
    """The best ways of a span that can be split at begin..end-1.

    Each way that is taken from the heap lets the next ones of its split in, every pair by one path.
    """
    cdef token_t split
    cdef Way way
    cdef int64_t pairs = 0
    chart.heap_size = 0
    for split in range(begin, end):
        pairs += offer(chart, kind, i, j, split, 0, 0)
    pairs = min(pairs, chart.k)
    if chart.heap_room < chart.n + 1 + 2 * pairs:
        resize(<void**>&chart.heap, 2 * (chart.n + 1 + 2 * pairs) * sizeof(Way))
        chart.heap_room = 2 * (chart.n + 1 + 2 * pairs)
    span.ways = take_room(chart, pairs)
    span.count = 0
    while chart.heap_size and span.count < chart.k:
        way = chart.heap[0]
        chart.heap_size -= 1
        if chart.heap_size:
            chart.heap[0] = chart.heap[chart.heap_size]
            sink(chart, 0)
        span.ways[span.count] = way
        span.count += 1
        offer(chart, kind, i, j, way.split, way.left, way.right + 1)
        if way.right == 0:
            offer(chart, kind, i, j, way.split, way.left + 1, 0)
    span.best = span.ways[0].score if span.count else -INFINITY
    return 0


cdef int find_all_ways(WayChart* chart, bint single_root) except -1 nogil:
    """The ways of all spans, and of the whole."""
    cdef token_t i, j, n = chart.n, begin = 1 if single_root else 0
    cdef Span alone
    for j in range(begin, n + 1):
        alone.ways = take_room(chart, 1)
        alone.ways[0].score = 0
        alone.best = 0
        alone.count = 1
        span_at(chart, HEAD_LEFT, j, j)[0] = span_at(chart, HEAD_RIGHT, j, j)[0] = alone
        for i in range(j - 1, begin - 1, -1):
            find_ways(chart, span_at(chart, HALF, i, j), HALF, i, j, i, j)
            span_at(chart, HALF, j, i)[0] = span_at(chart, HALF, i, j)[0]
            find_ways(chart, span_at(chart, HEAD_LEFT, i, j), HEAD_LEFT, i, j, i + 1, j + 1)
            span_at(chart, HEAD_LEFT, j, i)[0] = span_at(chart, HEAD_LEFT, i, j)[0]
            find_ways(chart, span_at(chart, HEAD_RIGHT, i, j), HEAD_RIGHT, i, j, i, j)
            span_at(chart, HEAD_RIGHT, j, i)[0] = span_at(chart, HEAD_RIGHT, i, j)[0]
    if single_root:
        find_ways(chart, &chart.whole, WHOLE, 1, n, 1, n + 1)
    else:
        chart.whole = span_at(chart, HEAD_LEFT, 0, n)[0]
    return 0


cdef inline token_t add_task(WayChart* chart, token_t top, SpanKind kind, token_t i, token_t j,
                             token_t way) noexcept nogil:
    if i == j:
        return top
    chart.tasks[top].kind = kind
    chart.tasks[top].i = i
    chart.tasks[top].j = j
    chart.tasks[top].way = way
    return top + 1


cdef void walk_back_ways(WayChart* chart, bint single_root, token_t rank, token_t* heads) noexcept nogil:
    """The heads of one tree."""
    cdef Task task
    cdef const Way* way
    cdef token_t top = 0
    if single_root:
        way = chart.whole.ways + rank
        heads[way.split] = 0
        top = add_task(chart, top, HEAD_RIGHT, 1, way.split, way.left)
        top = add_task(chart, top, HEAD_LEFT, way.split, chart.n, way.right)
    else:
        top = add_task(chart, top, HEAD_LEFT, 0, chart.n, rank)
    while top:
        top -= 1
        task = chart.tasks[top]
        way = span_at(chart, task.kind, task.i, task.j).ways + task.way
        if task.kind == HALF:
            top = add_task(chart, top, HEAD_LEFT, task.i, way.split, way.left)
            top = add_task(chart, top, HEAD_RIGHT, way.split + 1, task.j, way.right)
        elif task.kind == HEAD_LEFT:
            heads[way.split] = task.i
            top = add_task(chart, top, HALF, task.i, way.split, way.left)
            top = add_task(chart, top, HEAD_LEFT, way.split, task.j, way.right)
        else:
            heads[way.split] = task.j
            top = add_task(chart, top, HEAD_RIGHT, task.i, way.split, way.left)
            top = add_task(chart, top, HALF, way.split, task.j, way.right)


cdef class WayWorker:
    """The search over the sentences of a batch, with the memory it takes."""

    cdef WayChart chart
    cdef Matrices matrices
    cdef bint single_root
    cdef token_t[:, :, ::1] heads
    cdef score_t[:, ::1] totals

    def __cinit__(self, Matrices matrices, bint single_root, token_t k, heads, totals):
        cdef size_t nodes = <size_t>matrices.longest + 1
        self.chart.k = k
        renew(<void**>&self.chart.spans, SQUARES * nodes * nodes * sizeof(Span))
        renew(<void**>&self.chart.heap, nodes * sizeof(Way))
        self.chart.heap_room = nodes
        renew(<void**>&self.chart.tasks, (2 * nodes + 2) * sizeof(Task))
        self.matrices = matrices
        self.single_root = single_root
        self.heads = heads
        self.totals = totals

    def __dealloc__(self):
        cdef Py_ssize_t block
        for block in range(self.chart.block_count):
            free(self.chart.blocks[block])
        free(self.chart.blocks)
        free(self.chart.block_size)
        free(self.chart.spans)
        free(self.chart.heap)
        free(self.chart.tasks)

    def __call__(self, Py_ssize_t begin, Py_ssize_t end):
        cdef WayChart* chart = &self.chart
        cdef Py_ssize_t s
        cdef token_t rank
        with nogil:
            for s in range(begin, end):
                chart.n = self.matrices.length(s)
                chart.scores = self.matrices.matrix(s)
                chart.stride = self.matrices.width
                chart.block = chart.used = chart.kept = 0
                if chart.n == 0:
                    self.totals[s, 0] = 0
                    continue
                find_all_ways(chart, self.single_root)
                for rank in range(chart.whole.count):
                    walk_back_ways(chart, self.single_root, rank, &self.heads[s, rank, 0])
                    self.totals[s, rank] = chart.whole.ways[rank].score


def projective_kbest(scores, k, lengths=None, *, single_root=True, required=None, forbidden=None, threads=1):
    """The k best projective trees, the best first, and their scores, in O(n^3 + k n^2 log n).

    Arguments are those of `eisner`. Gives int32 heads of the shape (k, n + 1), or (sentences, k, N + 1), and float64
    scores of the shape (k,) or (sentences, k). Where there are fewer trees, heads are -1 and scores -inf. Memory grows
    with k n^2: 50 words and k = 10 take 1 MB, 1,000 words half a gigabyte and a quarter of a minute. More than 2^28
    heads in the result, or ways to build the spans of one sentence, are an error.

    >>> import numpy as np
    >>> heads, scores = projective_kbest(np.array([[0, 0, 0], [9, 0, 20], [8, 30, 0]]), 3)
    >>> heads.tolist(), scores.tolist()
    ([[-1, 0, 1], [-1, 2, 0], [-1, -1, -1]], [39.0, 28.0, -inf])
    """
    return decode_several(eisner, WayWorker, scores, lengths, k, single_root, required, forbidden, threads)
