"""Files of pretrained vectors that are not as they should be."""

import numpy as np
import pytest

from crossarc.core.strings import StringTable
from crossarc.errors import CrossarcError
from crossarc.parsers.networks.vectors import read_vectors
from crossarc.treebank.streams import limits


def test_a_line_without_end(tmp_path):
    """A file such as /dev/zero filled the memory."""
    path = tmp_path / "v"
    path.write_bytes(b"the 1 0\n" + b"\0" * (limits.line + 2**18))
    with pytest.raises(CrossarcError, match="v:2: this line has more than 2 MB"):
        read_vectors(path, StringTable(["the"]), 5)


def test_great_numbers(tmp_path):
    path = tmp_path / "v"
    path.write_text("the 3e38 3e38 0\ncake 0 0 0\n")
    _, vectors = read_vectors(path, StringTable(["the"]), 5)
    assert vectors[2] == pytest.approx(np.sqrt([0.5, 0.5, 0]))
    assert not vectors[3].any()
    for wrong in ("1e39", "nan", "-inf", "1_0", "x"):
        path.write_text(f"the 1 {wrong}\n")
        with pytest.raises(CrossarcError, match="v:1: a line of vectors is a word and"):
            read_vectors(path, StringTable(["the"]), 5)
