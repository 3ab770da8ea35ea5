"""`crossarc parse`: trees for treebank files."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

import typer

from crossarc.cli.arguments import Files, From, check_stdin
from crossarc.cli.console import counted, tracked

if TYPE_CHECKING:
    from crossarc.treebank import Sentence

MOST_THREADS = 4  # by default: reading and writing keep more from being of use


@dataclass
class Run:
    """What was parsed: sentences, words, those that were too long for the usual search, and the time it took."""

    sentences: int = 0
    words: int = 0
    long: int = 0
    limit: int = 0
    seconds: float = 0.0
    notes: list[str] = field(default_factory=list)

    @property
    def speed(self) -> float:
        """Words a second."""
        return self.words / max(self.seconds, 1e-9)


def parse(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model that crossarc train made.")],
    files: Files,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Where to write; - is standard output.")
    ] = "-",
    source: From = None,
    threads: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="How many threads parse; by default one a core, up to 4.")
    ] = None,
    beam: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="How many derivations to follow; if not as in training."),
    ] = None,
) -> None:
    """Parse files: HEAD and DEPREL are new, everything else stays as it is.

    The trees are the same for any number of threads. A file that lacks columns the model learned from gets a warning.

    \b
    $ crossarc parse danish.crossarc raw.conllu.gz -o parsed.conllu
    parsed.conllu: 536 sentences, 9,941 words, 49,519 tokens/s
    """
    check_stdin(*files)
    run = parse_files(model, files, output, source, threads or default_threads(), beam)
    if run.long:
        print(
            f"crossarc: {counted(run.long, 'sentence')} of more than {run.limit:,} words: "
            "words further apart than 500, or fewer in the longest, were not looked at together",
            file=sys.stderr,
        )
    for note in run.notes:
        print(f"crossarc: {note}", file=sys.stderr)
    if output != "-":
        figures = f"{counted(run.sentences, 'sentence')}, {counted(run.words, 'word')}, {run.speed:,.0f} tokens/s"
        print(f"{output}: {figures}", file=sys.stderr)


def default_threads() -> int:
    """One a core that this process may use."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(MOST_THREADS, cores)


def parse_files(
    model: str, files: list[str], output: str, source: str | None, threads: int, beam: int | None = None
) -> Run:
    """Parse in a stream."""
    from crossarc.parsers import load
    from crossarc.parsers.columns import describe_lack, watched
    from crossarc.treebank import read, write

    parser = load(model)
    if beam is not None and beam > 1 and parser.settings.beam == 1:
        print("crossarc: the model was trained for greedy search; a beam will hardly help it", file=sys.stderr)
    trained = parser.model if beam is None else parser.model.with_beam(beam)
    run = Run(limit=parser.model.long_sentence)
    begin = time.perf_counter()

    def note() -> str:
        return f"{run.words / max(time.perf_counter() - begin, 1e-9):,.0f} tokens/s"

    def sentences() -> Iterator[Sentence]:
        # Trees printed on a terminal would get in the way of the bar.
        quiet = output == "-" and sys.stdout.isatty()
        for path in files:

            def warn(columns: list[str], path: str = path) -> None:
                name = "standard input" if path == "-" else path
                print(f"crossarc: {describe_lack(name, columns)}", file=sys.stderr)

            with tracked(path, quiet=quiet, note=note) as file:
                yield from watched(read(file, source), parser.columns, warn)

    def parsed() -> Iterator[Sentence]:
        for sentence in trained.parse(sentences(), threads):
            run.words += len(sentence)
            run.long += 0 < run.limit < len(sentence)
            yield sentence

    run.sentences = write(parsed(), output)
    run.seconds = time.perf_counter() - begin
    run.notes = trained.notes()
    return run
