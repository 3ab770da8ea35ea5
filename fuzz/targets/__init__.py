"""The targets: a module each, with the three functions of `Target`.

The first line of its docstring says what it tries. CONTRIBUTING.md says how to add one.
"""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from typing import Any, Protocol, cast

from crossarc.errors import UnknownName

FOLDER = Path(__file__).parent


class Target(Protocol):
    """What a module here has."""

    def prepare(self, folder: Path) -> Any:
        """Make what all inputs need, once for each worker; the folder is the worker's own, and empty."""

    def make(self, seed: int, context: Any) -> Any:
        """Make the input of a seed, always the same."""

    def check(self, given: Any, context: Any) -> str:
        """Use the input and return what kind of outcome it had; raise if anything is wrong."""


def target_names() -> list[str]:
    """The names of all targets."""
    return sorted(path.stem for path in FOLDER.glob("[a-z]*.py"))


def find_target(name: str) -> Target:
    """A target by its name, or by the path of its file."""
    if name.endswith(".py"):
        spec = importlib.util.spec_from_file_location(Path(name).stem, name)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return cast(Target, module)
    if name not in target_names():
        raise UnknownName("target", name, target_names())
    return cast(Target, importlib.import_module(f"fuzz.targets.{name}"))
