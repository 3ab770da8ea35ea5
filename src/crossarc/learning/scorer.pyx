"""The interface of scorers, which compute scores from feature keys.
"""
import numpy as np

from crossarc.core.typedefs cimport hash_t, int32_t, weight_t


cdef class Scorer:
    """Gives every action a score by the features of a state, an arc or a label.

    A score of 1 stands for `unit`: packed weights are whole numbers, and so are their sums, which float32 holds exactly
    (512 keys times 32,767 stay below 2^24).
    """

    cdef void score(self, const hash_t* keys, int32_t count, int32_t group, weight_t* out) noexcept nogil:
        """Write the score of every action to `out`, which has room for `score_room(actions)`.

        Only support vectors look at `group`: the part of speech of the first word in the buffer plus 1, or 0.
        """

    cdef void warm(self, const hash_t* keys, int32_t count) noexcept nogil:
        """Prefetch what the next call with these keys will read; most scorers prefetch during the call."""

    def for_thread(self):
        """Return a scorer that no other thread uses; scorers without memory of their own return themselves."""
        return self

    def scores(self, const hash_t[::1] keys, int32_t group=0):
        """Return the scores of all actions for some keys, 512 at most."""
        if keys.shape[0] > MOST_KEYS:
            raise ValueError(f"{keys.shape[0]} keys; {MOST_KEYS} are the most")
        result = np.zeros(score_room(self.actions), dtype=np.float32)
        cdef weight_t[::1] view = result
        if keys.shape[0] and self.actions:
            self.score(&keys[0], <int32_t>keys.shape[0], group, &view[0])
        return result[: self.actions]
