"""The command line as tests run it."""

import sys

import pytest

from crossarc.cli import main


@pytest.fixture
def crossarc(monkeypatch, capsys):
    """Run the command line; gives its exit code and what it printed to standard error."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["crossarc", *map(str, arguments)])
        with pytest.raises(SystemExit) as leave:
            main()
        return leave.value.code or 0, capsys.readouterr().err

    return run
