"""The cost of storing weights as a model file does: small ones left out, the others in 16 bits.

Trains a parser and scores it on the development set twice, with the weights as they were learned and as they are
stored:

    python benchmarks/storage.py FOLDER --parsers arc-hybrid mst --epochs 5 --prune 0.0005 0.01

FOLDER has train.conllu and dev.conllu.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

from crossarc import read
from crossarc.components.training import Trainer, run_epochs
from crossarc.learning.scorers import PackedWeights, SingleWeights, Weights
from crossarc.papers.undirected_mst.finders import EnhancedFinder, StackedFinder
from crossarc.parsers.arcs.finders import ArcFinder
from crossarc.parsers.arcs.second_order import SecondOrderFinder
from crossarc.parsers.model import Model
from crossarc.parsers.presets import make_settings
from crossarc.parsers.registry import stored_model, trainer_of
from crossarc.treebank import Corpus


@dataclass(frozen=True)
class Storage:
    """LAS on the development set with exact and with stored weights, and the bytes of both."""

    exact_las: float
    las: float
    exact_bytes: int
    bytes: int


def measure(name: str, train: Corpus, dev: Corpus, **settings: Any) -> Storage:
    """Train a parser and measure the cost of storing its weights."""
    chosen = make_settings(name, **settings)
    trainer = trainer_of(train, chosen)
    model = run_epochs(trainer, None, lambda epoch: None, lambda progress: None, None, stored_model)
    exact = exact_model(model, trainer)
    pairs = [(exact_bytes(weights), stored_bytes(packed)) for weights, packed in tables(model, trainer)]
    sizes = (sum(each) for each in zip(*pairs, strict=True))
    return Storage(exact.quality(exact.score(dev)), model.quality(model.score(dev)), *sizes)


def tables(model: Model, trainer: Trainer) -> Iterator[tuple[Weights, PackedWeights | SingleWeights]]:
    """The weights that were learned, each as it was learned and as the model stores it."""
    inside: Any = getattr(model, "model", model)
    learners: Any = getattr(trainer, "inner", trainer)  # inside a transform
    if hasattr(inside, "scorer"):
        yield learners.weights, inside.scorer
        return
    yield learners.labels.weights, inside.label_weights
    finder = inside.finder
    if isinstance(finder, StackedFinder):
        yield learners.top.weights, finder.top.weights
        finder = finder.below
    if isinstance(finder, EnhancedFinder):
        yield learners.directed.weights, finder.directed.weights
        finder = finder.undirected
    if isinstance(finder, SecondOrderFinder):
        yield learners.part_weights, finder.part_weights
        yield learners.pair_weights, finder.pair_weights
    yield learners.arcs.weights, finder.weights


def exact_model(model: Model, trainer: Trainer) -> Any:
    """The model with the means of the weights as they were learned."""
    exact = {id(packed): means(weights) for weights, packed in tables(model, trainer)}
    inside: Any = getattr(model, "model", model)
    if hasattr(inside, "scorer"):
        found = replace(inside, scorer=exact[id(inside.scorer)])
    else:
        labels = exact[id(inside.label_weights)]
        found = replace(inside, finder=exact_finder(inside.finder, exact), label_weights=labels)
    return type(model)(found) if inside is not model else found


def exact_finder(finder: Any, exact: dict[int, Weights]) -> Any:
    """The same finder with exact weights."""
    if isinstance(finder, StackedFinder):
        return StackedFinder(exact_finder(finder.below, exact), exact_finder(finder.top, exact))
    if isinstance(finder, EnhancedFinder):
        undirected, directed = exact_finder(finder.undirected, exact), exact_finder(finder.directed, exact)
        return EnhancedFinder(undirected, directed, finder.rounds)
    assert isinstance(finder, ArcFinder)
    if isinstance(finder, SecondOrderFinder):
        parts, pairs = exact[id(finder.part_weights)], exact[id(finder.pair_weights)]
        finder = replace(finder, part_weights=parts, pair_weights=pairs)
    return replace(finder, weights=exact[id(finder.weights)])


def means(weights: Weights) -> Weights:
    """Weights that are the means of others, without pruning and rounding."""
    return Weights.of(weights.actions, weights.averages())


def exact_bytes(weights: Weights) -> int:
    """The bytes of weights in a file without pruning and rounding: a cell would have 32 bits and its action."""
    arrays = weights.pack().to_arrays()
    return sum(array.nbytes * (2 if name == "cells" else 1) for name, array in arrays.items())


def stored_bytes(weights: PackedWeights | SingleWeights) -> int:
    """The bytes of weights in a file."""
    return sum(array.nbytes for array in weights.to_arrays().values())


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path, metavar="FOLDER")
    options.add_argument("--parsers", nargs="+", default=["arc-hybrid", "mst"])
    options.add_argument("--prune", type=float, nargs="+", default=[0.0005, 0.01])
    options.add_argument("--epochs", type=int, default=5)
    arguments = options.parse_args()
    train, dev = (
        Corpus.of(read(arguments.folder / f"{part}.conllu", check="tree", on_error="skip")) for part in ("train", "dev")
    )
    print("| parser | prune | dev LAS as learned | stored | MB as learned | stored |")
    print("|---|---:|---:|---:|---:|---:|")
    for name, prune in product(arguments.parsers, arguments.prune):
        found = measure(name, train, dev, epochs=arguments.epochs, prune=prune)
        sizes = f"{found.exact_bytes / 1e6:.1f} | {found.bytes / 1e6:.1f}"
        print(f"| {name} | {prune} | {found.exact_las:.2f} | {found.las:.2f} | {sizes} |", flush=True)


if __name__ == "__main__":
    main()
