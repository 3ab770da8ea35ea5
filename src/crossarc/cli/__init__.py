"""The command line: one file per command, with a function that reads the arguments and one that does the work."""

from __future__ import annotations

import functools
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Annotated, Any

import typer

from crossarc.cli.compare import compare
from crossarc.cli.console import describe, say
from crossarc.cli.convert import convert
from crossarc.cli.crossval import crossval
from crossarc.cli.draw import draw
from crossarc.cli.evaluate import evaluate
from crossarc.cli.example import example
from crossarc.cli.experiment import experiment
from crossarc.cli.help import Command
from crossarc.cli.info import info, parsers
from crossarc.cli.jackknife import jackknife
from crossarc.cli.oracle import oracle
from crossarc.cli.parse import parse
from crossarc.cli.stats import stats
from crossarc.cli.train import train
from crossarc.cli.transform import transform
from crossarc.cli.validate import validate

app = typer.Typer(
    name="crossarc",
    help="Dependency parsing for trees and graphs whose arcs may cross.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,  # rich help takes twice the time to start
    pretty_exceptions_enable=False,
)


def print_version(wanted: bool) -> None:
    """Print the version and exit."""
    if wanted:
        from importlib.metadata import version

        print(f"crossarc {version('crossarc')}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """Dependency parsing for trees and graphs whose arcs may cross."""


# Only the square of a sentence's length can suddenly need too much memory.
NO_MEMORY = (
    "there is not enough memory; the memory of parsers that score arcs grows with the square of the sentence length, "
    "transition parsers take sentences of any length"
)


def guarded(command: Callable[..., None]) -> Callable[..., None]:
    """Wrap a command: errors become one line and exit code 2, an interrupt 130, another signal 128 and its number."""

    @functools.wraps(command)
    def run(*arguments: Any, **options: Any) -> None:
        from crossarc.errors import CrossarcError

        try:
            command(*arguments, **options)
        except BrokenPipeError:
            # The reader has closed our output (`| head`): that is no error, and the interpreter must print nothing.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise SystemExit(0) from None
        except (CrossarcError, OSError) as error:
            if "--debug" in sys.argv:
                raise
            say(f"crossarc: {describe(error)}")
            raise SystemExit(2) from None
        except MemoryError:
            if "--debug" in sys.argv:
                raise
            say(f"crossarc: {NO_MEMORY}")
            raise SystemExit(2) from None
        except KeyboardInterrupt as interrupt:
            how = "terminated" if received else "interrupted"
            said = str(interrupt) or "interrupted; no file was changed"
            say(f"crossarc: {said.replace('interrupted', how, 1)}")
            raise SystemExit(128 + (received or [signal.SIGINT])[0]) from None

    return run


# Every command with its short help.
COMMANDS: dict[Callable[..., None], str] = {
    example: "Run a demonstration, or write the example treebank.",
    stats: "Describe treebanks and recommend a parser.",
    train: "Train a parser.",
    parse: "Parse text or treebank files.",
    evaluate: "Score a parsed file against gold.",
    compare: "Compare two parsed files, with significance.",
    experiment: "Compare parsers on treebanks.",
    crossval: "Compare parsers by cross-validation.",
    jackknife: "Predict trees for training data.",
    draw: "Draw trees, graphs and differences.",
    validate: "Find errors in a treebank.",
    convert: "Convert between treebank formats.",
    transform: "Make trees projective, and back.",
    oracle: "Print the moves that build a tree.",
    info: "Describe a model file.",
    parsers: "List the presets that can be trained.",
}
ALONE = (example, parsers)  # commands that need no argument
for command, summary in COMMANDS.items():
    app.command(cls=Command, short_help=summary, no_args_is_help=command not in ALONE)(guarded(command))


received: list[int] = []  # signals that ask the process to end


def end(number: int, frame: object) -> None:
    """Leave as after an interrupt, so that no half-written file stays."""
    received.append(number)
    raise KeyboardInterrupt


def main() -> None:
    """Run the command line; the exit code is 0, 1 if the answer is no, 2 after an error, or 3 if input was left out."""
    if threading.current_thread() is threading.main_thread():
        for name in ("SIGTERM", "SIGHUP"):  # Windows has no SIGHUP, and nohup ignores it
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) == signal.SIG_DFL:
                signal.signal(number, end)
    try:
        # The option may be anywhere; `guarded` looks for it.
        app([argument for argument in sys.argv[1:] if argument != "--debug"])
    except Exception:
        if "--debug" in sys.argv:
            raise
        traceback.print_exc()
        say("crossarc: this is a bug in crossarc; please report it with these lines")
        sys.exit(2)  # the interpreter's exit code 1 would mean that the answer is no
