"""The layout of an SVG picture: rows of words, ends of arcs, labels that hide nothing.

Coordinates along a row start at the side where reading starts; `svg` mirrors them for right-to-left scripts.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise

from crossarc.draw.characters import ELLIPSIS, page_width
from crossarc.draw.layout import levels
from crossarc.draw.picture import Arc, Picture

FORM_SIZE, TAG_SIZE, LABEL_SIZE, FAR_SIZE = 15.0, 10.5, 11.0, 10.0
WORD_GAP = 14.0
PORT = 8.0  # between the ends of two arcs at one word
LABEL_MARGIN = 12.0  # free line at each side of a label
FAR_LENGTH = 12  # letters shown of a word in another row
STUB_GAP = 5.0
FAR_ROOM = 100.0  # the first estimate of the room for such a word
TRIALS = 6  # with more room each time, until everything fits
FULL_ENOUGH = 0.75  # how full a row must be to end where fewer arcs are cut

SIGNS = {"same": "", "relabelled": "", "missed": "− ", "wrong": "+ "}


@dataclass
class Piece:
    """The part of an arc in one row.

    It `opens` if it comes from an earlier row and `closes` if it continues in a later one; `far` then names the word at
    the other end.
    """

    arc: Arc
    start: float
    end: float
    opens: bool = False
    closes: bool = False
    arrow_at: float | None = None
    tail_at: float | None = None
    level: int = 0
    label: str = ""
    label_at: float = 0.0
    far: str = ""
    far_at: float = 0.0

    @property
    def feet(self) -> list[float]:
        """The coordinates where it reaches a word."""
        return [x for x, open_end in ((self.start, self.opens), (self.end, self.closes)) if not open_end]


@dataclass
class Row:
    """A row of words, by position, with their centres and the arcs above and below them."""

    places: range
    centres: dict[int, float]
    width: float = 0.0
    numbered: bool = False
    pieces: list[Piece] = field(default_factory=list)
    levels_above: int = 0
    levels_below: int = 0


def label_of(text: str) -> float:
    """The width of a label."""
    return page_width(text, LABEL_SIZE)


class Ports:
    """The ends of arcs at their words: side by side, so that arcs of one word neither cross nor touch.

    From left to right: arcs to the left, shortest first; the root; arcs to the right, longest first. Of arcs between
    the same two words the first is inside the others.
    """

    def __init__(self, picture: Picture) -> None:
        self.offsets: dict[tuple[int, int], float] = {}
        self.widths = [0.0] * len(picture.nodes)
        ends: dict[tuple[int, bool], list[tuple[int, int, int, int]]] = {}
        for index, arc in enumerate(picture.arcs):
            for place, other in ((arc.dependent, arc.head), (arc.head, arc.dependent)):
                if not place or (place == other and place != arc.dependent):
                    continue
                side = 0 if not other or other == place else other - place
                rank = (0, 0, index) if not side else (-1, -side, index) if side < 0 else (1, -side, -index)
                ends.setdefault((place, arc.below), []).append((*rank, index))
        for (place, _), found in ends.items():
            found.sort()
            for position, (*_, index) in enumerate(found):
                self.offsets[place, index] = (position - (len(found) - 1) / 2) * PORT
            self.widths[place] = max(self.widths[place], len(found) * PORT)


def arrange(picture: Picture, width: float | None, *, labels: bool = True) -> list[Row]:
    """The rows of a picture, none wider than `width` unless a word or a label is."""
    ports = Ports(picture)
    arcs = picture.arcs
    texts = [label_text(picture, arc) if labels else "" for arc in arcs]
    needs = [label_of(text) + 2 * LABEL_MARGIN if text else 2 * LABEL_MARGIN for text in texts]
    touching: list[list[int]] = [[] for _ in picture.nodes]
    for index, arc in enumerate(arcs):
        for place in {arc.head, arc.dependent} - {0}:
            touching[place].append(index)
    room = FAR_ROOM
    for _ in range(TRIALS):
        rows = break_rows(picture, ports, needs, width, room)
        for row in rows:
            row.numbered = len(rows) > 1
            indices = sorted({index for place in row.places for index in touching[place]})
            add_pieces(row, picture, ports, indices, texts, needs)
            for below in (False, True):
                pieces = [piece for piece in row.pieces if piece.arc.below == below]
                set_levels(row, pieces, below)
                place_labels(pieces)
            fit(row)
        excess = 0.0 if width is None else max((row.width for row in rows), default=0.0) - width
        if excess <= 0:
            break
        room += excess
    return rows


def label_text(picture: Picture, arc: Arc) -> str:
    """The label of an arc with the sign that a comparison gives it."""
    label = arc.label + (" ↺" if arc.head == arc.dependent else "")
    return SIGNS[arc.status] + label if label or arc.status != "same" else ""


def break_rows(picture: Picture, ports: Ports, needs: Sequence[float], width: float | None, room: float) -> list[Row]:
    """Break the words into rows, each as full as the width allows, or a little less if fewer arcs are cut then.

    `room` is free space at the ends of rows for the names of words in other rows.
    """
    arriving: list[list[int]] = [[] for _ in picture.nodes]
    rooted = [0.0] * len(picture.nodes)
    cuts = [0] * (len(picture.nodes) + 1)  # cuts[place]: how many arcs a break before the place cuts
    for index, arc in enumerate(picture.arcs):
        first, last = arc.span
        if first in (0, last):
            rooted[last] = max(rooted[last], needs[index] - LABEL_MARGIN)
        else:
            arriving[last].append(index)
            cuts[first + 1] += 1
            cuts[last + 1] -= 1
    cuts = list(accumulate(cuts))
    halves = [0.0]
    for place, node in enumerate(picture.nodes[1:], 1):
        texts = [page_width(picture.shown(place), FORM_SIZE), ports.widths[place], rooted[place]]
        halves.append(max(texts + [page_width(tag, TAG_SIZE) for tag in node.tags]) / 2)

    def fill(start: int, limit: float | None) -> Row:
        """Place words from a position on, as close as words and labels allow, up to the limit."""
        row = Row(range(start, start), {})
        for place in range(start, len(halves)):
            half = halves[place]
            centre = row.width + WORD_GAP + half if row.centres else half
            for index in arriving[place]:
                other = picture.arcs[index].span[0]
                if other >= start:
                    offset = ports.offsets[other, index] - ports.offsets[place, index]
                    centre = max(centre, row.centres[other] + offset + needs[index])
            if row.centres and limit is not None and centre + half > limit:
                break
            row.centres[place] = centre
            row.width = centre + half
            row.places = range(start, place + 1)
        return row

    rows: list[Row] = []
    start = 1
    while start < len(halves):
        row = fill(start, None if width is None else width - (room - FAR_ROOM))
        if width is not None and (rows or row.places.stop < len(halves)):
            inner = width - room * (2 if rows else 1)
            row = fill(start, inner)
            if row.places.stop < len(halves):
                likely = [place for place in row.places if place > start and row.centres[place] > FULL_ENOUGH * inner]
                stop = min([*likely, row.places.stop], key=lambda place: (cuts[place], -place))
                row = cut_row(row, stop, halves)
        rows.append(row)
        start = row.places.stop
    return rows


def cut_row(row: Row, stop: int, halves: Sequence[float]) -> Row:
    """The row without the positions from `stop` on."""
    places = range(row.places.start, stop)
    return Row(places, {place: row.centres[place] for place in places}, row.centres[stop - 1] + halves[stop - 1])


def add_pieces(
    row: Row, picture: Picture, ports: Ports, indices: Sequence[int], texts: Sequence[str], needs: Sequence[float]
) -> None:
    """Add to a row the arcs that end in it, and room at its ends for arcs that continue in another row."""
    first, last = row.places.start, row.places.stop - 1
    for index in indices:
        arc = picture.arcs[index]
        low, high = arc.span
        if arc.head == 0 or low == high:
            low = high
        opens, closes = low < first, high > last
        start = 0.0 if opens else row.centres[low] + ports.offsets[low, index]
        end = row.width if closes else row.centres[high] + ports.offsets[high, index]
        piece = Piece(arc, start, end, opens, closes, label=texts[index])
        if low == high:
            piece.arrow_at = start
        elif opens or closes:
            inner = high if opens else low
            x = end if opens else start
            piece.arrow_at, piece.tail_at = (x, None) if inner == arc.dependent else (None, x)
            piece.far = far_text(picture, low if opens else high, closes)
            reach = needs[index] + STUB_GAP
            if opens:
                piece.start = min(0.0, end - reach)
            else:
                piece.end = max(row.width, start + reach)
        else:
            piece.arrow_at, piece.tail_at = (end, start) if arc.dependent == high else (start, end)
        row.pieces.append(piece)
    # All lines that leave a row end at the same coordinate.
    left = min((piece.start for piece in row.pieces if piece.opens), default=0.0)
    right = max((piece.end for piece in row.pieces if piece.closes), default=row.width)
    for piece in row.pieces:
        if piece.opens:
            piece.start, piece.far_at = left, left - STUB_GAP
        if piece.closes:
            piece.end, piece.far_at = right, right + STUB_GAP


def far_text(picture: Picture, place: int, later: bool) -> str:
    """The name of a word in another row."""
    node = picture.nodes[place]
    form = node.form if len(node.form) <= FAR_LENGTH else node.form[: FAR_LENGTH - 1] + ELLIPSIS
    name = f"{form} {node.id}".strip()
    forward = later != picture.right_to_left
    return f"{name} →" if forward else f"← {name}"


def set_levels(row: Row, pieces: Sequence[Piece], below: bool) -> None:
    """Set the heights of the arcs on one side; a root arc is above everything over its word."""
    first, last = row.places.start, row.places.stop - 1
    arched = [piece for piece in pieces if not is_upright(piece)]
    spans = [
        (first - 1 if piece.opens else piece.arc.span[0], last + 1 if piece.closes else piece.arc.span[1])
        for piece in arched
    ]
    # Lines that leave the row together keep the order of their whole arcs.
    order = sorted(
        range(len(arched)),
        key=lambda i: (spans[i][1] - spans[i][0], arched[i].arc.span[1] - arched[i].arc.span[0], spans[i][0]),
    )
    for piece, level in zip(arched, levels(spans, order=order), strict=True):
        piece.level = level
    top = max((piece.level for piece in arched), default=0)
    upright: dict[int, int] = {}  # the highest at each place, for a word may be a root and its own head
    for piece in pieces:
        if is_upright(piece):
            place = piece.arc.dependent
            over = [other.level for other, (low, high) in zip(arched, spans, strict=True) if low <= place <= high]
            piece.level = upright[place] = max([*over, upright.get(place, 0)]) + 1
            top = max(top, piece.level)
    if below:
        row.levels_below = top
    else:
        row.levels_above = top


def is_upright(piece: Piece) -> bool:
    """Whether the arc is a single vertical line: from the root, or from the word itself."""
    return piece.arc.head in (0, piece.arc.dependent)


def place_labels(pieces: Sequence[Piece]) -> None:
    """Place each label in the middle of its line, or as near as crossing lines allow."""
    feet = sorted((x, piece.level) for piece in pieces for x in piece.feet)
    for piece in pieces:
        middle = piece.label_at = (piece.start + piece.end) / 2
        if not piece.label or is_upright(piece):
            continue
        half = label_of(piece.label) / 2 + 3
        low, high = piece.start + 4, piece.end - 4
        within = feet[bisect_right(feet, (low, 0)) : bisect_left(feet, (high, 0))]
        # A foot of an arc as high as this one or higher cuts its line.
        borders = [low, *(x for x, level in within if level >= piece.level), high]
        places = [
            min(max(middle, left + half), right - half) for left, right in pairwise(borders) if right - left >= 2 * half
        ]
        piece.label_at = min(places, key=lambda x: abs(x - middle), default=middle)


def fit(row: Row) -> None:
    """Shift the row so that it begins at 0, and set its width."""
    left, right = 0.0, row.width
    for piece in row.pieces:
        half = label_of(piece.label) / 2
        left = min(left, piece.start, piece.label_at - half)
        right = max(right, piece.end, piece.label_at + half)
        if piece.far:
            far = page_width(piece.far, FAR_SIZE)
            left = min(left, piece.far_at - far) if piece.opens else left
            right = max(right, piece.far_at + far) if piece.closes else right
    for piece in row.pieces:
        piece.start -= left
        piece.end -= left
        piece.label_at -= left
        piece.far_at -= left
        piece.arrow_at = None if piece.arrow_at is None else piece.arrow_at - left
        piece.tail_at = None if piece.tail_at is None else piece.tail_at - left
    row.centres = {place: centre - left for place, centre in row.centres.items()}
    row.width = right - left
