"""A decoder of your own: the tree with the highest expected number of right heads.

`mst` finds the most likely tree. Where several trees are nearly as likely, the heads that most of them agree on are the
better guess: this decoder finds the best tree by how likely each arc is (minimum Bayes risk).

    python examples/expected_heads.py [TRAIN [DEV]]

trains a network and prints the scores of its parses with both decoders.
"""

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import crossarc
from crossarc import decode

NAME = "expected-heads"
EXAMPLE = Path(crossarc.__file__).parent / "data" / "example.conllu"


def expected_heads(scores: NDArray[np.float64], *, single_root: bool) -> NDArray[np.int32]:
    """Return the heads of the tree with the most heads expected to be right, if trees are as likely as exp(score).

    >>> def log(shares):
    ...     return np.log(np.array(shares) + 1e-9)
    >>> scores = log([[0, 0, 0, 0], [4, 0, 3, 3], [3, 4, 0, 3], [3, 4, 3, 0]])
    >>> expected_heads(scores, single_root=True).tolist()
    [-1, 0, 1, 1]
    """
    likely = decode.marginals(scores, single_root=single_root)
    likely[np.isneginf(scores)] = -np.inf  # a forbidden arc stays forbidden, as constraints need it
    return decode.mst(likely, single_root=single_root)


crossarc.register(NAME, decoder=expected_heads)


def main(train: str | Path = EXAMPLE, dev: str | Path | None = None) -> None:
    """Print the scores of a network's parses with `mst` and with this decoder."""
    parser = crossarc.Parser("neural", epochs=5).fit(train)
    for name in ("mst", NAME):
        around = crossarc.Parser.around(parser.model.scorer(), name)
        print(f"{name:15} UAS {around.evaluate(dev or train).uas:.2f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
