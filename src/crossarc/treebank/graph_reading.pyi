import numpy as np
from numpy.typing import NDArray

from crossarc.treebank.sentence import Sentence

def arcs_of(sentence: Sentence) -> tuple[NDArray[np.int32], NDArray[np.int32], list[str]] | None: ...
