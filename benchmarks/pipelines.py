"""The accuracy and speed of pipelines from raw text to trees, and of UDPipe on request.

Trains pipelines on the training part of a treebank, or takes trained ones, and parses the raw text of another part,
which has a blank line before each document and paragraph that the treebank marks:

    python benchmarks/pipelines.py FOLDER --parser neural --parser arc-hybrid:fast=true --part test
    python benchmarks/pipelines.py FOLDER --model en --udpipe 6

FOLDER has train.conllu, dev.conllu and test.conllu. F is that of the CoNLL 2018 shared task. Times are CPU time of one
thread, tokens/s those from text to the bytes of CoNLL-U. `--udpipe N` trains UDPipe (`pip install ufal.udpipe`) on the
same files with N iterations of its parser.
"""

from __future__ import annotations

import argparse
import io
import os
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from shared import timed, udpipe_model, udpipe_process
from tokenizing import repeated

import crossarc
from crossarc.evaluation.tokenization import evaluate_tokenization
from crossarc.experiments import candidates_of
from crossarc.pipeline import Pipeline, model_path
from crossarc.tagging.training_text import raw_text
from crossarc.treebank import read, read_string, write

METRICS = ("Tokens", "Sentences", "Words", "UPOS", "UFeats", "Lemmas", "UAS", "LAS", "MLAS")
Parse = Callable[[str], bytes]


def row(
    name: str, gold: list[Any], parse: Callable[[str], bytes], characters: int, training: float, size: float
) -> str:
    """Score and time a pipeline; the row of the table."""
    text = raw_text(gold)
    found = read_string(parse(text).decode())
    scores = evaluate_tokenization(gold, found)
    long = repeated(text, characters)
    _, seconds = timed(lambda: parse(long))
    tokens = sum(map(len, found)) * (len(long) / max(1, len(text)))
    figures = " | ".join(f"{scores[metric].f1:.2f}" for metric in METRICS)
    return (
        f"| {name} | {figures} | {tokens / max(seconds, 1e-9):,.0f} | {training / 60:.1f} min | {size / 1e6:.1f} MB |"
    )


def as_bytes(pipeline: Pipeline) -> Parse:
    """A function from text to the bytes of CoNLL-U."""

    def parse(text: str) -> bytes:
        out = io.BytesIO()
        write(pipeline.stream([text]), out)
        return out.getvalue()

    return parse


def udpipe(train: Path, dev: Path, iterations: int) -> tuple[Parse, float]:
    """Train UDPipe; return a function from text to CoNLL-U, and the size of its model."""
    model, size = udpipe_model(train, dev, "epochs=20", "", f"iterations={iterations}")
    process = udpipe_process(model, "tokenizer=ranges", "", "")
    return lambda text: process(text).encode(), size


def first_tree(model: str) -> str:
    """The time of the first sentence and of the following ones, with a newly loaded model."""
    text = "She bought a coat yesterday that fits her well."
    begin = time.process_time()
    nlp = crossarc.load(model)
    loaded = time.process_time() - begin
    nlp(text)
    first = time.process_time() - begin
    rounds = 200
    _, seconds = timed(lambda: [nlp(text) for _ in range(rounds)])
    each = 1000 * seconds / rounds
    return f"loading {1000 * loaded:.0f} ms, first tree {1000 * first:.0f} ms, each further {each:.1f} ms"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--part", default="test", help="what is parsed: dev or test")
    parser.add_argument("--parser", action="append", default=[], help="a preset with settings, NAME:SETTING=VALUE,...")
    parser.add_argument("--model", action="append", default=[], help="a trained pipeline")
    parser.add_argument("--udpipe", type=int, default=0, help="iterations of UDPipe's parser")
    parser.add_argument("--characters", type=int, default=1_000_000, help="of the text that is timed")
    options = parser.parse_args()
    gold = list(read(options.folder / f"{options.part}.conllu"))
    train, dev = options.folder / "train.conllu", options.folder / "dev.conllu"
    print(f"{options.folder.name}, {options.part}: {len(gold):,} sentences, {sum(map(len, gold)):,} words\n")
    print(f"| pipeline | {' | '.join(METRICS)} | tokens/s | training | model |")
    print("|---|" + "---:|" * (len(METRICS) + 3), flush=True)
    for model in options.model:
        path = model_path(model)
        print(row(model, gold, as_bytes(Pipeline.open(path)), options.characters, 0, os.path.getsize(path)), flush=True)
    with TemporaryDirectory() as folder:
        for place, candidate in enumerate(candidates_of(options.parser) if options.parser else []):
            settings = dict(candidate.settings)
            pipeline = Pipeline(settings.pop("parser"), **settings)
            _, seconds = timed(lambda made=pipeline: made.fit(train, dev))
            path = os.path.join(folder, f"{place}.crossarc")
            pipeline.save(path)
            size = os.path.getsize(path)
            print(row(options.parser[place], gold, as_bytes(pipeline), options.characters, seconds, size), flush=True)
    if options.udpipe:
        (parse, size), seconds = timed(lambda: udpipe(train, dev, options.udpipe))
        print(row(f"UDPipe, {options.udpipe} iterations", gold, parse, options.characters // 10, seconds, size))
    for model in options.model:
        print(f"\n{model}: {first_tree(model)}")


if __name__ == "__main__":
    main()
