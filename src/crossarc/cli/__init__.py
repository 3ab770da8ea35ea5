"""The command line: one file per command, with a function that reads the arguments and one that does the work."""

from __future__ import annotations

import signal
import sys
import threading
import traceback

# Every command with its short help. A command is the function of that name in the module of that name.
COMMANDS = {
    "example": "Run a demonstration, or write the example treebank.",
    "stats": "Describe treebanks and recommend a parser.",
    "train": "Train a parser.",
    "parse": "Parse text or treebank files.",
    "evaluate": "Score a parsed file against gold.",
    "compare": "Compare two parsed files, with significance.",
    "experiment": "Compare parsers on treebanks.",
    "crossval": "Compare parsers by cross-validation.",
    "jackknife": "Predict trees for training data.",
    "draw": "Draw trees, graphs and differences.",
    "validate": "Find errors in a treebank.",
    "convert": "Convert between treebank formats.",
    "transform": "Make trees projective, and back.",
    "oracle": "Print the moves that build a tree.",
    "info": "Describe a model file.",
    "parsers": "List the presets that can be trained.",
}


def print_version() -> None:
    """Print the version."""
    from importlib.metadata import version

    print(f"crossarc {version('crossarc')}")


def main() -> None:
    """Run the command line; the exit code is 0, 1 if the answer is no, 2 after an error, or 3 if input was left out."""
    # The option may be anywhere; `guarded` looks for it.
    arguments = [argument for argument in sys.argv[1:] if argument != "--debug"]
    if arguments == ["--version"]:  # without waiting for what reads arguments
        print_version()
        return
    from crossarc.cli.app import application, end

    if threading.current_thread() is threading.main_thread():
        for name in ("SIGTERM", "SIGHUP"):  # Windows has no SIGHUP, and nohup ignores it
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) == signal.SIG_DFL:
                signal.signal(number, end)
    asked = arguments[0] if arguments else ""
    try:
        application([asked] if asked in COMMANDS else COMMANDS)(arguments)
    except Exception:
        if "--debug" in sys.argv:
            raise
        from crossarc.cli.console import say

        traceback.print_exc()
        say("crossarc: this is a bug in crossarc; please report it with these lines")
        sys.exit(2)  # the interpreter's exit code 1 would mean that the answer is no
