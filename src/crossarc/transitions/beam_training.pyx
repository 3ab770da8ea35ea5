"""Learning from whole derivations in a beam."""
from crossarc.core.typedefs cimport hash_t, int32_t, label_t, offset_t, token_t, weight_t
from crossarc.learning.learners cimport UpdateRule
from crossarc.learning.scorers cimport Weights
from crossarc.transitions.search cimport MOST_TEMPLATES, Beam, Generations, fill_keys, follow
from crossarc.transitions.state cimport State, copy_state
from crossarc.transitions.system cimport Targets, Workspace, gold_label, make


cdef int find_gold(Beam search, Generations beam, Workspace work) except -1 nogil:
    """Find the actions of the oracle for the sentence in the workspace."""
    cdef State* state = &work.state
    cdef token_t move
    cdef label_t label
    while not search.system.is_final(state):
        if state.moves >= beam.path_room:
            beam.reserve_paths(2 * beam.path_room + 256)
        move = search.system.oracle(state, &work.gold)
        label = gold_label(search.system, state, &work.gold, move)
        beam.gold[state.moves] = search.action_of(move, label)
        make(search.system, state, move, label)
    beam.gold_count = state.moves
    return 0


cdef int learn_steps(Beam search, Weights weights, State* state, const int32_t* words, const int32_t* actions,
                     token_t count, weight_t step) except -1 nogil:
    """Add to the weights of all steps of a derivation after a state."""
    cdef hash_t keys[MOST_TEMPLATES]
    cdef token_t k
    for k in range(count):
        fill_keys(&search.program, state, words, keys)
        weights.update(keys, search.program.template_count, actions[k], step)
        follow(search, state, actions[k])
    return 0


def train_beam(Beam search, Weights weights, UpdateRule rule, const int32_t[:, ::1] tokens, Targets targets,
               const offset_t[::1] order, double explore=0.0):
    """Learn from sentences in an order, an epoch or a part of one; returns the counts of sentences and wrong ones.

    If the oracle's derivation is not the best, the model learns from both up to the step where the best one was
    furthest ahead (Huang et al. 2012, max-violation). `explore` has no effect: the states in a beam are those that
    the model leads to.
    """
    cdef Workspace work = Workspace(search.set_words)
    cdef Generations beam = Generations(search.width, search.actions, search.set_words)
    cdef State* state = &work.state
    cdef hash_t keys[MOST_TEMPLATES]
    cdef offset_t wrong = 0
    cdef Py_ssize_t i, s
    cdef token_t n, gold_steps, steps, at
    cdef int32_t last
    cdef double gold_score, most
    cdef weight_t step
    cdef const int32_t* words
    with nogil:
        for i in range(order.shape[0]):
            s = order[i]
            n = <token_t>(targets.nodes[s + 1] - targets.nodes[s]) - 1
            words = &tokens[targets.nodes[s], 0]
            targets.begin(search.system, work, s)
            beam.begin(search, n)
            find_gold(search, beam, work)
            work.begin(search.system, n)
            weights.now += 1
            most = gold_score = 0
            last = -1
            gold_steps = steps = 0
            while beam.advance(search, weights, words):
                if state.moves < beam.gold_count:
                    fill_keys(&search.program, state, words, keys)
                    weights.score(keys, search.program.template_count, 0, beam.scores)
                    gold_score += beam.scores[beam.gold[state.moves]]
                    follow(search, state, beam.gold[state.moves])
                if not beam.items[0].gold and (last < 0 or beam.items[0].score - gold_score > most):
                    most = beam.items[0].score - gold_score
                    last = beam.items[0].last
                    steps = beam.items[0].state.moves
                    gold_steps = state.moves
            if last < 0:
                continue
            wrong += 1
            beam.trace(last, steps)
            at = 0
            work.begin(search.system, n)
            while at < steps and at < gold_steps and beam.path[at] == beam.gold[at]:
                follow(search, state, beam.gold[at])
                at += 1
            copy_state(&beam.older[0].state, state)
            steps -= at
            gold_steps -= at
            step = rule.step(max(steps, gold_steps), -most, search.program.template_count * (steps + gold_steps))
            learn_steps(search, weights, state, words, beam.gold + at, gold_steps, step)
            learn_steps(search, weights, &beam.older[0].state, words, beam.path + at, steps, -step)
    return order.shape[0], wrong
