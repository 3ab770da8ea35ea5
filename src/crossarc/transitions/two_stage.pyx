"""Greedy search in two stages: the move first, by weights in a small table without keys, and then its label.

This is several times as fast as scoring labelled moves together, and a little less accurate.
"""
from crossarc.core.typedefs cimport hash_t, int32_t, token_t, uint32_t, weight_t
from crossarc.learning.scorers cimport WIDTH, PackedTable, PackedWeights, Scorer
from crossarc.transitions.system cimport MOVES, make
from crossarc.transitions.state cimport State


cdef class PackedStages:
    """The weights of both stages in a trained model."""

    cdef readonly PackedTable moves
    cdef readonly PackedWeights labels

    def __init__(self, PackedTable moves, PackedWeights labels):
        self.moves = moves
        self.labels = labels

    def to_arrays(self):
        """The arrays that a model file stores."""
        return {"move_table": self.moves.table} | self.labels.to_arrays()

    @staticmethod
    def from_arrays(arrays, int32_t moves, int32_t actions):
        """The weights that a model file stores."""
        return PackedStages(PackedTable(arrays["move_table"], moves), PackedWeights.from_arrays(arrays, actions))


cdef class StageWorkspace(ParseWorkspace):
    """The memory of one thread for parsing in two stages."""

    cdef Scorer moves

    def __cinit__(self, token_t set_words, Scorer labels, int32_t actions, Scorer moves):
        self.moves = moves


cdef class TwoStage(Greedy):
    """Greedy search in two stages over a system with a feature model and a set of actions.

    The first `move_templates` of the model choose the move; those from `label_templates` on choose its label.
    """

    def __init__(self, system, model, moves, labels, attributes, move_templates, label_templates):
        super().__init__(system, model, moves, labels, attributes)
        if not 0 <= label_templates <= move_templates <= len(model.templates):
            raise ValueError("the templates of the two stages do not fit the model")
        self.move_templates = move_templates
        self.label_templates = label_templates

    cdef ParseWorkspace workspace(self, weights):
        cdef PackedStages stages = weights
        return StageWorkspace(self.set_words, stages.labels, self.actions, stages.moves)

    cdef State* derive(self, ParseWorkspace work, const int32_t* tokens, token_t n) except NULL nogil:
        cdef hash_t keys[MOST_TEMPLATES]
        cdef hash_t values[MOST_SLOTS]
        cdef weight_t scores[WIDTH]
        cdef State* state = &work.state
        cdef token_t move, best
        cdef int32_t action, first = self.label_templates, end = self.program.template_count
        cdef uint32_t legal
        work.begin(self.system, n)
        while find_choice(self, state, &legal):
            fill_values(&self.program, state, tokens, values)
            hash_values(&self.program, values, 0, self.move_templates, keys)
            (<StageWorkspace>work).moves.score(keys, self.move_templates, 0, scores)
            best = -1
            for move in range(MOVES):
                if legal >> move & 1 and (best < 0 or scores[move] > scores[best]):
                    best = move
            if not self.labelled >> best & 1:
                make(self.system, state, best, -1)
                continue
            hash_values(&self.program, values, self.move_templates, end, keys)
            work.scorer.score(keys + first, end - first, 0, work.scores)
            action = best_of_move(self, work.scores, best)
            make(self.system, state, best, self.labels[action])
            if work.scored:
                note_link(self, work, state, action, work.scores)
        return state
