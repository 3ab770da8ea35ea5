from crossarc.core.typedefs cimport hash_t, int32_t, score_t, weight_t

from crossarc.learning.scorers cimport Weights


# A choice among actions, and what is known about it. The actions of `best` and `gold` are legal.
cdef struct Decision:
    const hash_t* keys          # the features of the state
    int32_t key_count
    const weight_t* scores      # of every action
    const int32_t* costs        # of every action: what is lost by it; below 0 where it is not legal
    int32_t action_count
    int32_t best                # the action with the highest score
    int32_t gold                # the one with the highest score among those that cost least

cdef class UpdateRule:
    cdef int learn(self, Weights weights, const Decision* decision) except -1 nogil
    cdef weight_t step(self, score_t loss, score_t margin, score_t squared_norm) noexcept nogil

cdef weight_t margin_step(score_t loss, score_t margin, score_t squared_norm, score_t most) noexcept nogil
cdef void log_loss_gradient(const weight_t* scores, const int32_t* costs, int32_t count,
                            score_t* gradient) noexcept nogil


# A sparse vector of features, the difference between a right and a wrong structure.
cdef struct Feature:
    hash_t key
    int32_t action
    weight_t value
    int32_t place               # where `places` has it


cdef class Differences:
    cdef Feature* features
    cdef int32_t* places        # open addressing from hashes to features, numbered from 1; 0 where free
    cdef hash_t mask
    cdef int32_t size
    cdef int32_t room

    cdef void begin(self) noexcept nogil
    cdef int grow(self, Py_ssize_t needed) except -1 nogil
    cdef hash_t find(self, hash_t key, int32_t action) noexcept nogil
    cdef int add(self, const hash_t* keys, int32_t count, int32_t action, weight_t value) except -1 nogil
    cdef score_t settle(self, Weights weights) noexcept nogil
    cdef int apply(self, Weights weights, score_t step) except -1 nogil
