"""The speed of parsers of graphs by width of the beam, as a Markdown table.

    python benchmarks/graph_speed.py FOLDER... [--rows NAME ...] [--beams 1 16 150] [--part test] [--models FOLDER]

Each FOLDER has train.conllu, dev.conllu and test.conllu. Each row is trained once; its model is kept in a folder, so
that the same model can be measured again after a change of the code. Figures are CPU times of one thread, the best of
some rounds: "arrays" is from a corpus in memory to arcs, "sentences" from sentences to sentences. The time for 2,400
sentences is that of arrays, for sentences of the mean length of the part.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import crossarc
from crossarc.parsers import Parser
from crossarc.treebank import Corpus, Sentence, read

PAPER = {"features": "dag-sagae", "learner": "maxent", "lifting": "shortest"}
ROWS: dict[str, tuple[str, dict[str, Any]]] = {
    "dag-standard": ("dag-standard", {}),
    "dag-standard, maximum entropy, features of the paper": ("dag-standard", PAPER),
    "dag-standard, maximum entropy": ("dag-standard", {"learner": "maxent"}),
    "dag-eager": ("dag-eager", {}),
    "dag-covington": ("dag-covington", {}),
}
PAPER_SENTENCES = 2_400  # parsed in 4 minutes with a beam of 150


def model_of(folder: Path, name: str, models: Path, epochs: int) -> Parser:
    """Return the model of a row, trained if it is not in the folder of models."""
    path = models / f"{folder.name}-{name.replace(', ', '-').replace(' ', '-')}-{epochs}.crossarc"
    if not path.exists():
        preset, settings = ROWS[name]
        models.mkdir(parents=True, exist_ok=True)
        Parser(preset, epochs=epochs, **settings).fit(folder / "train.conllu", folder / "dev.conllu").save(path)
    return crossarc.load(path)


def seconds_of(work: Callable[[], Any], rounds: int) -> float:
    """Return the least CPU time that something takes."""
    best = float("inf")
    for _ in range(rounds):
        begin = time.process_time()
        work()
        best = min(best, time.process_time() - begin)
    return best


def measure(parser: Parser, sentences: list[Sentence], beam: int, rounds: int) -> list[str]:
    """Return the cells of a beam."""
    parser.model_ = replace(parser.model, settings=parser.settings.model_copy(update={"beam": beam}))  # type: ignore[type-var]
    corpus, words = Corpus.of(sentences), sum(map(len, sentences))
    arrays = seconds_of(lambda: parser.model.parse_graphs(corpus), rounds)  # type: ignore[attr-defined]
    whole = seconds_of(lambda: list(parser.parse(sentences)), rounds) if beam == 1 else None
    time_of_paper = arrays * PAPER_SENTENCES / len(sentences)
    return [
        str(beam),
        f"{words / arrays:,.0f}",
        f"{words / whole:,.0f}" if whole is not None else "",
        f"{time_of_paper:.1f}",
    ]


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folders", nargs="+", type=Path)
    options.add_argument("--rows", nargs="+", choices=ROWS, default=list(ROWS))
    options.add_argument("--beams", nargs="+", type=int, default=[1, 16, 150])
    options.add_argument("--part", default="test", choices=("dev", "test"))
    options.add_argument("--sentences", type=int, help="how many of the part, the first ones; all unless said")
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--epochs", type=int, default=10)
    options.add_argument("--models", type=Path, default=Path(".cache"))
    chosen = options.parse_args()
    print("| treebank | parser | actions | beam | tokens/s, arrays | tokens/s, sentences | 2,400 sentences, CPU s |")
    print("|---|---|---:|---:|---:|---:|---:|")
    for folder in chosen.folders:
        sentences = list(read(folder / f"{chosen.part}.conllu"))[: chosen.sentences]
        for name in chosen.rows:
            parser = model_of(folder, name, chosen.models, chosen.epochs)
            for beam in chosen.beams:
                cells = measure(parser, sentences, beam, chosen.rounds)
                actions = len(parser.model.moves)  # type: ignore[attr-defined]
                print(f"| {folder.name} | {name} | {actions} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
