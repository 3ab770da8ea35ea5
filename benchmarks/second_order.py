"""Pruning and search of second-order parsers: kept arcs, cost and gain, as Markdown tables.

    python benchmarks/second_order.py FOLDER... [--epochs 10] [--labels after] [--lengths 25 50 ...]

Each FOLDER has train.conllu and dev.conllu. One `carreras-npa` is trained on each; then the development set is parsed
with other limits, thresholds and starts. Times are CPU times, the best of three runs of all models in alternation, from
arrays to arrays. The last table is the time of one sentence of so many words, joined from others.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from crossarc.evaluation import evaluate
from crossarc.parsers import Parser
from crossarc.parsers.arcs.second_order import SecondOrderModel
from crossarc.treebank import Corpus, Sentence, read

PRUNING: list[dict[str, Any]] = [
    {"heads": 8},
    {"heads": 2},
    {"heads": 4},
    {"heads": 16},
    {"heads": 32},
    {"heads": 0},
]
SEARCH: list[dict[str, Any]] = [
    {"reattach": None},
    {"reattach": 0.3},
    {"reattach": 0.0},
    {"reattach": 1.0},
    {"starts": ["mst"]},
    {"starts": ["mst-undirected"]},
    {"starts": ["mst", "mst-undirected"]},
]
LENGTHS = (25, 50, 100, 200, 500, 1000)
ROUNDS = 3


def variant(model: SecondOrderModel, settings: dict[str, Any]) -> SecondOrderModel:
    """The same weights with other settings."""
    other = model.settings.model_copy(update=settings)
    return replace(model, settings=other, finder=replace(model.finder, settings=other))


def timed(models: list[SecondOrderModel], corpus: Corpus) -> list[float]:
    """The least CPU seconds that each model needs; the models run alternately."""
    best = [float("inf")] * len(models)
    for _ in range(ROUNDS):
        for place, model in enumerate(models):
            begin = time.process_time()
            model.parse(corpus)
            best[place] = min(best[place], time.process_time() - begin)
    return best


def table(trained: Parser, model: SecondOrderModel, dev: list[Sentence], rows: list[dict[str, Any]]) -> None:
    """Print the figures of some settings."""
    corpus = Corpus.of(dev)
    models = [variant(model, row) for row in rows]
    print(
        "\n| settings | heads a word | gold heads lost, % | dev LAS | dev UAS | NP precision | NP recall | tokens/s |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for row, each, seconds in zip(rows, models, timed(models, corpus), strict=True):
        trained.model_ = each
        kept, lost = each.pruning(corpus)
        found = evaluate(dev, trained.parse(dev))
        crossing = found.non_projective
        name = ", ".join(f"{key} = {value}" for key, value in row.items())
        cells = [f"`{name}`", f"{kept:.1f}", f"{lost:.2f}", f"{found.las:.2f}", f"{found.uas:.2f}"]
        cells += [f"{crossing.precision:.1f}" if crossing.system else "", f"{crossing.recall:.1f}"]
        print(f"| {' | '.join(cells)} | {sum(map(len, dev)) / seconds:,.0f} |", flush=True)
    trained.model_ = model


def long_sentence(sentences: list[Sentence], words: int) -> Sentence:
    """The first words of some sentences as one."""
    columns: dict[str, list[str]] = {}
    for name in ("forms", "lemmas", "upos", "xpos", "feats"):
        every = chain.from_iterable(getattr(sentence, name)[1:] for sentence in sentences)
        columns[name] = ["", *(value for value, _ in zip(every, range(words), strict=False))]
    return Sentence.from_columns(**columns)


def main() -> None:
    """Train and print the tables."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    options.add_argument("--epochs", type=int, default=10)
    options.add_argument("--labels", choices=("after", "joint"), default="after")
    options.add_argument("--lengths", type=int, nargs="+", default=LENGTHS)
    arguments = options.parse_args()
    for folder in arguments.folders:
        train, dev = (list(read(folder / f"{part}.conllu", check="tree", on_error="skip")) for part in ("train", "dev"))
        begin = time.process_time()
        trained = Parser("carreras-npa", epochs=arguments.epochs, labels=arguments.labels).fit(train)
        seconds = time.process_time() - begin
        model = trained.model
        assert isinstance(model, SecondOrderModel)
        print(f"{folder.name}: labels {arguments.labels}, {arguments.epochs} epochs, trained in {seconds:.0f} CPU s")
        table(trained, model, dev, PRUNING)
        table(trained, model, dev, SEARCH)
        print("\n| words of a sentence | ms |\n|---:|---:|")
        for words in arguments.lengths:
            corpus = Corpus.of([long_sentence(dev, words)])
            print(f"| {len(corpus['head']) - 1} | {1000 * timed([model], corpus)[0]:.1f} |")


if __name__ == "__main__":
    main()
