"""What the tests of experiments share."""

import sys

import pytest

from crossarc.experiments import runner


@pytest.fixture
def stub(monkeypatch):
    """Processes that run some lines of Python instead of a job."""

    def use(code):
        start = "import json, os, sys, time\norder = json.loads(sys.stdin.readline())\n"
        monkeypatch.setattr(runner, "COMMAND", [sys.executable, "-c", start + code])

    return use
