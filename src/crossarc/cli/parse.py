"""`crossarc parse`: trees for treebank files."""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crossarc.cli.arguments import Files, From, OnError, Output, check_policy, check_stdin
from crossarc.cli.console import counted, tracked

if TYPE_CHECKING:
    from crossarc.parsers.parser import ParseOptions
    from crossarc.treebank import Finding, Sentence

MOST_THREADS = 4  # by default: reading and writing limit the use of more
SHOWN = 10  # findings that are printed one by one


@dataclass
class Run:
    """What was parsed: the number of sentences, words and too long sentences, and the time."""

    sentences: int = 0
    words: int = 0
    long: int = 0
    limit: int = 0
    beyond: str = ""  # what is done with longer sentences
    seconds: float = 0.0
    notes: list[str] = field(default_factory=list)
    findings: Counter[str] = field(default_factory=Counter)  # by the action taken

    @property
    def speed(self) -> float:
        """Words per second."""
        return self.words / max(self.seconds, 1e-9)


def parse(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model file of crossarc train.")],
    files: Files,
    output: Output = "-",
    source: From = None,
    threads: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="The number of threads; default: one per core, up to 4.")
    ] = None,
    beam: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="The width of the beam; default: as in training.")
    ] = None,
    scores: Annotated[
        bool,
        typer.Option(
            "--scores",
            help="Write the score and probability of each tree as comments, and the probabilities of heads and labels "
            "to MISC (HeadProb, LabelProb).",
        ),
    ] = False,
    k: Annotated[
        int | None,
        typer.Option(
            "--k", metavar="N", min=1, help="Write the N best trees of each sentence, the best first, with comments."
        ),
    ] = None,
    constraints: Annotated[
        bool,
        typer.Option(
            "--constraints",
            help="Respect the constraints in MISC: Head=3 (the head), NotHead=1,5 (not the head), Deprel=obj.",
        ),
    ] = False,
    with_tree: Annotated[
        bool,
        typer.Option("--with-tree", help="Parsers of graphs: also write the best tree inside the graph."),
    ] = False,
    on_error: OnError = "fail",
) -> None:
    """Parse files: HEAD and DEPREL are new, everything else is unchanged. Parsers of graphs write DEPS instead.

    The trees are the same for any number of threads. You get a warning if a file lacks columns that the model learned
    from. A sentence that cannot be read stops the run, and no output is written, unless --on-error is skip or fix.

    \b
    $ crossarc parse danish.crossarc raw.conllu.gz -o parsed.conllu
    parsed.conllu: 536 sentences, 9,941 words, 49,519 tokens/s
    \b
    $ crossarc parse danish.crossarc raw.conllu --scores --k 2
    # sent_id = 7-tree2
    # tree_rank = 2 of 2
    # tree_score = 8.4410
    # tree_probability = 0.1502
    1   Hun     hun     PRON    _   _   2   nsubj   _   HeadProb=0.9713|LabelProb=0.9960
    ...
    """
    check_stdin(*files)
    options: dict[str, Any] = {"threads": threads or default_threads(), "beam": beam, "scores": scores, "k": k}
    options |= {"constraints": constraints, "with_tree": with_tree}
    run = parse_files(model, files, output, source, **options, on_error=on_error)
    if run.long:
        print(
            f"crossarc: {counted(run.long, 'sentence')} of more than {run.limit:,} words: {run.beyond}", file=sys.stderr
        )
    for note in run.notes:
        print(f"crossarc: {note}", file=sys.stderr)
    if run.findings:
        actions = ", ".join(f"{count:,} {action}" for action, count in run.findings.items())
        print(f"crossarc: {counted(run.findings.total(), 'finding')} in the input: {actions}", file=sys.stderr)
    if output != "-":
        figures = f"{counted(run.sentences, 'sentence')}, {counted(run.words, 'word')}, {run.speed:,.0f} tokens/s"
        print(f"{output}: {figures}", file=sys.stderr)


def default_threads() -> int:
    """One thread per core that this process may use, up to four."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(MOST_THREADS, cores)


def parse_files(
    model: str,
    files: list[str],
    output: str,
    source: str | None,
    *,
    threads: int,
    beam: int | None,
    scores: bool,
    k: int | None,
    constraints: bool,
    with_tree: bool,
    on_error: str,
) -> Run:
    """Parse files as a stream and write the trees or graphs."""
    from crossarc.errors import CrossarcError, TreebankError
    from crossarc.parsers import load, marked_constraints
    from crossarc.parsers.columns import describe_missing
    from crossarc.treebank import read, write

    check_policy(on_error)
    parser = load(model)
    if beam is not None:
        parser.model.with_beam(beam)  # graph parsers refuse it before any file is read
        if beam > 1 and getattr(parser.settings, "beam", 1) == 1:
            print("crossarc: the model was trained for greedy search; a beam will probably not help", file=sys.stderr)
    if with_tree and not parser.gives_graphs:
        raise CrossarcError(f"--with-tree: {parser.settings.parser} gives trees anyway; leave it out")
    run = Run(limit=parser.model.long_sentence, beyond=parser.model.long_note)
    begin = time.perf_counter()

    def note() -> str:
        return f"{run.words / max(time.perf_counter() - begin, 1e-9):,.0f} tokens/s"

    def report(finding: Finding) -> None:
        if on_error == "fail":
            choice = "--on-error skip leaves such sentences out, fix repairs them if possible"
            raise TreebankError(f"{finding.with_action('')}; {choice}")
        run.findings[finding.action] += 1
        if run.findings.total() <= SHOWN:
            print(f"crossarc: {finding}", file=sys.stderr)

    def count(sentence: Sentence) -> None:
        run.sentences += 1
        run.words += len(sentence)
        run.long += 0 < run.limit < len(sentence)

    policy = "skip" if on_error == "fail" else on_error  # `report` raises the error, with a remedy
    # Trees printed on a terminal would disturb the bar.
    quiet = output == "-" and sys.stdout.isatty()
    known = marked_constraints if constraints else None

    def parsed() -> Iterator[Sentence]:
        for path in files:

            def warn(columns: list[str], path: str = path) -> None:
                name = "standard input" if path == "-" else path
                print(f"crossarc: {describe_missing(name, columns)}", file=sys.stderr)

            options: ParseOptions = {
                "threads": threads,
                "beam": beam,
                "constraints": known,
                "on_missing": warn,
                "with_tree": with_tree,
            }
            with tracked(path, quiet=quiet, note=note) as file:
                found = read(file, source, on_error=policy, report=report)  # type: ignore[arg-type]
                if scores or k is not None:
                    for analysis in parser.parse(found, scores=True, k=k, **options):
                        count(analysis.best.sentence)
                        yield from analysis.annotated(probabilities=scores)
                    continue
                for sentence in parser.parse(found, **options):
                    count(sentence)
                    yield sentence

    write(parsed(), output)
    run.seconds = time.perf_counter() - begin
    run.notes = parser.model.notes()
    return run
