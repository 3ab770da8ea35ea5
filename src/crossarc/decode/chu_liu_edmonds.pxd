# The dense maximum spanning arborescence; see chu_liu_edmonds.pyx.
from crossarc.core.typedefs cimport score_t, token_t

from crossarc.decode.decoder cimport Decoder, Outcome


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
