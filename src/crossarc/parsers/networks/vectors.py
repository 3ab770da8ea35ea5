"""Pretrained vectors of words, from the text files of word2vec and fastText."""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

from crossarc.core.strings import StringTable
from crossarc.errors import CrossarcError
from crossarc.treebank.streams import name_of, numbered_lines

MOST_NUMBERS = 2_000  # of one vector; a short packed line may unpack to a million


def read_vectors(
    path: str | os.PathLike[str], words: StringTable, rows: int
) -> tuple[StringTable, NDArray[np.float32]]:
    """Return the words that have vectors, in lower case, and a vector of length 1 for each.

    These are all words of `words` that the file has, and others in its order, the most frequent first as a rule, up to
    so many rows. Of words that differ only in case the first counts. Unknown words have the vector 0.
    """
    table, found = StringTable(), []
    width, free = 0, rows
    wanted = {word.lower() for word in words}
    for number, data in numbered_lines(path):
        word, _, rest = data.decode("utf-8", errors="replace").rstrip().partition(" ")
        if number == 1 and word.isdigit() and rest.strip().isdigit():
            continue  # the header: how many words and numbers there are
        word = word.lower()
        known = word in wanted
        if not word or not (known or free > 0) or word in table:
            continue
        values = np.array(rest.split(), dtype=np.float32) if is_row(rest) else np.zeros(0, dtype=np.float32)
        width = width or len(values)
        if not 0 < len(values) <= MOST_NUMBERS or len(values) != width or not np.isfinite(values).all():
            numbers = width if 0 < width <= MOST_NUMBERS else "some"
            raise CrossarcError(
                f"{name_of(path)}:{number}: a line of vectors is a word and {numbers} numbers; "
                "give a text file of word2vec or fastText"
            )
        free -= not known
        table.add(word)
        found.append(values / max(1e-12, float(np.sqrt(np.square(values).sum()))))
    if not found:
        raise CrossarcError(f"{name_of(path)}: there are no vectors of words; give a text file of word2vec or fastText")
    return table, np.concatenate([np.zeros((table.reserved, width), dtype=np.float32), np.stack(found)])


def is_row(text: str) -> bool:
    """Return whether a text is a row of numbers; Python would take 1_000 for one."""
    if "_" in text:
        return False
    try:
        [float(part) for part in text.split()]
    except ValueError:
        return False
    return True
