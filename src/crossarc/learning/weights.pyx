"""Weights from feature keys to actions: a table that grows while it learns, and the packed one that a model keeps.

Few actions ever get a weight for a feature, so a row holds only those. Both tables look a whole batch of keys up at
once and ask for the memory of all before they read any: nearly all the time goes into waiting for memory.
"""

import numpy as np

from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memset

from crossarc.core.typedefs cimport hash_t, int16_t, int32_t, offset_t, uint8_t, uint16_t, uint32_t, weight_t

cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define CROSSARC_PREFETCH(address) __builtin_prefetch(address)
    #else
    #define CROSSARC_PREFETCH(address)
    #endif
    """
    void prefetch "CROSSARC_PREFETCH" (const void*) noexcept nogil


cdef class Weights:
    """Weights that learn: each feature has a row of the actions it has spoken for or against, averaged over all steps.

    With `cut`, a feature counts only from its second update on: nearly half of them never have one.
    """

    def __cinit__(self, int32_t actions, bint cut=True):
        cdef hash_t size = 1 << 16
        cdef hash_t i
        self.actions = actions
        self.cut = cut
        self.random = 1
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

    cdef int update(self, const hash_t* keys, int32_t count, int32_t action, weight_t step) except -1 nogil:
        """Add to the weight of an action for all keys."""
        cdef int32_t k, row
        for k in range(count):
            row = self.claim(keys[k])
            if row >= 0:
                self.change(row, action, step)
        return 0

    cdef int32_t claim(self, hash_t key) except -3 nogil:
        """The row of a key, made if it is due; SEEN if it is not yet."""
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
            if self.cut:
                self.slots[place].row = SEEN
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

    cdef int change(self, int32_t row, int32_t action, weight_t step) except -1 nogil:
        """Add to one weight and keep its sum over the steps."""
        cdef Row* at = self.rows + row
        cdef Entry* entry = self.entries + at.start
        cdef Entry* entries
        cdef int32_t i, capacity
        for i in range(at.size):
            if entry[i].action == action:
                entry[i].total += <double>entry[i].weight * (self.now - entry[i].stamp)
                entry[i].stamp = self.now
                entry[i].weight += step
                return 0
        if at.size == at.capacity:      # the row moves to the end of the pool, with twice the room
            capacity = 2 if at.capacity == 0 else 2 * at.capacity
            if self.entry_count + capacity > self.entry_capacity:
                entries = <Entry*>realloc(self.entries, 2 * self.entry_capacity * sizeof(Entry))
                if entries == NULL:
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
        entry.weight = step
        at.size += 1
        return 0

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

    def to_arrays(self):
        """All that learning goes on from, for `from_arrays`; entries are the bytes they are, whatever they hold."""
        cdef hash_t slot
        cdef offset_t at = 0, used = 0
        cdef int32_t row
        sizes = np.empty(self.row_count, dtype=np.int32)
        keys = np.empty(self.used, dtype=np.uint64)
        places = np.empty(self.used, dtype=np.int64)
        owners = np.empty(self.used, dtype=np.int32)
        cdef int32_t[::1] size_view = sizes
        cdef hash_t[::1] key_view = keys
        cdef offset_t[::1] place_view = places
        cdef int32_t[::1] owner_view = owners
        cdef uint8_t[::1] entry_view
        for row in range(self.row_count):
            size_view[row] = self.rows[row].size
        entries = np.zeros(int(sizes.sum(dtype=np.int64)) * sizeof(Entry), dtype=np.uint8)
        entry_view = entries
        with nogil:
            for slot in range(self.mask + 1):
                if self.slots[slot].row != FREE:
                    key_view[used] = self.slots[slot].key
                    place_view[used] = slot
                    owner_view[used] = self.slots[slot].row
                    used += 1
            for row in range(self.row_count):
                if self.rows[row].size:
                    memcpy(&entry_view[at], self.entries + self.rows[row].start, self.rows[row].size * sizeof(Entry))
                    at += self.rows[row].size * sizeof(Entry)
        return {
            "counts": np.array([self.mask + 1, self.now, self.random], dtype=np.uint64),
            "keys": keys, "places": places, "owners": owners, "sizes": sizes, "entries": entries,
        }

    @staticmethod
    def from_arrays(arrays, int32_t actions, bint cut=True):
        """The weights that `to_arrays` gave, to the last slot; `ValueError` for arrays that do not fit together."""
        cdef Weights weights = Weights(actions, cut)
        cdef const hash_t[::1] counts = arrays["counts"]
        cdef const hash_t[::1] keys = arrays["keys"]
        cdef const offset_t[::1] places = arrays["places"]
        cdef const int32_t[::1] owners = arrays["owners"]
        cdef const int32_t[::1] sizes = arrays["sizes"]
        cdef const uint8_t[::1] entries = arrays["entries"]
        cdef hash_t slots = counts[0] if counts.shape[0] == 3 else 0
        cdef offset_t rows = sizes.shape[0], used = keys.shape[0], total, at = 0, room = 0
        cdef offset_t i, j
        cdef int32_t capacity
        held = np.asarray(owners)
        filled = np.asarray(sizes)
        spots = np.asarray(places)
        total = int(filled.sum(dtype=np.int64))
        if not (
            0 < slots <= 1 << 40 and slots & (slots - 1) == 0 and used < <offset_t>slots
            and counts[1] < 1 << 31 and places.shape[0] == used and owners.shape[0] == used
            and (used == 0 or (spots[0] >= 0 and spots[-1] < slots and (np.diff(spots) > 0).all()))
            and np.array_equal(np.sort(held[held != SEEN]), np.arange(rows, dtype=np.int32))
            and filled.min(initial=0) >= 0 and entries.shape[0] == total * <offset_t>sizeof(Entry)
        ):
            raise ValueError("the weights are not whole")
        weights.resize(slots, max(rows, 1), max(1, 2 * total))
        for i in range(used):
            weights.slots[places[i]].key = keys[i]
            weights.slots[places[i]].row = owners[i]
        for i in range(rows):
            capacity = 0 if sizes[i] == 0 else 2
            while capacity < sizes[i]:
                capacity *= 2
            weights.rows[i].start = room
            weights.rows[i].size = sizes[i]
            weights.rows[i].capacity = capacity
            if sizes[i]:
                memcpy(weights.entries + room, &entries[at], sizes[i] * sizeof(Entry))
            for j in range(sizes[i]):
                if not 0 <= weights.entries[room + j].action < actions:
                    raise ValueError("the weights are of other actions")
            at += sizes[i] * sizeof(Entry)
            room += capacity
        weights.used = used
        weights.row_count = rows
        weights.entry_count = room
        weights.now = <int32_t>counts[1]
        weights.random = counts[2]
        return weights

    cdef int resize(self, hash_t slots, offset_t rows, offset_t entries) except -1:
        """Empty tables with room for so many of each."""
        cdef hash_t i
        free(self.slots)
        free(self.rows)
        free(self.entries)
        self.slots = <Slot*>malloc(slots * sizeof(Slot))
        self.rows = <Row*>malloc(rows * sizeof(Row))
        self.entries = <Entry*>malloc(entries * sizeof(Entry))
        self.mask = 0
        if self.slots == NULL or self.rows == NULL or self.entries == NULL:
            raise MemoryError
        for i in range(slots):
            self.slots[i].row = FREE
        self.mask = slots - 1
        self.row_capacity = rows
        self.entry_capacity = entries
        return 0

    def start_from(self, const hash_t[::1] keys, const offset_t[::1] bounds, const int32_t[::1] actions,
                   const weight_t[::1] values):
        """Begin with the weights of a trained model, as `unpack` gives them, instead of none at all.

        Set `now` afterwards to the number of steps for which they count in the average.
        """
        cdef bint cut = self.cut
        cdef offset_t i, j
        if not 0 <= np.min(actions, initial=0) <= np.max(actions, initial=0) < self.actions:
            raise ValueError("the weights are of other actions")
        self.cut = False
        for i in range(keys.shape[0]):
            for j in range(bounds[i], bounds[i + 1]):
                self.change(self.claim(keys[i]), actions[j], values[j])
        self.cut = cut
        self.now = max(self.now, 1)     # they have held for a step, so their average is what they are

    def pack(self, double threshold=0.0):
        """The averaged weights in their final form: places (a power of two), cells, keys and the unit of weight.

        Weights become whole numbers of 16 bits; what is below `threshold`, a share of the greatest weight, is left out.
        Parsing needs no keys; they are the lower halves of those of the rows, in order, for `unpack`.
        """
        cdef int32_t row, i, kept = 0, filled = 0
        cdef offset_t cells_count = 0
        cdef Entry* entry
        cdef double greatest = 0, value, limit, scale
        cdef double steps = max(1, self.now)
        cdef hash_t slot, place, mask, size
        cdef Place[::1] places
        cdef Cell[::1] cells
        cdef uint32_t[::1] keys
        cdef uint32_t at = 1, begin     # no row starts at 0
        cdef int32_t packed = 0
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
        key_array = np.zeros(kept, dtype=np.uint32)
        places = place_array
        cells = cell_array
        keys = key_array
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
            keys[packed] = <uint32_t>self.slots[slot].key
            packed += 1
        return place_array, cell_array, key_array, 1 / scale


def unpack(places, cells, keys, double unit):
    """What `Weights.pack` packed: keys, where each one's weights begin, and the actions and values of all weights."""
    used = np.flatnonzero(places["start"])
    used = used[np.argsort(places["start"][used])]
    if len(used) != len(keys):
        raise ValueError("the keys of the model are not those of its weights")
    starts = places["start"][used].astype(np.int64)
    sizes = cells["action"][starts].astype(np.int64)
    bounds = np.zeros(len(used) + 1, dtype=np.int64)
    np.cumsum(sizes, out=bounds[1:])
    at = np.arange(bounds[-1]) + np.repeat(starts + 1 - bounds[:-1], sizes)
    return (
        places["check"][used].astype(np.uint64) << np.uint64(32) | keys.astype(np.uint64),
        bounds,
        cells["action"][at].astype(np.int32),
        (cells["weight"][at] * unit).astype(np.float32),
    )


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
