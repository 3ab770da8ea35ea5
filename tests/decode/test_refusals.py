"""What decoders refuse, and what they say: bad arguments, contradictory constraints, graphs without a tree."""

import os
import subprocess
import sys

import numpy as np
import pytest

from crossarc import decode
from crossarc.errors import CrossarcError, DecodeError
from decode.forest import is_tree

MATRIX_DECODERS = {"mst": decode.mst, "eisner": decode.eisner, "undirected": decode.undirected}


@pytest.mark.parametrize("name", MATRIX_DECODERS)
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"scores": np.zeros((3, 4))}, "shape"),
        ({"scores": np.zeros(4)}, "shape"),
        ({"scores": np.zeros((0, 0))}, "shape"),
        ({"scores": [["a", "b"], ["c", "d"]]}, "numbers"),
        ({"lengths": [4]}, r"lengths\[0\] is 4"),
        ({"lengths": [1, 1]}, "1 integers"),
        ({"lengths": [0.5]}, "integers"),
        ({"required": [-1, 2]}, "required must"),
        ({"required": [-1, 2, 4, -1]}, r"required\[2\] is 4"),
        ({"required": [-1, 1, -1, -1]}, r"required\[1\] is 1"),
        ({"required": [-1, 0.5, -1, -1]}, "required must be integers"),
        ({"forbidden": np.zeros((2, 2), dtype=bool)}, "forbidden must"),
        ({"forbidden": np.zeros((4, 4))}, "forbidden must be booleans"),
    ],
)
def test_bad_arguments(name, change, words):
    arguments = {"scores": np.zeros((4, 4)), **change}
    with pytest.raises(DecodeError, match=words) as caught:
        MATRIX_DECODERS[name](**arguments)
    assert isinstance(caught.value, CrossarcError)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("threads", [0, -1, 1.5, "2"])
def test_bad_threads(threads):
    for shape in ((2, 3, 3), (3, 3)):
        with pytest.raises(DecodeError, match="threads must be 1 or more"):
            decode.mst(np.zeros(shape), threads=threads)
    with pytest.raises(DecodeError, match="threads must be 1 or more"):
        decode.best_labels(np.zeros((2, 3, 3, 4)), threads=threads)
    with pytest.raises(DecodeError, match="threads must be 1 or more"):
        decode.mst_sparse([1, 1], [1, 1], [0, 0], [1.0, 1.0], [0, 1, 2], threads=threads)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("mst", {"required": [-1, 2, 1, -1]}, "required 2 -> 1, required 1 -> 2 leave no tree;"),
        ("mst", {"required": [-1, 0, -1, 0]}, "required 0 -> 1, required 0 -> 3 leave no tree with a single root;"),
        (
            "mst",
            {"forbidden": [(1, 0), (2, 0), (3, 0), (1, 2)]},
            "forbidden 0 -> 1, forbidden 0 -> 2, forbidden 0 -> 3 ",
        ),
        (
            "mst",
            {"required": [-1, 3, -1, -1], "forbidden": [(1, 3)]},
            "required 3 -> 1, forbidden 3 -> 1 leave no tree;",
        ),
        ("eisner", {"required": [-1, 3, 0, -1]}, "required 3 -> 1, required 0 -> 2 leave no projective tree;"),
        (
            "undirected",
            {"required": [-1, 2, 3, 1]},
            "required 2 -> 1, required 3 -> 2, required 1 -> 3 leave no undirected",
        ),
        ("marginals", {"required": [-1, 2, 1, -1]}, "required 2 -> 1, required 1 -> 2 leave no tree;"),
        ("kbest", {"required": [-1, 2, 1, -1]}, "required 2 -> 1, required 1 -> 2 leave no tree;"),
    ],
)
def test_contradictions_are_named(name, options, message):
    call = {**MATRIX_DECODERS, "marginals": decode.marginals, "kbest": lambda *a, **k: decode.kbest(*a, 2, **k)}[name]
    options = dict(options)
    if "forbidden" in options:
        mask = np.zeros((4, 4), dtype=bool)
        mask[tuple(np.transpose(options["forbidden"]))] = True
        options["forbidden"] = mask
    with pytest.raises(DecodeError) as caught:
        call(np.zeros((4, 4)), **options)
    assert str(caught.value).startswith(message)
    batched = {
        key: np.stack([np.full_like(value, -1 if key == "required" else 0), value]) for key, value in options.items()
    }
    with pytest.raises(DecodeError, match=r"^sentence 1: "):
        call(np.zeros((2, 4, 4)), **batched)


def test_contradictions_among_many_constraints():
    n = 60
    forbidden = np.random.default_rng(0).random((n + 1, n + 1)) < 0.3
    forbidden[7, 9] = False
    required = np.full(n + 1, -1)
    required[[7, 9]] = 9, 7
    with pytest.raises(DecodeError, match=r"^required 9 -> 7, required 7 -> 9 leave no tree;"):
        decode.mst(np.zeros((n + 1, n + 1)), required=required, forbidden=forbidden)


def test_all_but_the_culprits_are_left_out_of_long_explanations():
    n = 150
    forbidden = np.random.default_rng(0).random((n + 1, n + 1)) < 0.3
    forbidden[:, 0] = True
    with pytest.raises(DecodeError, match=r"^(forbidden 0 -> \d+, ){9}forbidden 0 -> \d+ and others leave no tree;"):
        decode.mst(np.zeros((n + 1, n + 1)), forbidden=forbidden)


@pytest.mark.parametrize("name", ["eisner", "undirected"])
def test_a_second_root_is_said_to_be_the_trouble(name):
    scores = np.zeros((5, 5))
    kind = {"eisner": "projective tree", "undirected": "undirected tree"}[name]
    with pytest.raises(DecodeError, match=f"^required 0 -> 1, required 0 -> 3 leave no {kind} with a single root;"):
        MATRIX_DECODERS[name](scores, required=[-1, 0, -1, 0, -1])
    scores[1:3, 3:] = scores[3:, 1:3] = -np.inf
    with pytest.raises(DecodeError, match=f"leave no {kind} with a single root; only node 0 leads to words 1, 3 and"):
        MATRIX_DECODERS[name](scores)
    assert is_tree(MATRIX_DECODERS[name](scores, single_root=False))


def test_chains_are_described_from_their_tops():
    n = 400
    scores = np.full((n + 1, n + 1), -np.inf)
    words = np.arange(1, n)
    scores[words, words + 1] = 0  # n -> n - 1 -> ... -> 1
    scores[200, 201] = -np.inf
    scores[[200, n], 0] = 0
    with pytest.raises(DecodeError, match=r"only node 0 leads to words 200, 400 and what is below each$"):
        decode.mst(scores)


def test_disconnected_graphs_are_described():
    scores = np.zeros((5, 5))
    scores[[3, 4], :3] = -np.inf
    with pytest.raises(DecodeError, match=r"no path of allowed arcs leads from node 0 to words 3, 4$"):
        decode.mst(scores)
    scores[3, 0] = 0
    scores[[1, 2], 3:] = -np.inf
    with pytest.raises(DecodeError, match=r"only node 0 leads to words 1, 3 and what is below each$"):
        decode.mst(scores)
    assert decode.mst(scores, single_root=False).tolist()[3] == 0
    with pytest.raises(DecodeError, match=r"arcs that are not there leave no tree; .* word 2$"):
        decode.mst_sparse(2, [1], [0], [1.0])


def test_undirected_wants_symmetry():
    scores = np.zeros((4, 4))
    scores[1, 3] = 2
    with pytest.raises(DecodeError, match=r"scores\[3, 1\] is 0 but scores\[1, 3\] is 2"):
        decode.undirected(scores)
    with pytest.raises(CrossarcError, match="no method 'dijkstra'"):
        decode.undirected(np.zeros((2, 2)), method="dijkstra")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((2, [1], [0, 1], [1.0]), "one length"),
        ((2, [3], [0], [1.0]), r"dependents\[0\] is 3"),
        ((2, [1], [-1], [1.0]), r"heads\[0\] is -1"),
        ((2, [1], [0], [np.nan]), r"scores\[0\] is nan"),
        ((-1, [], [], []), "number of words"),
        ((True, [1], [0], [1.0]), "number of words"),
        (([1, 1], [1], [0], [1.0]), "many graphs need offsets"),
        ((2, [1.5], [0], [1.0]), "dependents must be integers"),
        ((2, [1], [0], ["a"]), "scores must be a row of numbers"),
        ((2, [1], [0], [1e300]), r"scores\[0\] is 1e\+300"),
        (([2, 1], [1, 2], [0, 0], [1.0, 1.0], [0, 1, 2]), r"dependents\[1\] is 2; the nodes are 0..1"),
        (([2, 1], [1, 1], [0, 0], [1.0, 1.0], [0, 1]), "offsets must be 3 integers"),
        (([2, 1], [1, 1], [0, 0], [1.0, 1.0], [0, 1, 1]), "offsets must rise from 0 to 2"),
    ],
)
def test_bad_sparse_arguments(arguments, words):
    with pytest.raises(DecodeError, match=words):
        decode.mst_sparse(*arguments)


def test_contradictions_in_sparse_graphs_are_named():
    n = 3000
    chain = (np.arange(1, n + 1), np.arange(n), np.zeros(n))
    with pytest.raises(DecodeError, match=r"^forbidden 1500 -> 1501 with the arcs that are not there leaves no tree; "):
        decode.mst_sparse(n, *chain, forbidden=chain[1] == 1500)
    with pytest.raises(DecodeError, match=r"^required 100 -> 5 with .* not there leaves no tree; take it"):
        decode.mst_sparse(n, *chain, required=np.where(np.arange(n + 1) == 5, 100, -1))
    with pytest.raises(DecodeError, match=r"^required\[1\] is 1; word 1 can have"):
        decode.mst_sparse(2, [1, 2], [0, 1], [1.0, 1.0], required=[-1, 1, -1])
    with pytest.raises(DecodeError, match=r"^required 2 -> 1, required 1 -> 2 leave no tree;"):
        decode.mst_sparse(2, [1, 1, 2, 2], [0, 2, 0, 1], np.zeros(4), required=[-1, 2, 1])
    with pytest.raises(DecodeError, match=r"^sentence 1: the arcs that are not there leave no tree; .* to word 1$"):
        decode.mst_sparse([0, 1], [], [], [], [0, 0, 0])
    with pytest.raises(DecodeError, match=r"^sentence 1: .* with a single root; only node 0 leads to words 1, 2 and"):
        decode.mst_sparse([1, 2], [1, 1, 2], [0, 0, 0], [1.0, 1.0, 1.0], [0, 1, 3])


def test_a_bad_label_score_is_found_by_the_decoder():
    scores = np.zeros((3, 3, 2))
    scores[2, 1, 0] = np.nan
    with pytest.raises(DecodeError, match=r"scores\[2, 1\] is NaN"):
        decode.mst(decode.best_labels(scores)[0])


@pytest.mark.skipif(sys.platform != "linux", reason="only there new memory can be had full of nonsense")
def test_a_word_without_any_head_leads_nowhere():
    """In a process whose new memory is full of nonsense, which would be taken for heads if it were looked at."""
    code = """
import numpy as np
from crossarc import decode
from crossarc.errors import DecodeError
for search in (decode.mst, lambda scores: decode.kbest(scores, 2)):
    scores = np.zeros((6, 6))
    scores[1, 3] = scores[4, 5] = 9
    scores[2] = -np.inf
    try:
        search(scores)
    except DecodeError as error:
        print(error)
"""
    environment = {**os.environ, "MALLOC_PERTURB_": "165"}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0
    assert (
        run.stdout.count("the scores that are -inf leave no tree; no path of allowed arcs leads from node 0 to word 2")
        == 2
    )


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: decode.undirected(np.zeros((3, 3)), method=np.array(["prim", "kkt"])), "no method"),
        (lambda: decode.spanning_tree(2, [(0, 1)], [1.0], method=["prim"]), "no method"),
        (lambda: decode.best_graph(np.zeros((3, 3)), cycles=np.array(["forbid", "allow"])), "no cycles"),
        (lambda: decode.best_graph(np.zeros((3, 3)), cycles=None), "no cycles"),
        (lambda: decode.mst([[1], [1, 2]]), "scores must be an array, or rows of one length"),
        (lambda: decode.mst(np.zeros((3, 3)), [[1], [1, 2]]), "lengths must be an array, or rows of one length"),
        (lambda: decode.mst(np.zeros((3, 3)), required=[[1], [1, 2]]), "required must be an array, or rows"),
        (lambda: decode.mst_sparse(2, [[1], [1, 2]], [0], [1.0]), "dependents must be an array, or rows"),
        (lambda: decode.tree_in_graph(2, [[1], [1, 2]], [0], [1]), "heads must be an array, or rows"),
        (lambda: decode.labels_of([-1], [0]), "do not go with heads"),
        (lambda: decode.reattach(*(np.zeros((2,) * k) for k in (2, 3, 3)), [-1, 0], threshold="x"), "threshold must"),
        (
            lambda: decode.reattach(*(np.zeros((2,) * k) for k in (2, 3, 3)), [-1, 0], threshold=[1, 2]),
            "threshold must",
        ),
    ],
)
def test_arguments_of_other_kinds(call, words):
    with pytest.raises(CrossarcError, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_more_heads_than_an_integer_holds_are_any_number():
    scores = np.ones((4, 4))
    limited = decode.best_graph(scores, most_heads=10**30, most_parallel=10**30)
    assert np.array_equal(limited, decode.best_graph(scores))


@pytest.mark.parametrize("sums", [decode.marginals, decode.projective_marginals])
def test_probabilities_without_digits_are_refused(sums):
    """Two heads are as good as each other here, and gave probabilities of 1 each."""
    scores = np.array([[0, 0, 0, 0], [1e300, 0, 1, 1], [1, 1e300, 0, -1e300], [1, 1e300, 1e300, 0]])
    scores[2, 3] = scores[2, 1]
    with pytest.raises(DecodeError, match=r"^the probabilities of the heads of word \d have no digits left"):
        sums(scores * 0.9)
    with pytest.raises(
        DecodeError, match=r"^sentence 1: the probabilities of the heads of word \d have no digits left"
    ):
        sums(np.stack([np.zeros((4, 4)), scores * 0.9]))


def test_trees_in_graphs_by_very_large_scores():
    """What foreign arcs cost is above all scores, and was more than a score may be."""
    heads, labels = decode.tree_in_graph(2, [0, 0, 1, 2], [1, 2, 2, 1], [5, 6, 7, 8], [-9e299, 9e299, 1.0, 9e299])
    assert (heads.tolist(), labels.tolist()) == ([-1, 2, 0], [-1, 8, 6])


def test_a_single_root_among_too_many_words_is_refused():
    with pytest.raises(DecodeError, match=r"^sentence 1: 1000000 words need a square of scores for a single root"):
        decode.trees_in_graphs([1, 1_000_000], [0, 1, 2], [0, 0], [1, 1], [0, 0])
