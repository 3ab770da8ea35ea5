"""A tree or graph as SVG: words in rows, the arcs of the tree above them, arcs that are only in the graph below.

Crossing arcs are dashed, with a ring at the head; arcs that are only in the graph are dotted. Each arc has a title that
describes it in words. The SVG has no font and no script, and is the same in every run.
"""

from __future__ import annotations

from collections.abc import Sequence

from crossarc.draw.characters import escaped
from crossarc.draw.picture import Picture, comparison_of, picture_of
from crossarc.draw.rows import FORM_SIZE, LABEL_SIZE, Piece, Row, arrange, label_of
from crossarc.draw.themes import Theme, check_theme, rules_of
from crossarc.treebank import Sentence

DEFAULT_WIDTH = 960
PADDING = 14.0
LEVEL = 20.0  # between two heights of arcs
FIRST_LEVEL = 24.0  # from the words to the lowest arc
ARROW_LENGTH, ARROW_HALF_WIDTH = 7.5, 3.4
RING = 2.8
CORNER = 9.0
ROW_GAP = 26.0
LEGEND_HEIGHT = 22.0
LINE_OF_TAGS = 14.0
LABEL_GAP = 1.5  # between a label and its line


def to_svg(
    sentence: Sentence,
    *,
    width: int | None = DEFAULT_WIDTH,
    labels: bool = True,
    tags: Sequence[str] = ("upos",),
    theme: Theme = "auto",
) -> str:
    """The sentence as one SVG element.

    `width` is the width of a row; None puts all words in one row. `tags` are columns shown below each form. The theme
    "auto" follows the reader's preference; "light" and "dark" are fixed.
    """
    return svg_of(picture_of(sentence, tags), width=width, labels=labels, theme=theme)


def diff_svg(
    gold: Sentence,
    system: Sentence,
    *,
    width: int | None = DEFAULT_WIDTH,
    labels: bool = True,
    tags: Sequence[str] = ("upos",),
    theme: Theme = "auto",
) -> str:
    """Two analyses of the same words as one SVG element with a legend.

    The gold arcs are above the words: thin if the system has them, in long dashes and with a minus sign if it missed
    them. Wrong arcs are below, in short dashes and with a plus sign. A wrong label is shown as "gold → system".
    """
    return svg_of(comparison_of(gold, system, tags), width=width, labels=labels, theme=theme, legend=True)


def svg_of(
    picture: Picture,
    *,
    width: int | None = DEFAULT_WIDTH,
    labels: bool = True,
    theme: Theme = "auto",
    legend: bool = False,
    style: bool = True,
) -> str:
    """The picture as SVG; without `style` the page must contain the rules of the theme."""
    check_theme(theme)
    rows = arrange(picture, None if width is None else width - 2 * PADDING, labels=labels)
    drawing = Drawing(picture, max((row.width for row in rows), default=0.0) + 2 * PADDING)
    y = PADDING
    for row in rows:
        y = drawing.add_row(row, y)
    if rows:
        y -= ROW_GAP
    if legend:
        y = drawing.add_legend(y + LEGEND_HEIGHT)
    full, height = number(drawing.width), number(y + PADDING)
    name = " – ".join(part for part in (picture.id, picture.text) if part) or "empty sentence"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="crossarc {theme}" role="img" width="{full}" height="{height}" '
        f'viewBox="0 0 {full} {height}">',
        f"<title>{escaped(name)}</title>",
    ]
    if style:
        parts.append(f"<style>{rules_of(theme)}</style>")
    parts.append(f'<rect class="ground" width="{full}" height="{height}" rx="6"/>')
    return "\n".join([*parts, *drawing.parts, "</svg>"]) + "\n"


def number(value: float) -> str:
    """A coordinate with one decimal at most."""
    return (
        f"{value:.1f}".removesuffix(".0").replace("-0", "0") if abs(value) < 0.05 else f"{value:.1f}".removesuffix(".0")
    )


class Drawing:
    """The elements of a picture, row by row from above."""

    def __init__(self, picture: Picture, width: float) -> None:
        self.picture = picture
        self.width = width
        self.parts: list[str] = []
        self.backward = picture.right_to_left

    def x(self, value: float) -> str:
        """A coordinate along the row as text, from the side where reading starts."""
        return number(self.width - PADDING - value if self.backward else PADDING + value)

    def add_row(self, row: Row, top: float) -> float:
        """Draw a row and its arcs, and return the top of the next row."""
        above = FIRST_LEVEL + LEVEL * (row.levels_above - 1) + LABEL_SIZE if row.levels_above else 4.0
        baseline = top + above + FORM_SIZE + 3
        lines = max((len(node.tags) for node in self.picture.nodes), default=0)
        depth = baseline + 6 + LINE_OF_TAGS * (lines + row.numbered)
        bottom = depth
        if row.levels_below:
            bottom += FIRST_LEVEL + LEVEL * (row.levels_below - 1) + LABEL_SIZE
        for piece in sorted(
            row.pieces, key=lambda piece: (piece.arc.crossing or piece.arc.status != "same", -piece.level)
        ):
            self.add_piece(piece, depth if piece.arc.below else baseline - FORM_SIZE - 1)
        for place in row.places:
            self.add_word(place, row.centres[place], baseline, row.numbered)
        return bottom + ROW_GAP

    def add_word(self, place: int, centre: float, baseline: float, numbered: bool) -> None:
        """Draw a word with its tags."""
        node = self.picture.nodes[place]
        x = self.x(centre)
        shown = self.picture.shown(place)
        note = "no head" if node.headless else node.form if shown != node.form else ""
        title = f"<title>{escaped(note)}</title>" if note else ""
        kind = "form empty" if node.empty else "form headless" if node.headless else "form"
        self.parts.append(f'<text class="{kind}" x="{x}" y="{number(baseline)}">{escaped(shown)}{title}</text>')
        below = [("tag", tag) for tag in node.tags] + ([("id", node.id)] if numbered else [])
        for line, (kind, text) in enumerate(below):
            if text:
                y = number(baseline + 15 + LINE_OF_TAGS * line)
                self.parts.append(f'<text class="{kind}" x="{x}" y="{y}">{escaped(text)}</text>')

    def add_piece(self, piece: Piece, base: float) -> None:
        """Draw an arc, or the part of it in this row."""
        arc = piece.arc
        up = 1.0 if arc.below else -1.0
        y = base + up * (FIRST_LEVEL + LEVEL * (piece.level - 1))
        kinds = ["arc"]
        if arc.crossing:
            kinds.append("ringed" if self.picture.comparison else "cross")
        if arc.extra:
            kinds.append("extra")
        if arc.status != "same":
            kinds.append(arc.status)
        parts = [f'<g class="{" ".join(kinds)}"><title>{escaped(self.picture.describe(arc))}</title>']
        parts.append(f'<path class="line" d="{self.path(piece, y, base, up)}"/>')
        if piece.arrow_at is not None:
            x = piece.arrow_at
            tip = base + up * 1.0
            back = base + up * (1.0 + ARROW_LENGTH)
            parts.append(
                f'<path class="tip" d="M{self.x(x)} {number(tip)}L{self.x(x - ARROW_HALF_WIDTH)} {number(back)}'
                f'L{self.x(x + ARROW_HALF_WIDTH)} {number(back)}Z"/>'
            )
        if piece.tail_at is not None and arc.crossing:
            parts.append(f'<circle class="ring" cx="{self.x(piece.tail_at)}" cy="{number(base + up * 4)}" r="{RING}"/>')
        if piece.label:
            # A patch of the background cuts the line: not every program supports outlines under letters.
            half = label_of(piece.label) / 2 + LABEL_GAP
            left = float(self.x(piece.label_at)) - half
            parts.append(
                f'<rect class="ground" x="{number(left)}" y="{number(y - LABEL_SIZE / 2)}" width="{number(2 * half)}" '
                f'height="{number(LABEL_SIZE)}"/>'
            )
            parts.append(
                f'<text class="label" x="{self.x(piece.label_at)}" y="{number(y + 3.8)}">{escaped(piece.label)}</text>'
            )
        if piece.far:
            toward_end = piece.far_at >= piece.label_at
            anchor = "start" if toward_end != self.backward else "end"
            end, middle = self.x(piece.far_at), number(y + 3.4)
            parts.append(f'<text class="far {anchor}" x="{end}" y="{middle}">{escaped(piece.far)}</text>')
        self.parts.append("".join(parts) + "</g>")

    def path(self, piece: Piece, y: float, base: float, up: float) -> str:
        """The line of an arc: up from one end, along its height, and down to the other end or on to the row's end."""
        start, end = piece.start, piece.end
        if piece.arc.head == 0:
            return f"M{self.x(start)} {number(y)}V{number(base + up * ARROW_LENGTH)}"
        corner = min(CORNER, (end - start) / 2)
        turn = y - up * corner
        floor = number(base + up * 1.0)
        arrow_floor = number(base + up * ARROW_LENGTH)

        def foot(x: float) -> str:
            return arrow_floor if piece.arrow_at == x else floor

        if piece.opens:
            path = f"M{self.x(start)} {number(y)}"
        else:
            path = (
                f"M{self.x(start)} {foot(start)}V{number(turn)}"
                f"Q{self.x(start)} {number(y)} {self.x(start + corner)} {number(y)}"
            )
        if piece.closes:
            return path + f"H{self.x(end)}"
        return path + (f"H{self.x(end - corner)}Q{self.x(end)} {number(y)} {self.x(end)} {number(turn)}V{foot(end)}")

    def add_legend(self, y: float) -> float:
        """Draw the legend of a comparison."""
        entries = (("", "correct"), ("missed", "− missed"), ("wrong", "+ wrong"), ("relabelled", "gold → system label"))
        x = PADDING
        for kind, text in entries:
            width = 34 + label_of(text)
            if x > PADDING and x + width > self.width:
                x, y = PADDING, y + 16
            self.parts.append(
                f'<g class="arc {kind}"><path class="line" d="M{number(x)} {number(y)}h24"/>'
                f'<text class="label start" x="{number(x + 30)}" y="{number(y + 3.8)}">{escaped(text)}</text></g>'
            )
            x += width + 14
        return y
