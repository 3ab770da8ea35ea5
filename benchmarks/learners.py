"""All learners on development sets: LAS, size, training and parsing time, as a Markdown table.

    python benchmarks/learners.py FOLDER... [--learners mira maxent] [--prune 0.01] [--parser arc-hybrid] [--epochs 8]
                                  [--features compact] [--sentences 500] [--explore 0]

Each FOLDER has train.conllu and dev.conllu. Times are CPU times. LIBSVM takes very long unless the treebank is small,
so it is left out by default.
"""

from __future__ import annotations

import argparse
import time
from itertools import product
from pathlib import Path
from typing import Any

from crossarc.parsers import Parser, Settings
from crossarc.treebank import read


def measure(folder: Path, sentences: int | None, settings: dict[str, Any]) -> str:
    train, dev = (list(read(folder / f"{part}.conllu", check="tree", on_error="skip")) for part in ("train", "dev"))
    begin = time.process_time()
    trained = Parser(**settings).fit(train[:sentences], dev)
    learning = time.process_time() - begin
    begin = time.process_time()
    words = sum(len(sentence) for sentence in trained.parse(dev))
    speed = words / (time.process_time() - begin) / 1000
    las, size = trained.manifest_["development"]["las"], stored_bytes(trained)
    named = f"{folder.name} | {settings['learner']} | {settings['prune']}"
    return f"| {named} | {las:.2f} | {size / 1e6:.0f} | {learning:.0f} | {speed:.1f} |"


def stored_bytes(parser: Parser) -> int:
    """The bytes of the weights in a model file."""
    scorer: Any = parser.model.scorer  # type: ignore[attr-defined]
    return sum(array.nbytes for array in scorer.to_arrays().values())


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    options.add_argument("--learners", nargs="+", default=["perceptron", "mira", "maxent", "liblinear"])
    options.add_argument("--prune", type=float, nargs="+", default=[Settings.model_fields["prune"].default])
    options.add_argument("--parser", default="arc-hybrid")
    options.add_argument("--epochs", type=int, default=8)
    options.add_argument("--features", default="rich")
    options.add_argument("--sentences", type=int, help="train on the first N sentences")
    options.add_argument("--explore", type=float, help="0 for the static oracle")
    arguments = options.parse_args()
    common = {name: getattr(arguments, name) for name in ("parser", "epochs", "features", "explore")}
    common = {name: value for name, value in common.items() if value is not None}
    print("| treebank | learner | prune | dev LAS | MB of weights | training, s | kwords/s |")
    print("|---|---|---|---|---|---|---|")
    for folder, learner, prune in product(arguments.folders, arguments.learners, arguments.prune):
        print(measure(folder, arguments.sentences, {**common, "learner": learner, "prune": prune}), flush=True)


if __name__ == "__main__":
    main()
