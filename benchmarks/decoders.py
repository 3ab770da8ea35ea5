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
        begin = time.perf_counter_ns(), time.process_time_ns()
        work()
        times.append((time.process_time_ns() - begin[1]) / 1e9)
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
    print("| n | ufal | networkx | mst, one call each | mst, batch | mst, any roots, batch | eisner | 10 best | marginals |")
    print("|---|---|---|---|---|---|---|---|---|")
    rng = np.random.default_rng(0)
    for n in (10, 25, 50, 100, 200, 500):
        count = max(4, 4000 // n)
        batch = rng.normal(size=(count, n + 1, n + 1))
        few = batch[: max(2, 1000 // n)]

        def each(decoder: Callable[[np.ndarray], object], matrices: np.ndarray = batch) -> float:
            return best(lambda: [decoder(scores) for scores in matrices]) / len(matrices) * 1e6

        theirs = each(ufal.chu_liu_edmonds, few) if ufal else None
        slow = None
        if networkx and n <= 50:
            slow = best(lambda: networkx.maximum_spanning_arborescence(graph_of(networkx, batch[0])), 0) * 1e6
        ours = [
            each(decode.mst),
            best(lambda: decode.mst(batch)) / count * 1e6,
            best(lambda: decode.mst(batch, single_root=False)) / count * 1e6,
        ]
        others = [
            best(lambda: decode.eisner(few)) / len(few) * 1e6,
            best(lambda: decode.kbest(few, 10)) / len(few) * 1e6,
            best(lambda: decode.marginals(few)) / len(few) * 1e6,
        ]
        cells = [f"{theirs:,.1f}" if theirs else "", f"{slow:,.0f}" if slow else ""]
        cells += [f"{mine:,.1f}" + (f" ({theirs / mine:.1f}x)" if theirs else "") for mine in ours]
        cells += [f"{mine:,.1f}" for mine in others]
        print(f"| {n} | {' | '.join(cells)} |", flush=True)


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


def spanning_trees(largest: int) -> dict[str, dict[str, list[tuple[int, float]]]]:
    """The undirected algorithms and scipy's over graphs of growing size."""
    scipy_sparse = peer("scipy.sparse")
    csgraph = peer("scipy.sparse.csgraph")
    rng = np.random.default_rng(0)
    curves: dict[str, dict[str, list[tuple[int, float]]]] = {}
    for kind, degree in (("sparse, m = 2 n", 2), ("sparse, m = 4 n", 4), ("dense", 0)):
        print(f"\n## Spanning trees, {kind}: nanoseconds an edge (comparisons an edge)\n")
        names = ["kkt", "boruvka", "kruskal", *(["prim"] if not degree else []), *(["scipy"] if csgraph else [])]
        print(f"| edges | nodes | {' | '.join(names)} |\n|---|---|{'---|' * len(names)}")
        curve = curves[kind] = {name: [] for name in names}
        for size in range(3 if not degree else 4, largest + 1):
            n, edges = sparse_graph(10**size, degree, rng) if degree else dense_graph(10**size)
            m = len(edges)
            weights = rng.random(m)
            cells = []
            for name in names:
                if name == "scipy":
                    matrix = scipy_sparse.coo_matrix((weights, edges.T), shape=(n, n)).tocsr()
                    seconds = best(lambda matrix=matrix: csgraph.minimum_spanning_tree(matrix), min(0.3, m / 1e5))
                    cells.append(f"{seconds / m * 1e9:,.0f}")
                else:
                    counts: list[int] = []

                    def work(name: str = name, counts: list[int] = counts) -> None:
                        spanner = make_spanner(name, len(counts))
                        span(spanner, n, edges, weights)
                        counts.append(spanner.comparisons)

                    seconds = best(work, min(0.5, m / 1e5))
                    rate = f" ({np.mean(counts) / m:.2f})" if counts[0] else ""
                    cells.append(f"{seconds / m * 1e9:,.0f}{rate}")
                curve[name].append((m, seconds / m * 1e9))
            print(f"| {m:,} | {n:,} | {' | '.join(cells)} |", flush=True)
    return curves


def plot(curves: dict[str, dict[str, list[tuple[int, float]]]], path: str) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "crossarc"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(curves), figsize=(4 * len(curves), 3.2), sharey=True, layout="constrained")
    for axis, (kind, curve) in zip(axes, curves.items(), strict=True):
        for name, points in curve.items():
            axis.plot(*zip(*points, strict=True), marker="o", markersize=3, label=name)
        axis.set(title=kind, xlabel="edges", xscale="log", ylim=(0, None))
    axes[0].set_ylabel("nanoseconds an edge")
    axes[0].legend(frameon=False)
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
