import numpy as np
from numpy.typing import NDArray

from crossarc.core.strings import StringTable

def find_entries(
    entries: StringTable,
    forms: list[bytes],
    lowers: list[bytes],
    words: NDArray[np.int32],
    labels: NDArray[np.int32],
    first_tags: NDArray[np.int32],
) -> NDArray[np.int32]: ...
