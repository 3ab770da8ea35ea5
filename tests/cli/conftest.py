"""The command line as tests run it."""

import os
import subprocess
import sys

import pytest


@pytest.fixture
def crossarc(run_crossarc):
    """Run the command line; return its exit code and what it printed to standard error."""

    def run(*arguments):
        code, _, err = run_crossarc(*arguments)
        return code, err

    return run


@pytest.fixture
def on_terminal():
    """Run the command line with its output and its messages on a terminal; return the text on the terminal."""
    if sys.platform == "win32":
        pytest.skip("Windows has no pseudo-terminals")
    import fcntl
    import pty
    import struct
    import termios

    def run(*arguments, columns=80):
        main_end, other_end = pty.openpty()
        fcntl.ioctl(other_end, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        names = ("COLUMNS", "LINES", "TERM", "NO_COLOR", "FORCE_COLOR")
        plain = {name: value for name, value in os.environ.items() if name not in names}
        command = [sys.executable, "-m", "crossarc", *map(str, arguments)]
        streams = dict.fromkeys(("stdin", "stdout", "stderr"), other_end)
        process = subprocess.Popen(command, **streams, env={**plain, "TERM": "xterm"})
        os.close(other_end)
        said = b""
        try:
            while block := os.read(main_end, 1 << 16):
                said += block
        except OSError:  # how Linux says that the other end is closed
            pass
        os.close(main_end)
        assert process.wait() in (0, 1), said.decode()
        return said.decode()

    return run
