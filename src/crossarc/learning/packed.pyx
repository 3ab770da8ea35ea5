"""The weights of a trained model, packed for speed and mapped from its file as they are."""

import numpy as np

from libc.string cimport memset

from crossarc.core.typedefs cimport hash_t, int16_t, int32_t, uint32_t

cdef extern from *:
    """
    #if defined(__GNUC__) && !defined(__clang__) && defined(__linux__) && defined(__x86_64__)
    #define CROSSARC_WIDE __attribute__((target_clones("avx2", "default")))
    #else
    #define CROSSARC_WIDE
    #endif
    /* Whole vectors: the width is a multiple of 8. */
    CROSSARC_WIDE static void crossarc_add_dense(int32_t* restrict scores, const int16_t* restrict weights, int width) {
        for (int i = 0; i < width; i += 8)
            for (int k = 0; k < 8; k++)
                scores[i + k] += weights[i + k];
    }
    """
    void add_dense "crossarc_add_dense" (int32_t* scores, const int16_t* weights, int width) noexcept nogil

PLACE = np.dtype([("check", "u4"), ("start", "u4")])
CELL = np.dtype([("action", "u2"), ("weight", "i2")])


cdef class PackedWeights:
    """The weights of a trained model; tables that would lead native code astray are refused with `ValueError`.

    `keys` are the lower halves of the keys in use, in the order of their places: scoring needs none, but who wants the
    weights back does. `unit` is what a weight of 1 stands for.
    """

    def __init__(self, places, cells, rows, keys, int32_t actions, double unit):
        cdef const Place[::1] place_view = places
        cdef const Cell[::1] cell_view = cells
        cdef const int16_t[:, ::1] row_view = rows
        starts = places["start"]
        dense = starts >= np.uint32(DENSE)
        sound = (
            0 < actions < 0xFFFF
            and not starts.all()  # a search for a key must come to an end
            # A row has a cell with its size, which is at most the number of actions, and so many cells behind it.
            and cells["action"].max(initial=0) <= actions
            and int(starts[~dense].max(initial=0)) + actions < len(cells)
            and row_view.shape[1] == padded(actions)
            and int(starts[dense].max(initial=DENSE)) - DENSE < max(1, len(rows))
            and (len(rows) > 0 or not dense.any())
        )
        if not sound:
            raise ValueError("the tables of weights do not fit together")
        self.places = places
        self.cells = cells
        self.rows = rows
        self.keys = keys
        self.unit = unit
        self.actions = actions
        self.packed.places = &place_view[0]
        self.packed.cells = &cell_view[0]
        self.packed.rows = &row_view[0, 0] if len(rows) else NULL
        self.packed.size = place_view.shape[0]
        self.packed.actions = actions

    def __len__(self):
        """How many features have a weight."""
        return int(np.count_nonzero(self.places["start"]))

    def scores(self, const hash_t[::1] keys):
        """The sum of the weights of some keys for every action, in units of weight; 512 keys are the most."""
        if keys.shape[0] > MOST_KEYS:
            raise ValueError(f"{keys.shape[0]} keys; {MOST_KEYS} are the most")
        result = np.zeros(padded(self.actions), dtype=np.int32)
        cdef int32_t[::1] view = result
        if keys.shape[0]:
            score_packed(&self.packed, &keys[0], <int32_t>keys.shape[0], &view[0])
        return result[: self.actions]

    def unpack(self):
        """Keys, where each one's weights begin in the rest, and the actions and values of all weights."""
        starts = self.places["start"]
        used = starts != 0
        if np.count_nonzero(used) != len(self.keys):
            raise ValueError("the keys of the model are not those of its weights")
        keys = self.places["check"][used].astype(np.uint64) << np.uint64(32) | self.keys.astype(np.uint64)
        starts = starts[used].astype(np.int64)
        dense = starts >= DENSE
        sizes = np.empty(len(keys), dtype=np.int64)
        sizes[~dense] = self.cells["action"][starts[~dense]]
        sizes[dense] = self.actions
        bounds = np.zeros(len(keys) + 1, dtype=np.int64)
        np.cumsum(sizes, out=bounds[1:])
        actions = np.empty(bounds[-1], dtype=np.int32)
        values = np.empty(bounds[-1], dtype=np.float32)
        here = np.repeat(dense, sizes)
        at = np.arange(bounds[-1]) + np.repeat(starts + 1 - bounds[:-1], sizes)
        actions[~here] = self.cells["action"][at[~here]]
        values[~here] = self.cells["weight"][at[~here]]
        actions[here] = np.tile(np.arange(self.actions, dtype=np.int32), np.count_nonzero(dense))
        values[here] = self.rows[starts[dense] - DENSE, : self.actions].reshape(-1)
        return keys, bounds, actions, (values * self.unit).astype(np.float32)

    def to_arrays(self, prefix=""):
        """What a model file keeps."""
        return {
            f"{prefix}places": self.places.view(np.uint32).reshape(-1, 2),
            f"{prefix}cells": self.cells.view(np.uint16).reshape(-1, 2),
            f"{prefix}rows": self.rows,
            f"{prefix}keys": self.keys,
            f"{prefix}unit": np.array([self.unit]),
        }

    @staticmethod
    def from_arrays(arrays, int32_t actions, prefix=""):
        """The weights that a model file keeps."""
        return PackedWeights(
            arrays[f"{prefix}places"].reshape(-1).view(PLACE),
            arrays[f"{prefix}cells"].reshape(-1).view(CELL),
            arrays[f"{prefix}rows"].reshape(-1, padded(actions)),
            arrays[f"{prefix}keys"],
            actions,
            float(arrays[f"{prefix}unit"][0]),
        )


cdef void score_packed(const Packed* packed, const hash_t* keys, int32_t count, int32_t* scores) noexcept nogil:
    """The sum of the weights of all keys for every action."""
    cdef int32_t k, found = 0
    cdef hash_t place
    cdef uint32_t check
    cdef const Cell* cell
    cdef const Cell* end
    cdef uint32_t hits[MOST_KEYS]
    cdef int32_t width = padded(packed.actions)
    memset(scores, 0, width * sizeof(int32_t))
    for k in range(count):
        prefetch(&packed.places[place_of(keys[k], packed.size)])
    for k in range(count):
        place = place_of(keys[k], packed.size)
        check = <uint32_t>(keys[k] >> 32)
        while packed.places[place].check != check and packed.places[place].start != 0:
            place = place + 1 if place + 1 < packed.size else 0
        if packed.places[place].start != 0:
            hits[found] = packed.places[place].start
            if hits[found] < DENSE:
                prefetch(packed.cells + hits[found])
            else:
                prefetch(packed.rows + <size_t>(hits[found] - DENSE) * width)
            found += 1
    for k in range(found):
        if hits[k] >= DENSE:
            add_dense(scores, packed.rows + <size_t>(hits[k] - DENSE) * width, width)
            continue
        cell = packed.cells + hits[k]
        end = cell + cell.action
        while cell < end:
            cell += 1
            scores[cell.action] += cell.weight
