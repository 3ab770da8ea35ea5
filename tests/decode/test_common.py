"""What all functions over matrices share: batches with lengths and threads, kinds of arrays, constraints, errors."""

from inspect import signature

import numpy as np
import pytest

from crossarc import decode
from crossarc.decode.decoder import checked_array
from crossarc.errors import DecodeError

WIDTH = 9


def enhance_chain(scores, lengths=None, single_root=True, **options):
    """Trees in which every word hangs from the one before it, enhanced."""
    shape = np.shape(scores)[:-1]
    heads = np.broadcast_to(np.arange(-1, shape[-1] - 1), shape) if shape else []
    return decode.enhance(heads, scores, lengths, rounds=None, **options)


def no_pairs(scores):
    """Scores of siblings or grandchildren that change nothing."""
    return np.zeros((*np.shape(scores), *np.shape(scores)[-1:]))


def carreras_of_arcs(scores, *rest, **options):
    return decode.carreras(scores, no_pairs(scores), no_pairs(scores), *rest, **options)


def reattach_chain(scores, lengths=None, **options):
    """Trees in which every word hangs from the one before it, improved."""
    shape = np.shape(scores)[:-1]
    heads = np.broadcast_to(np.arange(-1, shape[-1] - 1), shape) if shape else []
    return decode.reattach(scores, no_pairs(scores), no_pairs(scores), heads, None, lengths, **options)


FUNCTIONS = {
    "mst": decode.mst,
    "eisner": decode.eisner,
    "undirected": decode.undirected,
    "kbest": lambda scores, *rest, **options: decode.kbest(scores, 3, *rest, **options),
    "projective_kbest": lambda scores, *rest, **options: decode.projective_kbest(scores, 3, *rest, **options),
    "marginals": decode.marginals,
    "log_partition": decode.log_partition,
    "projective_marginals": decode.projective_marginals,
    "projective_log_partition": decode.projective_log_partition,
    "enhance": enhance_chain,
    "carreras": carreras_of_arcs,
    "reattach": reattach_chain,
    "best_graph": decode.best_graph,
}
SCORES = {"carreras": "arcs", "reattach": "arcs"}  # what errors call them, if not scores
over_all = pytest.mark.parametrize("name", FUNCTIONS)


def some_scores(n, seed):
    """Symmetric between words, so that every function takes them."""
    scores = np.random.default_rng(seed).normal(size=(n + 1, n + 1))
    scores[1:, 1:] += scores[1:, 1:].T.copy()
    return scores.astype(np.float32).astype(np.float64)


def parts(result, sentence=None, n=None):
    """The arrays of a result, or of one of its sentences without the padding, as lists."""
    arrays = [np.asarray(array) for array in (result if isinstance(result, tuple) else (result,))]
    if sentence is None:
        return [array.tolist() for array in arrays]
    rows = [array[sentence] for array in arrays]
    return [row[tuple(slice(n + 1) if size == WIDTH else slice(None) for size in row.shape)].tolist() for row in rows]


def test_no_function_escapes():
    others = {"mst_sparse", "spanning_tree", "orient", "best_labels", "labels_of", "tree_in_graph", "trees_in_graphs"}
    forgotten = set(decode.__all__) - set(FUNCTIONS) - others
    assert not forgotten, f"add {forgotten} to FUNCTIONS, or if they take no matrices to `others`"
    assert set(FUNCTIONS) | others <= set(decode.__all__)


def test_functions_of_matrices_take_the_same_arguments():
    """Those whose types are written once, in `decoder.pyi`."""
    names = ("eisner", "marginals", "log_partition", "projective_marginals", "projective_log_partition")
    assert {signature(getattr(decode, name)) for name in names} == {signature(decode.mst)}
    assert str(signature(decode.mst)).startswith("(scores, lengths=None, *, single_root=True, required=None,")
    assert str(signature(decode.kbest)) == str(signature(decode.mst)).replace("scores, ", "scores, k, ")
    assert signature(decode.projective_kbest) == signature(decode.kbest)


@over_all
@pytest.mark.parametrize("threads", [1, 3])
def test_batches_give_what_single_sentences_give(name, threads):
    lengths = np.random.default_rng(0).integers(0, WIDTH, size=30)
    assert (lengths == 0).any()
    batch = np.full((30, WIDTH, WIDTH), np.nan)  # padding may hold anything
    required = np.full((30, WIDTH), -1)
    forbidden = np.zeros(batch.shape, dtype=bool)
    for s, n in enumerate(lengths):
        batch[s, : n + 1, : n + 1] = some_scores(n, s)
        if n > 3:
            forbidden[s, 1, 3] = forbidden[s, 3, 1] = True
            required[s, 2] = 1
    result = FUNCTIONS[name](batch, lengths, required=required, forbidden=forbidden, threads=threads)
    for s, n in enumerate(lengths):
        inside = slice(n + 1)
        limits = {"required": required[s, inside], "forbidden": forbidden[s, inside, inside]}
        assert parts(result, s, n) == parts(FUNCTIONS[name](batch[s, inside, inside], **limits))
    assert all(len(array) == 0 for array in parts(FUNCTIONS[name](np.empty((0, 4, 4)))))


def test_kernels_get_aligned_doubles():
    misaligned = np.frombuffer(b"\0" + some_scores(3, 1).tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(4, 4)
    assert not misaligned.flags.aligned
    assert checked_array(misaligned).flags.aligned
    aligned = some_scores(3, 1)
    assert checked_array(aligned) is aligned


@over_all
def test_kinds_of_arrays(name):
    scores = some_scores(6, 1)
    before = scores.copy()
    expected = parts(FUNCTIONS[name](scores))
    scores.flags.writeable = False
    wide = np.zeros((7, 14))
    wide[:, ::2] = scores
    bytes_ = np.frombuffer(b"\0" + scores.tobytes(), dtype=np.uint8)[1:]
    for kind in (
        scores,
        scores.astype(np.float32),
        scores.astype(">f8"),
        np.asfortranarray(scores),
        wide[:, ::2],
        scores[::-1, ::-1].copy()[::-1, ::-1],
        bytes_.view(np.float64).reshape(7, 7),  # at an odd address
        scores.tolist(),
    ):
        assert parts(FUNCTIONS[name](kind)) == expected
    assert (scores == before).all()
    whole = np.round(scores * 10)
    assert parts(FUNCTIONS[name](whole.astype(np.int16))) == parts(FUNCTIONS[name](whole))
    for wrong in (np.zeros((3, 4)), np.zeros(4), np.zeros((0, 0)), np.zeros((2, 2, 2, 2)), np.full((2, 2), "a")):
        with pytest.raises(DecodeError, match=f"^{SCORES.get(name, 'scores')} must"):
            FUNCTIONS[name](wrong)


@over_all
@pytest.mark.parametrize("value", [np.nan, np.inf, 1e300, -1e305])
def test_scores_that_cannot_be(name, value):
    scores = np.zeros((4, 4))
    scores[2, 3] = scores[3, 2] = value
    with pytest.raises(DecodeError, match=rf"^{SCORES.get(name, 'scores')}\[2, 3\] is"):
        FUNCTIONS[name](scores)
    with pytest.raises(DecodeError, match=rf"^sentence 1: {SCORES.get(name, 'scores')}\[2, 3\] is"):
        FUNCTIONS[name](np.stack([np.zeros((4, 4)), scores]))
    scores[2, 3] = scores[3, 2] = 0
    scores[0] = value
    np.fill_diagonal(scores, value)  # these are not used
    FUNCTIONS[name](scores)


@over_all
@pytest.mark.parametrize("sign", [1, -1])
def test_scores_near_the_limit(name, sign):
    scores = some_scores(5, 3)
    scores[1:] *= sign * 9.9e299 / np.abs(scores[1:]).max()
    for found in parts(FUNCTIONS[name](scores)):
        assert np.isfinite(found).all()


@over_all
def test_one_word_and_none(name):
    one = parts(FUNCTIONS[name](np.array([[0.0, 0.0], [2.0, 0.0]])))
    none = parts(FUNCTIONS[name](np.zeros((1, 1))))
    heads, shares = [[-1, 0]], [[[0.0, 0.0], [1.0, 0.0]]]
    kinds = {"kbest": [[*heads, [-1, -1], [-1, -1]], [2.0, -np.inf, -np.inf]], "marginals": shares, "partition": [2.0]}
    empty = {"kbest": [[[-1]] * 3, [0.0, -np.inf, -np.inf]], "marginals": [[[0.0]]], "partition": [0.0]}
    kinds["graph"], empty["graph"] = kinds["marginals"], empty["marginals"]
    kind = name.rsplit("_", 1)[-1]
    assert one == kinds.get(kind, heads)
    assert none == empty.get(kind, [[-1]])


CONTRADICTIONS = {
    "a cycle": ({"required": [-1, 2, 3, 1, -1]}, "required 2 -> 1, .*required 1 -> 3 leave no"),
    "two roots": ({"required": [-1, 0, -1, 0, -1]}, "required 0 -> 1, required 0 -> 3 leave no .*with a single root"),
    "no head": ({"forbidden": [(2, h) for h in (0, 1, 3, 4)]}, "(forbidden . -> 2, )+forbidden 4 -> 2 leave no"),
    "no root": ({"forbidden": [(d, 0) for d in (1, 2, 3, 4)]}, "(forbidden 0 -> ., ){3}forbidden 0 -> 4 leave no"),
    "both": ({"required": [-1, 3, -1, -1, -1], "forbidden": [(1, 3)]}, "required 3 -> 1, forbidden 3 -> 1 leave no"),
    "cut": (
        {"forbidden": [(d, h) for d in (3, 4) for h in (0, 1, 2)]},
        "(forbidden [012] -> 3, )+(forbidden [012] -> 4, )*forbidden 2 -> 4 leave no",
    ),
    "itself": ({"required": [-1, 1, -1, -1, -1]}, r"required\[(0, )?1\] is 1; word 1 can have -1 or another node"),
    "a node that is not": ({"required": [-1, 9, -1, -1, -1]}, r"required\[(0, )?1\] is 9; word 1 can"),
}


# What the error of a function says instead that does not look for the best of all trees: where trees of a smaller class
# are looked for, fewer constraints contradict each other, as in "(required|forbidden) .* leaves? no".
CONTRARY = dict.fromkeys(("enhance", "reattach"), "the tree is against (required|forbidden) ")


@over_all
@pytest.mark.parametrize("trouble", CONTRADICTIONS)
def test_contradictions_are_named(name, trouble):
    options, message = CONTRADICTIONS[trouble]
    options = dict(options)
    if "forbidden" in options:
        mask = np.zeros((5, 5), dtype=bool)
        mask[tuple(np.transpose(options["forbidden"]))] = True
        options["forbidden"] = mask
    if name in CONTRARY and "leave no" in message:
        message = CONTRARY[name]
    with pytest.raises(DecodeError, match=f"^{message}"):
        FUNCTIONS[name](np.zeros((5, 5)), **options)
    with pytest.raises(DecodeError, match=f"^(sentence 0: )?{message}"):
        FUNCTIONS[name](np.zeros((1, 5, 5)), **{key: np.asarray(value)[None] for key, value in options.items()})
