"""The memory for the derivation of a sentence: its state, its gold tree, and the arrays of reconstruction."""
from libc.stdlib cimport free, malloc

from crossarc.core.allocation cimport resize
from crossarc.core.typedefs cimport label_t, score_t, token_t
from crossarc.transitions.state cimport State, release_state, reserve_state, reset_state


cdef class Workspace:
    """A state, its gold tree and the memory for both, for one thread.

    `set_words` is the number of 64-bit words that a set of labels takes.
    """

    def __cinit__(self, token_t set_words, *of_subclasses):
        self.set_words = set_words

    def __dealloc__(self):
        release_state(&self.state)
        free(self.gold.extra)
        free(self.graph_memory)
        free(self.scratch)

    cdef int reserve(self, token_t n) except -1 nogil:
        """Make room for a sentence of n words."""
        reserve_state(&self.state, n, self.set_words)
        if self.gold.extra != NULL and n <= self.room:
            return 0
        free(self.gold.extra)
        free(self.scratch)
        self.gold.extra = <token_t*>malloc((<size_t>n + 1) * 9 * sizeof(token_t))
        self.scratch = <token_t*>malloc((<size_t>n + 2) * ((SCRATCH + 2) * sizeof(token_t) + 2 * sizeof(score_t)))
        if self.gold.extra == NULL or self.scratch == NULL:
            raise MemoryError
        self.gold.scratch = self.gold.extra + n + 1
        self.turn = <score_t*>self.scratch
        self.turned_label = <label_t*>(self.turn + 2 * (n + 2))
        self.room = n
        return 0

    cdef void set_gold(self, token_t n, const token_t* heads, const label_t* labels) noexcept nogil:
        """Take the gold heads and labels of a sentence."""
        self.gold.n = n
        self.gold.heads = heads
        self.gold.labels = labels

    cdef void begin(self, TransitionSystem system, token_t n) noexcept nogil:
        """Start a sentence without a gold tree."""
        reset_state(&self.state, n)
        system.start(&self.state)

    cdef int begin_gold(self, TransitionSystem system, token_t n, const token_t* heads,
                        const label_t* labels) except -1 nogil:
        """Make room for a sentence and start it with its gold tree."""
        self.reserve(n)
        self.begin(system, n)
        self.set_gold(n, heads, labels)
        system.prepare(&self.gold)
        return 0

    cdef int begin_graph(self, TransitionSystem system, token_t n, token_t count, const token_t* heads,
                         const token_t* dependents, const label_t* labels) except -1 nogil:
        """Make room for a sentence and start it with its gold graph, given by its arcs."""
        cdef Py_ssize_t needed = <Py_ssize_t>n + 2 + 2 * <Py_ssize_t>count
        cdef token_t k, node
        self.reserve(n)
        self.begin(system, n)
        if needed > self.graph_room:
            resize(<void**>&self.graph_memory, 2 * needed * sizeof(token_t))
            self.graph_room = 2 * needed
        self.gold.n = n
        self.gold.arcs = count
        self.gold.arc_heads = heads
        self.gold.arc_dependents = dependents
        self.gold.arc_labels = labels
        self.gold.first = self.graph_memory
        self.gold.by_node = self.graph_memory + n + 2
        # Counted, summed up to where each node ends, and filled in from behind.
        for node in range(n + 2):
            self.gold.first[node] = 0
        for k in range(count):
            self.gold.first[heads[k]] += 1
            self.gold.first[dependents[k]] += 1
        for node in range(1, n + 2):
            self.gold.first[node] += self.gold.first[node - 1]
        for k in range(count - 1, -1, -1):
            self.list_arc(heads[k], k)
            self.list_arc(dependents[k], k)
        return 0

    cdef inline void list_arc(self, token_t node, token_t arc) noexcept nogil:
        """Put an arc before those of a node."""
        self.gold.first[node] -= 1
        self.gold.by_node[self.gold.first[node]] = arc

    cdef void resulting_tree(self, TransitionSystem system, State* state, label_t root_label, bint annotated,
                             bint keep_root_links, token_t* heads, label_t* labels) noexcept nogil:
        """The tree of a final state; with `annotated` the labels say which way the links should point.

        Words that an undirected system did not link, and that are attached to the root word, have no label, -1.
        """
        cdef token_t node
        if annotated:
            self.reconstruct(state, keep_root_links, system.single_root, root_label)
        else:
            system.finish(state, root_label)
        for node in range(state.n + 1):
            heads[node] = state.heads[node]
            labels[node] = state.labels[node]

    cdef void reconstruct(self, State* state, bint keep_root_links, bint single_root,
                          label_t root_label) noexcept nogil:
        """Heads and labels of an undirected parse whose labels say which way their links should point.

        A label X comes as 2 X if the head should be on the right, as 2 X + 1 if on the left. Annotations have equal
        weights, or with `scored` weights from the scores that `note_link` stored.
        """
        cdef token_t n = state.n
        cdef score_t* costs = self.turn + self.room + 2
        cdef token_t* via = self.turned_label + self.room + 2
        cdef Links links
        cdef token_t word, k
        cdef label_t label
        if not self.scored:
            for k in range(state.arcs):
                self.turn[k] = 1 if state.arc_label[k] & 1 else -1
        links.n = n
        links.m = state.arcs
        links.left = state.arc_head
        links.right = state.arc_dependent
        links.turn = self.turn
        links.root = NULL
        links.keep_root_links = keep_root_links
        links.single_root = single_root
        orient(&links, state.heads, via, via + self.room + 2, costs)
        state.labels[0] = -1
        for word in range(1, n + 1):
            k = via[word]
            if k < 0:
                state.labels[word] = root_label if state.heads[word] == 0 else -1
                continue
            label = state.arc_label[k]
            if self.scored and (label & 1) != (state.heads[word] < word):
                label = self.turned_label[k]
            state.labels[word] = label >> 1
