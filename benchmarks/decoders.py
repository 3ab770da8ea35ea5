"""How fast the decoders are, beside ufal.chu_liu_edmonds, networkx and scipy in the same run.

    python benchmarks/decoders.py [--largest 7] [--plot decoders.svg]

Microseconds of CPU time a sentence, the best of several runs over random matrices; `batch` is one call for many
sentences. Spanning trees of sparse and dense graphs follow, in nanoseconds an edge, up to 10^LARGEST edges, with the
number of comparisons. Peers that are not installed are left out.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from types import ModuleType

import numpy as np

from crossarc import decode
from crossarc.decode.undirected import make_spanner, span


def best(work: Callable[[], object], seconds: float = 0.3) -> float:
    """Seconds of CPU time of one call: the least of runs that take about so long in all."""
    work()
    times: list[float] = []
    end = time.process_time() + seconds
    while time.process_time() < end or len(times) < 3:
        begin = time.process_time_ns()
        work()
        times.append((time.process_time_ns() - begin) / 1e9)
    return min(times)


def peer(name: str) -> ModuleType | None:
    try:
        return __import__(name, fromlist=["x"])
    except ImportError:
        print(f"without {name}, which is not installed")
        return None


def trees() -> None:
    """Decoders over matrices."""
    ufal = peer("ufal.chu_liu_edmonds")
    networkx = peer("networkx")
    print("\n## Trees, microseconds a sentence (in brackets: how many times as fast as ufal.chu_liu_edmonds)\n")
    names = ["ufal", "networkx", "mst, one call each", "mst, batch", "mst, any roots, batch"]
    names += ["undirected", "eisner", "10 best", "10 best, projective", "marginals", "marginals, projective"]
    print(f"| n | {' | '.join(names)} |\n|---|{'---|' * len(names)}")
    rng = np.random.default_rng(0)
    for n in (10, 25, 50, 100, 200, 500):
        batch = rng.normal(size=(max(4, 4000 // n), n + 1, n + 1))
        print(f"| {n} | {' | '.join(tree_cells(n, batch, ufal, networkx))} |", flush=True)


def tree_cells(n: int, batch: np.ndarray, ufal: ModuleType | None, networkx: ModuleType | None) -> list[str]:
    """What each decoder takes for sentences of n words."""
    few = batch[: max(2, 1000 // n)]
    symmetric = batch + batch.swapaxes(1, 2)

    def a_sentence(work: Callable[[], object], matrices: np.ndarray) -> float:
        return best(work) / len(matrices) * 1e6

    theirs = a_sentence(lambda: [ufal.chu_liu_edmonds(scores) for scores in few], few) if ufal else None
    slow = None
    if networkx and n <= 50:
        slow = best(lambda: networkx.maximum_spanning_arborescence(graph_of(networkx, batch[0])), 0) * 1e6
    ours = [
        a_sentence(lambda: [decode.mst(scores) for scores in batch], batch),
        a_sentence(lambda: decode.mst(batch), batch),
        a_sentence(lambda: decode.mst(batch, single_root=False), batch),
    ]
    others = [
        a_sentence(lambda: decode.undirected(symmetric), batch),
        a_sentence(lambda: decode.eisner(few), few),
        a_sentence(lambda: decode.kbest(few, 10), few),
        a_sentence(lambda: decode.projective_kbest(few, 10), few),
        a_sentence(lambda: decode.marginals(few), few),
        a_sentence(lambda: decode.projective_marginals(few), few),
    ]
    cells = [f"{theirs:,.1f}" if theirs else "", f"{slow:,.0f}" if slow else ""]
    cells += [f"{mine:,.1f}" + (f" ({theirs / mine:.1f}x)" if theirs else "") for mine in ours]
    return cells + [f"{mine:,.1f}" for mine in others]


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


def span_time(name: str, n: int, edges: np.ndarray, weights: np.ndarray) -> tuple[float, float]:
    """Nanoseconds and comparisons an edge; a run of the random algorithm has a seed of its own."""
    m = len(weights)
    if name == "scipy":
        from scipy.sparse import coo_matrix
        from scipy.sparse.csgraph import minimum_spanning_tree

        matrix = coo_matrix((weights, edges.T), shape=(n, n)).tocsr()
        return best(lambda: minimum_spanning_tree(matrix), min(0.3, m / 1e5)) / m * 1e9, 0
    counts: list[int] = []

    def work() -> None:
        spanner = make_spanner(name, len(counts))
        span(spanner, n, edges, weights)
        counts.append(spanner.comparisons)

    return best(work, min(0.5, m / 1e5)) / m * 1e9, float(np.mean(counts)) / m


def spanning_trees(largest: int) -> dict[str, dict[str, list[tuple[int, float]]]]:
    """The undirected algorithms and scipy's over graphs of growing size."""
    peers = ["scipy"] if peer("scipy.sparse.csgraph") else []
    rng = np.random.default_rng(0)
    curves: dict[str, dict[str, list[tuple[int, float]]]] = {}
    for kind, degree in (("sparse, m = 2 n", 2), ("sparse, m = 4 n", 4), ("dense", 0)):
        print(f"\n## Spanning trees, {kind}: nanoseconds an edge (comparisons an edge)\n")
        names = ["kkt", "boruvka", "kruskal", *(["prim"] if not degree else []), *peers]
        print(f"| edges | nodes | {' | '.join(names)} |\n|---|---|{'---|' * len(names)}")
        curve = curves[kind] = {name: [] for name in names}
        for size in range(3 if not degree else 4, largest + 1):
            n, edges = sparse_graph(10**size, degree, rng) if degree else dense_graph(10**size)
            weights = rng.random(len(edges))
            cells = []
            for name in names:
                nanoseconds, rate = span_time(name, n, edges, weights)
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
    curves = spanning_trees(arguments.largest)
    if arguments.plot:
        plot(curves, arguments.plot)


if __name__ == "__main__":
    main()
