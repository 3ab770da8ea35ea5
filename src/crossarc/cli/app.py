"""The commands as an application: it reads the arguments and reports an error as one line and an exit code."""

from __future__ import annotations

import functools
import os
import signal
import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Annotated, Any

import typer

from crossarc.cli import COMMANDS, print_version
from crossarc.cli.console import describe, say
from crossarc.cli.help import Command

HOMES = {"parsers": "info"}  # of commands that share a file with another
LINE_ENDS = dict.fromkeys(map(ord, "\r\n"), " ")  # of file names in messages, which have one line
ALONE = ("example", "parsers")  # commands that need no argument

received: list[int] = []  # signals that ask the process to end


def end(number: int, frame: object) -> None:
    """Leave as after an interrupt, so that no half-written file stays."""
    received.append(number)
    raise KeyboardInterrupt


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
            try:
                command(*arguments, **options)
            finally:
                sys.stdout.flush()
        except BrokenPipeError:
            # The reader has closed our output (`| head`): that is not an error, and the interpreter must print nothing.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise SystemExit(0) from None
        except (CrossarcError, OSError) as error:
            if "--debug" in sys.argv:
                raise
            say(f"crossarc: {describe(error).translate(LINE_ENDS)}")
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


def show_version(wanted: bool) -> None:
    """Print the version and exit."""
    if wanted:
        print_version()
        raise typer.Exit


def options(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    largest: Annotated[
        int | None,
        typer.Option(
            metavar="MB",
            min=1,
            help="The largest sentence, and the largest document in JSON lines, that is read; default: 4 and 2 MB.",
        ),
    ] = None,
) -> None:
    """Dependency parsing for trees and graphs whose arcs may cross."""
    if largest is not None:
        from crossarc.treebank.streams import limits

        limits.sentence = limits.line = largest << 20


def application(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """Return the application with some commands; only their modules are imported."""
    app = typer.Typer(
        name="crossarc",
        help="Dependency parsing for trees and graphs whose arcs may cross.",
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"]},
        rich_markup_mode=None,  # rich help takes twice the time to start
        pretty_exceptions_enable=False,
    )
    app.callback()(options)
    for name in names:
        command = getattr(import_module(f"crossarc.cli.{HOMES.get(name, name)}"), name)
        app.command(cls=Command, short_help=COMMANDS[name], no_args_is_help=name not in ALONE)(guarded(command))
    return app
