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
        values = row_of(rest)
        width = width or len(values)
        if not 0 < len(values) <= MOST_NUMBERS or len(values) != width or not np.isfinite(values).all():
            count = width if 0 < width <= MOST_NUMBERS else "some"
            raise CrossarcError(
                f"{name_of(path)}:{number}: a line of vectors is a word and {count} numbers; "
                "give a text file of word2vec or fastText"
            )
        free -= not known
        table.add(word)
        found.append(of_length_1(values))
    if not found:
        raise CrossarcError(f"{name_of(path)}: there are no vectors of words; give a text file of word2vec or fastText")
    return table, np.concatenate([np.zeros((table.reserved, width), dtype=np.float32), np.stack(found)])


def row_of(text: str) -> NDArray[np.float32]:
    """Return a row of numbers; an empty one if the text is none. Python would take 1_000 for a number."""
    try:
        with np.errstate(over="ignore"):
            return np.array(text.split() if "_" not in text else [], dtype=np.float32)
    except ValueError:
        return np.zeros(0, dtype=np.float32)


def of_length_1(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return a vector of the same direction; one that is nearly 0 stays shorter."""
    with np.errstate(over="ignore", under="ignore"):
        length = float(np.sqrt(np.square(values).sum()))
    if not np.isfinite(length):
        return of_length_1(values / np.abs(values).max())
    return np.asarray(values / max(1e-12, length), dtype=np.float32)
