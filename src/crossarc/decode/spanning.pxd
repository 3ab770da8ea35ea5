from crossarc.core.typedefs cimport int64_t, int8_t, score_t, token_t

from crossarc.decode.decoder cimport Decoder, Outcome


# The dense maximum spanning arborescence.
cdef struct Parts:
    # The sentence at hand: scores[d * stride + h].
    const score_t* scores
    Py_ssize_t stride
    token_t n
    # Parts 1..n are the words, those from n + 1 on are cycles that became one; `count` is one more than the last.
    token_t count
    # Of part n + 1 + k, n + 1 entries: what an arc from each node into it gains; NaN from its own words.
    score_t* rows
    # By part: the arc it chose, by its head and what it gains; the head it has in the end; the parts it is made of.
    score_t* value
    token_t* head
    token_t* final
    token_t* first
    token_t* next
    token_t* entry              # which of these its arc enters, known after `expand`
    # By part: its words as a list linked by `following`, and how many.
    token_t* words
    token_t* last
    token_t* following          # by word
    token_t* size
    # The part that a word is in now is owner[label[word]]; a part has the label of the largest part in it.
    token_t* tag                # by part
    token_t* label              # by word
    token_t* owner              # by label
    # The search: the path, and by part its place on it or what became of it.
    token_t* path
    token_t* place
    score_t* memory


cdef class ChuLiuEdmonds(Decoder):
    cdef Parts parts


cdef int reserve_parts(Parts* parts, token_t n) except -1
cdef void hold_matrix(Parts* parts, const score_t* scores, Py_ssize_t stride, token_t n) noexcept nogil
cdef bint choose_greedily(Parts* parts, bint single_root, token_t* heads) noexcept nogil
cdef Outcome contract(Parts* parts, bint single_root) noexcept nogil
cdef void expand(Parts* parts, token_t* heads) noexcept nogil


cdef inline const score_t* row_of(const Parts* parts, token_t part) noexcept nogil:
    if part <= parts.n:
        return parts.scores + part * parts.stride
    return parts.rows + <Py_ssize_t>(part - parts.n - 1) * (parts.n + 1)


# The sparse maximum spanning arborescence.
cdef struct Heaps:
    # The arcs of the sentence at hand.
    const token_t* dependents
    const token_t* heads
    # By arc: a skew heap. What all arcs below one have gained is `pending` with it until someone looks at them.
    score_t* gain
    score_t* pending
    token_t* left
    token_t* right
    # By part: the words 1..n, then cycles made one. The heap of arcs into it, the arc it chose (-1 for the one from
    # node 0), what that gains, the part it became part of.
    token_t* heap
    token_t* arc
    score_t* value
    token_t* above
    # By part: the best arc from node 0, by the word it leads to.
    score_t* root_gain
    token_t* root_word
    # Union-find over parts, the search path, and where a part is on it.
    token_t* joined
    token_t* path
    token_t* place
    token_t* tokens
    score_t* reals
    int64_t taken                # arcs taken from heaps so far: the greater part of the work


cdef class SparseChuLiuEdmonds:
    cdef Heaps heaps
    cdef token_t word_room
    cdef token_t arc_room
    cdef int reserve(self, token_t n, token_t m) except -1
    cdef Outcome solve(self, token_t n, token_t m, const token_t* dependents, const token_t* heads,
                       const score_t* scores, bint single_root, token_t* result) noexcept nogil


# The k best trees.
cdef struct Found:
    # A tree, best of a set: the trees of the set of `parent` that share its first `branch` arcs but lack the next.
    score_t score
    score_t key             # its score until it is given out, then the bound of the next set to try
    token_t parent
    token_t branch
    token_t next            # how many of the sets that it splits the rest in were tried; -1 until it is given out
    token_t free            # how many of its arcs are free, in `order`


cdef struct Search:
    token_t n
    bint single_root
    const score_t* scores
    Py_ssize_t stride
    score_t* grid           # the scores with the constraints of a set
    Parts parts
    token_t* entered        # by part: whether the arc of the part around it is its own
    int8_t* fixed           # by word: its head is required in the set at hand
    Found* found
    token_t* heads          # of each tree found, n + 1
    token_t* order          # its free words, in the order by which the rest is split
    score_t* loss           # in that order: what a tree loses at least that lacks the arc
    token_t* trial          # places in the order, the least losses first
    int64_t count
    int64_t room


cdef class KBest:
    cdef Search search
    cdef token_t room
    cdef int reserve(self, token_t n) except -1
    cdef int64_t solve(self, const score_t* scores, Py_ssize_t stride, token_t n, int64_t k, token_t* heads,
                       Py_ssize_t heads_stride, score_t* totals) noexcept nogil


# Sums over all trees.
cdef struct Level:
    # A square of weights between `size` words, and what is left of it when the first `gone` in its order are
    # eliminated. The order of the work is that of `words` from the place `shift` on, then round.
    token_t size
    token_t gone
    token_t shift
    token_t* words
    void* given
    void* given_root
    void* given_faint
    void* work
    void* root
    void* faint
    void* total
    void* escape            # the probabilities to reach node 0 before the word in question, without the unit
    void* faint_escape      # and with it


cdef struct Sums:
    token_t n
    Level levels[34]
    score_t* highest        # by word: what its scores were lowered by
    score_t* memory
    score_t* marginals      # the result, stride n + 1
    score_t partition       # its logarithm


cdef class MatrixTree:
    cdef Sums sums
    cdef token_t* words


cdef void compute(Sums* sums, const score_t* scores, Py_ssize_t stride, token_t n, bint single_root,
                  bint arcs) noexcept nogil
