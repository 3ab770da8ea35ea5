"""The time of parsers that score arcs by sentence length: directed and undirected, with all edges and with pruned ones.

    python benchmarks/spanning_trees.py TREEBANK [--longest 2000] [--epochs 1] [--plot spanning-trees.svg]

TREEBANK is a folder with train.conllu and dev.conllu. `mst` and an undirected parser are trained on the first.
Sentences of each length are cut from the concatenated second file. Scoring and decoding are timed, without labels, in
CPU milliseconds per sentence. The parsers take turns; the times are medians over the rounds. "Pruned" parsers score
only the edges that a length dictionary leaves.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from decoders import measure

import crossarc
from crossarc.parsers import Parser
from crossarc.parsers.arcs.model import ArcTreeModel
from crossarc.treebank import Corpus

LENGTHS = (10, 20, 50, 100, 200, 500, 1000, 2000)
COLOURS = ("#4269d0", "#efb118", "#ff725c", "#6cc5b0", "#9467bd")


def models(folder: Path, epochs: int) -> dict[str, ArcTreeModel]:
    """The parsers by name; the undirected parsers share their weights."""
    train = folder / "train.conllu"
    directed = Parser("mst", epochs=epochs).fit(train, on_error="skip").model
    whole = Parser("mst-undirected", epochs=epochs).fit(train, on_error="skip").model
    pruned = Parser("mst-undirected", epochs=epochs, lengths=True).fit(train, on_error="skip").model
    found = {"Chu-Liu-Edmonds, whole": directed, "Prim, whole": whole}
    for method in ("kruskal", "boruvka", "kkt"):
        settings = pruned.settings.model_copy(update={"method": method})
        finder = replace(pruned.finder, settings=settings)
        found[f"{method.capitalize() if method != 'kkt' else 'KKT'}, pruned"] = replace(pruned, finder=finder)
    return found


def works_of(model: ArcTreeModel, tokens: np.ndarray, length: int) -> tuple[Callable[[], object], float]:
    """The work of one parser on sentences of a length, and the share of remaining edges."""
    pieces = max(1, min(20, (len(tokens) - 1) // length))
    rows = [np.concatenate([tokens[:1], tokens[1 + k * length : 1 + (k + 1) * length]]) for k in range(pieces)]
    batch = np.ascontiguousarray(np.concatenate(rows))
    starts = np.arange(pieces + 1) * (length + 1)
    heads = np.full(len(batch), -1, dtype=np.int32)
    factors = model.finder.factors(model.lengths)
    work = partial(factors.find_trees, model.finder.weights, batch, starts, heads)
    work()
    return work, 1 - factors.pruned / max(1, factors.arcs)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("treebank", type=Path)
    arguments.add_argument("--longest", type=int, default=LENGTHS[-1])
    arguments.add_argument("--epochs", type=int, default=1)
    arguments.add_argument("--seconds", type=float, default=4.0, help="for each length")
    arguments.add_argument("--plot", type=Path)
    options = arguments.parse_args()
    parsers = models(options.treebank, options.epochs)
    words = Corpus.of(list(crossarc.read(options.treebank / "dev.conllu")))
    lengths = [length for length in LENGTHS if length <= options.longest]
    print(f"{options.treebank.name}, milliseconds per sentence (in brackets: relative to Chu-Liu-Edmonds)\n")
    print(f"| words | edges left, % | {' | '.join(parsers)} |\n|---:|---:|{'---:|' * len(parsers)}")
    rows: dict[str, list[float]] = {name: [] for name in parsers}
    for length in lengths:
        works, left = {}, 1.0
        for name, model in parsers.items():
            tokens = model.attributes.encode(words)
            nodes = np.delete(tokens, words.starts[1:-1], axis=0)  # one node 0, and all words after it
            nodes = np.concatenate([nodes] * (1 + length // max(1, len(nodes) - 1)))
            works[name], left = works_of(model, nodes, length)
        count = max(1, min(20, sum(np.diff(words.starts) - 1) // length))
        times = {name: each / count * 1e3 for name, each in measure(works, options.seconds, 3).items()}
        first = times["Chu-Liu-Edmonds, whole"]
        cells = []
        for name, each in times.items():
            rows[name].append(float(np.median(each)))
            cells.append(f"{float(f'{np.median(each):.3g}'):g} ({np.median(first / each):.2f}x)")
        print(f"| {length:,} | {100 * left:.1f} | {' | '.join(cells)} |", flush=True)
    if options.plot:
        plot(options.plot, lengths, rows, options.treebank.name)


def plot(path: Path, lengths: list[int], rows: dict[str, list[float]], treebank: str) -> None:
    """Plot the time by length, on logarithmic axes."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context({"svg.hashsalt": "crossarc", "svg.fonttype": "none"}):
        figure = Figure(figsize=(7, 4.5), layout="constrained")
        axes = figure.add_subplot()
        for (name, times), colour in zip(rows.items(), COLOURS, strict=True):
            axes.loglog(
                lengths, times, marker="o", color=colour, label=name, linestyle="-" if "pruned" in name else "--"
            )
        axes.set_xlabel(f"words in the sentence ({treebank})")
        axes.set_ylabel("CPU milliseconds, scoring and decoding")
        axes.grid(True, which="major", alpha=0.3)
        axes.legend(frameon=False)
        figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    main()
