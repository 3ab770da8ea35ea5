"""Learning moves and labels by weights of their own, for the search in two stages."""
import numpy as np

from crossarc.core.typedefs cimport hash_t, int32_t, label_t, offset_t, token_t, uint32_t, weight_t
from crossarc.learning.learners cimport UpdateRule
from crossarc.learning.scorers cimport WIDTH, HashedWeights, Weights, score_room
from crossarc.transitions.search cimport (
    MOST_SLOTS, MOST_TEMPLATES, TwoStage, best_of_move, fill_values, hash_values,
)
from crossarc.transitions.state cimport State
from crossarc.transitions.system cimport MOVES, Targets, Workspace, gold_label, make

from crossarc.transitions.search import PackedStages


cdef class StageWeights:
    """The weights of both stages while they learn."""

    cdef readonly HashedWeights moves
    cdef readonly Weights labels

    def __init__(self, moves, labels):
        self.moves = moves
        self.labels = labels

    @property
    def random(self):
        """The state of the random generator."""
        return self.labels.random

    @random.setter
    def random(self, value):
        self.labels.random = value

    def pack(self, threshold=0.0):
        """The averaged weights in their final form."""
        return PackedStages(self.moves.pack(), self.labels.pack(threshold))

    def to_arrays(self):
        """Everything that training continues from, for `from_arrays`."""
        arrays = {f"moves.{name}": array for name, array in self.moves.to_arrays().items()}
        return arrays | {f"labels.{name}": array for name, array in self.labels.to_arrays().items()}

    @staticmethod
    def from_arrays(arrays, moves, actions, cut):
        """The weights that `to_arrays` returned; `ValueError` for arrays that do not fit together."""
        def part(prefix):
            return {name.removeprefix(prefix): arrays[name] for name in arrays if name.startswith(prefix)}

        return StageWeights(
            HashedWeights.from_arrays(part("moves."), moves), Weights.from_arrays(part("labels."), actions, cut)
        )


def train_stages(TwoStage search, StageWeights weights, UpdateRule rule, const int32_t[:, ::1] tokens, Targets targets,
                 const offset_t[::1] order, double explore=0.0):
    """Learn by the perceptron from sentences in an order; returns the counts of moves chosen and of wrong ones."""
    cdef Workspace work = Workspace(search.set_words)
    cdef State* state = &work.state
    cdef HashedWeights moves = weights.moves
    cdef Weights label_weights = weights.labels
    cdef hash_t keys[MOST_TEMPLATES]
    cdef hash_t values[MOST_SLOTS]
    cdef token_t costs[MOVES]
    cdef weight_t scores[WIDTH]
    label_scores = np.zeros(score_room(search.actions), dtype=np.float32)
    cdef weight_t[::1] label_view = label_scores
    cdef hash_t random = label_weights.random
    cdef offset_t decisions = 0, wrong = 0
    cdef Py_ssize_t i, s
    cdef token_t move, best, gold
    cdef const int32_t* words
    cdef int32_t action, right, first = search.label_templates, end = search.program.template_count
    cdef label_t label
    cdef uint32_t legal
    cdef bint follow
    with nogil:
        for i in range(order.shape[0]):
            s = order[i]
            words = &tokens[targets.nodes[s], 0]
            targets.begin(search.system, work, s)
            while not search.system.is_final(state):
                legal = search.system.legal(state)
                search.system.costs(state, &work.gold, costs)
                fill_values(&search.program, state, words, values)
                hash_values(&search.program, values, 0, end, keys)
                moves.score(keys, search.move_templates, 0, scores)
                best = gold = -1
                for move in range(moves.actions):
                    if not legal >> move & 1:
                        continue
                    if best < 0 or scores[move] > scores[best]:
                        best = move
                    if (gold < 0 or costs[move] < costs[gold]
                            or (costs[move] == costs[gold] and scores[move] > scores[gold])):
                        gold = move
                decisions += 1
                moves.now += 1
                label_weights.now += 1
                follow = happens(&random, explore)
                if costs[best] > costs[gold]:
                    wrong += 1
                    moves.update(keys, search.move_templates, gold, 1)
                    moves.update(keys, search.move_templates, best, -1)
                    if not follow:
                        best = gold
                if not search.labelled >> best & 1:
                    make(search.system, state, best, -1)
                    continue
                label = gold_label(search.system, state, &work.gold, best)
                label_weights.score(keys + first, end - first, 0, &label_view[0])
                action = best_of_move(search, &label_view[0], best)
                if label >= 0 and search.labels[action] != label:
                    right = search.action_of(best, label)
                    if right >= 0:
                        label_weights.update(keys + first, end - first, right, 1)
                        label_weights.update(keys + first, end - first, action, -1)
                        if not follow:
                            action = right
                make(search.system, state, best, search.labels[action])
    label_weights.random = random
    return decisions, wrong


def weigh(TwoStage search, StageWeights weights, const int32_t[:, ::1] tokens, Targets targets, Py_ssize_t sentences):
    """The part of each template in the margin of right moves, and of right labels, over the best wrong ones."""
    cdef Workspace work = Workspace(search.set_words)
    cdef State* state = &work.state
    cdef hash_t keys[MOST_TEMPLATES]
    cdef hash_t values[MOST_SLOTS]
    cdef weight_t scores[WIDTH]
    cdef int32_t end = search.program.template_count
    label_scores = np.zeros(score_room(search.actions), dtype=np.float32)
    gains = np.zeros((2, end))
    cdef weight_t[::1] label_view = label_scores
    cdef double[:, ::1] gain_view = gains
    cdef Py_ssize_t s
    cdef token_t move, right, best_wrong
    cdef int32_t k, a, action, other
    cdef label_t label
    cdef uint32_t legal
    for s in range(min(sentences, len(targets))):
        targets.begin(search.system, work, s)
        while not search.system.is_final(state):
            legal = search.system.legal(state)
            right = search.system.oracle(state, &work.gold)
            label = gold_label(search.system, state, &work.gold, right)
            fill_values(&search.program, state, &tokens[targets.nodes[s], 0], values)
            hash_values(&search.program, values, 0, end, keys)
            weights.moves.score(keys, end, 0, scores)
            best_wrong = -1
            for move in range(weights.moves.actions):
                if legal >> move & 1 and move != right and (best_wrong < 0 or scores[move] > scores[best_wrong]):
                    best_wrong = move
            if best_wrong >= 0:
                for k in range(end):
                    weights.moves.score(keys + k, 1, 0, scores)
                    gain_view[0, k] += scores[right] - scores[best_wrong]
            if label >= 0:
                action = search.action_of(right, label)
                weights.labels.score(keys, end, 0, &label_view[0])
                other = -1
                for a in range(search.actions):
                    if search.moves[a] == right and a != action and (other < 0 or label_view[a] > label_view[other]):
                        other = a
                if action >= 0 and other >= 0:
                    for k in range(end):
                        weights.labels.score(keys + k, 1, 0, &label_view[0])
                        gain_view[1, k] += label_view[action] - label_view[other]
            make(search.system, state, right, label)
    return gains
