# Union-find over arrays: which nodes are connected, and with which of two colours.
from crossarc.core.typedefs cimport token_t


cdef inline token_t find(token_t* parent, token_t node) noexcept nogil:
    """The representative of the nodes connected with this one; paths become half as long on the way."""
    while parent[node] != node:
        parent[node] = parent[parent[node]]
        node = parent[node]
    return node


cdef inline token_t find_coloured(token_t* parent, token_t* colour, token_t node) noexcept nogil:
    """The same where nodes have colours, 0 or 1; colour[node] is then relative to the representative, which has 0."""
    cdef token_t top = node, flip = 0
    while parent[top] != top:
        colour[top] ^= colour[parent[top]]
        parent[top] = parent[parent[top]]
        flip ^= colour[top]
        top = parent[top]
    parent[node] = top
    colour[node] = flip
    return top


cdef inline bint colour_apart(token_t* parent, token_t* colour, token_t node, token_t other) noexcept nogil:
    """Connect two nodes of different colours; False if they are connected already and have the same colour."""
    cdef token_t top = find_coloured(parent, colour, node)
    cdef token_t below = find_coloured(parent, colour, other)
    if top == below:
        return colour[node] != colour[other]
    parent[below] = top
    colour[below] = colour[node] ^ colour[other] ^ 1
    return True
