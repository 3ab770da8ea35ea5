"""The targets of transition parsers: the trees or graphs of sentences, one after the other in flat arrays."""
import numpy as np

from crossarc.core.typedefs cimport token_t


cdef class Targets:
    """Gold trees: heads and labels of all nodes; those of sentence i begin at `starts[i]`."""

    def __init__(self, heads, labels, starts):
        self.starts = self.nodes = np.ascontiguousarray(starts, dtype=np.int64)
        self.heads = heads
        self.labels = labels
        if self.nodes[len(self)] > min(len(heads), len(labels)):
            raise ValueError("each node needs a head and a label")

    def __len__(self):
        """How many sentences there are."""
        return self.nodes.shape[0] - 1

    cdef int begin(self, TransitionSystem system, Workspace work, Py_ssize_t s) except -1 nogil:
        """Start a sentence with its gold tree."""
        cdef token_t n = <token_t>(self.nodes[s + 1] - self.nodes[s]) - 1
        return work.begin_gold(system, n, &self.heads[self.nodes[s]], &self.labels[self.nodes[s]])


cdef class GraphTargets(Targets):
    """Gold graphs: heads, dependents and labels of all arcs; those of sentence i begin at `arcs[i]`."""

    def __init__(self, heads, dependents, labels, arcs, starts):
        self.starts = self.nodes = np.ascontiguousarray(starts, dtype=np.int64)
        self.arcs = np.ascontiguousarray(arcs, dtype=np.int64)
        self.heads, self.dependents, self.labels = heads, dependents, labels
        if len(arcs) != len(starts) or not len(heads) == len(dependents) == len(labels) == self.arcs[len(self)]:
            raise ValueError("the arcs do not fit the sentences")
        sizes = np.repeat(np.diff(starts), np.diff(arcs))
        if len(sizes) and (np.min(heads) < 0 or np.min(dependents) < 1 or (heads >= sizes).any()
                           or (dependents >= sizes).any()):
            raise ValueError("an arc leaves its sentence")

    cdef int begin(self, TransitionSystem system, Workspace work, Py_ssize_t s) except -1 nogil:
        """Start a sentence with its gold graph."""
        cdef token_t n = <token_t>(self.nodes[s + 1] - self.nodes[s]) - 1
        cdef token_t count = <token_t>(self.arcs[s + 1] - self.arcs[s])
        if count == 0:
            return work.begin_graph(system, n, 0, NULL, NULL, NULL)
        return work.begin_graph(system, n, count, &self.heads[self.arcs[s]], &self.dependents[self.arcs[s]],
                                &self.labels[self.arcs[s]])
