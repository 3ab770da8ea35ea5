"""Weights from feature keys to actions while they are learned.

Few actions ever get a weight for a feature, so a row holds only those. A whole batch of keys is looked up at once, and
the memory of all asked for before any is read: most of the time goes into waiting for memory.
"""
import numpy as np

from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from crossarc.core.allocation cimport resize
from crossarc.core.prefetch cimport prefetch
from crossarc.core.typedefs cimport hash_t, int16_t, int32_t, offset_t, uint16_t, uint32_t, weight_t

from crossarc.errors import CrossarcError


cdef extern from *:
    """
    #if defined(__linux__)
    #include <stdint.h>
    #include <sys/mman.h>
    #endif
    static void crossarc_ask_for_large_pages(void* memory, size_t size) {
    #if defined(__linux__) && defined(MADV_HUGEPAGE)
        uintptr_t begin = ((uintptr_t)memory + 4095) & ~(uintptr_t)4095;
        uintptr_t end = ((uintptr_t)memory + size) & ~(uintptr_t)4095;
        if (end >= begin + (1 << 22))
            (void)madvise((void*)begin, end - begin, MADV_HUGEPAGE);
    #endif
    }
    """
    # Tables are read all over the place, and an address in one of a few large pages is found sooner.
    void ask_for_large_pages "crossarc_ask_for_large_pages" (void* memory, size_t size) noexcept nogil

SLOT = np.dtype([("key", "u8"), ("start", "u4"), ("size", "u2"), ("room", "u2")])
ENTRY = np.dtype([("action", "i4"), ("weight", "f4")])


def aligned_zeros(Py_ssize_t count, Py_ssize_t width):
    """Rows of zeros of 32 bits, the first on a boundary of 64 bytes: rows of so many then come from memory at once."""
    room = np.zeros(count * width + 16, dtype=np.uint32)
    skip = -room.ctypes.data % 64 // 4
    return room[skip : skip + count * width].reshape(count, width)


cdef inline bint is_dense(int32_t size, int32_t actions) noexcept nogil:
    """Whether a row is worth a vector of all actions: adding that takes as long as some ten cells."""
    return size * SPARE > actions


cdef inline double final_weight(Weights weights, Py_ssize_t entry, bint averaged) noexcept nogil:
    """A weight as a model keeps it."""
    return weights.average(entry) if averaged else weights.entries[entry].weight


cdef inline uint16_t count_cells(Weights weights, const Slot* slot, bint averaged, double scale,
                                 double limit) noexcept nogil:
    """How many weights of a row reach a limit."""
    cdef uint16_t k, count = 0
    for k in range(slot.size):
        count += abs(final_weight(weights, slot.start + k, averaged)) * scale >= limit
    return count


cdef class Weights(Scorer):
    """Weights that learn: each feature has a row of the actions that it has weights for, averaged over all steps.

    A feature counts only from the `cut`-th step that changes it on: nearly half of them never have a second. `squares`
    makes room for the sum of squared gradients of each weight.
    """

    def __cinit__(self, int32_t actions, uint16_t cut=2, bint squares=False):
        cdef hash_t size = 1 << 16
        if not 0 <= actions < MOST_ACTIONS:
            raise CrossarcError(f"{actions:,} actions; {MOST_ACTIONS - 1:,} are the most: are the labels right?")
        if squares:
            self.squares = <weight_t*>malloc(sizeof(weight_t))
        self.actions = actions
        self.unit = 1
        self.cut = cut
        self.random = 1
        self.mask = size - 1
        self.slots = <Slot*>calloc(size, sizeof(Slot))
        if self.slots == NULL:
            raise MemoryError
        self.reserve(1 << 16)

    def __dealloc__(self):
        free(self.slots)
        free(self.entries)
        free(self.step_sums)
        free(self.squares)

    cdef void score(self, const hash_t* keys, int32_t count, int32_t group, weight_t* out) noexcept nogil:
        cdef int32_t k, found = 0
        cdef hash_t place
        cdef Entry* entry
        cdef Entry* end
        cdef Slot* rows[MOST_KEYS]
        memset(out, 0, self.actions * sizeof(weight_t))
        for k in range(count):
            prefetch(&self.slots[keys[k] & self.mask])
        for k in range(count):
            place = keys[k] & self.mask
            while self.slots[place].key != keys[k] and self.slots[place].key != 0:
                place = (place + 1) & self.mask
            if self.slots[place].room > 0:
                rows[found] = &self.slots[place]
                prefetch(self.entries + self.slots[place].start)
                found += 1
        for k in range(found):
            entry = self.entries + rows[k].start
            end = entry + rows[k].size
            while entry < end:
                out[entry.action] += entry.weight
                entry += 1

    cdef void warm(self, const hash_t* keys, int32_t count) noexcept nogil:
        cdef int32_t k
        for k in range(count):
            prefetch(&self.slots[keys[k] & self.mask])

    cdef int update(self, const hash_t* keys, int32_t count, int32_t action, weight_t step) except -1 nogil:
        """Add to the weight of an action for all keys."""
        cdef int32_t k
        cdef Slot* slot
        for k in range(count):
            slot = self.due(keys[k])
            if slot != NULL:
                self.change(slot, action, step)
        return 0

    cdef Slot* due(self, hash_t key) except? NULL nogil:
        """The slot of a key that counts, good until the next is asked for; NULL if it was not met often enough."""
        cdef Slot* slot = self.claim(key)
        if slot.room > 0:
            return slot
        if slot.size == 0 or slot.start != <uint32_t>self.now:
            slot.size += slot.size < self.cut
            slot.start = <uint32_t>self.now
        return slot if slot.size >= self.cut else NULL

    cdef Slot* claim(self, hash_t key) except NULL nogil:
        """The slot of a key."""
        cdef hash_t place = key & self.mask
        while self.slots[place].key != key and self.slots[place].key != 0:
            place = (place + 1) & self.mask
        if self.slots[place].key == 0:
            if 2 * self.used > self.mask:
                self.grow()
                return self.claim(key)
            self.used += 1
            self.slots[place].key = key
        return &self.slots[place]

    cdef int change(self, Slot* slot, int32_t action, weight_t step) except -1 nogil:
        """Add to one weight."""
        self.add_to(self.entry_of(slot, action), step)
        return 0

    cdef Py_ssize_t entry_of(self, Slot* slot, int32_t action) except -1 nogil:
        """The entry of an action in the row of a slot, both made if they are not there."""
        cdef Py_ssize_t at = slot.start
        cdef uint16_t i
        if slot.room == 0:
            slot.size = 0
        for i in range(slot.size):
            if self.entries[at + i].action == action:
                return at + i
        if slot.size == slot.room:      # the row moves to the end of the pool, with twice the room
            self.row_count += slot.room == 0
            slot.room = 2 if slot.room == 0 else 2 * slot.room
            if self.entry_count + slot.room > self.entry_room:
                self.reserve(2 * self.entry_room + slot.room)
            memcpy(self.entries + self.entry_count, self.entries + at, slot.size * sizeof(Entry))
            memcpy(self.step_sums + self.entry_count, self.step_sums + at, slot.size * sizeof(double))
            if self.squares != NULL:
                memcpy(self.squares + self.entry_count, self.squares + at, slot.size * sizeof(weight_t))
            at = self.entry_count
            slot.start = <uint32_t>at
            self.entry_count += slot.room
        at += slot.size
        self.entries[at].action = action
        self.entries[at].weight = 0
        self.step_sums[at] = 0
        if self.squares != NULL:
            self.squares[at] = 0
        slot.size += 1
        return at

    cdef int reserve(self, Py_ssize_t count) except -1 nogil:
        """Make room for so many entries."""
        if count > <Py_ssize_t>1 << 32:
            raise MemoryError
        resize(<void**>&self.entries, count * sizeof(Entry))
        ask_for_large_pages(self.entries, count * sizeof(Entry))
        resize(<void**>&self.step_sums, count * sizeof(double))
        if self.squares != NULL:
            resize(<void**>&self.squares, count * sizeof(weight_t))
        self.entry_room = count
        return 0

    cdef int grow(self) except -1 nogil:
        """Double the slots."""
        cdef hash_t size = 2 * (self.mask + 1)
        cdef Slot* slots = <Slot*>calloc(size, sizeof(Slot))
        cdef hash_t i, place
        if slots == NULL:
            raise MemoryError
        ask_for_large_pages(slots, size * sizeof(Slot))
        for i in range(self.mask + 1):
            if self.slots[i].key == 0:
                continue
            place = self.slots[i].key & (size - 1)
            while slots[place].key != 0:
                place = (place + 1) & (size - 1)
            slots[place] = self.slots[i]
        free(self.slots)
        self.slots = slots
        self.mask = size - 1
        return 0

    cdef double average(self, Py_ssize_t entry) noexcept nogil:
        """A weight averaged over all steps."""
        return self.entries[entry].weight - self.step_sums[entry] / (self.now if self.now > 0 else 1)

    def __len__(self):
        """How many features have a row."""
        return self.row_count

    def add(self, const hash_t[::1] keys, int32_t action, weight_t step):
        """Add to the weight of an action for all keys, in the step that is `now`."""
        if not 0 <= action < self.actions or not np.asarray(keys).all():
            raise ValueError(f"no action {action} among {self.actions}, or a key that is 0")
        if keys.shape[0]:
            self.update(&keys[0], <int32_t>keys.shape[0], action, step)

    def averages(self, bint averaged=True):
        """Return the weights, averaged or the last: keys, where the entries of each begin and the end, actions, values.
        """
        arrays = self.to_arrays()
        slots, entries = arrays["slots"].reshape(-1).view(SLOT), arrays["entries"].reshape(-1).view(ENTRY)
        rows = slots[slots["room"] > 0]
        step_sums = arrays["late"] / max(1, self.now) if averaged else 0.0
        bounds = np.concatenate(([0], np.cumsum(rows["size"], dtype=np.int64)))
        return rows["key"].copy(), bounds, entries["action"].copy(), (entries["weight"] - step_sums).astype(np.float32)

    @staticmethod
    def of(int32_t actions, rows, uint16_t cut=2, bint squares=False):
        """Weights to begin with, as `averages` and `PackedWeights.unpack` give them."""
        cdef Weights weights = Weights(actions, cut, squares)
        cdef const hash_t[::1] keys
        cdef const offset_t[::1] bounds
        cdef const int32_t[::1] row_actions
        cdef const weight_t[::1] values
        cdef Py_ssize_t i, j
        keys, bounds, row_actions, values = rows
        if not 0 <= np.min(row_actions, initial=0) <= np.max(row_actions, initial=0) < max(1, actions):
            raise ModelError("the weights of the model belong to other actions; train it again from the start")
        for i in range(keys.shape[0]):
            for j in range(bounds[i], bounds[i + 1]):
                weights.change(weights.claim(keys[i]), row_actions[j], values[j])
        return weights

    def to_arrays(self):
        """All that learning goes on from, for `from_arrays`."""
        cdef hash_t i
        cdef Py_ssize_t used = 0, at = 0, total = 0
        cdef Slot* slot
        for i in range(self.mask + 1):
            total += self.slots[i].size if self.slots[i].room > 0 else 0
        slots = np.empty(self.used, dtype=SLOT)
        places = np.empty(self.used, dtype=np.int64)
        entries = np.empty(total, dtype=ENTRY)
        step_sums = np.empty(total)
        squares = np.empty(total if self.squares != NULL else 0, dtype=np.float32)
        cdef Slot[::1] slot_view = slots
        cdef offset_t[::1] place_view = places
        cdef Entry[::1] entry_view = entries
        cdef double[::1] sum_view = step_sums
        cdef weight_t[::1] square_view = squares
        for i in range(self.mask + 1):
            slot = self.slots + i
            if slot.key == 0:
                continue
            slot_view[used] = slot[0]
            place_view[used] = i
            used += 1
            if slot.room > 0:
                slot_view[used - 1].start = 0
                memcpy(&entry_view[at], self.entries + slot.start, slot.size * sizeof(Entry))
                memcpy(&sum_view[at], self.step_sums + slot.start, slot.size * sizeof(double))
                if self.squares != NULL:
                    memcpy(&square_view[at], self.squares + slot.start, slot.size * sizeof(weight_t))
                at += slot.size
        return {
            "counts": np.array([self.mask + 1, self.now, self.random], dtype=np.uint64),
            "slots": slots.view(np.uint32).reshape(-1, 4), "places": places,
            "entries": entries.view(np.uint32).reshape(-1, 2), "late": step_sums, "squares": squares,
        }

    @staticmethod
    def from_arrays(arrays, int32_t actions, uint16_t cut=2, bint squares=False):
        """The weights that `to_arrays` gave, to the last slot; `ValueError` for arrays that do not fit together."""
        cdef Weights weights = Weights(actions, cut, squares)
        slots = arrays["slots"].reshape(-1).view(SLOT)
        entries = arrays["entries"].reshape(-1).view(ENTRY)
        places, step_sums = arrays["places"], arrays["late"]
        size, now, random = map(int, arrays["counts"])
        rows = slots["room"] > 0
        if not (
            0 < size <= 2**40 and size & (size - 1) == 0 and len(places) == len(slots) < size
            and (len(places) == 0 or (places[0] >= 0 and places[-1] < size and (np.diff(places) > 0).all()))
            and size <= max(1 << 16, 4 * len(slots) + 4)        # as they grow
            and slots["key"].all() and slots["size"].all() and (slots["size"] <= slots["room"])[rows].all()
            and (slots["size"] <= actions)[rows].all() and (slots["room"] <= 2 * slots["size"].astype(int))[rows].all()
            and int(slots["size"][rows].sum(dtype=np.int64)) == len(entries) == len(step_sums)
            and len(arrays["squares"]) == (len(step_sums) if squares else 0)
            and 0 <= entries["action"].min(initial=0) <= entries["action"].max(initial=0) < actions
        ):
            raise ValueError("the weights are not whole, or of other actions")
        cdef const Slot[::1] slot_view = slots
        cdef const offset_t[::1] place_view = places
        cdef const Entry[::1] entry_view = entries
        cdef const double[::1] sum_view = step_sums
        cdef const weight_t[::1] square_view = arrays["squares"]
        cdef Py_ssize_t i, at = 0
        cdef Slot* slot
        free(weights.slots)
        weights.slots = <Slot*>calloc(size, sizeof(Slot))
        weights.mask = 0
        if weights.slots == NULL:
            raise MemoryError
        weights.mask = size - 1
        weights.used = slot_view.shape[0]
        weights.reserve(max(2, int(slots["room"].sum(dtype=np.int64))))
        for i in range(slot_view.shape[0]):
            slot = weights.slots + place_view[i]
            slot[0] = slot_view[i]
            if slot.room == 0:
                continue
            slot.start = <uint32_t>weights.entry_count
            memcpy(weights.entries + slot.start, &entry_view[at], slot.size * sizeof(Entry))
            memcpy(weights.step_sums + slot.start, &sum_view[at], slot.size * sizeof(double))
            if squares:
                memcpy(weights.squares + slot.start, &square_view[at], slot.size * sizeof(weight_t))
            at += slot.size
            weights.entry_count += slot.room
            weights.row_count += 1
        weights.now = now
        weights.random = random
        return weights

    def pack(self, double threshold=0.0, bint averaged=True):
        """The averaged weights, or the last ones, in their final form.

        Weights become whole numbers of 16 bits; what is below `threshold`, a share of the greatest weight, is left out.
        """
        cdef Py_ssize_t i, kept = 0, cells_count = 0, dense_count = 0, entry
        cdef uint16_t k, filled
        cdef double greatest = 0, value, limit, scale
        cdef hash_t bucket, size
        cdef Slot* slot
        cdef uint32_t[:, ::1] buckets
        cdef Cell[::1] cells
        cdef int16_t[:, ::1] rows
        cdef uint32_t[:, ::1] keys
        cdef uint32_t at = 1, row = 0       # no row of cells starts at 0
        for i in range(self.mask + 1):
            slot = self.slots + i
            if slot.room == 0:
                continue
            for k in range(slot.size):
                greatest = max(greatest, abs(final_weight(self, slot.start + k, averaged)))
        scale = 32767 / greatest if greatest > 0 else 1.0
        limit = max(threshold * 32767, 0.5)
        for i in range(self.mask + 1):
            slot = self.slots + i
            if slot.room == 0:
                continue
            filled = count_cells(self, slot, averaged, scale, limit)
            kept += filled > 0
            if is_dense(filled, self.actions):
                dense_count += 1
            else:
                cells_count += filled + (filled > 0)
        size = <hash_t>kept * 2 // BUCKET + 1       # half full: few searches then need a second bucket
        bucket_array = aligned_zeros(size, 2 * BUCKET)
        # As many cells more as a row can have: then a start within the rest is all that must be looked at in a file.
        cell_array = np.zeros(2 + cells_count + self.actions, dtype=CELL)
        key_array = np.zeros((size, BUCKET), dtype=np.uint32)
        row_array = np.zeros((dense_count, padded(self.actions)), dtype=np.int16)
        buckets = bucket_array
        cells = cell_array
        keys = key_array
        rows = row_array
        for i in range(self.mask + 1):
            slot = self.slots + i
            if slot.room == 0:
                continue
            filled = 0
            for k in range(slot.size):
                value = final_weight(self, slot.start + k, averaged) * scale
                if abs(value) >= limit:
                    filled += 1
                    # Beyond the last cell there is room for a row of all actions.
                    cells[at + filled].action = <uint16_t>self.entries[slot.start + k].action
                    cells[at + filled].weight = <int16_t>(value + 0.5 if value > 0 else value - 0.5)
            if filled == 0:
                continue
            bucket = bucket_of(slot.key, size)
            while buckets[bucket, 2 * BUCKET - 1] != 0:
                bucket = bucket + 1 if bucket + 1 < size else 0
            entry = 0
            while buckets[bucket, BUCKET + entry] != 0:
                entry += 1
            buckets[bucket, entry] = <uint32_t>(slot.key >> 32)
            keys[bucket, entry] = <uint32_t>slot.key
            if is_dense(filled, self.actions):
                for k in range(1, filled + 1):
                    rows[row, cells[at + k].action] = cells[at + k].weight
                buckets[bucket, BUCKET + entry] = DENSE + row
                row += 1
            else:
                cells[at].action = filled
                buckets[bucket, BUCKET + entry] = at
                at += filled + 1
        cell_array[at:] = 0
        keys_in_use = key_array[bucket_array[:, BUCKET:] != 0]
        return PackedWeights(bucket_array, cell_array, row_array, keys_in_use, self.actions, 1 / scale)
