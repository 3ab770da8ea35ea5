"""Weights from feature keys to actions: a table that grows while it learns, and the packed one that a model keeps.

Few actions ever get a weight for a feature, so a row holds only those. Both tables look a whole batch of keys up at
once and ask for the memory of all before they read any: nearly all the time goes into waiting for memory.
"""

import numpy as np

from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memset

from crossarc.core.typedefs cimport hash_t, int16_t, int32_t, offset_t, uint16_t, uint32_t, weight_t

from crossarc.errors import CrossarcError

cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define CROSSARC_PREFETCH(address) __builtin_prefetch(address)
    #else
    #define CROSSARC_PREFETCH(address)
    #endif
    """
    void prefetch "CROSSARC_PREFETCH" (const void*) noexcept nogil


cdef class Scorer:
    """What can guide a search."""

    cdef void score_state(self, const hash_t* keys, int32_t count, int32_t tag, weight_t* scores) noexcept nogil:
        """The score of every action in a state."""


cdef class Weights(Scorer):
    """Weights that learn: each feature has a row of the actions it has spoken for or against, averaged over all steps.

    A feature counts only from its `cut`-th update on: nearly half of them never have a second.
    """

    def __cinit__(self, int32_t actions, int32_t cut=2):
        cdef hash_t size = 1 << 16
        cdef hash_t i
        if not 0 <= actions < MOST_ACTIONS:
            raise CrossarcError(f"{actions:,} actions; {MOST_ACTIONS - 1:,} are the most: are the labels right?")
        self.actions = actions
        self.cut = cut
        self.mask = size - 1
        self.row_capacity = 1 << 14
        self.entry_capacity = 1 << 16
        self.slots = <Slot*>malloc(size * sizeof(Slot))
        self.rows = <Row*>malloc(self.row_capacity * sizeof(Row))
        self.entries = <Entry*>malloc(self.entry_capacity * sizeof(Entry))
        if self.slots == NULL or self.rows == NULL or self.entries == NULL:
            raise MemoryError
        for i in range(size):
            self.slots[i].row = FREE

    def __dealloc__(self):
        free(self.slots)
        free(self.rows)
        free(self.entries)

    cdef void score(self, const hash_t* keys, int32_t count, weight_t* scores) noexcept nogil:
        """The sum of the weights of all keys for every action."""
        cdef int32_t k, row
        cdef hash_t place
        cdef Entry* entry
        cdef Entry* end
        memset(scores, 0, self.actions * sizeof(weight_t))
        for k in range(count):
            prefetch(&self.slots[keys[k] & self.mask])
        for k in range(count):
            place = keys[k] & self.mask
            while self.slots[place].row != FREE and self.slots[place].key != keys[k]:
                place = (place + 1) & self.mask
            row = self.slots[place].row
            if row < 0:
                continue
            entry = self.entries + self.rows[row].start
            end = entry + self.rows[row].size
            while entry < end:
                scores[entry.action] += entry.weight
                entry += 1

    cdef void score_state(self, const hash_t* keys, int32_t count, int32_t tag, weight_t* scores) noexcept nogil:
        self.score(keys, count, scores)

    cdef int update(self, const hash_t* keys, int32_t count, int32_t action, weight_t step) except -1 nogil:
        """Add to the weight of an action for all keys; for `cut`, each call is an update."""
        cdef int32_t k, row
        for k in range(count):
            row = self.claim(keys[k])
            if row >= 0:
                self.change(row, action, step)
        return 0

    cdef int32_t claim(self, hash_t key) except -3 nogil:
        """The row of a key, made if it is due; SEEN if it is not yet. Once a decision: this is what `cut` counts."""
        cdef hash_t place = key & self.mask
        cdef Row* rows
        while self.slots[place].row != FREE and self.slots[place].key != key:
            place = (place + 1) & self.mask
        if self.slots[place].row >= 0:
            return self.slots[place].row
        if self.slots[place].row == FREE:
            if 2 * self.used > self.mask:
                self.grow()
                return self.claim(key)
            self.used += 1
            self.slots[place].key = key
        if -self.slots[place].row < self.cut:
            self.slots[place].row -= 1
            return SEEN
        if self.row_count == self.row_capacity:
            rows = <Row*>realloc(self.rows, 2 * <size_t>self.row_capacity * sizeof(Row))
            if rows == NULL:
                raise MemoryError
            self.rows = rows
            self.row_capacity *= 2
        self.rows[self.row_count].size = self.rows[self.row_count].capacity = 0
        self.rows[self.row_count].start = 0
        self.slots[place].row = self.row_count
        self.row_count += 1
        return self.row_count - 1

    cdef int32_t claim_rows(self, const hash_t* keys, int32_t count, int32_t* rows) except -1 nogil:
        """The rows of those keys of a decision that have one; gives how many."""
        cdef int32_t k, row, found = 0
        for k in range(count):
            row = self.claim(keys[k])
            if row >= 0:
                rows[found] = row
                found += 1
        return found

    cdef int32_t find(self, hash_t key) noexcept nogil:
        """The row of a key; below 0 if it has none."""
        cdef hash_t place = key & self.mask
        while self.slots[place].row != FREE and self.slots[place].key != key:
            place = (place + 1) & self.mask
        return self.slots[place].row

    cdef int change(self, int32_t row, int32_t action, weight_t step) except -1 nogil:
        """Add to one weight and keep its sum over the steps."""
        cdef Entry* entry = self.entry_of(row, action)
        entry.total += <double>entry.weight * (self.now - entry.stamp)
        entry.stamp = self.now
        entry.weight += step
        return 0

    cdef Entry* entry_of(self, int32_t row, int32_t action) except NULL nogil:
        """The entry of an action in a row, made if there is none; good until the next is made."""
        cdef Row* at = self.rows + row
        cdef Entry* entry = self.entries + at.start
        cdef Entry* entries
        cdef int32_t i, capacity
        for i in range(at.size):
            if entry[i].action == action:
                return entry + i
        if at.size == at.capacity:      # the row moves to the end of the pool, with twice the room
            capacity = 2 if at.capacity == 0 else 2 * at.capacity
            if self.entry_count + capacity > self.entry_capacity:
                entries = <Entry*>realloc(self.entries, 2 * self.entry_capacity * sizeof(Entry))
                if entries == NULL:
                    with gil:
                        raise MemoryError
                self.entries = entries
                self.entry_capacity *= 2
            memcpy(self.entries + self.entry_count, self.entries + at.start, at.size * sizeof(Entry))
            at.start = self.entry_count
            at.capacity = capacity
            self.entry_count += capacity
        entry = self.entries + at.start + at.size
        entry.action = action
        entry.stamp = self.now
        entry.total = 0
        entry.weight = entry.squares = 0
        at.size += 1
        return entry

    cdef int grow(self) except -1 nogil:
        """Double the slots."""
        cdef hash_t size = 2 * (self.mask + 1)
        cdef Slot* slots = <Slot*>malloc(size * sizeof(Slot))
        cdef hash_t i, place
        if slots == NULL:
            raise MemoryError
        for i in range(size):
            slots[i].row = FREE
        for i in range(self.mask + 1):
            if self.slots[i].row == FREE:
                continue
            place = self.slots[i].key & (size - 1)
            while slots[place].row != FREE:
                place = (place + 1) & (size - 1)
            slots[place] = self.slots[i]
        free(self.slots)
        self.slots = slots
        self.mask = size - 1
        return 0

    def __len__(self):
        """How many features have a row."""
        return self.row_count

    def scores(self, const hash_t[::1] keys):
        """The sum of the weights, as they are now, of features for every action."""
        result = np.zeros(self.actions, dtype=np.float32)
        cdef weight_t[::1] view = result
        if keys.shape[0] and self.actions:
            self.score(&keys[0], <int32_t>keys.shape[0], &view[0])
        return result

    def averages(self):
        """The averaged weights as they are: the keys of rows, where the cells of each begin, their actions, weights."""
        cdef hash_t slot
        cdef int32_t row, i
        cdef offset_t at = 0
        cdef double steps = max(1, self.now)
        cdef Entry* entry
        keys = np.empty(self.row_count, dtype=np.uint64)
        starts = np.zeros(self.row_count + 1, dtype=np.int64)
        cdef hash_t[::1] key_of = keys
        cdef offset_t[::1] start_of = starts
        for slot in range(self.mask + 1):
            if self.slots[slot].row >= 0:
                key_of[self.slots[slot].row] = self.slots[slot].key
        for row in range(self.row_count):
            start_of[row + 1] = start_of[row] + self.rows[row].size
        actions = np.empty(starts[-1], dtype=np.uint16)
        weights = np.empty(starts[-1], dtype=np.float32)
        cdef uint16_t[::1] action_of = actions
        cdef weight_t[::1] weight_of = weights
        for row in range(self.row_count):
            for i in range(self.rows[row].size):
                entry = self.entries + self.rows[row].start + i
                action_of[at] = <uint16_t>entry.action
                weight_of[at] = <weight_t>((entry.total + <double>entry.weight * (self.now - entry.stamp)) / steps)
                at += 1
        return keys, starts, actions, weights

    @staticmethod
    def of(int32_t actions, const hash_t[::1] keys, const offset_t[::1] starts, const uint16_t[::1] row_actions,
           const weight_t[::1] row_weights):
        """Weights that are given, as `averages` gives them."""
        cdef Weights weights = Weights(actions, 1)
        cdef Py_ssize_t row
        cdef offset_t i
        for row in range(keys.shape[0]):
            weights.claim(keys[row])
            for i in range(starts[row], starts[row + 1]):
                weights.entry_of(<int32_t>row, row_actions[i]).weight = row_weights[i]
        weights.now = 1     # one step since they are what they are: this is their average
        return weights

    def assign(self, const double[:, ::1] table, const int32_t[::1] actions):
        """Give every row the weights of its column in a table, one line for each of the actions; zeros take no room."""
        cdef int32_t row
        cdef Py_ssize_t line
        cdef Entry* entry
        if table.shape[0] != actions.shape[0] or table.shape[1] != self.row_count or max(actions) >= self.actions:
            raise ValueError("the table has not a line for each action and a column for each row")
        for row in range(self.row_count):
            for line in range(table.shape[0]):
                if table[line, row] != 0:
                    entry = self.entry_of(row, actions[line])
                    entry.weight = <weight_t>table[line, row]
                    entry.total = entry.stamp = 0
        self.now = 1        # one step since they are what they are: this is their average

    def pack(self, double threshold=0.0):
        """The averaged weights in their final form: places (a power of two), cells, and the size of a unit of weight.

        Weights become whole numbers of 16 bits; what is below `threshold`, a share of the greatest weight, is left out.
        """
        cdef int32_t row, i, kept = 0, filled = 0
        cdef offset_t cells_count = 0
        cdef Entry* entry
        cdef double greatest = 0, value, limit, scale
        cdef double steps = max(1, self.now)
        cdef hash_t slot, place, mask, size
        cdef Place[::1] places
        cdef Cell[::1] cells
        cdef uint32_t at = 1, begin     # no row starts at 0
        for row in range(self.row_count):
            for i in range(self.rows[row].size):
                entry = self.entries + self.rows[row].start + i
                value = (entry.total + <double>entry.weight * (self.now - entry.stamp)) / steps
                greatest = max(greatest, abs(value))
        scale = 32767 / greatest if greatest > 0 else 1.0
        limit = max(threshold * 32767, 0.5)
        for row in range(self.row_count):
            filled = 0
            for i in range(self.rows[row].size):
                entry = self.entries + self.rows[row].start + i
                value = (entry.total + <double>entry.weight * (self.now - entry.stamp)) / steps * scale
                filled += abs(value) >= limit
            kept += filled > 0
            cells_count += filled + (filled > 0)
        size = 1024
        while size * 7 < <hash_t>kept * 10:
            size *= 2
        mask = size - 1
        place_array = np.zeros(size, dtype=[("check", "u4"), ("start", "u4")])
        # As many cells more as a row can have: then a start within the rest is all that must be looked at in a file.
        cell_array = np.zeros(1 + cells_count + self.actions, dtype=[("action", "u2"), ("weight", "i2")])
        places = place_array
        cells = cell_array
        # Rows in the order of their numbers, so that the same training gives the same bytes.
        for slot in range(self.mask + 1):
            row = self.slots[slot].row
            if row < 0:
                continue
            begin = at
            at += 1
            for i in range(self.rows[row].size):
                entry = self.entries + self.rows[row].start + i
                value = (entry.total + <double>entry.weight * (self.now - entry.stamp)) / steps * scale
                if abs(value) >= limit:
                    cells[at].action = <uint16_t>entry.action
                    cells[at].weight = <int16_t>(value + 0.5 if value > 0 else value - 0.5)
                    at += 1
            if at == begin + 1:
                at = begin
                continue
            cells[begin].action = <uint16_t>(at - begin - 1)
            place = self.slots[slot].key & mask
            while places[place].start != 0:
                place = (place + 1) & mask
            places[place].check = <uint32_t>(self.slots[slot].key >> 32)
            places[place].start = begin
        return place_array, cell_array, 1 / scale


cdef void score_packed(const Packed* packed, const hash_t* keys, int32_t count, int32_t* scores) noexcept nogil:
    """The sum of the weights of all keys for every action."""
    cdef int32_t k, found = 0
    cdef hash_t place
    cdef uint32_t check
    cdef const Cell* cell
    cdef const Cell* end
    cdef uint32_t hits[512]
    memset(scores, 0, packed.actions * sizeof(int32_t))
    for k in range(count):
        prefetch(&packed.places[keys[k] & packed.mask])
    for k in range(count):
        place = keys[k] & packed.mask
        check = <uint32_t>(keys[k] >> 32)
        while packed.places[place].check != check and packed.places[place].start != 0:
            place = (place + 1) & packed.mask
        if packed.places[place].start != 0:
            hits[found] = packed.places[place].start
            prefetch(packed.cells + hits[found])
            found += 1
    for k in range(found):
        cell = packed.cells + hits[k]
        end = cell + cell.action
        while cell < end:
            cell += 1
            scores[cell.action] += cell.weight


def packed_scores(places, cells, const hash_t[::1] keys, int32_t actions):
    """What `score_packed` gives for features, in units of weight."""
    cdef const Place[::1] place_view = places
    cdef const Cell[::1] cell_view = cells
    cdef Packed packed
    result = np.zeros(actions + 1, dtype=np.int32)
    cdef int32_t[::1] view = result
    packed.places = &place_view[0]
    packed.cells = &cell_view[0]
    packed.mask = place_view.shape[0] - 1
    packed.actions = actions
    if keys.shape[0]:
        score_packed(&packed, &keys[0], <int32_t>keys.shape[0], &view[0])
    return result[:actions]
