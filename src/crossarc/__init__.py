"""crossarc: dependency parsing for trees and graphs whose arcs may cross.

The names below are the public interface; each is imported when it is first used, and so are the packages in PACKAGES.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from crossarc import decode as decode
    from crossarc import draw as draw
    from crossarc import evaluation as evaluation
    from crossarc import experiments as experiments
    from crossarc import parsers as parsers
    from crossarc import structure as structure
    from crossarc import tagging as tagging
    from crossarc import transforms as transforms
    from crossarc import transitions as transitions
    from crossarc import treebank as treebank
    from crossarc.errors import CrossarcError as CrossarcError
    from crossarc.evaluation import evaluate as evaluate
    from crossarc.parsers import Parser as Parser
    from crossarc.parsers import register as register
    from crossarc.pipeline import Pipeline as Pipeline
    from crossarc.pipeline import load as load
    from crossarc.treebank import Sentence as Sentence
    from crossarc.treebank import read as read
    from crossarc.treebank import write as write

HOMES = {
    "CrossarcError": "crossarc.errors",
    "Parser": "crossarc.parsers",
    "Pipeline": "crossarc.pipeline",
    "Sentence": "crossarc.treebank",
    "evaluate": "crossarc.evaluation",
    "load": "crossarc.pipeline",
    "read": "crossarc.treebank",
    "register": "crossarc.parsers",
    "write": "crossarc.treebank",
}
PACKAGES = (
    "decode",
    "draw",
    "evaluation",
    "experiments",
    "parsers",
    "structure",
    "tagging",
    "transforms",
    "transitions",
    "treebank",
)
__all__ = ["CrossarcError", "Parser", "Pipeline", "Sentence", "decode", "evaluate", "load", "read", "register", "write"]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("crossarc")
    if name in PACKAGES:
        return import_module(f"crossarc.{name}")
    if name in HOMES:
        return getattr(import_module(HOMES[name]), name)
    raise AttributeError(f"module 'crossarc' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *PACKAGES, "__version__"})
