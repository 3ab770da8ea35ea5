"""Arcs as rails beside the lines of a terminal, in box-drawing characters.

A rail is a vertical line at some level from the words. At its head and at each of its dependents a horizontal line
leads to the word. The arrow is next to its rail:

      ┌► The
    ┌►┴─ cat
    ┴─── sleeps

The ordinary arcs of one head share a rail. A crossing arc has its own rail in double lines, so that ┼ is always a
junction and ╪, ╫ and ╬ are always crossings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from crossarc.draw.layout import levels
from crossarc.draw.picture import Arc

# The characters by their arms: up 1, down 2, left 4, right 8; the lines are (vertical, horizontal) light or double.
LIGHT = " ╵╷│╴┘┐┤╶└┌├─┴┬┼"
DOUBLE = " ║║║═╝╗╣═╚╔╠═╩╦╬"
DOUBLE_VERTICAL = " ║║║─╜╖╢─╙╓╟─╨╥╫"
DOUBLE_HORIZONTAL = " │││═╛╕╡═╘╒╞═╧╤╪"
CHARACTERS = {
    (False, False): LIGHT,
    (True, True): DOUBLE,
    (True, False): DOUBLE_VERTICAL,
    (False, True): DOUBLE_HORIZONTAL,
}
UP, DOWN, LEFT, RIGHT = 1, 2, 4, 8

ARROW, HOLLOW_ARROW = "►", "▻"
ARROW_BACK, HOLLOW_ARROW_BACK = "◄", "◅"
DASHED_VERTICAL, DASHED_HORIZONTAL = "┆", "┄"


@dataclass
class Rail:
    """The line of a head and of some of its dependents."""

    head: int
    arcs: dict[int, Arc] = field(default_factory=dict)
    crossing: bool = False
    dashed: bool = False
    level: int = 0

    @cached_property
    def span(self) -> tuple[int, int]:
        """The first and the last position of the complete rail."""
        return min(self.head, *self.arcs), max(self.head, *self.arcs)

    @cached_property
    def role(self) -> str:
        """The role that gives the line its colour."""
        return role_of(self, list(self.arcs.values()))


@dataclass(frozen=True)
class Cell:
    """One character of the rails and its role for colours: "", "crossing", or the status or kind of an arc."""

    character: str = " "
    role: str = ""


def tree_rails(arcs: Sequence[Arc], size: int, most: int) -> list[Rail]:
    """One rail per head and per crossing arc; the rail of a parent is farther from the words than that of a child.

    So each line reads from the outside in: the arrow from the head, then the dependents of the word. A tree that needs
    more than `most` levels is packed as tightly as possible instead.
    """
    combs: dict[int, Rail] = {}
    rails: list[Rail] = []
    for arc in arcs:
        if arc.head == arc.dependent or not arc.head:
            continue
        if arc.crossing:
            rails.append(Rail(arc.head, {arc.dependent: arc}, crossing=True))
        else:
            if arc.head not in combs:
                combs[arc.head] = Rail(arc.head)
                rails.append(combs[arc.head])
            combs[arc.head].arcs[arc.dependent] = arc
    spans = [rail.span for rail in rails]
    order, above = ranked(rails, heights(arcs, size))
    found = levels(spans, share_ends=False, order=order, above=above)
    if max(found, default=0) > most:
        found = min(found, levels(spans, share_ends=False), key=max)
    for rail, level in zip(rails, found, strict=True):
        rail.level = level
    return rails


def ranked(rails: Sequence[Rail], height: Sequence[int]) -> tuple[list[int], list[list[int]]]:
    """The order in which rails are placed, lowest in the tree first, and for each rail those that must be below it."""
    led: dict[int, list[int]] = {}
    for index, rail in enumerate(rails):
        led.setdefault(rail.head, []).append(index)
    above = [[child for dependent in rail.arcs for child in led.get(dependent, ())] for rail in rails]

    def rank(index: int) -> tuple[int, int, int]:
        rail = rails[index]
        first, last = rail.span
        return max(height[dependent] for dependent in rail.arcs), last - first, first

    return sorted(range(len(rails)), key=rank), above


def heights(arcs: Sequence[Arc], size: int) -> list[int]:
    """The length of the longest path down from each position; positions on or above a cycle are the highest."""
    waiting = [0] * size
    parents: list[list[int]] = [[] for _ in range(size)]
    for arc in arcs:
        waiting[arc.head] += 1
        parents[arc.dependent].append(arc.head)
    height = [0] * size
    ready = [place for place in range(size) if not waiting[place]]
    for place in ready:
        for parent in parents[place]:
            height[parent] = max(height[parent], height[place] + 1)
            waiting[parent] -= 1
            if not waiting[parent]:
                ready.append(parent)
    return [size if waiting[place] else height[place] for place in range(size)]


def single_rails(arcs: Sequence[Arc]) -> list[Rail]:
    """One rail per arc, for graphs, in which a word may have several heads."""
    rails = [
        Rail(arc.head, {arc.dependent: arc}, dashed=arc.extra) for arc in arcs if arc.head and arc.head != arc.dependent
    ]
    for rail, level in zip(rails, levels([rail.span for rail in rails], share_ends=False), strict=True):
        rail.level = level
    return rails


def draw_rails(
    rails: Sequence[Rail], size: int, entries: Sequence[str] = (), *, mirrored: bool = False
) -> list[list[Cell]]:
    """The cells of lines 1 to size - 1, two per level, outermost level first, or last if mirrored.

    `entries[place]` is a character in the margin of a line, such as the mark of a root.
    """
    depth = max((rail.level for rail in rails), default=0)
    at: list[dict[int, Rail]] = [{} for _ in range(size)]
    for rail in rails:
        first, last = rail.span
        for place in range(first, last + 1):
            at[place][rail.level] = rail
    lines = []
    for place in range(1, size):
        entry = entries[place] if entries else ""
        line = draw_line(at[place], place, depth, bool(entry))
        if entries:
            margin = [Cell(entry, "root"), Cell("─", "root")] if entry else [Cell(), Cell()]
            line = margin + line
        lines.append([mirror(cell) for cell in reversed(line)] if mirrored else line)
    return lines


def draw_line(rails: dict[int, Rail], place: int, depth: int, entered: bool) -> list[Cell]:
    """The cells of one line, from the outermost level to the word."""
    cells = []
    stem = entered  # whether a horizontal line runs towards the word
    double = False  # in which style
    dashed = False
    role = "root" if entered else ""
    for level in range(depth, 0, -1):
        rail = rails.get(level)
        left = LEFT if stem else 0
        if rail is None:
            line = (DASHED_HORIZONTAL if dashed else CHARACTERS[False, double][LEFT | RIGHT]) if stem else " "
            cells += [Cell(line, role), Cell(line, role)]
            continue
        first, last = rail.span
        arms = (UP if place > first else 0) | (DOWN if place < last else 0)
        arc = rail.arcs.get(place)
        if arc is not None or place == rail.head:
            double = rail.crossing and (double or not stem)
            dashed = rail.dashed and (dashed or not stem)
            own = rail.role if arc is None else role_of(rail, [arc])
            role = own if not stem or arc is not None else ""
            stem = True
            cells.append(Cell(CHARACTERS[rail.crossing, double][arms | left | RIGHT], own))
            line = DASHED_HORIZONTAL if dashed else CHARACTERS[False, double][LEFT | RIGHT]
            if arc is not None:
                cells.append(Cell(HOLLOW_ARROW if arc.status == "missed" else ARROW, own))
            else:
                cells.append(Cell(line, role))
        else:
            passing = (
                DASHED_VERTICAL
                if rail.dashed and not stem
                else CHARACTERS[rail.crossing, double][arms | left | (left << 1)]
            )
            cells.append(Cell(passing, rail.role))
            line = (DASHED_HORIZONTAL if dashed else CHARACTERS[False, double][LEFT | RIGHT]) if stem else " "
            cells.append(Cell(line, role))
    return cells


def role_of(rail: Rail, arcs: Sequence[Arc]) -> str:
    """The role for the colour of a rail at some of its arcs."""
    statuses = {each.status for each in arcs} - {"relabelled"}
    if statuses == {"missed"} or statuses == {"wrong"}:
        return statuses.pop()
    if rail.crossing:
        return "crossing"
    return "extra" if rail.dashed else ""


MIRRORED = str.maketrans(
    "╴┘┐┤╶└┌├╝╗╣╚╔╠╜╖╢╙╓╟╛╕╡╘╒╞" + ARROW + HOLLOW_ARROW, "╶└┌├╴┘┐┤╚╔╠╝╗╣╙╓╟╜╖╢╘╒╞╛╕╡" + ARROW_BACK + HOLLOW_ARROW_BACK
)


def mirror(cell: Cell) -> Cell:
    """The cell with left and right exchanged."""
    return Cell(cell.character.translate(MIRRORED), cell.role)
