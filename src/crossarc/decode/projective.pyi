from typing import Unpack

from numpy.typing import ArrayLike

from crossarc.decode._options import Floats, Options

def projective_marginals(scores: ArrayLike, lengths: ArrayLike | None = None, **options: Unpack[Options]) -> Floats: ...
def projective_log_partition(
    scores: ArrayLike, lengths: ArrayLike | None = None, **options: Unpack[Options]
) -> float | Floats: ...
