"""How weights change after a decision: one rule for each learner that learns as it goes.

A rule sees a decision as features, scores and costs, so any search can use it. What a structured learner needs of it,
over whole parses instead of actions, are `margin_step` and `log_loss_gradient`.
"""
import numpy as np

from libc.math cimport INFINITY, exp, sqrt
from libc.stdlib cimport free

from crossarc.core.allocation cimport renew
from crossarc.core.typedefs cimport hash_t, int32_t, score_t, weight_t
from crossarc.learning.scorers cimport MOST_ACTIONS, MOST_KEYS, Slot, Weights


cdef score_t NEGLIGIBLE = 0.01  # actions whose gradient is smaller are left alone, so that rows stay short


cdef class UpdateRule:
    """Base of the rules that learn from one decision."""

    cdef int learn(self, Weights weights, const Decision* decision) except -1 nogil:
        """Change the weights; `weights.now` is already the number of this decision."""
        return 0

    cdef weight_t step(self, score_t loss, score_t margin, score_t squared_norm) noexcept nogil:
        """The step away from a wrong parse, given its loss and the margin of gold over it."""
        return 1

    def teach(self, Weights weights, const hash_t[::1] keys, const int32_t[::1] costs):
        """Learn from one decision in a state with these features, -1 as the cost of what is not legal."""
        cdef Decision decision
        cdef int32_t a
        if not 0 < keys.shape[0] <= MOST_KEYS or costs.shape[0] != weights.actions or max(costs) < 0:
            raise ValueError(f"a decision has 1 to {MOST_KEYS} features, and a cost for each action, one of them legal")
        scores = weights.scores(keys)
        cdef const weight_t[::1] view = scores
        decision.keys = &keys[0]
        decision.key_count = keys.shape[0]
        decision.scores = &view[0]
        decision.costs = &costs[0]
        decision.action_count = weights.actions
        decision.best = decision.gold = -1
        for a in range(weights.actions):
            if costs[a] < 0:
                continue
            if decision.best < 0 or view[a] > view[decision.best]:
                decision.best = a
            if (decision.gold < 0 or costs[a] < costs[decision.gold]
                    or (costs[a] == costs[decision.gold] and view[a] > view[decision.gold])):
                decision.gold = a
        if weights.squares == NULL and isinstance(self, MaximumEntropy):
            raise ValueError("weights with squares are needed")
        weights.now += 1
        self.learn(weights, &decision)


cdef int move_apart(Weights weights, const Decision* decision, int32_t other, weight_t step) except -1 nogil:
    """Raise the gold action and lower another by as much."""
    cdef int32_t k
    cdef Slot* slot
    for k in range(decision.key_count):
        slot = weights.due(decision.keys[k])
        if slot != NULL:
            weights.change(slot, decision.gold, step)
            weights.change(slot, other, -step)
    return 0


cdef class Perceptron(UpdateRule):
    """The averaged perceptron (Collins 2002): if the best action is wrong, one step towards the gold one."""

    cdef int learn(self, Weights weights, const Decision* decision) except -1 nogil:
        if decision.costs[decision.best] > decision.costs[decision.gold]:
            move_apart(weights, decision, decision.best, 1)
        return 0


cdef weight_t margin_step(score_t loss, score_t margin, score_t squared_norm, score_t most) noexcept nogil:
    """The least step, and at most `most`, after which a margin reaches a loss (Crammer et al. 2006, PA-I).

    The margin is the score of gold less that of a wrong one, whose features differ by a vector of this squared norm.
    """
    if margin >= loss or squared_norm <= 0:
        return 0
    return <weight_t>min(most, (loss - margin) / squared_norm)


cdef class Mira(UpdateRule):
    """Passive-aggressive learning (Crammer et al. 2006) with a margin that grows with the cost, averaged.

    The weights move away from the action that violates its margin most; the square root of the cost keeps moves that
    lose many arcs from deciding everything.
    """

    cdef score_t most

    def __init__(self, score_t cost):
        self.most = cost

    cdef weight_t step(self, score_t loss, score_t margin, score_t squared_norm) noexcept nogil:
        return margin_step(loss, margin, squared_norm, self.most)

    cdef int learn(self, Weights weights, const Decision* decision) except -1 nogil:
        cdef int32_t a, k, counting = 0, worst = -1, least = decision.costs[decision.gold]
        cdef score_t loss = 0, margin = 0, other_loss, other_margin
        cdef weight_t step
        for a in range(decision.action_count):
            if decision.costs[a] <= least:
                continue
            other_loss = sqrt(<score_t>(decision.costs[a] - least))
            other_margin = decision.scores[decision.gold] - decision.scores[a]
            if worst < 0 or other_loss - other_margin > loss - margin:
                worst = a
                loss = other_loss
                margin = other_margin
        if worst < 0 or margin >= loss:
            return 0
        for k in range(decision.key_count):
            counting += weights.due(decision.keys[k]) != NULL
        step = margin_step(loss, margin, 2 * counting, self.most)
        if step > 0:
            move_apart(weights, decision, worst, step)
        return 0


cdef void log_loss_gradient(const weight_t* scores, const int32_t* costs, int32_t count,
                            score_t* gradient) noexcept nogil:
    """The gradient, by the scores, of minus the log probability that a choice is one of those that cost least.

    The probabilities are the softmax over what is legal; at least one choice must be.
    """
    cdef int32_t a, least = -1
    cdef score_t greatest = -INFINITY, best_right = -INFINITY, total = 0, right = 0
    for a in range(count):
        if costs[a] < 0:
            continue
        greatest = max(greatest, scores[a])
        if least < 0 or costs[a] < least:
            least = costs[a]
            best_right = -INFINITY
        if costs[a] == least:
            best_right = max(best_right, scores[a])
    for a in range(count):
        gradient[a] = exp(scores[a] - greatest) if costs[a] >= 0 else 0
        total += gradient[a]
        if costs[a] == least:
            right += exp(scores[a] - best_right)
    for a in range(count):
        gradient[a] /= total
        if costs[a] == least:
            gradient[a] -= exp(scores[a] - best_right) / right


cdef class MaximumEntropy(UpdateRule):
    """Maximum entropy: a softmax over the legal actions, a rate for each weight (AdaGrad), and L2.

    The penalty falls on the weights that a decision touches, so that it costs nothing for the others.
    """

    cdef score_t rate
    cdef score_t l2
    cdef score_t* gradient

    def __cinit__(self, *args, **options):
        renew(<void**>&self.gradient, MOST_ACTIONS * sizeof(score_t))

    def __init__(self, score_t learning_rate, score_t l2):
        self.rate = learning_rate
        self.l2 = l2

    def __dealloc__(self):
        free(self.gradient)

    cdef int learn(self, Weights weights, const Decision* decision) except -1 nogil:
        cdef int32_t a, k
        cdef Py_ssize_t entry
        cdef Slot* slot
        cdef score_t slope
        cdef bint touched = False
        log_loss_gradient(decision.scores, decision.costs, decision.action_count, self.gradient)
        for a in range(decision.action_count):
            touched = touched or abs(self.gradient[a]) >= NEGLIGIBLE
        if not touched:
            return 0
        for k in range(decision.key_count):
            slot = weights.due(decision.keys[k])
            if slot == NULL:
                continue
            for a in range(decision.action_count):
                if abs(self.gradient[a]) < NEGLIGIBLE:
                    continue
                entry = weights.entry_of(slot, a)
                slope = self.gradient[a] + self.l2 * weights.entries[entry].weight
                weights.squares[entry] += <weight_t>(slope * slope)
                weights.add_to(entry, <weight_t>(-self.rate * slope / sqrt(1 + weights.squares[entry])))
        return 0


def gradient_of(const weight_t[::1] scores, const int32_t[::1] costs):
    """The gradient of the log loss by the scores, for costs of which some are not below 0."""
    if not 0 < scores.shape[0] == costs.shape[0] or max(costs) < 0:
        raise ValueError("a cost is needed for each score, and something must be legal")
    result = np.empty(scores.shape[0])
    cdef score_t[::1] view = result
    log_loss_gradient(&scores[0], &costs[0], <int32_t>scores.shape[0], &view[0])
    return result
