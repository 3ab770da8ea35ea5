"""`crossarc parse`: trees for treebank files."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from crossarc.cli.arguments import Files, From
from crossarc.cli.console import counted, tracked

if TYPE_CHECKING:
    from crossarc.treebank import Sentence


def parse(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model that crossarc train made.")],
    files: Files,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Where to write; - is standard output.")
    ] = "-",
    source: From = None,
    threads: Annotated[int, typer.Option(min=1, help="How many threads parse.")] = 1,
) -> None:
    """Parse files: HEAD and DEPREL are new, everything else stays as it is.

    \b
    $ crossarc parse danish.crossarc raw.conllu.gz -o parsed.conllu --threads 2
    parsed.conllu: 536 sentences, 9,941 words, 49,519 words a second
    """
    sentences, words, seconds = parse_files(model, files, output, source, threads)
    if output != "-":
        speed = f"{words / max(seconds, 1e-9):,.0f} words a second"
        print(f"{output}: {counted(sentences, 'sentence')}, {words:,} words, {speed}", file=sys.stderr)


def parse_files(model: str, files: list[str], output: str, source: str | None, threads: int) -> tuple[int, int, float]:
    """Parse in a stream; gives the numbers of sentences and words and the seconds it took."""
    from crossarc.parsers import load
    from crossarc.treebank import read, write

    parser = load(model)
    words = 0

    def sentences() -> Iterator[Sentence]:
        nonlocal words
        for path in files:
            with tracked(path, quiet=output == "-") as file:
                for sentence in read(file, source):
                    words += len(sentence)
                    yield sentence

    begin = time.perf_counter()
    count = write(parser.parse(sentences(), threads), output)
    return count, words, time.perf_counter() - begin
