from crossarc.core.typedefs cimport hash_t, int32_t, score_t, weight_t
from crossarc.learning.weights cimport Weights

# A choice among actions, and what is known of it. The actions of `best` and `gold` are legal.
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
