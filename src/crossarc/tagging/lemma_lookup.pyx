"""Looks for the lemma rules of words in a table of forms and suffixes with their tags."""

import numpy as np

from libc.string cimport memcpy

from crossarc.core.strings cimport StringTable
from crossarc.core.typedefs cimport int32_t, label_t, uint8_t
from crossarc.treebank.field_writing cimport write_number

cdef enum:
    LONGEST_KEY = 1024      # bytes; longer forms are not in the table
    LONGEST_SUFFIX = 8      # letters; as in lemmas.py


cdef inline Py_ssize_t write_tag(char* key, label_t tag, bint first) noexcept nogil:
    """Write a tag and the tab behind it, with + before a first tag alone; returns the number of bytes."""
    cdef char* end = key
    if first:
        end[0] = b'+'
        end += 1
    end = write_number(end, tag)
    end[0] = b'\t'
    return end - key + 1


cdef inline label_t find_form(StringTable entries, char* key, Py_ssize_t size, const char* form,
                              Py_ssize_t length) noexcept nogil:
    """The entry of a form behind a tag, -1 if there is none."""
    if size + length > LONGEST_KEY:
        return -1
    memcpy(key + size, form, length)
    return entries.find(key, size + length)


cdef label_t find_suffix(StringTable entries, char* key, Py_ssize_t size, const char* form,
                         Py_ssize_t length) noexcept nogil:
    """The entry of the longest known suffix behind a tag, -1 if there is none."""
    cdef Py_ssize_t begins[LONGEST_SUFFIX + 1]
    cdef Py_ssize_t begin = length, letters = 0
    cdef label_t found
    key[size] = b'\t'
    begins[0] = length
    while begin > 0 and letters < LONGEST_SUFFIX:
        begin -= 1
        while begin > 0 and (<uint8_t>form[begin] & 0xC0) == 0x80:
            begin -= 1
        letters += 1
        begins[letters] = begin
    while letters >= 0:
        found = find_form(entries, key, size + 1, form + begins[letters], length - begins[letters])
        if found >= 0:
            return found
        letters -= 1
    return -1


cdef label_t find_rule(StringTable entries, label_t label, label_t first_tag, const char* form, Py_ssize_t form_size,
                       const char* lower, Py_ssize_t lower_size) noexcept nogil:
    """The entry of a word, by the form before its suffixes, and by all tags before the first; -1 if there is none."""
    cdef char keys[2][LONGEST_KEY]
    cdef Py_ssize_t sizes[2]
    cdef label_t found
    cdef int32_t which
    sizes[0] = write_tag(keys[0], label, False)
    sizes[1] = write_tag(keys[1], first_tag, True)
    for which in range(2):
        found = find_form(entries, keys[which], sizes[which], form, form_size)
        if found < 0:
            found = find_form(entries, keys[which], sizes[which], lower, lower_size)
        if found >= 0:
            return found
    for which in range(2):
        found = find_suffix(entries, keys[which], sizes[which], lower, lower_size)
        if found >= 0:
            return found
    return -1


def find_entries(StringTable entries, list forms, list lowers, const label_t[::1] words, const label_t[::1] labels,
                 const label_t[::1] first_tags):
    """Return the number of the entry of each word, -1 for those without one.

    Words are given by their places in `forms`, which has UTF-8 as bytes, as `lowers` has of the same in lower case.
    """
    cdef Py_ssize_t i
    cdef bytes form, lower
    result = np.empty(words.shape[0], dtype=np.int32)
    cdef label_t[::1] view = result
    for i in range(words.shape[0]):
        form, lower = forms[words[i]], lowers[words[i]]
        view[i] = find_rule(entries, labels[i], first_tags[labels[i]], form, len(form), lower, len(lower))
        if view[i] >= 0:
            view[i] -= entries.reserved
    return result
