"""The public function by which a program adds things to crossarc. Installed packages do the same by entry points."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from crossarc.core.registry import Registry
from crossarc.errors import CrossarcError, UnknownName

# Where the registry of each kind is. The group of its entry points is its name with an s: crossarc.presets.
KINDS = {
    "transition_system": "crossarc.transitions.registry:SYSTEMS",
    "graph_system": "crossarc.transitions.registry:GRAPH_SYSTEMS",
    "feature_model": "crossarc.features.templates:feature_models",
    "decoder": "crossarc.parsers.scorers:DECODERS",
    "head": "crossarc.parsers.networks.heads:known_heads",
    "learner": "crossarc.parsers.moves.learners:LEARNERS",
    "family": "crossarc.parsers.families:FAMILIES",
    "preset": "crossarc.parsers.presets:PRESETS",
}


def registry_of(kind: str) -> Registry[Any]:
    """Return the registry of a kind of things."""
    if kind not in KINDS:
        raise UnknownName("kind of extension", kind, KINDS)
    module, _, name = KINDS[kind].partition(":")
    found: Registry[Any] | Callable[[], Registry[Any]] = getattr(import_module(module), name)
    return found if isinstance(found, Registry) else found()


def register(name: str, **things: Any) -> None:
    """Make things known under a name in this process: `transition_system=`, `preset=` and the other kinds in `KINDS`.

    For every process, the command line included, a package offers things by entry points of the groups
    `crossarc.transition_systems`, `crossarc.presets` and so on.

    >>> from crossarc.parsers import Parser, Preset
    >>> settings = {"system": "swap", "features": "stack-compact"}
    >>> register("small-swap", preset=Preset("moves", builds="all", notes="few features", settings=settings))
    >>> Parser("small-swap").settings.features
    'stack-compact'
    """
    if not name or not things:
        raise CrossarcError("register takes a name and what it stands for, such as transition_system=...")
    for kind, thing in things.items():
        registry_of(kind).register(name, thing)
