"""Arrays that another thread writes while a function reads them: any answer or error will do, but no crash and no hang.

    python -m fuzz.targets.races --repeats 20 --seconds 2

prints for each function how many of so many processes were killed by a signal or hung. Of 4 processes for each of the
52 functions, a second each, 139 of 208 were killed or hung before arrays were copied and loops bounded, and none after.
"""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from crossarc import decode, structure
from crossarc.transforms import lifting
from crossarc.transitions import get_system, replay
from crossarc.transitions import system as reconstruction

Arrays = dict[str, np.ndarray]
Rng = np.random.Generator

SIZE, WORDS, LABELS = 6, 60, 3
NUMBERS = np.array([-(2**31), -(2**30), -2, -1, 0, 1, 2, 7, WORDS, WORDS + 1, 10**6, 2**31 - 1], dtype=np.int32)
SCORES = np.array([np.nan, np.inf, -np.inf, -1e308, 1e308, 5e-324, -1.0, 0.0, 1.0, 3.0])


def tree(rng: Rng, n: int = WORDS) -> np.ndarray:
    """A random tree over n words."""
    order = rng.permutation(n) + 1
    heads = np.full(n + 1, -1, dtype=np.int32)
    for place, word in enumerate(order):
        heads[word] = order[rng.integers(place)] if place else 0
    return heads


def matrices(rng: Rng) -> Arrays:
    """Scores of a batch and the lengths of its sentences."""
    scores = rng.normal(size=(SIZE, WORDS + 1, WORDS + 1))
    return {"scores": scores, "lengths": rng.integers(1, WORDS + 1, SIZE).astype(np.int32)}


def constrained(rng: Rng) -> Arrays:
    """The same with constraints."""
    required = np.full((SIZE, WORDS + 1), -1, dtype=np.int32)
    forbidden = rng.random((SIZE, WORDS + 1, WORDS + 1)) < 0.1
    return matrices(rng) | {"required": required, "forbidden": forbidden}


def symmetric(rng: Rng) -> Arrays:
    """The same with symmetric scores."""
    arrays = matrices(rng)
    arrays["scores"] = arrays["scores"] + arrays["scores"].swapaxes(1, 2)
    return arrays


def labelled(rng: Rng) -> Arrays:
    """The same with labels."""
    return {"scores": rng.normal(size=(SIZE, WORDS + 1, WORDS + 1, LABELS)), "lengths": matrices(rng)["lengths"]}


def of_pairs(rng: Rng) -> Arrays:
    """Scores of second order, and trees to start from."""
    n = 10
    shape = (SIZE, n + 1, n + 1)
    return {
        "arcs": rng.normal(size=shape),
        "siblings": rng.normal(size=(*shape, n + 1)),
        "grandchildren": rng.normal(size=(*shape, n + 1)),
        "heads": np.stack([tree(rng, n) for _ in range(SIZE)]),
        "lengths": np.full(SIZE, n, dtype=np.int32),
    }


def with_trees(rng: Rng) -> Arrays:
    """Scores of a batch and trees."""
    return {"heads": np.stack([tree(rng) for _ in range(SIZE)]), "scores": matrices(rng)["scores"]}


def arc_lists(rng: Rng) -> Arrays:
    """The arcs of many sentences, with a tree in each."""
    trees = [tree(rng) for _ in range(SIZE)]
    heads = np.concatenate([each for one in trees for each in (one[1:], rng.integers(0, WORDS + 1, WORDS))])
    return {
        "n": np.full(SIZE, WORDS, dtype=np.int32),
        "dependents": np.tile(np.arange(1, WORDS + 1, dtype=np.int32), 2 * SIZE),
        "heads": heads.astype(np.int32),
        "scores": rng.normal(size=len(heads)),
        "offsets": np.arange(SIZE + 1, dtype=np.int64) * 2 * WORDS,
        "labels": rng.integers(0, LABELS, len(heads)).astype(np.int32),
    }


def edge_lists(rng: Rng) -> Arrays:
    """The edges of many connected graphs."""
    trees = [tree(rng) for _ in range(SIZE)]
    edges = [(int(head), word) for one in trees for word, head in enumerate(one) if word]
    return {
        "n": np.full(SIZE, WORDS + 1, dtype=np.int32),
        "edges": np.array(edges, dtype=np.int32),
        "weights": rng.normal(size=len(edges)),
        "offsets": np.arange(SIZE + 1, dtype=np.int64) * WORDS,
        "required": np.array([0, 1], dtype=np.int64),
    }


def oriented(rng: Rng) -> Arrays:
    """The edges of a batch of trees."""
    edges = edge_lists(rng)["edges"].reshape(SIZE, WORDS, 2)
    return {"edges": edges, "lengths": np.full(SIZE, WORDS, dtype=np.int32)}


def one_tree(rng: Rng) -> Arrays:
    """The heads of one long tree."""
    return {"heads": tree(rng, 400)}


def forest(rng: Rng) -> Arrays:
    """Many trees one after the other, with labels and targets."""
    heads = np.concatenate([tree(rng) for _ in range(SIZE)])
    return {
        "heads": heads,
        "starts": np.arange(SIZE + 1, dtype=np.int64) * (WORDS + 1),
        "labels": rng.integers(0, 9, len(heads)).astype(np.int32),
        "targets": rng.integers(-2, 9, len(heads)).astype(np.int32),
        "passed": rng.random(len(heads)) < 0.5,
    }


def links(rng: Rng) -> Arrays:
    """The links of one tree."""
    heads = tree(rng, 400)
    left, right, labels = reconstruction.links_of(heads, np.arange(401, dtype=np.int32))
    return {"left": left, "right": right, "labels": labels, "costs": rng.normal(size=400)}


@dataclass(frozen=True)
class Case:
    """A function, the arrays that it is called with, and which of them another thread writes."""

    give: Callable[[Rng], Arrays]
    call: Callable[[Arrays], object]
    written: tuple[str, ...]


def over(function: Callable[..., object], **options: Any) -> Callable[[Arrays], object]:
    """Return a call of a function with arrays by name."""
    return lambda arrays: function(**arrays, **options)


def structural(function: Callable[..., object]) -> Case:
    """A measure of one tree."""
    return Case(one_tree, over(function), ("heads",))


MEASURES = (
    "crossing_pairs",
    "depths",
    "describe_fault",
    "edge_degree",
    "find_cycles",
    "gap_degrees",
    "is_planar",
    "is_projective",
    "is_two_planar",
    "is_well_nested",
    "non_projective_edges",
    "non_projective_mask",
    "planes",
)


def cases() -> Iterator[tuple[str, Case]]:
    """Yield each case by name."""
    both, all_four = ("scores", "lengths"), ("scores", "lengths", "required", "forbidden")
    for name in ("mst", "eisner", "log_partition", "projective_log_partition", "marginals", "projective_marginals"):
        yield name, Case(constrained, over(getattr(decode, name)), all_four)
    yield "mst, any roots", Case(matrices, over(decode.mst, single_root=False), both)
    yield "mst, threads", Case(matrices, over(decode.mst, threads=2), both)
    yield "kbest", Case(constrained, over(decode.kbest, k=5), all_four)
    yield "projective_kbest", Case(constrained, over(decode.projective_kbest, k=5), all_four)
    for method in ("prim", "kruskal", "boruvka", "kkt"):
        yield f"undirected, {method}", Case(symmetric, over(decode.undirected, method=method), both)
        yield (
            f"spanning_tree, {method}",
            Case(
                edge_lists,
                over(decode.spanning_tree, method=method),
                ("n", "edges", "weights", "offsets", "required"),
            ),
        )
    yield "best_graph", Case(matrices, over(decode.best_graph), both)
    yield "best_graph, cycles", Case(matrices, over(decode.best_graph, cycles="allow", single_root=False), both)
    yield "best_graph, labelled", Case(labelled, over(decode.best_graph, labelled=True, most_parallel=2), both)
    yield "enhance", Case(with_trees, over(decode.enhance), ("heads", "scores"))
    yield "enhance, all rounds", Case(with_trees, over(decode.enhance, rounds=None), ("heads", "scores"))
    yield "best_labels", Case(labelled, lambda arrays: decode.best_labels(arrays["scores"]), ("scores",))
    pairs = ("arcs", "siblings", "grandchildren", "lengths", "heads")
    yield (
        "carreras",
        Case(of_pairs, lambda a: decode.carreras(*(a[name] for name in pairs[:4])), pairs),
    )
    yield (
        "reattach",
        Case(
            of_pairs,
            lambda a: decode.reattach(
                a["arcs"], a["siblings"], a["grandchildren"], a["heads"], lengths=a["lengths"], single_root=False
            ),
            pairs,
        ),
    )
    lists = ("n", "dependents", "heads", "scores", "offsets")
    yield (
        "mst_sparse",
        Case(arc_lists, lambda a: decode.mst_sparse(*(a[name] for name in lists)), lists),
    )
    yield (
        "trees_in_graphs",
        Case(
            arc_lists,
            lambda a: decode.trees_in_graphs(
                a["n"], a["offsets"], a["heads"], a["dependents"], a["labels"], a["scores"]
            ),
            (*lists, "labels"),
        ),
    )
    yield "orient", Case(oriented, over(decode.orient), ("edges", "lengths"))
    yield (
        "labels_of",
        Case(
            with_trees,
            lambda a: decode.labels_of(a["heads"], np.zeros((SIZE, WORDS + 1, WORDS + 1), np.int32)),
            ("heads",),
        ),
    )
    for name in MEASURES:
        yield name, structural(getattr(structure, name))
    starting = ("heads", "starts")
    yield "classify", Case(forest, lambda a: structure.classify(a["heads"], a["starts"], errors="skip"), starting)
    yield "lift", Case(forest, lambda a: lifting.lift(a["heads"], a["starts"]), starting)
    yield (
        "put back",
        Case(
            forest,
            lambda a: lifting.reattach(a["heads"], a["labels"], a["targets"], a["starts"], passed=a["passed"]),
            (*starting, "labels", "targets", "passed"),
        ),
    )
    for system in ("arc-hybrid", "swap", "two-planar", "covington"):
        yield (
            f"replay, {system}",
            Case(forest, lambda a, s=system: replay(get_system(s), a["heads"], a["starts"]), starting),  # type: ignore[misc]
        )
    ends = ("left", "right", "labels")
    yield "naive", Case(links, lambda a: reconstruction.naive(400, *(a[name] for name in ends)), ends)
    yield (
        "score_based",
        Case(
            links,
            lambda a: reconstruction.score_based(
                400, a["left"], a["right"], a["labels"], a["labels"], a["costs"], a["costs"]
            ),
            (*ends, "costs"),
        ),
    )


CASES = dict(cases())


@contextmanager
def written(array: np.ndarray, rng: Rng) -> Iterator[None]:
    """Let another thread write an array all the time: hostile numbers here and there, and back."""
    original = array.copy()
    flat = array.reshape(-1)
    choice = (
        SCORES if array.dtype.kind == "f" else np.array([False, True]) if array.dtype.kind == "b" else NUMBERS
    ).astype(array.dtype)
    places = [rng.integers(flat.size, size=max(1, flat.size // share)) for share in (1, 2, 10, 50, flat.size)]
    values = [rng.choice(choice, size=len(each)) for each in places]
    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            for place, value in zip(places, values, strict=True):
                flat[place] = value
                array[...] = original

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def run(case: Case, rng: Rng, seconds: float) -> Counter[str]:
    """Call a function for some time, at least once, while one of its arrays is written; count what comes out."""
    arrays = case.give(rng)
    name = case.written[rng.integers(len(case.written))]
    outcomes: Counter[str] = Counter()
    with written(arrays[name], rng):
        end = time.monotonic() + seconds
        while not outcomes or time.monotonic() < end:
            try:
                case.call(arrays)
                outcomes["answer"] += 1
            except Exception as error:  # any error will do
                outcomes[type(error).__name__] += 1
    return outcomes


def prepare(folder: Path) -> float:
    """Let threads change often; return how many seconds an input takes."""
    sys.setswitchinterval(1e-5)
    return 0.01


def make(seed: int, context: float) -> tuple[str, int]:
    """Return a function and a seed for its arrays."""
    return list(CASES)[seed % len(CASES)], seed


def check(given: tuple[str, int], context: float) -> str:
    """Call the function while an array is written; a crash or hang is for the supervisor to see."""
    name, seed = given
    return "answer" if run(CASES[name], np.random.default_rng(seed), context)["answer"] else "refused"


def main() -> None:
    """Print for each function how many processes were killed or hung, of so many."""
    parser = argparse.ArgumentParser(description="How often functions crash while another thread writes their arrays.")
    parser.add_argument("--repeats", type=int, default=10, help="processes for each function")
    parser.add_argument("--seconds", type=float, default=1.0, help="how long each calls it")
    parser.add_argument("--only", nargs="*", default=list(CASES), metavar="NAME", help="these functions only")
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child is not None:
        prepare(Path())
        rng = np.random.default_rng(given.child)
        for name in given.only:
            for _ in range(5):
                run(CASES[name], rng, given.seconds / 5)
        return
    total = 0
    for name in given.only:
        ends: Counter[str] = Counter()
        for seed in range(given.repeats):
            command = [sys.executable, "-m", "fuzz.targets.races", "--child", str(seed)]
            command += ["--seconds", str(given.seconds), "--only", name]
            try:
                code = subprocess.run(command, timeout=given.seconds + 8, capture_output=True, check=False).returncode
            except subprocess.TimeoutExpired:
                ends["hung"] += 1
                continue
            ends["survived" if code == 0 else signal.Signals(-code).name if code < 0 else f"exit {code}"] += 1
        bad = given.repeats - ends["survived"]
        total += bad
        print(f"{name:28} {bad:3} of {given.repeats}  {dict(ends)}", flush=True)
    print(f"{'all':28} {total:3} of {given.repeats * len(given.only)}")


if __name__ == "__main__":
    main()
