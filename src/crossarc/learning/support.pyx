"""Scores by support vectors with a polynomial kernel: what LIBSVM learned, without LIBSVM.

Features are either there or not, so the product of a state and a support vector is the number of features they share.
An index from features to the support vectors that have them counts these; all else is sums over vectors and classes.
"""
import numpy as np

from libc.stdlib cimport free
from libc.string cimport memset

from crossarc.core.allocation cimport renew
from crossarc.core.typedefs cimport hash_t, int32_t, offset_t, score_t, weight_t


# The arrays of a model. Each group of instances is a machine of its own.
ARRAYS = {
    "keys": np.uint64,          # of the features that some support vector has, ascending
    "starts": np.int64,         # where in `vectors` the support vectors with a feature begin, and their end
    "vectors": np.int32,        # support vectors, counted from 0 in each group
    "group_of": np.int32,       # for no tag, and then each tag
    "shapes": np.int32,         # for each group: how many support vectors and how many classes
    "classes": np.int32,        # the actions of each group, group after group
    "sizes": np.int32,          # how many support vectors each class has, in the order of `classes`
    "coefficients": np.float32,  # vectors x (classes - 1) of each group
    "intercepts": np.float64,   # pairs of classes of each group: (0, 1), (0, 2) ... (1, 2) ...
    "kernel": np.float64,       # gamma, coef0 and degree of (gamma * shared + coef0) ** degree
}


# Of the kernel: its values are then below 1e130, and sums of them finite.
GREATEST_FACTOR, GREATEST_DEGREE = 1000, 20


def check_arrays(arrays, int32_t actions):
    """Refuse arrays that native code could not read safely, with `ValueError`."""
    keys, starts, vectors, shapes = (arrays[name] for name in ("keys", "starts", "vectors", "shapes"))
    valid = all(arrays[name].dtype == dtype and arrays[name].ndim == (2 if name == "shapes" else 1)
                for name, dtype in ARRAYS.items())
    valid = valid and shapes.shape[1] == 2 and len(shapes) > 0 and (shapes >= (0, 1)).all()
    if valid:
        counts, kinds = shapes[:, 0].astype(np.int64), shapes[:, 1].astype(np.int64)
        ends = np.cumsum(kinds)
        valid = (
            len(starts) == len(keys) + 1 and starts[0] == 0 and starts[-1] == len(vectors)
            and (starts[1:] >= starts[:-1]).all()
            and vectors.min(initial=0) >= 0 and vectors.max(initial=-1) < counts.max()
            and arrays["group_of"].min(initial=0) >= 0 and arrays["group_of"].max(initial=0) < len(shapes)
            and len(arrays["group_of"]) > 0
            and len(arrays["classes"]) == len(arrays["sizes"]) == ends[-1]
            and arrays["classes"].min(initial=0) >= 0 and arrays["classes"].max(initial=0) < actions
            and arrays["sizes"].min(initial=0) >= 0
            and (np.add.reduceat(arrays["sizes"].astype(np.int64), ends - kinds) == counts).all()
            and len(arrays["coefficients"]) == (counts * (kinds - 1)).sum()
            and len(arrays["intercepts"]) == (kinds * (kinds - 1) // 2).sum()
            and len(arrays["kernel"]) == 3 and (np.abs(arrays["kernel"][:2]) <= GREATEST_FACTOR).all()
            and arrays["kernel"][2] in range(1, GREATEST_DEGREE + 1)
        )
    if not valid:
        raise ValueError("the support vectors of the model do not fit together")


cdef class SupportVectors(Scorer):
    """A scorer over the arrays of a model, with memory of its own: one for each thread.

    The score of an action is its votes among all pairs and, within a third of a vote, how clear they are: what
    scikit-learn's `SVC.decision_function` gives. Actions that a group never saw have -1.
    """

    cdef const hash_t[::1] keys
    cdef const offset_t[::1] starts
    cdef const int32_t[::1] vectors
    cdef const int32_t[::1] group_of
    cdef const int32_t[:, ::1] shapes
    cdef const int32_t[::1] classes
    cdef const int32_t[::1] sizes
    cdef const weight_t[::1] coefficients
    cdef const score_t[::1] intercepts
    cdef object offsets_array
    cdef const offset_t[:, ::1] offsets     # where each group begins in classes, coefficients and intercepts
    cdef score_t gamma
    cdef score_t coef0
    cdef int32_t degree
    cdef readonly dict arrays
    cdef int32_t* shared                    # with each support vector of the group
    cdef score_t* pairs                     # classes x classes, the lower class first
    cdef int32_t room                       # for so many support vectors

    def __cinit__(self, *args):
        self.shared = NULL
        self.pairs = NULL

    def __init__(self, arrays, int32_t actions):
        check_arrays(arrays, actions)
        shapes = np.ascontiguousarray(arrays["shapes"])
        counts, kinds = shapes[:, 0].astype(np.int64), shapes[:, 1].astype(np.int64)
        steps = np.stack([kinds, counts * (kinds - 1), kinds * (kinds - 1) // 2], axis=1)
        self.offsets_array = np.ascontiguousarray(np.cumsum(steps, axis=0) - steps)
        self.offsets = self.offsets_array
        self.keys = arrays["keys"]
        self.starts = arrays["starts"]
        self.vectors = arrays["vectors"]
        self.group_of = arrays["group_of"]
        self.shapes = shapes
        self.classes = arrays["classes"]
        self.sizes = arrays["sizes"]
        self.coefficients = arrays["coefficients"]
        self.intercepts = arrays["intercepts"]
        self.gamma, self.coef0, degree = arrays["kernel"]
        self.degree = int(degree)
        self.arrays = arrays
        self.actions = actions
        self.unit = 1
        self.room = counts.max()
        renew(<void**>&self.shared, (<size_t>self.room + 1) * sizeof(int32_t))
        renew(<void**>&self.pairs, (<size_t>(kinds.max()) ** 2 + 1) * sizeof(score_t))

    def __dealloc__(self):
        free(self.shared)
        free(self.pairs)

    def to_arrays(self):
        """Return what a model file keeps."""
        return {f"support.{name}": array for name, array in self.arrays.items()}

    @staticmethod
    def from_arrays(arrays, int32_t actions):
        """Return the support vectors that a model file keeps."""
        return SupportVectors({name: arrays[f"support.{name}"] for name in ARRAYS}, actions)

    def for_thread(self):
        """Return a scorer over the same arrays with memory of its own."""
        return SupportVectors(self.arrays, self.actions)

    cdef void score(self, const hash_t* keys, int32_t count, int32_t group, weight_t* out) noexcept nogil:
        # Tags that training did not have are in the group of those that are rare, the first.
        cdef int32_t machine = self.group_of[group] if group < self.group_of.shape[0] else 0
        cdef int32_t n = self.shapes[machine, 0], kinds = self.shapes[machine, 1]
        cdef const int32_t* classes = &self.classes[self.offsets[machine, 0]]
        cdef const int32_t* sizes = &self.sizes[self.offsets[machine, 0]]
        cdef int32_t a, c, d, i, k, other, _power
        cdef Py_ssize_t place
        cdef offset_t at, pair
        cdef const weight_t* row
        cdef score_t kernel, product, value, votes, clear
        for a in range(self.actions):
            out[a] = -1
        memset(self.shared, 0, n * sizeof(int32_t))
        memset(self.pairs, 0, <size_t>kinds * kinds * sizeof(score_t))
        for k in range(count):
            place = self.place_of(grouped(keys[k], machine))
            if place >= 0:
                for at in range(self.starts[place], self.starts[place + 1]):
                    if self.vectors[at] < n:
                        self.shared[self.vectors[at]] += 1
        i = 0
        for c in range(kinds):
            for _ in range(sizes[c]):
                product = self.gamma * self.shared[i] + self.coef0
                kernel = product
                for _power in range(1, self.degree):
                    kernel *= product
                row = &self.coefficients[self.offsets[machine, 1]] + <offset_t>i * (kinds - 1)
                for other in range(c):
                    self.pairs[other * kinds + c] += kernel * row[other]
                for other in range(c + 1, kinds):
                    self.pairs[c * kinds + other] += kernel * row[other - 1]
                i += 1
        pair = self.offsets[machine, 2]
        for c in range(kinds):
            for d in range(c + 1, kinds):
                self.pairs[c * kinds + d] += self.intercepts[pair]
                pair += 1
        for c in range(kinds):
            votes = clear = 0
            for d in range(kinds):
                if c == d:
                    continue
                value = self.pairs[c * kinds + d] if c < d else -self.pairs[d * kinds + c]
                # As scikit-learn has it, a tie goes to the first of two classes.
                votes += value > 0 or (value == 0 and c < d)
                clear += value
            out[classes[c]] = <weight_t>(votes + clear / (3 * (abs(clear) + 1)))

    cdef Py_ssize_t place_of(self, hash_t key) noexcept nogil:
        """The place of a key, -1 if it is not there."""
        cdef Py_ssize_t low = 0, high = self.keys.shape[0], middle
        while low < high:
            middle = (low + high) // 2
            if self.keys[middle] < key:
                low = middle + 1
            else:
                high = middle
        return low if low < self.keys.shape[0] and self.keys[low] == key else -1
