"""The checksum sees every change."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossarc.core.checksum import Checksum, checksum


@given(st.binary(min_size=1, max_size=300), st.data())
def test_a_changed_byte_changes_it(data, draw):
    place = draw.draw(st.integers(0, len(data) - 1))
    change = draw.draw(st.integers(1, 255))
    other = bytearray(data)
    other[place] ^= change
    assert checksum(other) != checksum(data)


@given(st.binary(max_size=200), st.integers(1, 100))
def test_length_counts(data, more):
    assert checksum(data) != checksum(data + bytes(more))


@pytest.mark.parametrize("distance", [8, 64, 128, 512])
def test_changes_do_not_cancel(distance):
    """The same bit turned over twice, in the same lane or another."""
    data = np.arange(2048, dtype=np.uint8)
    whole = checksum(data)
    for place in range(0, 1024, 7):
        for bit in range(8):
            other = data.copy()
            other[place] ^= 1 << bit
            other[place + distance] ^= 1 << bit
            assert checksum(other) != whole


@pytest.mark.parametrize(
    ("data", "value"),
    [(b"", 0x6E51861BEA096326), (b"crossarc", 0x3682F02861AC3FED), (bytes(range(200)), 0xF17928654A2E14EB)],
)
def test_known_values(data, value):
    """A model written on one machine is read on another: these never change."""
    assert checksum(data) == value


def test_any_buffer():
    assert checksum(b"") == checksum(np.empty((0, 3)))
    assert checksum(np.arange(6, dtype="<u4").reshape(2, 3)) == checksum(np.arange(6, dtype="<u4").tobytes())


@given(st.lists(st.binary(max_size=150), max_size=6))
def test_pieces_do_not_matter(pieces):
    total = Checksum()
    for place, piece in enumerate(pieces):
        total.update(piece)
        assert total.value() == checksum(b"".join(pieces[: place + 1]))
