"""The words of the sentence at hand: keys, scores and limits of one parser all look at the same object."""

from crossarc.core.typedefs cimport int32_t


cdef class Words:
    """The attributes of node 0 and the words 1 to n, one column for each attribute of a feature model."""

    def __init__(self, int32_t columns):
        self.columns = columns
