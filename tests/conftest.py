"""The fixtures of all tests: the treebanks, and the settings of hypothesis."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "suite",
    deadline=None,
    max_examples=100,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("suite")

ROOT = Path(__file__).resolve().parents[1]


def data_folder() -> Path | None:
    """The real treebanks: in the folder CROSSARC_DATA, or next to the checkout."""
    folders = (
        [Path(os.environ["CROSSARC_DATA"])] if "CROSSARC_DATA" in os.environ else [ROOT.parent / "shared" / "data"]
    )
    return next((folder for folder in folders if folder.is_dir()), None)


@pytest.fixture(scope="session")
def treebanks() -> list[Path]:
    folder = data_folder()
    if folder is None:
        pytest.skip("needs real treebanks: set CROSSARC_DATA to a folder of */{train,dev,test}.conllu")
    files = sorted(folder.glob("*/*.conllu"))
    assert files, f"{folder} has no */*.conllu"
    return files


@pytest.fixture(scope="session")
def example() -> Path:
    """The example treebank as it is installed."""
    import crossarc

    return Path(crossarc.__file__).parent / "data" / "example.conllu"


@pytest.fixture(scope="session")
def malformed() -> Path:
    return ROOT / "tests" / "malformed"


@pytest.fixture
def run_crossarc(monkeypatch, capsys) -> Callable[..., tuple[int, str, str]]:
    """Run the command line; return its exit code, its output and its messages."""
    from crossarc.cli import main

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["crossarc", *map(str, arguments)])
        with pytest.raises(SystemExit) as leave:
            main()
        printed = capsys.readouterr()
        return leave.value.code or 0, printed.out, printed.err

    return run
