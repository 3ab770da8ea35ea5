"""Train the tokenizer of a pipeline again on its treebank; all else in the model file stays.

    python scripts/renew_tokenizer.py FOLDER src/crossarc/pipeline/models/en.crossarc

FOLDER has train.conllu and dev.conllu. The tokenizer is the one that training the whole pipeline again would give.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import crossarc
from crossarc.pipeline import Pipeline
from crossarc.tagging import Tokenizer


def main() -> None:
    """Train, save and print the scores on the development set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("model")
    parser.add_argument("--output", help="another file to write")
    options = parser.parse_args()
    pipeline = crossarc.load(options.model)
    if not isinstance(pipeline, Pipeline):
        raise SystemExit(f"{options.model} is a parser and has no tokenizer")
    seed = pipeline.parser.settings.seed
    dev = list(crossarc.read(options.folder / "dev.conllu"))
    pipeline.tokenizer = Tokenizer(seed=seed).fit(crossarc.read(options.folder / "train.conllu"), dev)
    pipeline.origin_ = None
    pipeline.save(options.output or options.model)


if __name__ == "__main__":
    main()
