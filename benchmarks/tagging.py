"""The accuracy and speed of the tagger on the words of a treebank.

Trains on the training part of a treebank and tags another part, whose tokens are given:

    python benchmarks/tagging.py FOLDER --part test

FOLDER has train.conllu, dev.conllu and test.conllu. Figures are the share of the words that are right, in percent.
Times are CPU time of one thread, tokens/s those from sentences to sentences with tags: the best of several runs. With
`--udpipe` UDPipe 1 (`pip install ufal.udpipe`) is trained with its default settings and tags the same words; its
tokens/s are from CoNLL-U to CoNLL-U.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from shared import timed, udpipe_model, udpipe_process

from crossarc import read
from crossarc.tagging import Tagger
from crossarc.treebank import read_string

COLUMNS = ("upos", "xpos", "feats", "lemma")


def row(name: str, scores: dict[str, float], speed: float, training: float) -> str:
    """The row of the table."""
    figures = " | ".join(f"{scores[column]:.2f}" if column in scores else "" for column in COLUMNS)
    return f"| {name} | {figures} | {speed:,.0f} | {training:.0f} s |"


def udpipe_row(train: Path, dev: Path, part: Path) -> str:
    """Train, score and time the tagger of UDPipe."""
    (model, _), training = timed(lambda: udpipe_model(train, dev, "none", "", "none"))
    process = udpipe_process(model, "conllu", "", "none")
    text = part.read_text(encoding="utf-8")
    found, seconds = timed(lambda: process(text))
    gold, tagged = list(read(part)), list(read_string(found))
    words = sum(map(len, gold))
    scores = {}
    for column in COLUMNS:
        pairs = zip(gold, tagged, strict=True)
        right = sum(a == b for one, two in pairs for a, b in zip(one.column(column), two.column(column), strict=True))
        scores[column] = 100 * (right - len(gold)) / words  # node 0 is always right
    return row("UDPipe", scores, words / seconds, training)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--part", default="test", help="what is tagged: dev or test")
    parser.add_argument("--epochs", type=int, default=None)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=5, help="of which the fastest is shown")
    parser.add_argument("--udpipe", action="store_true")
    options = parser.parse_args()
    train, dev, part = (options.folder / f"{name}.conllu" for name in ("train", "dev", options.part))
    gold = list(read(part))
    words = sum(map(len, gold))
    print(f"{options.folder.name}, {options.part}: {len(gold):,} sentences, {words:,} words")
    print()
    print(f"| tagger | {' | '.join(column.upper() for column in COLUMNS)} | tokens/s | training |")
    print("|---|" + "---:|" * (len(COLUMNS) + 2))
    settings = {} if options.epochs is None else {"epochs": options.epochs}
    tagger = Tagger(seed=options.seed, **settings)
    _, training = timed(lambda: tagger.fit(read(train), read(dev)))
    seconds = min(timed(lambda: tagger.tag(gold))[1] for _ in range(options.runs))
    print(row("crossarc", tagger.evaluate(gold), words / seconds, training), flush=True)
    if options.udpipe:
        print(udpipe_row(train, dev, part), flush=True)


if __name__ == "__main__":
    main()
