"""Every learner on development sets: LAS as stored and as learned, size, training and parsing time; a Markdown table.

    python benchmarks/learners.py FOLDER... [--learners mira maxent] [--prune 0.01] [--parser arc-hybrid] [--epochs 8]

Each FOLDER has train.conllu and dev.conllu. Times are of the processor, not of the clock. LIBSVM takes very long where
the treebank is not small, and is left out unless asked for.
"""

from __future__ import annotations

import argparse
import time
from itertools import product
from pathlib import Path

from crossarc.parsers import Parser, Settings
from crossarc.treebank import read


def measure(folder: Path, learner: str, prune: float, parser: str, epochs: int) -> str:
    train, dev = (list(read(folder / f"{part}.conllu", check="tree", on_error="skip")) for part in ("train", "dev"))
    begin = time.process_time()
    trained = Parser(parser, learner=learner, prune=prune, epochs=epochs).fit(train, dev)
    learning = time.process_time() - begin
    begin = time.process_time()
    words = sum(len(sentence) for sentence in trained.parse(dev))
    speed = words / (time.process_time() - begin) / 1000
    las, storage = trained.manifest_["development"]["las"], trained.model.storage
    exact, size = "", ""
    if storage:
        exact, size = f"{storage.exact_las:.2f}", f"{storage.bytes / 1e6:.0f} of {storage.exact_bytes / 1e6:.0f}"
    return f"| {folder.name} | {learner} | {prune} | {las:.2f} | {exact} | {size} | {learning:.0f} | {speed:.1f} |"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    options.add_argument("--learners", nargs="+", default=["perceptron", "mira", "maxent", "liblinear"])
    options.add_argument("--prune", type=float, nargs="+", default=[Settings().prune])
    options.add_argument("--parser", default="arc-hybrid")
    options.add_argument("--epochs", type=int, default=8)
    arguments = options.parse_args()
    print("| treebank | learner | prune | dev LAS | as learned | MB of weights | training, s | kwords/s |")
    print("|---|---|---|---|---|---|---|---|")
    for folder, learner, prune in product(arguments.folders, arguments.learners, arguments.prune):
        print(measure(folder, learner, prune, arguments.parser, arguments.epochs), flush=True)


if __name__ == "__main__":
    main()
