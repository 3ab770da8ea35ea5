# From the links of an undirected parse to heads; see reconstruction.pyx.
from crossarc.core.typedefs cimport score_t, token_t

cdef enum:
    SCRATCH = 5         # arrays of n + 2 tokens that `orient` needs


cdef struct Links:
    # A forest over the nodes 0..n: m <= n links with left[k] < right[k].
    token_t n
    token_t m
    const token_t* left
    const token_t* right
    # What a link costs more if its head is the right node than if it is the left one; NULL where it costs the same.
    const score_t* turn
    # What it costs to hang a word from node 0, by word; NULL where all cost the same.
    const score_t* root
    # Whether a link of node 0 stays what it is, or only settles ties.
    bint keep_root_links
    bint single_root


cdef bint orient(const Links* links, token_t* heads, token_t* via, token_t* scratch, score_t* costs) noexcept nogil
cdef bint orient_listed(const Links* links, const token_t* first, const token_t* following, token_t* heads,
                        token_t* via, token_t* own, token_t* order, score_t* costs) noexcept nogil
