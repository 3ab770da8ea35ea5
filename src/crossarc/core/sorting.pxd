# Counting sort over arrays of small numbers.
from crossarc.core.typedefs cimport token_t


cdef inline void sort_by(const token_t* keys, const token_t* items, token_t begin, token_t end, token_t limit,
                         bint reverse_ties, token_t* first, token_t* result) noexcept nogil:
    """Sort items[begin..end-1], or with NULL the numbers begin..end-1 themselves, by keys[item] in 0..limit. O(n).

    Those of key v are result[first[v]] .. result[first[v + 1] - 1], in their old order or, with `reverse_ties`, in the
    opposite one. `first` has limit + 2 entries.
    """
    cdef token_t v, i, item
    for v in range(limit + 2):
        first[v] = 0
    for i in range(begin, end):
        first[keys[items[i] if items != NULL else i]] += 1
    for v in range(1, limit + 2):
        first[v] += first[v - 1]
    for i in range(end - begin):                # each key's place goes from its end to its begin
        v = begin + i if reverse_ties else end - 1 - i
        item = items[v] if items != NULL else v
        first[keys[item]] -= 1
        result[first[keys[item]]] = item
