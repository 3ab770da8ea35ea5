"""Words of the training text of a tokenizer, and their flags."""
import numpy as np

from crossarc.core.typedefs cimport hash_t, uint8_t

from crossarc.tagging.characters import code_points, lower_table


# The flags of a lower-cased word of the training text.
KNOWN = 1           # frequent
NAME = 2            # mostly written with a capital letter inside sentences
ABBREVIATION = 4    # ends with a full stop


cdef class Lexicon:
    """Words of the training text and their flags, in an open-addressing table of hashes."""

    def __init__(self, keys, flags):
        self.key_view = keys
        self.flag_view = flags
        size = len(keys)
        if size == 0 or size & (size - 1) or len(flags) != size or np.asarray(keys).all():
            raise ValueError("the list of known words is damaged")
        self.keys = keys
        self.flags = flags
        self.mask = size - 1

    def __len__(self):
        return int(np.count_nonzero(self.keys))

    @staticmethod
    def of(words):
        """The lexicon of pairs of a lower-cased word and its flags."""
        cdef hash_t key, place, mask
        cdef hash_t[::1] key_view
        pairs = sorted(words)
        size = 2
        while size < 2 * len(pairs) + 2:
            size *= 2
        keys, flags = np.zeros(size, dtype=np.uint64), np.zeros(size, dtype=np.uint8)
        key_view = keys
        mask = size - 1
        for word, flag in pairs:
            key = hash_of(word)
            place = key & mask
            while key_view[place] != 0 and key_view[place] != key:
                place = (place + 1) & mask
            key_view[place] = key
            flags[place] |= flag
        return Lexicon(keys, flags)

    def flags_of(self, str word):
        """The flags of a word, 0 if it is not known.

        >>> lexicon = Lexicon.of([("etc.", ABBREVIATION | KNOWN), ("and", KNOWN)])
        >>> lexicon.flags_of("etc."), lexicon.flags_of("And"), lexicon.flags_of("or")
        (5, 1, 0)
        """
        return self.find(hash_of(word))

    cdef uint8_t find(self, hash_t key) noexcept nogil:
        """The flags of a word by its hash."""
        cdef hash_t place = key & self.mask
        while self.key_view[place] != 0:
            if self.key_view[place] == key:
                return self.flag_view[place]
            place = (place + 1) & self.mask
        return 0


cdef hash_t hash_of(str word):
    """The hash of a lower-cased word."""
    cdef hash_t key = SEED
    for point in lower_table[code_points(word)].tolist():
        key = roll(key, point)
    return key if key != 0 else 1
