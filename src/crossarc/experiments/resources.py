"""The CPU time and memory of a process."""

from __future__ import annotations

import os
import sys
import time


def peak_memory() -> int | None:
    """The peak memory of this process in bytes; None if the system does not report it.

    On Linux the `ru_maxrss` of a child includes that of its parent, so VmHWM is read there.
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
    """The CPU seconds (all threads) and wall-clock seconds since it was created."""

    def __init__(self) -> None:
        self.begin = time.process_time(), time.perf_counter()

    @property
    def cpu(self) -> float:
        """CPU seconds."""
        return time.process_time() - self.begin[0]

    @property
    def clock(self) -> float:
        """Wall-clock seconds."""
        return time.perf_counter() - self.begin[1]


def single_threaded() -> dict[str, str]:
    """The environment for a process whose numerical libraries use one thread."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
    return {**os.environ, **dict.fromkeys(names, "1")}
