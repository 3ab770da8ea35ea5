"""Scores of parts as arrays over all nodes, of one sentence or a batch: checked, constrained, and made sparse.

`arcs[d, h]`, `siblings[d, h, s]` and `grandchildren[d, h, c]` are described at `carreras`. Arcs whose labels are all
-inf, or that constraints rule out, are not candidates. Only cells that a tree of candidate arcs can use are read.
"""
import numpy as np

from crossarc.core.typedefs cimport int32_t, score_t, token_t

from crossarc.decode.decoder cimport BAD_SCORE, LARGEST, NO_PROJECTIVE_TREE, Matrices, is_sound_score

from crossarc.decode.constraints import constrained
from crossarc.decode.decoder import changed, checked_array, checked_lengths, failure, is_solvable
from crossarc.decode.projective import Eisner
from crossarc.errors import DecodeError


cdef class DenseParts:
    """The scores of one sentence or of many."""

    def __cinit__(self, arcs, siblings, grandchildren, lengths, bint labelled):
        array = checked_array(arcs, "arcs")
        self.labelled = labelled
        self.single = array.ndim == 2 + labelled
        if array.ndim not in (2 + labelled, 3 + labelled):
            raise shape_error(array.shape, labelled)
        whole = array if labelled else array[..., None]
        whole = whole[None] if self.single else whole
        if whole.shape[1] == 0 or whole.shape[1] != whole.shape[2] or whole.shape[3] == 0:
            raise shape_error(array.shape, labelled)
        self.arcs = whole
        self.size, self.width, self.labels = whole.shape[0], whole.shape[1], whole.shape[3]
        self.heads_shape = array.shape[:1] if self.single else array.shape[:2]
        shape = (*self.heads_shape, self.width, self.width, *([self.labels] if labelled else []))
        self.siblings = self.of_shape(siblings, "siblings", shape)
        self.grandchildren = self.of_shape(grandchildren, "grandchildren", shape)
        if lengths is None:
            lengths = np.full(self.size, self.width - 1)
        self.lengths = checked_lengths(lengths, self.size, self.width - 1, self.single)
        self.words_view = self.lengths
        self.arrays = {"arcs": whole, "siblings": np.asarray(self.siblings),
                       "grandchildren": np.asarray(self.grandchildren)}
        self.check_arcs()
        best = whole[..., 0] if self.labels == 1 else whole.max(axis=-1)
        self.best = np.ascontiguousarray(best[0] if self.single else best)

    def of_shape(self, values, name, shape):
        """Scores of pairs of arcs with axes for sentences and labels."""
        array = checked_array(values, name)
        if array.shape != shape:
            raise DecodeError(f"{name} must have the shape {shape} that goes with the arcs, not {array.shape}")
        return array.reshape(self.size, self.width, self.width, self.width, self.labels)

    def words(self):
        """True where a node of a batch is a word, false for node 0 and padding."""
        nodes = np.arange(self.width)
        return (nodes > 0) & (nodes <= self.lengths[:, None])

    def place(self, s):
        """Where an error is: the sentence, if there are many."""
        return "" if self.single else f"sentence {s}: "

    def arc_scores(self, s):
        return np.asarray(self.arcs)[s]

    def result(self, heads, labels):
        """Heads, or heads and labels, in the shape of the arguments."""
        if self.single:
            heads, labels = heads[0], labels[0]
        return (heads, labels) if self.labelled else heads

    def check_arcs(self):
        """Raise for the first score of an arc that cannot be used."""
        words = self.words()
        nodes = words.copy()
        nodes[:, 0] = True
        used = words[:, :, None] & nodes[:, None, :] & ~np.eye(self.width, dtype=bool)
        wrong = first_unsound(self.arrays["arcs"], used)
        if wrong is not None:
            raise self.unsound("arcs", wrong)

    def constrain(self, required, forbidden):
        """Leave only candidate arcs: those that are neither -inf nor ruled out."""
        scores = self.best
        if required is not None or forbidden is not None:
            scores = constrained(scores, self.lengths, required, forbidden)
        allowed = ~np.isneginf(scores)
        self.allowed = np.ascontiguousarray(allowed[None] if self.single else allowed).view(np.uint8)

    cdef token_t length(self, Py_ssize_t s) noexcept nogil:
        return self.words_view[s]

    cdef bint fill(self, Py_ssize_t s, PartScores parts) except -1 nogil:
        """Put the scores of a sentence into a container; false if one of them cannot be used."""
        cdef token_t n = self.length(s), d, h, child
        cdef int32_t count = 0, arc, p, begin, row
        cdef bint sound = True
        for d in range(1, n + 1):
            for h in range(n + 1):
                if h != d and self.allowed[s, d, h]:
                    count += 1
        parts.begin(n, count)
        arc = 0
        for d in range(1, n + 1):
            for h in range(n + 1):
                if h != d and self.allowed[s, d, h]:
                    parts.heads[arc] = h
                    parts.dependents[arc] = d
                    parts.label_count[arc] = self.labels
                    arc += 1
        parts.index()
        for arc in range(count):
            h = parts.heads[arc]
            d = parts.dependents[arc]
            sound &= copy(parts.scores + parts.arc_at[arc], &self.arcs[s, d, h, 0], self.labels)
            sound &= copy(parts.scores + parts.sibling_at[arc], &self.siblings[s, d, h, h, 0], self.labels)
            begin = parts.first_outgoing[h]
            for row in range(1, parts.rank(arc)):
                p = parts.left_count[h] + row - 1 if h < d else parts.left_count[h] - row
                child = parts.dependents[parts.outgoing[begin + p]]
                sound &= copy(parts.scores + parts.sibling_at[arc] + <Py_ssize_t>row * self.labels,
                              &self.siblings[s, d, h, child, 0], self.labels)
            sound &= copy(parts.scores + parts.grand_at[arc] + NO_BETWEEN * self.labels,
                          &self.grandchildren[s, d, h, d, 0], self.labels)
            sound &= copy(parts.scores + parts.grand_at[arc] + NO_BEYOND * self.labels,
                          &self.grandchildren[s, d, h, h, 0], self.labels)
            begin = parts.first_outgoing[d]
            for p in range(parts.outdegree(d)):
                child = parts.dependents[parts.outgoing[begin + p]]
                if child != h:
                    sound &= copy(parts.scores + parts.grand_at[arc] + <Py_ssize_t>(FIRST_CHILD + p) * self.labels,
                                  &self.grandchildren[s, d, h, child, 0], self.labels)
        return sound

    def failure(self, s, outcome, single_root, required, forbidden):
        """The error for a sentence that could not be decoded."""
        if outcome == BAD_SCORE:
            return self.bad_score(s)
        n = self.lengths[s] + 1
        allowed = np.where(np.asarray(self.allowed)[s, :n, :n], 0.0, -np.inf)
        if not is_solvable(Eisner(single_root), allowed):
            given = Matrices(self.best, self.lengths)
            return failure(Eisner(single_root), given, required, forbidden, s, NO_PROJECTIVE_TREE)
        return DecodeError(f"{self.place(s)}siblings and grandchildren that are -inf leave no projective tree; allow "
                           "more of them")

    def bad_score(self, s):
        """The error that names the first sibling or grandchild whose score cannot be used."""
        allowed = np.asarray(self.allowed, dtype=bool)[s] & ~np.eye(self.width, dtype=bool)
        allowed &= self.words()[s][:, None] & (np.arange(self.width) <= self.lengths[s])
        d, h, x = np.ogrid[:self.width, :self.width, :self.width]
        between = (h < x) & (x < d) | (d < x) & (x < h)
        used = {
            "siblings": allowed[:, :, None] & ((x == h) | between & allowed.T[None]),
            "grandchildren": allowed[:, :, None] & ((x == h) | (x == d) | allowed.T[:, None, :]),
        }
        for name, cells in used.items():
            wrong = first_unsound(self.arrays[name][s], cells)
            if wrong is not None:
                return self.unsound(name, (s, *wrong))
        return changed(self.place(s))

    def unsound(self, name, cell):
        """The error that names a score that is NaN, inf or too large."""
        value = self.arrays[name][tuple(cell)]
        inside = ", ".join(str(i) for i in cell[1:len(cell) if self.labelled else len(cell) - 1])
        what = "arc" if name == "arcs" else "pair of arcs"
        shown = "NaN" if np.isnan(value) else f"{value:g}"
        return DecodeError(f"{self.place(cell[0])}{name}[{inside}] is {shown}; scores are numbers below 1e300 in size, "
                           f"or -inf for a forbidden {what}")


cdef inline bint copy(score_t* to, const score_t* values, int32_t size) noexcept nogil:
    """Copy scores; false if one of them cannot be summed."""
    cdef int32_t i
    cdef bint sound = True
    for i in range(size):
        to[i] = values[i]
        sound &= is_sound_score(to[i])
    return sound


def shape_error(shape, labelled):
    last = ", labels" if labelled else ""
    return DecodeError(f"arcs must have the shape (n + 1, n + 1{last}), or (sentences, N + 1, N + 1{last}) for a "
                       f"batch, not {shape}")


def first_unsound(scores, used):
    """The first cell in use that is NaN, inf or too large, or None; the last axis of scores is labels."""
    with np.errstate(invalid="ignore"):
        bad = ~((np.abs(scores) < LARGEST) | (scores == -np.inf))
    wrong = np.argwhere(bad & used[..., None])
    return tuple(int(i) for i in wrong[0]) if len(wrong) else None
