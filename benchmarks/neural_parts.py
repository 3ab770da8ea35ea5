"""The scores of the parts of a `neural-hybrid`, alone and together, as a Markdown table.

    python benchmarks/neural_parts.py FOLDER... [--ensemble 3] [--part test] [--models FOLDER] [--epochs 20]

Each FOLDER has train.conllu, dev.conllu and test.conllu. One `neural-hybrid` is trained on it, with networks of so many
seeds, and its model is kept in a folder. The rows are: each linear parser alone; one network, which is a `neural`; one
network with the linear parsers; and with several networks these together. Rows of one network are means over the
networks, with their standard deviation. How much linear parsers count is found on the development set for each row.
Tokens/s are CPU time of one thread, from sentences to sentences.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from statistics import mean, stdev

import crossarc
from crossarc.parsers import Parser
from crossarc.parsers.composites.ensemble import EnsembleModel
from crossarc.parsers.composites.hybrid import HybridModel
from crossarc.parsers.model import Model
from crossarc.treebank import Corpus, Sentence, read

METRICS = ("LAS", "UAS", "LEM", "NP precision", "NP recall", "tokens/s", "model, MB")


def model_of(folder: Path, models: Path, ensemble: int, epochs: int) -> Parser:
    """Return the `neural-hybrid` of a treebank, trained if it is not in the folder of models."""
    path = models / f"{folder.name}-{ensemble}.crossarc"
    if not path.exists():
        models.mkdir(parents=True, exist_ok=True)
        parser = Parser("neural-hybrid", ensemble=ensemble, epochs=epochs)
        parser.fit(folder / "train.conllu", folder / "dev.conllu").save(path)
    return crossarc.load(path)


def parts_of(whole: HybridModel, dev: Corpus) -> Iterator[tuple[str, list[Model]]]:
    """Yield the names of rows and the models whose mean each shows."""
    for guide in whole.guides:
        yield f"`{guide.settings.parser}`, as in `neural-hybrid`", [guide]
    networks = whole.neural.members if isinstance(whole.neural, EnsembleModel) else (whole.neural,)
    yield "`neural`", list(networks)
    yield "`neural-hybrid`", [replace(whole, neural=network).tuned(dev) for network in networks]
    if len(networks) > 1:
        yield f"`neural`, `ensemble = {len(networks)}`", [whole.neural]
        yield f"`neural-hybrid`, `ensemble = {len(networks)}`", [whole]


def measure(parser: Parser, model: Model, gold: list[Sentence]) -> list[float]:
    """Return the figures of a model, in the order of the metrics."""
    parser.model_ = model
    begin = time.process_time()
    parsed = list(parser.parse(gold))
    seconds = time.process_time() - begin
    scores = crossarc.evaluate(gold, parsed)
    edges = scores.non_projective
    size = sum(array.nbytes for array in model.to_arrays()[1].values()) / 1e6
    shares = (scores.las, scores.uas, scores.lem, edges.precision or 0.0, edges.recall or 0.0)
    return [*shares, sum(map(len, gold)) / seconds, size]


def cell(metric: str, values: tuple[float, ...]) -> str:
    """Return the text of a cell: a mean, and the deviation of a score over several networks."""
    if metric == "tokens/s":
        return f"{mean(values):,.0f}"
    spread = f" ± {stdev(values):.2f}" if len(values) > 1 and metric != "model, MB" else ""
    return f"{mean(values):.{1 if metric == 'model, MB' else 2}f}{spread}"


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folders", nargs="+", type=Path)
    options.add_argument("--ensemble", type=int, default=1, help="how many networks")
    options.add_argument("--part", default="test", choices=("dev", "test"))
    options.add_argument("--epochs", type=int, default=20)
    options.add_argument("--models", type=Path, default=Path(".cache"))
    chosen = options.parse_args()
    print(f"| treebank | parser | {' | '.join(METRICS)} |")
    print("|---|---|" + "---:|" * len(METRICS))
    for folder in chosen.folders:
        parser = model_of(folder, chosen.models, chosen.ensemble, chosen.epochs)
        assert isinstance(parser.model, HybridModel)
        dev, gold = Corpus.of(read(folder / "dev.conllu")), list(read(folder / f"{chosen.part}.conllu"))
        for name, models in parts_of(parser.model, dev):
            columns = zip(*(measure(parser, model, gold) for model in models), strict=True)
            cells = [cell(metric, values) for metric, values in zip(METRICS, columns, strict=True)]
            print(f"| {folder.name} | {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
