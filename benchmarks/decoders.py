"""The speed of the decoders, compared with ufal.chu_liu_edmonds, networkx and scipy in the same run.

    python benchmarks/decoders.py [--largest 7] [--plot decoders.svg]

CPU time over random matrices. The decoders of a row take turns: a round runs each of them once. Times are medians over
the rounds, ratios are medians of the ratios within a round. `batch` is one call for many sentences. Lists of arcs and
the second order follow, then spanning trees of sparse and dense graphs, up to 10^LARGEST edges, with the number of
comparisons. Packages that are not installed are left out.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections.abc import Callable
from functools import partial
from types import ModuleType

import numpy as np

from crossarc import decode
from crossarc.decode.second_order import Carreras, PartScores, Reattacher
from crossarc.decode.undirected import make_spanner, span

Work = Callable[[], object]
Times = np.ndarray


def measure(works: dict[str, Work], seconds: float, least: int = 5) -> dict[str, Times]:
    """CPU seconds of each work in each round; a round does all works one after the other.

    If a machine slows down, it slows down all works of a round, so ratios within a round are valid. The rounds take
    about `seconds`, and there are at least `least`. The first round, which fetches memory, is not counted.
    """
    times: dict[str, list[float]] = {name: [] for name in works}
    end = 0.0
    for number in itertools.count():
        for name, work in works.items():
            begin = time.process_time_ns()
            work()
            times[name].append((time.process_time_ns() - begin) / 1e9)
        if number == 0:
            end = time.process_time() + seconds
        elif number >= least and time.process_time() >= end:
            return {name: np.array(each[1:]) for name, each in times.items()}
    raise AssertionError


def peer(name: str) -> ModuleType | None:
    try:
        return __import__(name, fromlist=["x"])
    except ImportError:
        print(f"without {name}, which is not installed")
        return None


def trees() -> None:
    """Decoders over matrices."""
    peers = {name: peer(name) for name in ("ufal.chu_liu_edmonds", "networkx")}
    print("\n## Trees, microseconds per sentence (in brackets: how many times as fast as ufal.chu_liu_edmonds)\n")
    rng = np.random.default_rng(0)
    for n in (10, 25, 50, 100, 200, 500):
        batch = rng.normal(size=(max(4, 4000 // n), n + 1, n + 1))
        works, sizes = tree_works(batch, peers)
        if n == 10:
            print(f"| n | {' | '.join(works)} |\n|---|{'---|' * len(works)}")
        left_out = {"networkx"} if n > 50 else set()
        times = measure({name: work for name, work in works.items() if name not in left_out}, 4.0)
        a_sentence = {name: each / sizes[name] for name, each in times.items()}
        cells = [tree_cell(name, a_sentence) for name in works]
        print(f"| {n} | {' | '.join(cells)} |", flush=True)


def tree_works(batch: np.ndarray, peers: dict[str, ModuleType | None]) -> tuple[dict[str, Work], dict[str, int]]:
    """The work of each decoder by name, and its number of sentences, which is smaller for slow decoders."""
    n = batch.shape[1] - 1
    few = batch[: max(2, 1000 // n)]
    symmetric = batch + batch.swapaxes(1, 2)
    ufal, networkx = peers["ufal.chu_liu_edmonds"], peers["networkx"]
    works: dict[str, tuple[int, Work]] = {}
    if ufal:
        works["ufal"] = len(few), lambda: [ufal.chu_liu_edmonds(scores) for scores in few]
    if networkx:
        works["networkx"] = 1, lambda: networkx.maximum_spanning_arborescence(graph_of(networkx, batch[0]))
    works |= {
        "mst, one call each": (len(batch), lambda: [decode.mst(scores) for scores in batch]),
        "mst, batch": (len(batch), lambda: decode.mst(batch)),
        "mst, any roots, batch": (len(batch), lambda: decode.mst(batch, single_root=False)),
        "undirected": (len(batch), lambda: decode.undirected(symmetric)),
        "eisner": (len(few), lambda: decode.eisner(few)),
        "10 best": (len(few), lambda: decode.kbest(few, 10)),
        "10 best, projective": (len(few), lambda: decode.projective_kbest(few, 10)),
        "marginals": (len(few), lambda: decode.marginals(few)),
        "marginals, projective": (len(few), lambda: decode.projective_marginals(few)),
    }
    return {name: work for name, (_, work) in works.items()}, {name: size for name, (size, _) in works.items()}


def tree_cell(name: str, times: dict[str, Times]) -> str:
    """The time in microseconds, and for Chu-Liu-Edmonds the ratio to ufal.chu_liu_edmonds."""
    if name not in times:
        return ""
    text = f"{np.median(times[name]) * 1e6:,.{0 if name == 'networkx' else 1}f}"
    if name.startswith("mst") and "ufal" in times:
        text += f" ({np.median(times['ufal'] / times[name]):.1f}x)"
    return text


def sparse_arcs() -> None:
    """Time Chu-Liu-Edmonds over lists of arcs, and over the matrix with the same arcs."""
    print("\n## Sparse arcs, milliseconds per sentence (in brackets: how many times as fast as mst over the matrix)\n")
    print("| n | arcs per word | mst | mst_sparse | mst_sparse, any roots |\n|---|---|---|---|---|")
    rng = np.random.default_rng(0)
    for n, degree in ((100, 10), (500, 10), (500, 100), (2000, 10), (2000, 100)):
        words = np.repeat(np.arange(1, n + 1), degree)
        heads = rng.integers(0, n + 1, size=n * degree)
        heads[::degree] = 0  # so that there is a tree
        scores = rng.normal(size=n * degree)
        matrix = np.full((n + 1, n + 1), -np.inf)
        np.maximum.at(matrix, (words, heads), scores)
        times = measure(
            {
                "matrix": partial(decode.mst, matrix),
                "sparse": partial(decode.mst_sparse, n, words, heads, scores),
                "any roots": partial(decode.mst_sparse, n, words, heads, scores, single_root=False),
            },
            2.0,
        )
        cells = [f"{np.median(times['matrix']) * 1e3:,.2f}"]
        for name in ("sparse", "any roots"):
            cells.append(f"{np.median(times[name]) * 1e3:,.2f} ({np.median(times['matrix'] / times[name]):.1f}x)")
        print(f"| {n:,} | {degree} | {' | '.join(cells)} |", flush=True)


def second_order() -> None:
    """Time the search with siblings and grandchildren, and moves from its tree, over containers of candidate arcs."""
    print("\n## Second order, microseconds per sentence\n")
    print("| n | heads per word | labels | carreras | reattach | words moved |\n|---|---|---|---|---|---|")
    for n, degree, labels in itertools.product((25, 50, 200), (4, 8), (1, 5)):
        search, mover = Carreras(), Reattacher()
        containers = [container(n, degree, labels, np.random.default_rng(seed)) for seed in range(10)]
        starts = [search.tree(parts) for parts in containers]
        pairs = [(parts, *start) for parts, start in zip(containers, starts, strict=True) if start is not None]
        times = measure(
            {
                "carreras": lambda search=search, pairs=pairs: [search.tree(parts) for parts, *_ in pairs],
                "reattach": lambda mover=mover, pairs=pairs: [mover.improved(*pair) for pair in pairs],
            },
            1.0,
        )
        cells = " | ".join(f"{np.median(times[name]) / len(pairs) * 1e6:,.0f}" for name in ("carreras", "reattach"))
        moved = np.mean([(mover.improved(*pair)[0] != pair[1]).sum() for pair in pairs])
        print(f"| {n} | {degree} | {labels} | {cells} | {moved:.0f} |", flush=True)


def container(n: int, degree: int, labels: int, rng: np.random.Generator) -> PartScores:
    """Random scores over candidate arcs, most of them short; the word before is always a candidate head."""
    arcs = []
    for d in range(1, n + 1):
        heads = np.setdiff1d(np.arange(n + 1), [d - 1, d])
        chances = 1 / np.abs(heads - d)
        chosen = rng.choice(heads, size=degree - 1, replace=False, p=chances / chances.sum())
        arcs += [(d, h) for h in sorted([d - 1, *chosen])]
    parts = PartScores()
    parts.arrange(n, *np.transpose(arcs), labels)
    parts.assign(rng.normal(size=parts.layout()[-1]))
    return parts


def graph_of(networkx: ModuleType, scores: np.ndarray) -> object:
    graph = networkx.DiGraph()
    n = len(scores) - 1
    graph.add_weighted_edges_from((h, d, scores[d, h]) for d in range(1, n + 1) for h in range(n + 1) if h != d)
    return graph


def sparse_graph(m: int, degree: int, rng: np.random.Generator) -> tuple[int, np.ndarray]:
    """A random tree, so that the graph is connected, and random edges."""
    n = m // degree
    edges = rng.integers(0, n, size=(m, 2), dtype=np.int32)
    edges[: n - 1, 0] = np.arange(1, n)
    edges[: n - 1, 1] = (rng.random(n - 1) * np.arange(1, n)).astype(np.int32)
    labels = rng.permutation(n).astype(np.int32)
    return n, labels[edges]


def dense_graph(m: int) -> tuple[int, np.ndarray]:
    n = int((2 * m) ** 0.5) + 1
    return n, np.stack(np.tril_indices(n, -1), axis=1).astype(np.int32)


def span_works(
    names: list[str], n: int, edges: np.ndarray, weights: np.ndarray
) -> tuple[dict[str, Work], dict[str, list[int]]]:
    """The work of each algorithm by name, and lists of their numbers of comparisons; each run of kkt has a new seed."""
    counts: dict[str, list[int]] = {name: [] for name in names}

    def run(name: str) -> None:
        spanner = make_spanner(name, len(counts[name]))
        span(spanner, n, edges, weights)
        counts[name].append(spanner.comparisons)

    works: dict[str, Work] = {name: partial(run, name) for name in names if name != "scipy"}
    if "scipy" in names:
        from scipy.sparse import coo_matrix
        from scipy.sparse.csgraph import minimum_spanning_tree

        works["scipy"] = partial(minimum_spanning_tree, coo_matrix((weights, edges.T), shape=(n, n)).tocsr())
    return works, counts


def spanning_trees(largest: int) -> dict[str, dict[str, list[tuple[int, float]]]]:
    """Time the undirected algorithms and that of scipy over graphs of growing size."""
    peers = ["scipy"] if peer("scipy.sparse.csgraph") else []
    rng = np.random.default_rng(0)
    curves: dict[str, dict[str, list[tuple[int, float]]]] = {}
    for kind, degree in (("sparse, m = 2 n", 2), ("sparse, m = 4 n", 4), ("dense", 0)):
        print(f"\n## Spanning trees, {kind}: nanoseconds per edge (comparisons per edge)\n")
        names = ["kkt", "boruvka", "kruskal", *(["prim"] if not degree else []), *peers]
        print(f"| edges | nodes | {' | '.join(names)} |\n|---|---|{'---|' * len(names)}")
        curve = curves[kind] = {name: [] for name in names}
        for size in range(3 if not degree else 4, largest + 1):
            n, edges = sparse_graph(10**size, degree, rng) if degree else dense_graph(10**size)
            weights = rng.random(len(edges))
            works, counts = span_works(names, n, edges, weights)
            times = measure(works, 2.0, least=3)
            cells = []
            for name in names:
                nanoseconds = float(np.median(times[name])) / len(edges) * 1e9
                rate = float(np.mean(counts[name])) / len(edges) if counts[name] else 0
                cells.append(f"{nanoseconds:,.0f}" + (f" ({rate:.2f})" if rate else ""))
                curve[name].append((len(edges), nanoseconds))
            print(f"| {len(edges):,} | {n:,} | {' | '.join(cells)} |", flush=True)
    return curves


def plot(curves: dict[str, dict[str, list[tuple[int, float]]]], path: str) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "crossarc"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(curves), figsize=(4 * len(curves), 3.2), sharey=True, layout="constrained")
    # Not all methods are in every panel, and each must have the same colour in all.
    names = list(dict.fromkeys(name for curve in curves.values() for name in curve))
    for axis, (kind, curve) in zip(axes, curves.items(), strict=True):
        for name, points in curve.items():
            color = f"C{names.index(name)}"
            axis.plot(*zip(*points, strict=True), marker="o", markersize=3, label=name, color=color)
        axis.set(title=kind, xlabel="edges", xscale="log", ylim=(0, None))
    axes[0].set_ylabel("nanoseconds an edge")
    for axis in axes:
        axis.legend(frameon=False)
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--largest", type=int, default=6, help="the power of ten of the largest graph")
    parser.add_argument("--plot", help="a file for a figure of the spanning trees")
    arguments = parser.parse_args()
    trees()
    sparse_arcs()
    second_order()
    curves = spanning_trees(arguments.largest)
    if arguments.plot:
        plot(curves, arguments.plot)


if __name__ == "__main__":
    main()
