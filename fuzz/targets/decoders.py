"""Decoders with hostile scores, sizes, types, layouts of memory and options, compared with all trees of few words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np

from crossarc import decode
from crossarc.errors import CrossarcError

Array = np.ndarray
Rng = np.random.Generator

SMALL = 4  # words of sentences that are compared with all their trees
LARGEST = 1e300  # scores below it in size can be summed
GREATEST = float(np.finfo(float).max)
JUST_SOUND = float(np.nextafter(LARGEST, 0))
HOSTILE = np.array(
    [
        *(np.nan, np.inf, -np.inf, GREATEST, -GREATEST, LARGEST, -LARGEST, JUST_SOUND, -JUST_SOUND),
        *(5e-324, -5e-324, 1e-30, 1e30, 0.0, -0.0, 1.0, -1.0),
    ]
)
SOUND = HOSTILE[np.abs(HOSTILE) < LARGEST]
DTYPES = ("f8", ">f8", "f4", "f2", "g", "i1", "i2", "i8", "u8", ">i4", "b1", "c16", "O", "U3", "M8[s]")
ODD: tuple[Any, ...] = (
    None,
    "",
    "x",
    b"x",
    -1,
    0,
    1,
    2,
    1.5,
    2**31,
    2**63,
    10**30,
    True,
    np.nan,
    (),
    [],
    [[1], [1, 2]],
)
MATRIX = ("mst", "eisner", "undirected", "kbest", "projective_kbest", "marginals", "projective_marginals")
FUNCTIONS = (
    *MATRIX,
    *("log_partition", "projective_log_partition", "best_graph", "enhance", "mst_sparse", "spanning_tree", "orient"),
    *("tree_in_graph", "trees_in_graphs", "carreras", "reattach", "best_labels", "labels_of"),
)
PROJECTIVE = ("eisner", "projective_kbest", "projective_marginals", "projective_log_partition")


@dataclass
class Given:
    """A call of a decoder; `sound` says that it must succeed or have no tree, which only sound arguments do."""

    name: str
    options: dict[str, Any]
    sound: bool
    facts: dict[str, Any] = field(default_factory=dict)


# ---- all trees over few words


@cache
def all_trees(n: int, single_root: bool, projective: bool) -> Array:
    """The heads of every tree over n words, one a row."""
    choices = [[-1], *([head for head in range(n + 1) if head != word] for word in range(1, n + 1))]
    trees = [heads for heads in product(*choices) if fault_of(heads, single_root, projective) == ""]
    return np.array(trees, dtype=np.int32).reshape(-1, n + 1)


def fault_of(heads: Any, single_root: bool = False, projective: bool = False) -> str:
    """What keeps heads from being such a tree, an empty string if nothing does."""
    n = len(heads) - 1
    if heads[0] != -1:
        return "heads[0] is not -1"
    for word in range(1, n + 1):
        node, steps = word, 0
        while node:
            if not 0 <= heads[node] <= n or steps > n:
                return f"word {word} does not lead to node 0"
            node, steps = heads[node], steps + 1
    if single_root and n and sum(int(head) == 0 for head in heads[1:]) != 1:
        return "there is not one root"
    spans = [(min(h, d), max(h, d)) for d, h in enumerate(heads) if d]
    if projective and any(a < c < b < d or c < a < d < b for (a, b), (c, d) in combinations(spans, 2)):
        return "arcs cross"
    return ""


def totals(scores: Array, trees: Array) -> Array:
    """The score of each tree."""
    words = np.arange(1, trees.shape[1])
    found: Array = scores[words, trees[:, 1:]].sum(axis=1)
    return found


def slack(scores: Array) -> float:
    """How far sums of scores may be from each other because of rounding."""
    finite = np.abs(scores[np.isfinite(scores)])
    return float(1e-11 * finite.max(initial=0.0) * scores.shape[0] + 1e-12)


# ---- what calls are made of


def numbers(rng: Rng, shape: tuple[int, ...]) -> Array:
    """Scores of some kind: any, with ties, with forbidden arcs, of extreme sizes, not sound."""
    kind = rng.integers(8)
    if kind < 2:
        return rng.normal(size=shape)
    if kind < 4:
        return rng.integers(-2, 3, size=shape).astype(float)
    values = rng.normal(size=shape) if kind < 6 else rng.choice(SOUND, size=shape)
    if kind in (5, 7):
        values = np.where(rng.random(shape) < rng.random(), values, -np.inf)
    if rng.random() < 0.3:
        values = np.where(rng.random(shape) < 0.1, rng.choice(HOSTILE, size=shape), values)
    return values


def shaped(rng: Rng, array: Array) -> Any:
    """The same numbers in another layout of memory, as a list or under a mask of rights."""
    kind = rng.integers(12)
    if kind == 0:
        return np.asfortranarray(array)
    if kind == 1:
        return np.flip(np.flip(array).copy())
    if kind == 2 and array.ndim:
        wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1] + 1), dtype=array.dtype)
        wide[..., 1::2] = array
        return wide[..., 1::2]
    if kind == 3:
        return array.tolist() if array.dtype != object and array.size < 500 else array
    if kind == 4:
        array = array.copy()
        array.flags.writeable = False
    return array


def typed(rng: Rng, array: Array) -> Array:
    """Perhaps of another type."""
    if rng.random() < 0.85:
        return array
    with np.errstate(all="ignore"):
        try:
            return array.astype(rng.choice(DTYPES))
        except (TypeError, ValueError, OverflowError):
            return array


def odd_or(rng: Rng, value: Any, share: float = 0.03) -> Any:
    """A value, or now and then something that has no place there."""
    if rng.random() >= share:
        return value
    if isinstance(value, np.ndarray) and value.size and rng.random() < 0.7:
        changed = value.copy()
        place = rng.integers(value.size)
        if value.dtype.kind in "iu":
            hostile = np.array([-(2**31), -2, -1, 0, value.size, 10**6, 2**31 - 1])
            changed.reshape(-1)[place] = rng.choice(hostile.astype(value.dtype))
        return changed if rng.random() < 0.5 else changed.reshape(-1)[: rng.integers(value.size + 1)]
    return ODD[rng.integers(len(ODD))]


def reference(scores: Any) -> Array | None:
    """Scores as doubles, None if they are no numbers."""
    try:
        array = np.asarray(scores)
    except ValueError:
        return None
    with np.errstate(all="ignore"):
        return array.astype(np.float64) if array.dtype.kind in "fiu" else None


def is_integers(value: Any, shape: tuple[int, ...]) -> bool:
    """Whether a value is an array of integers of a shape."""
    try:
        array = np.asarray(value)
    except ValueError:
        return False
    return array.dtype.kind in "iu" and array.shape == shape


def is_mask(value: Any, shape: tuple[int, ...]) -> bool:
    """Whether a value is an array of booleans of a shape."""
    try:
        array = np.asarray(value)
    except ValueError:
        return False
    return array.dtype == np.bool_ and array.shape == shape


def sentences_of(options: dict[str, Any], undirected: bool = False) -> list[Array] | None:
    """The scores of each sentence under its constraints, None if an argument is not as the documentation says."""
    scores = reference(options["scores"])
    if scores is None or scores.ndim not in (2, 3) or scores.shape[-1] != scores.shape[-2] or scores.shape[-1] == 0:
        return None
    single = scores.ndim == 2
    batch = scores[None] if single else scores
    size, width = batch.shape[:2]
    lengths = options.get("lengths")
    if lengths is None:
        words = np.full(size, width - 1)
    elif is_integers(lengths, (size,)) or (single and is_integers(lengths, ())):
        words = np.asarray(lengths).reshape(-1).astype(object)
    else:
        return None
    if any(not 0 <= each <= width - 1 for each in words):
        return None
    required, forbidden = options.get("required"), options.get("forbidden")
    if required is not None and not is_integers(required, scores.shape[:-1]):
        return None
    if forbidden is not None and not is_mask(forbidden, scores.shape):
        return None
    found = []
    for number, (n, whole) in enumerate(zip(map(int, words), batch, strict=True)):
        own = whole[: n + 1, : n + 1].copy()
        own[0] = -np.inf
        np.fill_diagonal(own, -np.inf)
        if not ((np.abs(own) < LARGEST) | (own == -np.inf)).all():
            return None
        if undirected and required is None and forbidden is None and (own[1:, 1:] != own[1:, 1:].T).any():
            return None
        if forbidden is not None:
            own[np.asarray(forbidden).reshape(batch.shape)[number, : n + 1, : n + 1]] = -np.inf
        if required is not None:
            heads = np.asarray(required).reshape(size, width)[number, : n + 1].astype(object)
            for word in range(1, n + 1):
                if not -1 <= heads[word] <= n or heads[word] == word:
                    return None
                if heads[word] >= 0:
                    own[word, np.arange(n + 1) != int(heads[word])] = -np.inf
        found.append(own)
    return found


def shape_of(rng: Rng) -> tuple[int, int, bool]:
    """How many sentences there are, how many nodes the matrices have, and whether there is one matrix alone."""
    single = rng.random() < 0.5
    words = int(rng.integers(0, SMALL + 1) if rng.random() < 0.8 else rng.integers(SMALL + 1, 25))
    return 1 if single else int(rng.integers(0, 4)), words + 1, single


def matrix_options(rng: Rng, name: str) -> dict[str, Any]:
    """Arguments of the functions of matrices."""
    size, width, single = shape_of(rng)
    shape = (width, width) if single else (size, width, width)
    scores = numbers(rng, shape)
    if name == "undirected" and rng.random() < 0.95:
        lower = np.tril(scores)
        scores = np.where(np.tril(np.ones(shape, dtype=bool)), lower, np.swapaxes(lower, -1, -2))
    options: dict[str, Any] = {"scores": shaped(rng, typed(rng, scores)), "single_root": bool(rng.random() < 0.7)}
    if rng.random() < 0.4:
        options["lengths"] = odd_or(rng, rng.integers(0, width, size=size).astype(rng.choice(["i4", "i8", "u1"])))
    if rng.random() < 0.25:
        required = np.where(rng.random(shape[:-1]) < 0.3, rng.integers(0, width, size=shape[:-1]), -1)
        options["required"] = odd_or(rng, required)
    if rng.random() < 0.25:
        options["forbidden"] = odd_or(rng, rng.random(shape) < 0.2)
    options["threads"] = odd_or(rng, int(rng.integers(1, 3)), 0.02)
    if name in ("kbest", "projective_kbest"):
        options["k"] = odd_or(rng, int(rng.integers(1, 12)), 0.02)
    if name == "undirected":
        options["method"] = odd_or(rng, str(rng.choice(["prim", "kruskal", "boruvka", "kkt"])), 0.02)
        if rng.random() < 0.02:
            options["method"] = np.array(["prim", "kkt"])
    return options


def arc_options(rng: Rng) -> dict[str, Any]:
    """Arguments of the functions of lists of arcs: those of many sentences, or of one."""
    count = int(rng.integers(0, 4))
    sizes = rng.integers(0, SMALL + 1, size=count)
    arcs = [int(rng.integers(0, 12)) if n else 0 for n in sizes]
    total = sum(arcs)
    owners = np.repeat(sizes, arcs)
    return {
        "sizes": sizes,
        "dependents": np.array([int(rng.integers(0, n + 1)) for n in owners], dtype=np.int32),
        "heads": np.array([int(rng.integers(0, n + 1)) for n in owners], dtype=np.int32),
        "scores": numbers(rng, (total,)),
        "offsets": np.concatenate([[0], np.cumsum(arcs)]).astype(np.int64),
    }


def pair_options(rng: Rng) -> dict[str, Any]:
    """Arguments of the functions of second order."""
    n = int(rng.integers(0, 4))
    size = n + 1
    labels = () if rng.random() < 0.6 else (int(rng.integers(1, 3)),)
    pairs = [numbers(rng, (size,) * 3 + labels) for _ in range(2)]
    return {
        "arcs": shaped(rng, numbers(rng, (size, size, *labels))),
        "siblings": shaped(rng, pairs[0]),
        "grandchildren": shaped(rng, pairs[1]),
        "single_root": bool(rng.random() < 0.7),
        "threads": odd_or(rng, 1, 0.02),
    }


# ---- the contract


def prepare(folder: Path) -> None:
    """Nothing is needed."""


def make(seed: int, context: None) -> Given:
    """Return a call of one of the decoders."""
    rng = np.random.default_rng(seed)
    name = FUNCTIONS[seed % len(FUNCTIONS)]
    return MAKERS.get(name, make_matrix)(rng, name)


def make_matrix(rng: Rng, name: str) -> Given:
    """A call with matrices."""
    options = matrix_options(rng, name)
    sound = sentences_of(options, name == "undirected") is not None
    sound = sound and options["threads"] in (1, 2) and type(options["threads"]) is int
    if "k" in options:
        sound = sound and type(options["k"]) is int and 1 <= options["k"] < 10**6
    if "method" in options:
        method = options["method"]
        sound = sound and isinstance(method, str) and method in ("prim", "kruskal", "boruvka", "kkt")
    return Given(name, options, sound)


def make_graph(rng: Rng, name: str) -> Given:
    """A call of `best_graph`."""
    given = make_matrix(rng, "mst")
    options = given.options
    options["cycles"] = odd_or(rng, str(rng.choice(["forbid", "allow"])), 0.02)
    if rng.random() < 0.02:
        options["cycles"] = np.array(["forbid", "allow"])
    options["most_heads"] = odd_or(rng, [None, 1, 2][rng.integers(3)], 0.02)
    options["most_parallel"] = odd_or(rng, [None, 1, 2][rng.integers(3)], 0.02)
    sound = given.sound and isinstance(options["cycles"], str) and options["cycles"] in ("forbid", "allow")
    limits = (options["most_heads"], options["most_parallel"])
    sound = sound and all(each is None or (type(each) is int and each > 0) for each in limits)
    return Given(name, options, sound)


def make_enhance(rng: Rng, name: str) -> Given:
    """A call of `enhance`, with trees to start from or other heads."""
    options = matrix_options(rng, "mst")
    for constraint in ("required", "forbidden"):
        options.pop(constraint, None)
    del options["single_root"]
    scores = options["scores"]
    whole = reference(scores)
    shape = whole.shape[:-1] if whole is not None and whole.ndim in (2, 3) else (1,)
    heads = np.full(shape, -1, dtype=rng.choice(["i4", "i8"]))
    for row in heads.reshape(-1, shape[-1]):
        for word in range(1, len(row)):
            row[word] = rng.integers(0, word)
    options["heads"] = odd_or(rng, heads, 0.1)
    options["rounds"] = odd_or(rng, [None, 0, 1, 5][rng.integers(4)], 0.02)
    sound = sentences_of(options) is not None and options["threads"] in (1, 2) and type(options["threads"]) is int
    sound = sound and (options["rounds"] is None or (type(options["rounds"]) is int and options["rounds"] >= 0))
    return Given(name, options, sound and options["heads"] is heads and bool((heads[..., 0] == -1).all()))


def make_arcs(rng: Rng, name: str) -> Given:
    """A call of `mst_sparse`, `trees_in_graphs` or `tree_in_graph`."""
    facts = arc_options(rng)
    sound = bool(((np.abs(facts["scores"]) < LARGEST) | (facts["scores"] == -np.inf)).all())
    names = {"sizes": "n"} if name == "mst_sparse" else {"offsets": "starts"}
    options = {names.get(key, key): shaped(rng, value) for key, value in facts.items()}
    if name != "mst_sparse":
        options["labels"] = np.arange(len(facts["heads"]), dtype=np.int32)
    if name == "tree_in_graph":
        del options["starts"], options["sizes"]
        n = int(facts["sizes"].max(initial=0))
        options["n"] = n
        facts = {**facts, "sizes": np.array([n]), "offsets": np.array([0, len(facts["heads"])])}
    else:
        options["threads"] = 1
    options["single_root"] = bool(rng.random() < 0.7)
    for key in list(options):
        if key != "single_root":
            changed = odd_or(rng, options[key], 0.02)
            sound = sound and changed is options[key]
            options[key] = changed
    return Given(name, options, sound, facts)


def make_edges(rng: Rng, name: str) -> Given:
    """A call of `spanning_tree`."""
    nodes = int(rng.integers(1, 8))
    m = int(rng.integers(0, 20))
    weights = numbers(rng, (m,))
    options: dict[str, Any] = {
        "n": odd_or(rng, nodes, 0.02),
        "edges": shaped(rng, rng.integers(0, nodes, size=(m, 2)).astype(np.int32)),
        "weights": shaped(rng, weights),
        "maximum": bool(rng.random() < 0.7),
        "required": odd_or(rng, rng.integers(0, max(m, 1), size=min(m, int(rng.integers(0, 3)))), 0.05),
        "forbidden": odd_or(rng, rng.integers(0, max(m, 1), size=min(m, int(rng.integers(0, 3)))), 0.05),
        "seed": odd_or(rng, int(rng.integers(0, 9)), 0.02),
    }
    return Given(name, options, False)


def make_orient(rng: Rng, name: str) -> Given:
    """A call of `orient`, with the edges of a tree in any order and direction, or others."""
    n = int(rng.integers(0, 9))
    edges = np.array([(int(rng.integers(0, word)), word) for word in range(1, n + 1)], dtype=np.int32).reshape(-1, 2)
    names = rng.permutation(n + 1)
    mixed = names[edges][rng.permutation(n)].astype(np.int32) if n else edges
    turned = np.where(rng.random(n)[:, None] < 0.5, mixed, mixed[:, ::-1])
    edges = odd_or(rng, turned, 0.1)
    return Given(name, {"edges": edges, "threads": odd_or(rng, 1, 0.02)}, False, {"edges": turned, "n": n})


def make_pairs(rng: Rng, name: str) -> Given:
    """A call of `carreras` or `reattach`."""
    options = pair_options(rng)
    sound = options["threads"] == 1 and type(options["threads"]) is int
    labelled = np.ndim(options["arcs"]) == 3
    if name == "carreras":
        options["labelled"] = labelled
    else:
        n = np.shape(options["arcs"])[0] - 1
        trees = all_trees(n, options["single_root"], False)
        options["heads"] = odd_or(rng, trees[rng.integers(len(trees))], 0.1)
        if labelled:
            options["labels"] = odd_or(rng, rng.integers(0, np.shape(options["arcs"])[2], size=n + 1), 0.05)
        options["threshold"] = odd_or(rng, 0.0, 0.03)
        sound = False
    for key in ("arcs", "siblings", "grandchildren"):
        values = np.asarray(options[key])
        sound = sound and bool(((np.abs(values) < LARGEST) | (values == -np.inf)).all())
    return Given(name, options, sound)


def make_labels(rng: Rng, name: str) -> Given:
    """A call of `best_labels` or `labels_of`."""
    n, labels = int(rng.integers(0, 5)), int(rng.integers(0, 4))
    if name == "best_labels":
        scores = shaped(rng, typed(rng, numbers(rng, (n + 1, n + 1, labels))))
        return Given(name, {"scores": odd_or(rng, scores), "threads": odd_or(rng, 1, 0.02)}, False)
    heads = odd_or(rng, rng.integers(-1, n + 1, size=n + 1), 0.1)
    table = odd_or(rng, rng.integers(-1, 5, size=(n + 1, n + 1)), 0.1)
    return Given(name, {"heads": heads, "labels": table}, False)


MAKERS: dict[str, Callable[[Rng, str], Given]] = {
    "best_graph": make_graph,
    "enhance": make_enhance,
    "mst_sparse": make_arcs,
    "trees_in_graphs": make_arcs,
    "tree_in_graph": make_arcs,
    "spanning_tree": make_edges,
    "orient": make_orient,
    "carreras": make_pairs,
    "reattach": make_pairs,
    "best_labels": make_labels,
    "labels_of": make_labels,
}


def check(given: Given, context: None) -> str:
    """Call the decoder; compare what it gives, and what it refuses, with the definition."""
    try:
        with np.errstate(all="ignore"):
            found = getattr(decode, given.name)(**given.options)
    except CrossarcError as error:
        text = str(error)
        assert text, "the error has no message"
        assert "\n" not in text, f"the message has several lines: {text!r}"
        if given.sound and given.name not in ("reattach", "spanning_tree"):
            check_no_tree(given, text)
            return "no tree"
        return "refused"
    checker = CHECKERS.get(given.name)
    if checker is not None:
        checker(given, found)
        return "graph" if given.name == "best_graph" else "tree"
    return "answer"


def check_no_tree(given: Given, text: str) -> None:
    """Raise if sound scores have a tree after all."""
    if "have no digits left" in text and "marginals" in given.name:
        sizes = [np.abs(own[np.isfinite(own)]).max(initial=0.0) for own in sentences_of(given.options) or []]
        assert max(sizes, default=0.0) > 1e6, f"scores of a moderate size were refused: {text}"
        return
    bound = given.options.get("required") is not None or given.options.get("forbidden") is not None
    if given.name == "undirected" and bound and "needs one score for both" in text:
        return  # scores must be symmetric where constraints leave them
    assert "tree" in text or "graph" in text, f"sound arguments were refused: {text}"
    if given.name in (*MATRIX, "log_partition", "projective_log_partition", "best_graph"):
        sentences = sentences_of(given.options, given.name == "undirected") or []
        if given.name == "undirected" and (given.options.get("required") is not None or "forbidden" in given.options):
            return  # constraints are on edges, which a matrix of arcs does not show
        projective = given.name in PROJECTIVE
        known = [own for own in sentences if len(own) <= SMALL + 1]
        if len(known) < len(sentences):
            return
        trees = [all_trees(len(own) - 1, given.options["single_root"], projective) for own in known]
        feasible = [bool((totals(own, each) > -np.inf).any()) for own, each in zip(known, trees, strict=True)]
        assert not all(feasible), f"every sentence has a tree, but: {text}"
        return
    assert given.name in ("mst_sparse", "carreras", "enhance"), f"{given.name} always has a tree, but: {text}"


def must_be_sound(given: Given) -> None:
    """Raise if scores, lengths or constraints that are not sound gave an answer."""
    assert sentences_of(given.options, given.name == "undirected") is not None, "unsound arguments gave an answer"


def rows_of(given: Given, found: Any) -> list[tuple[Array, Any]]:
    """The scores of each sentence and its part of a result."""
    sentences = sentences_of(given.options, given.name == "undirected")
    assert sentences is not None
    results = [found] if np.ndim(given.options["scores"]) == 2 else found
    return list(zip(sentences, results, strict=True))


def check_best(given: Given, found: Array) -> None:
    """Each tree is the best one."""
    must_be_sound(given)
    single_root, projective = given.options["single_root"], given.name in PROJECTIVE
    for scores, heads in rows_of(given, found):
        n = len(scores) - 1
        own = heads[: n + 1]
        assert heads.dtype == np.int32
        assert (heads[n + 1 :] == -1).all(), "padding is not -1"
        fault = fault_of(own, single_root, projective)
        assert fault == "", fault
        if given.name == "undirected" and ("required" in given.options or "forbidden" in given.options):
            continue
        total = totals(scores, own[None])[0]
        assert total > -np.inf, "a forbidden arc is in the tree"
        if n <= SMALL:
            best = totals(scores, all_trees(n, single_root, projective)).max(initial=-np.inf)
            assert total >= best - slack(scores), f"{total} is less than {best}"


def check_several(given: Given, found: tuple[Array, Array]) -> None:
    """The trees are the best ones, in order and different."""
    must_be_sound(given)
    single_root, projective, k = given.options["single_root"], given.name in PROJECTIVE, given.options["k"]
    heads = found[0][None] if np.ndim(given.options["scores"]) == 2 else found[0]
    sums = found[1][None] if np.ndim(given.options["scores"]) == 2 else found[1]
    sentences = sentences_of(given.options)
    assert sentences is not None
    for scores, trees, own in zip(sentences, heads, sums, strict=True):
        n = len(scores) - 1
        assert trees.shape[0] == own.shape[0] == k
        there = own > -np.inf
        count = int(there.sum())
        assert there[:count].all(), "there are gaps between trees"
        assert count >= 1
        kept = trees[:count, : n + 1]
        assert (trees[count:] == -1).all()
        assert len(np.unique(kept, axis=0)) == count, "a tree is there twice"
        assert all(fault_of(each, single_root, projective) == "" for each in kept)
        assert (np.diff(own[:count]) <= slack(scores)).all(), "trees are not in order"
        assert (np.abs(totals(scores, kept) - own[:count]) <= slack(scores)).all()
        if n <= SMALL:
            best = np.sort(totals(scores, all_trees(n, single_root, projective)))[::-1]
            best = best[best > -np.inf][:k]
            assert len(best) == count, f"{count} trees, and not {len(best)}"
            assert (np.abs(best - own[:count]) <= slack(scores)).all()


def check_sums(given: Given, found: Any) -> None:
    """Marginals are probabilities, and for few words those of the definition; so are sums."""
    must_be_sound(given)
    single_root, projective = given.options["single_root"], given.name in PROJECTIVE
    for scores, own in rows_of(given, found):
        n = len(scores) - 1
        trees = all_trees(n, single_root, projective) if n <= SMALL else None
        moderate = np.abs(scores[np.isfinite(scores)]).max(initial=0.0) < 1e3
        sums = None if trees is None else totals(scores, trees)
        if "marginals" not in given.name:
            assert not np.isnan(own)
            if sums is not None and moderate and len(sums):
                expected = np.logaddexp.reduce(sums)
                assert abs(own - expected) <= 1e-8 * max(1.0, abs(expected)), f"{own} is not {expected}"
            continue
        cells = own[1 : n + 1, : n + 1]
        assert (own >= 0).all()
        assert (own <= 1 + 1e-6).all()
        assert (np.abs(cells.sum(axis=1) - 1) <= 1e-6).all(), "heads of a word do not sum to 1"
        if sums is not None and moderate and n:
            chances = np.exp(sums - np.logaddexp.reduce(sums))
            expected = np.zeros((n + 1, n + 1))
            for tree, chance in zip(trees if trees is not None else [], chances, strict=True):
                expected[np.arange(1, n + 1), tree[1:]] += chance
            assert np.allclose(own[: n + 1, : n + 1], expected, atol=1e-8)


def check_graph(given: Given, found: Array) -> None:
    """The graph has a tree and keeps to its limits."""
    must_be_sound(given)
    options = given.options
    free = sentences_of({**options, "required": None}) or []  # only arcs of the tree must be those required
    for (limited, arcs), scores in zip(rows_of(given, found), free, strict=True):
        n = len(scores) - 1
        own = arcs[: n + 1, : n + 1]
        assert arcs.sum() == own.sum(), "there are arcs in the padding"
        assert not own[0].any()
        assert not np.diagonal(own).any()
        assert (own.sum(axis=1)[1:] >= 1).all(), "a word has no head"
        assert (scores[own] > -np.inf).all(), "a forbidden arc is in the graph"
        if options["most_heads"] is not None:
            assert own.sum(axis=1).max(initial=0) <= options["most_heads"]
        if options["single_root"] and n:
            assert own[:, 0].sum() == 1
        met = np.zeros(n + 1, dtype=bool)
        met[0] = True
        for _ in range(n):
            met |= own[:, met].any(axis=1)
        assert met.all(), "node 0 does not lead to all words"
        if options["cycles"] == "forbid":
            left = np.ones(n + 1, dtype=bool)
            for _ in range(n + 1):
                left &= (own & left[None, :]).any(axis=1)
            assert not left.any(), "there is a cycle"
        if n <= SMALL:
            best = totals(limited, all_trees(n, options["single_root"], False)).max(initial=-np.inf)
            extra = scores[own]
            assert extra.sum() >= best - slack(scores), "the graph has less than the best tree"


def check_enhanced(given: Given, found: Array) -> None:
    """Trees stay trees, with as many roots, and do not lose."""
    if not given.sound:
        return
    starts = [given.options["heads"]] if np.ndim(given.options["scores"]) == 2 else given.options["heads"]
    for (scores, heads), start in zip(rows_of(given, found), starts, strict=True):
        n = len(scores) - 1
        assert fault_of(heads[: n + 1]) == ""
        assert (heads[1 : n + 1] == 0).sum() == (start[1 : n + 1] == 0).sum()
        before, after = (totals(scores, np.asarray(each)[None, : n + 1].astype(np.int64))[0] for each in (start, heads))
        assert not after < before - slack(scores)


def check_sparse(given: Given, found: Any) -> None:
    """The trees are the best ones of the arcs."""
    if not given.sound:
        return
    facts, single_root = given.facts, given.options["single_root"]
    in_graph = given.name != "mst_sparse"
    at = 0
    for number, n in enumerate(facts["sizes"].tolist()):
        scores = np.full((n + 1, n + 1), -np.inf)
        arcs = slice(facts["offsets"][number], facts["offsets"][number + 1])
        rows = zip(facts["dependents"][arcs], facts["heads"][arcs], facts["scores"][arcs], strict=True)
        for dependent, head, score in rows:
            if dependent and dependent != head:
                scores[dependent, head] = max(scores[dependent, head], score)
        heads = found[0][at : at + n + 1] if in_graph else found[number][: n + 1]
        at += n + 1
        fault = fault_of(heads, single_root)
        assert fault == "", fault
        trees = all_trees(n, single_root, False)
        best = totals(scores, trees).max(initial=-np.inf)
        total = totals(scores, np.asarray(heads)[None])[0]
        if not in_graph:
            assert total > -np.inf
        if best > -np.inf and np.abs(scores[np.isfinite(scores)]).max(initial=0) < 1e100:
            assert total >= best - slack(scores), f"{total} is less than {best}"


def check_spanning(given: Given, found: Array) -> None:
    """All algorithms find the same edges."""
    for method in ("prim", "boruvka", "kkt"):
        other = decode.spanning_tree(**{**given.options, "method": method})
        assert other.tolist() == found.tolist(), f"kruskal and {method} differ"


def check_oriented(given: Given, found: Array) -> None:
    """The heads have the edges that were given."""
    edges = np.asarray(given.options["edges"]).reshape(-1, 2)
    assert fault_of(found) == ""
    assert sorted(map(sorted, edges.tolist())) == sorted(sorted((d, int(h))) for d, h in enumerate(found) if d)


def pair_total(options: dict[str, Any], heads: Array) -> Array:
    """The score of a tree of second order, from the definition: of each word by label."""
    n = len(heads) - 1
    arcs, siblings, grandchildren = (np.asarray(options[key]) for key in ("arcs", "siblings", "grandchildren"))
    if arcs.ndim == 2:
        arcs, siblings, grandchildren = arcs[..., None], siblings[..., None], grandchildren[..., None]
    sums = np.zeros((n, arcs.shape[-1]))
    for d in range(1, n + 1):
        h = int(heads[d])
        low, high = min(h, d), max(h, d)
        beside = [s for s in range(1, n + 1) if heads[s] == h and low < s < high]
        below = [c for c in range(1, n + 1) if heads[c] == d]
        between = [c for c in below if low < c < high]
        beyond = [c for c in below if (c < d) != (h < d)]
        past = [c for c in below if (c < h if h < d else c > h)]
        sums[d - 1] += arcs[d, h] + siblings[d, h, min(beside, key=lambda s: abs(s - d), default=h)]
        sums[d - 1] += grandchildren[d, h, max(between, key=lambda c: abs(c - d), default=d)]
        sums[d - 1] += grandchildren[d, h, max(beyond, key=lambda c: abs(c - d), default=h)]
        if past:
            sums[d - 1] += grandchildren[d, h, max(past, key=lambda c: abs(c - d))]
    return sums


def check_pairs(given: Given, found: Any) -> None:
    """The tree of `carreras` is the best projective one; that of `reattach` is no worse than its start."""
    options = given.options
    labelled = np.ndim(options["arcs"]) == 3
    heads = found[0] if labelled else found
    assert fault_of(heads, options["single_root"], given.name == "carreras") == ""
    finite = np.concatenate([np.asarray(options[key]).reshape(-1) for key in ("arcs", "siblings", "grandchildren")])
    close = 20 * slack(np.where(np.abs(finite) < LARGEST, finite, 0.0))
    labels = (found[1] if labelled else np.zeros(len(heads), dtype=int))[1:]
    words = np.arange(len(heads) - 1)
    total = pair_total(options, heads)[words, labels].sum()
    if given.name == "reattach":
        names = np.asarray(options["labels"] if labelled else np.zeros(len(heads), dtype=int))[1:]
        before = pair_total(options, options["heads"])[words, names].sum()
    else:
        trees = all_trees(len(heads) - 1, options["single_root"], True)
        if not given.sound:  # cells that no tree uses may hold anything
            return
        before = max((pair_total(options, tree).max(axis=1).sum() for tree in trees), default=0.0)
    assert total >= before - close, f"{total} is less than {before}"


def check_labels(given: Given, found: Any) -> None:
    """Labels are those of the table."""
    if given.name == "labels_of":
        heads, table = np.asarray(given.options["heads"]), np.asarray(given.options["labels"])
        if heads.ndim == 1 and table.ndim == 2:
            expected = [-1 if head < 0 else table[word, head] for word, head in enumerate(heads.tolist())]
            assert found.tolist() == expected
        return
    scores = reference(given.options["scores"])
    assert scores is not None
    if not np.isnan(scores).any():
        assert (found[0] == scores.max(axis=-1)).all()
        assert (np.take_along_axis(scores, found[1][..., None].astype(np.int64), axis=-1)[..., 0] == found[0]).all()


CHECKERS: dict[str, Callable[[Given, Any], None]] = {
    **dict.fromkeys(("mst", "eisner", "undirected"), check_best),
    **dict.fromkeys(("kbest", "projective_kbest"), check_several),
    **dict.fromkeys(("marginals", "projective_marginals", "log_partition", "projective_log_partition"), check_sums),
    **dict.fromkeys(("mst_sparse", "trees_in_graphs", "tree_in_graph"), check_sparse),
    **dict.fromkeys(("carreras", "reattach"), check_pairs),
    **dict.fromkeys(("best_labels", "labels_of"), check_labels),
    "best_graph": check_graph,
    "enhance": check_enhanced,
    "spanning_tree": check_spanning,
    "orient": check_oriented,
}
