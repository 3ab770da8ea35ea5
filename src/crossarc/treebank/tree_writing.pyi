import numpy as np
from numpy.typing import NDArray

from crossarc.core.strings import StringTable
from crossarc.treebank.sentence import Sentence

def write_trees(
    sentences: list[Sentence],
    heads: NDArray[np.int32],
    labels: NDArray[np.int32],
    starts: NDArray[np.int64],
    names: StringTable,
) -> list[Sentence]: ...
