"""The accuracy and speed of tokenizers: crossarc by rules and learned, and UDPipe if installed.

Trains on the training part of a treebank and tokenizes the raw text of another part, which has a blank line before each
document and paragraph that the treebank marks:

    python benchmarks/tokenizing.py FOLDER --part test --epochs 12 --udpipe-epochs 20

FOLDER has train.conllu, dev.conllu and test.conllu. F is that of the CoNLL 2018 shared task. Times are CPU time of one
thread, tokens/s those from text to sentences in CoNLL-U. UDPipe (`pip install ufal.udpipe`) is left out with
`--udpipe-epochs 0`.
"""

from __future__ import annotations

import argparse
import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

from shared import timed, udpipe_model, udpipe_process

from crossarc import read
from crossarc.evaluation.tokenization import evaluate_tokenization
from crossarc.tagging import Tokenizer
from crossarc.tagging.training_text import raw_text
from crossarc.treebank import Sentence, read_string

METRICS = ("Tokens", "Words", "Sentences")


def repeated(text: str, characters: int) -> str:
    """The text so often that it has about so many characters: short texts are not timed well."""
    return "\n\n".join([text] * max(1, characters // max(1, len(text))))


def row(name: str, gold: list[Sentence], tokenize: Callable[[str], Any], characters: int, training: float) -> str:
    """Score and time a tokenizer; the row of the table."""
    text = raw_text(gold)
    found = tokenize(text)
    sentences = read_string(found) if isinstance(found, str) else found
    scores = evaluate_tokenization(gold, sentences)
    long = repeated(text, characters)
    _, seconds = timed(lambda: tokenize(long))
    tokens = sum(len(one) for one in sentences) * (len(long) / max(1, len(text)))
    figures = " | ".join(f"{scores[metric].f1:.2f}" for metric in METRICS)
    return f"| {name} | {figures} | {tokens / max(seconds, 1e-9):,.0f} | {training:.0f} s |"


def udpipe_tokenizer(train: Path, dev: Path, epochs: int) -> Callable[[str], str]:
    """Train UDPipe's tokenizer."""
    model, _ = udpipe_model(train, dev, f"epochs={epochs}", "none", "none")
    return udpipe_process(model, "tokenizer=ranges", "none", "none")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--part", default="test", help="what is tokenized: dev or test")
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--udpipe-epochs", type=int, default=20)
    parser.add_argument("--characters", type=int, default=1_000_000, help="of the text that is timed")
    options = parser.parse_args()
    gold = list(read(options.folder / f"{options.part}.conllu"))
    train, dev = options.folder / "train.conllu", options.folder / "dev.conllu"
    print(f"{options.folder.name}, {options.part}: {len(gold):,} sentences, {sum(map(len, gold)):,} words")
    print()
    print(f"| tokenizer | {' | '.join(METRICS)} | tokens/s | training |")
    print("|---|" + "---:|" * (len(METRICS) + 2))
    print(row("crossarc, rules", gold, Tokenizer("rules").tokenize, options.characters, 0), flush=True)
    learned = Tokenizer(epochs=options.epochs, seed=options.seed)
    _, seconds = timed(lambda: learned.fit(read(train), read(dev)))
    print(row("crossarc, learned", gold, learned.tokenize, options.characters, seconds), flush=True)
    if options.udpipe_epochs and importlib.util.find_spec("ufal"):
        tokenize, seconds = timed(lambda: udpipe_tokenizer(train, dev, options.udpipe_epochs))
        name = f"UDPipe, {options.udpipe_epochs} epochs"
        print(row(name, gold, tokenize, options.characters // 5, seconds), flush=True)


if __name__ == "__main__":
    main()
