"""Every decoder over matrices against all trees, with and without a single root and constraints."""

import networkx as nx
import numpy as np
import pytest
from decode.forest import KINDS, all_trees, is_tree, random_scores, tree_score, tree_scores

from crossarc import decode
from crossarc.errors import CrossarcError, DecodeError
from crossarc.structure import is_projective

DECODERS = {"mst": decode.mst, "eisner": decode.eisner}
DECODERS = {name: decoder for name, decoder in DECODERS.items() if decoder}


def best(scores, trees):
    """The best score of any tree, -inf if none is allowed."""
    return tree_scores(scores, trees).max(initial=-np.inf)


def same(found, expected):
    return found == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("name", DECODERS)
def test_best_of_all_trees(name, single_root, kind):
    for n in range(1, 7):
        trees = all_trees(n, single_root, name == "eisner")
        for seed in range(40 if n < 6 else 15):
            scores = random_scores(n, seed, kind)
            expected = best(scores, trees)
            if np.isneginf(expected):
                with pytest.raises(DecodeError, match="-inf leave no"):
                    DECODERS[name](scores, single_root=single_root)
                continue
            heads = DECODERS[name](scores, single_root=single_root)
            assert heads.dtype == np.int32
            assert heads[0] == -1
            assert (heads == trees).all(axis=1).any(), heads
            assert same(tree_score(scores, heads), expected)
