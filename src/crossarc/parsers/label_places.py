"""Where labels can be: what only roots have in a treebank is not given to other words, nor what they have to roots."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crossarc.treebank.corpus import Corpus

ON_ROOTS, ELSEWHERE = 1, 2


def label_places(
    corpus: Corpus, labels: NDArray[np.int32], count: int, before: NDArray[np.uint8] | None
) -> NDArray[np.uint8]:
    """For each of so many labels where it has been seen, in a corpus or before; anywhere, if none was seen there."""
    places = np.zeros(count, dtype=np.uint8)
    if before is not None:
        places[: len(before)] = before
    for place, there in ((ON_ROOTS, corpus["head"] == 0), (ELSEWHERE, corpus["head"] > 0)):
        places[labels[there]] |= place
        if not (places & place).any():
            places |= place
    return places


def check_places(places: NDArray[np.uint8], count: int) -> None:
    """Refuse what is not of so many labels, or leaves an arc none, with `ValueError`."""
    if places.dtype != np.uint8 or places.shape != (count,) or np.bitwise_or.reduce(places) != ON_ROOTS | ELSEWHERE:
        raise ValueError("it is not said where labels can be")
