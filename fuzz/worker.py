"""The process that tries inputs: `python -m fuzz.worker PIPE TARGET SEED...`, in an empty folder of its own.

It writes to the pipe: a line when it is ready, then for each seed the kind of outcome, when it is known. So whoever
reads the pipe knows which seed is under way, whatever ends the process. If a seed fails with an exception, the last
line is "!", the exception and the traceback.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import threading
import traceback
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from fuzz.targets import find_target


def work(pipe: int, name: str, seeds: Iterable[int], most: int) -> int:
    """Try the inputs of some seeds, and stop at the first that fails or after which `most` bytes have been resident."""
    sys.unraisablehook = threading.excepthook = end
    try:
        target = find_target(name)
        context = target.prepare(Path.cwd())
        os.write(pipe, b"ready\n")
        for seed in seeds:
            outcome = target.check(target.make(seed, context), context)
            assert outcome, "check must return the kind of outcome"
            check_memory(most)
            os.write(pipe, f"{outcome}\n".encode())
    except BaseException as error:
        what = f"{type(error).__name__}: {error}".splitlines()[0][:300]
        os.write(pipe, f"!{json.dumps([what, traceback.format_exc()])}\n".encode())
        return 1
    return 0


def end(error: Any) -> None:
    """End the process with an error that no one sees: of native code that cannot raise, or of a thread."""
    traceback.print_exception(error.exc_value)
    os.abort()


def check_memory(most: int) -> None:
    """Raise MemoryError if this process or one that it started has had more than `most` bytes resident."""
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    # The first figure includes what the process that started this one had; the second read is exact, and slow.
    peak = max(children, peak_resident() if own > most else 0)
    if peak > most:
        raise MemoryError(f"{peak / 1e6:,.0f} MB were resident")


def peak_resident() -> int:
    """The most bytes that this process has had resident."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))


if __name__ == "__main__":
    pipe, most, name, *seeds = sys.argv[1:]
    sys.exit(work(int(pipe), name, map(int, seeds), int(most)))
