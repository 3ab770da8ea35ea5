"""What a process has used: CPU time and memory."""

from __future__ import annotations

import os
import sys
import time


def peak_memory() -> int | None:
    """The most memory this process has held, in bytes; None where the system does not tell.

    Linux counts a child's `ru_maxrss` from its parent's, so there its own record is read.
    """
    try:
        with open("/proc/self/status", encoding="ascii") as file:
            return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))
    except (OSError, StopIteration):
        pass
    try:
        import resource
    except ImportError:  # Windows
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


class Stopwatch:
    """The CPU seconds (all threads) and seconds on the clock since it was made."""

    def __init__(self) -> None:
        self.begin = time.process_time(), time.perf_counter()

    @property
    def cpu(self) -> float:
        """CPU seconds."""
        return time.process_time() - self.begin[0]

    @property
    def clock(self) -> float:
        """Seconds on the clock."""
        return time.perf_counter() - self.begin[1]


def single_threaded() -> dict[str, str]:
    """The environment for a process whose numerical libraries keep to one thread, so that figures compare."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
    return {**os.environ, **dict.fromkeys(names, "1")}
