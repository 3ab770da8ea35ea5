"""The settings of parsers that score arcs on development sets: accuracy, pruned arcs and time, as a Markdown table.

    python benchmarks/graph_settings.py FOLDER... [--parser mst] [--epochs 5] [--settings '' 'lengths=true' ...]

Each FOLDER has train.conllu and dev.conllu. Settings are written as in a TOML file and joined with commas. Times are
CPU times; tokens/s is the best of three runs, from arrays to arrays.
"""

from __future__ import annotations

import argparse
import time
import tomllib
from pathlib import Path

from crossarc.parsers import Parser
from crossarc.treebank import Corpus, read

SETTINGS = [
    "",
    "lengths=true",
    'labels="joint"',
    'labels="joint",lengths=true',
    "augment=false",
    'features="mst-table2",labels="joint"',
    'features="mst-table2-plain",labels="joint"',
]


def measure(folder: Path, parser: str, settings: str, epochs: int) -> str:
    train, dev = (list(read(folder / f"{part}.conllu", check="tree", on_error="skip")) for part in ("train", "dev"))
    begin = time.process_time()
    trained = Parser(parser, epochs=epochs, **tomllib.loads(settings.replace(",", "\n"))).fit(train, dev)
    learning = time.process_time() - begin
    corpus = Corpus.of(dev)
    best = float("inf")
    for _ in range(3):
        begin = time.process_time()
        trained.model.parse(corpus)
        best = min(best, time.process_time() - begin)
    scores, lengths = trained.manifest_["development"], trained.model.lengths
    found = lengths.development if lengths is not None else None
    pruned = f"{100 * found.pruned / max(1, found.arcs):.1f}" if found is not None else ""
    cells = [folder.name, f"`{settings}`" if settings else "", f"{scores['las']:.2f}", f"{scores['uas']:.2f}", pruned]
    cells += [f"{learning:.0f}", f"{sum(map(len, dev)) / best / 1000:.0f}"]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    options.add_argument("--parser", default="mst")
    options.add_argument("--epochs", type=int, default=5)
    options.add_argument("--settings", nargs="+", default=SETTINGS)
    arguments = options.parse_args()
    print("| treebank | settings | dev LAS | dev UAS | arcs left out, % | training, s | ktokens/s |")
    print("|---|---|---:|---:|---:|---:|---:|")
    for folder in arguments.folders:
        for settings in arguments.settings:
            print(measure(folder, arguments.parser, settings, arguments.epochs), flush=True)


if __name__ == "__main__":
    main()
