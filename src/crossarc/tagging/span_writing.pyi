import numpy as np
from numpy.typing import NDArray

def write_spans(
    points: NDArray[np.uint32],
    begins: NDArray[np.int64],
    ends: NDArray[np.int64],
    last: NDArray[np.uint8],
    paragraphs: NDArray[np.uint8],
    word_counts: NDArray[np.int32],
    word_ends: NDArray[np.int64],
    words: bytes,
    header: bytes,
    offset: int = 0,
    sentence: int = 1,
) -> bytes: ...
