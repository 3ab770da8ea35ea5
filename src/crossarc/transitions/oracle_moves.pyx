"""The moves of the static oracle: how often it makes each, and all of its decisions."""
import numpy as np

from crossarc.core.typedefs cimport hash_t, int32_t, label_t, offset_t, token_t
from crossarc.learning.scorers cimport grouped
from crossarc.transitions.search cimport Greedy, fill_keys
from crossarc.transitions.state cimport State, words_for
from crossarc.transitions.system cimport Targets, TransitionSystem, Workspace, gold_label, make


def collect_actions(TransitionSystem system, Targets targets, label_t label_count):
    """Count the oracle's moves by label: returns an array of moves x (labels + 1), the last column for no label."""
    cdef Workspace work = Workspace(words_for(label_count))
    cdef Py_ssize_t s
    cdef token_t move
    cdef label_t label
    counts = np.zeros((len(system.moves), label_count + 1), dtype=np.int64)
    cdef offset_t[:, ::1] view = counts
    for s in range(len(targets)):
        with nogil:
            targets.begin(system, work, s)
            while not system.is_final(&work.state):
                move = system.oracle(&work.state, &work.gold)
                label = gold_label(system, &work.state, &work.gold, move)
                view[move, label if label >= 0 else label_count] += 1
                make(system, &work.state, move, label)
    return counts


def instances(Greedy search, const int32_t[:, ::1] tokens, Targets targets, const int32_t[::1] group_of=None):
    """Return the decisions of the static oracle, for learners that need all of them at once.

    These are the keys of the features of each; its action; and its group, `group_of` the tag of the first word in
    the buffer plus 1, or 0. Groups share no features: their keys differ.
    """
    cdef Workspace work = Workspace(search.set_words)
    cdef State* state = &work.state
    cdef Py_ssize_t s, at = 0
    cdef token_t move
    cdef label_t label
    cdef int32_t k, group
    cdef int32_t count = search.program.template_count
    cdef const int32_t* words
    decisions = collect_actions(search.system, targets, max(search.labels) + 1).sum()
    keys = np.empty((decisions, count), dtype=np.uint64)
    chosen, groups = np.empty((2, decisions), dtype=np.int32)
    cdef hash_t[:, ::1] key_view = keys
    cdef int32_t[::1] chosen_view = chosen
    cdef int32_t[::1] group_view = groups
    for s in range(len(targets)):
        words = &tokens[targets.nodes[s], 0]
        with nogil:
            targets.begin(search.system, work, s)
            while not search.system.is_final(state):
                fill_keys(&search.program, state, words, &key_view[at, 0])
                group = 0 if group_of is None else group_of[search.group_of(state, words)]
                for k in range(count):
                    key_view[at, k] = grouped(key_view[at, k], group)
                move = search.system.oracle(state, &work.gold)
                label = gold_label(search.system, state, &work.gold, move)
                chosen_view[at] = search.action_of(move, label)
                group_view[at] = group
                at += 1
                make(search.system, state, move, label)
    return keys, chosen, groups
