"""Learning one decision at a time, along the way of the oracle or of the model."""
from libc.stdlib cimport free, malloc

from crossarc.core.typedefs cimport hash_t, int32_t, label_t, offset_t, token_t, uint32_t, weight_t
from crossarc.learning.learners cimport Decision, UpdateRule
from crossarc.learning.scorers cimport Weights, score_room
from crossarc.transitions.search cimport MOST_TEMPLATES, Greedy, fill_keys, repeats
from crossarc.transitions.state cimport Arc, State
from crossarc.transitions.system cimport MOVES, Targets, Workspace, costs_label, gold_label, make

cdef enum:
    WRONG_LABEL = 1         # what a wrong label costs, as much as a lost arc


cdef inline bint happens(hash_t* random, double probability) noexcept nogil:
    """Draw the next random number: True with the given probability."""
    random[0] ^= random[0] << 13
    random[0] ^= random[0] >> 7
    random[0] ^= random[0] << 17
    return (random[0] >> 11) * (1.0 / 9007199254740992.0) < probability


def train_greedy(Greedy search, Weights weights, UpdateRule rule, const int32_t[:, ::1] tokens, Targets targets,
                 const offset_t[::1] order, double explore=0.0):
    """Learn from sentences in an order, an epoch or a part of one; returns the counts of decisions and wrong ones.

    After a wrong decision training follows the model with probability `explore`, so that it learns in states that
    the model leads to; else it follows the best action that loses least.
    """
    cdef Workspace work = Workspace(search.set_words)
    cdef State* state = &work.state
    cdef hash_t keys[MOST_TEMPLATES]
    cdef token_t costs[MOVES]
    cdef label_t gold_labels[MOVES]
    cdef hash_t random = weights.random
    cdef offset_t decisions = 0, wrong = 0
    cdef Py_ssize_t i, s
    cdef token_t move
    cdef int32_t a, best, gold
    cdef uint32_t legal
    cdef const int32_t* words
    cdef Arc arcs[MOVES]
    cdef Decision decision
    cdef int32_t count = search.program.template_count
    cdef weight_t* scores = <weight_t*>malloc(2 * score_room(search.actions) * sizeof(weight_t))
    cdef int32_t* losses = <int32_t*>(scores + score_room(search.actions))
    if scores == NULL:
        raise MemoryError
    decision.keys = keys
    decision.key_count = count
    decision.scores = scores
    decision.costs = losses
    decision.action_count = search.actions
    try:
        with nogil:
            for i in range(order.shape[0]):
                s = order[i]
                words = &tokens[targets.nodes[s], 0]
                targets.begin(search.system, work, s)
                while not search.system.is_final(state):
                    legal = search.system.legal(state)
                    search.system.costs(state, &work.gold, costs)
                    for move in range(MOVES):
                        gold_labels[move] = -1
                        if legal >> move & 1:
                            arcs[move] = search.system.arc_of(state, move)
                            gold_labels[move] = gold_label(search.system, state, &work.gold, move)
                    fill_keys(&search.program, state, words, keys)
                    weights.score(keys, count, 0, scores)
                    best = gold = -1
                    for a in range(search.actions):
                        move = search.moves[a]
                        losses[a] = -1
                        if not legal >> move & 1 or repeats(search, state, arcs[move], search.labels[a]):
                            continue
                        losses[a] = costs[move]
                        if costs_label(search.system, state, &work.gold, arcs[move], gold_labels[move],
                                       search.labels[a]):
                            losses[a] += WRONG_LABEL
                        if best < 0 or scores[a] > scores[best]:
                            best = a
                        if (gold < 0 or losses[a] < losses[gold]
                                or (losses[a] == losses[gold] and scores[a] > scores[gold])):
                            gold = a
                    if best < 0:
                        make(search.system, state, search.system.last_resort, -1)
                        continue
                    decisions += 1
                    weights.now += 1
                    decision.best = best
                    decision.gold = gold
                    rule.learn(weights, &decision)
                    if losses[best] > losses[gold]:
                        wrong += 1
                        if not happens(&random, explore):
                            best = gold
                    make(search.system, state, search.moves[best], search.labels[best])
    finally:
        free(scores)
    weights.random = random
    return decisions, wrong
