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
def write_columns(
    sentences: list[Sentence],
    starts: NDArray[np.int64],
    columns: dict[str, tuple[NDArray[np.int32], StringTable | None]],
) -> list[Sentence]: ...
def write_graphs(
    sentences: list[Sentence],
    starts: NDArray[np.int64],
    heads: NDArray[np.int32],
    dependents: NDArray[np.int32],
    labels: NDArray[np.int32],
    names: StringTable,
) -> list[Sentence]: ...
def sentence_json(sentence: Sentence) -> str: ...
