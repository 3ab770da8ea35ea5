"""Templates in groups, so that states which differ in a few things can share the sums of all other templates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crossarc.features.templates import FUNCTIONS, STATE_ATTRIBUTES, FeatureModel

SMALLEST = 4  # templates; smaller groups are one group together
Ints = NDArray[np.int32]


def template_groups(model: FeatureModel) -> list[Ints]:
    """Return the templates in groups by the arcs that they see.

    The first group, if there are such templates, sees none: words on the stack and in the buffer. Others see the
    neighbours of one word, or of two, and so on. Derivations in a beam differ mostly in the labels of a few arcs, so
    that they differ in few groups.
    """
    groups: dict[frozenset[object], list[int]] = {}
    for number, slots in enumerate(model.templates.tolist()):
        sources = frozenset().union(*(sources_of(model, slot) for slot in slots if slot >= 0))
        groups.setdefault(sources, []).append(number)
    static = groups.pop(frozenset(), [])
    rest = [number for group in groups.values() if len(group) < SMALLEST for number in group]
    large = [group for group in groups.values() if len(group) >= SMALLEST]
    return [np.array(sorted(group), dtype=np.int32) for group in (static, *large, rest) if group]


def sources_of(model: FeatureModel, slot: int) -> frozenset[object]:
    """Return the arcs that a term sees: the words whose neighbours it sees, pairs of words, or the last action."""
    kind, *ends = model.slots[slot].tolist()
    state, functions = len(STATE_ATTRIBUTES), list(FUNCTIONS)
    function = functions[kind - state] if 0 <= kind - state < len(functions) else ""
    if function == "last":
        return frozenset(["last"])
    if function in ("linked", "arc"):
        return frozenset([("arc", *ends)])
    bases = {base_of(model, end): model.addresses[end, 1] >= 0 for end in ends if end >= 0}
    return frozenset(base for base, is_step in bases.items() if is_step or kind < state)


def base_of(model: FeatureModel, address: int) -> int:
    """Return the address from which the steps of an address start."""
    while model.addresses[address, 1] >= 0:
        address = int(model.addresses[address, 1])
    return address


def slots_of(model: FeatureModel, templates: Ints) -> Ints:
    """Return the terms of some templates."""
    slots = np.unique(model.templates[templates])
    return slots[slots >= 0].astype(np.int32)
