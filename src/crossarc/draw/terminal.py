"""A tree or graph as text for a terminal: one word per line, with its arcs as rails beside it.

    ┌► 1 The    DET   det
  ┌►┴─ 2 cat    NOUN  nsubj
●─┼─── 3 sleeps VERB  root
  └►── 4 .      PUNCT punct

This works for sentences of any length and terminals of any width. ● marks a root and ? a word without a head.
Non-projective arcs are double lines. Arcs that are only in the graph are dashed rails on the right, with their labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from crossarc.draw.characters import isolated, printable, shortened, terminal_width
from crossarc.draw.picture import NO_FORM, Arc, Picture, comparison_of, picture_of
from crossarc.draw.rails import Cell, draw_rails, single_rails, tree_rails
from crossarc.treebank import Sentence

# Select Graphic Rendition codes for the parts of a drawing.
STYLES = {
    "": "34",
    "root": "1;34",
    "crossing": "1;33",
    "extra": "35",
    "missed": "1;36",
    "wrong": "1;31",
    "relabelled": "1;33",
    "id": "2",
    "form": "1",
    "empty": "2;3",
    "tag": "2",
    "label": "32",
}
SIGNS = {"same": "", "missed": "- ", "wrong": "+ ", "relabelled": "~ "}
NARROWEST_FORM, NARROWEST_NOTE = 6, 12
MOST_LEVELS, MOST_SIDE_LEVELS = 30, 20


@dataclass(frozen=True)
class Field:
    """The texts of one column, line by line, with the style of each."""

    texts: tuple[str, ...]
    styles: tuple[str, ...]
    right: bool = False

    @cached_property
    def width(self) -> int:
        """The number of cells of the widest text."""
        return max(map(terminal_width, self.texts), default=0)

    def cut(self, cells: int) -> Field:
        """The column with its texts cut to a number of cells."""
        return replace(self, texts=tuple(shortened(text, cells) for text in self.texts))


def to_text(
    sentence: Sentence, *, color: bool = False, width: int | None = None, columns: Sequence[str] = ("upos",)
) -> str:
    """The sentence drawn for a terminal, one word per line, without a newline at the end.

    `columns` are shown after each form. If `width` is too small, the rails of the graph are removed first (their labels
    name the heads); then long lists of such labels are cut, columns are removed from the last to the first, and long
    words are cut.
    """
    return text_of(picture_of(sentence, columns), color=color, width=width)


def diff_text(
    gold: Sentence,
    system: Sentence,
    *,
    color: bool = False,
    width: int | None = None,
    columns: Sequence[str] = ("upos",),
) -> str:
    """Two analyses of the same words as one drawing for a terminal.

    The gold tree is on the left; arcs that the system missed have hollow arrows and the sign -. Wrong arcs are on the
    right with the sign +. An arc with a wrong label shows both labels, with the sign ~.
    """
    return text_of(comparison_of(gold, system, columns), color=color, width=width)


def text_of(picture: Picture, *, color: bool = False, width: int | None = None) -> str:
    """The picture as lines of text."""
    size = len(picture.nodes)
    main = [arc for arc in picture.arcs if not arc.below]
    side = [arc for arc in picture.arcs if arc.below]
    left = draw_rails(tree_rails(main, size, max_levels(width)), size, entry_marks(picture, main))
    right = draw_rails(single_rails(side), size, mirrored=True)
    if right and len(right[0]) > 2 * MOST_SIDE_LEVELS:
        right = [[] for _ in right]
    ids, forms, *tags = word_fields(picture)
    labels = label_field(picture, main)
    notes = note_field(picture, side)
    if width is not None and left:

        def excess() -> int:
            fields = [ids, forms, *tags, labels, notes]
            cells = sum(1 + field.width for field in fields if field.width)
            return len(left[0]) + (1 + len(right[0]) if right[0] else 0) + cells - width

        if excess() > 0:
            right = [[] for _ in right]
        if excess() > 0:
            notes = notes.cut(max(NARROWEST_NOTE, notes.width - excess()))
        while tags and excess() > 0:
            tags.pop()
        if excess() > 0:
            forms = forms.cut(max(NARROWEST_FORM, forms.width - excess()))
    lines = []
    for line in range(size - 1):
        parts = [painted(left[line], color)]
        parts += [cell_of(field, line, color) for field in (ids, forms, *tags, labels) if field.width]
        if right[line]:
            parts.append(painted(right[line], color))
        if notes.width:
            parts.append(cell_of(notes, line, color))
        lines.append(" ".join(parts).rstrip())
    return "\n".join(lines)


def max_levels(width: int | None) -> int:
    """The number of rail levels, of two cells each, that leave more than half of a line to the words."""
    return MOST_LEVELS if width is None else max(8, width // 5)


def entry_marks(picture: Picture, arcs: Sequence[Arc]) -> list[str]:
    """The mark in the margin of each line: ● for a root, ? for a missing head, ↺ for a word that is its own head."""
    marks = ["?" if node.headless else "" for node in picture.nodes]
    for arc in arcs:
        if not arc.head:
            marks[arc.dependent] = "○" if arc.status == "missed" else "●"
        elif arc.head == arc.dependent:
            marks[arc.dependent] = "↺"
    return marks


def word_fields(picture: Picture) -> list[Field]:
    """The columns of ids, forms and tags."""
    nodes = picture.nodes[1:]
    kinds = tuple("empty" if node.empty else "form" for node in nodes)
    fields = [
        Field(tuple(node.id for node in nodes), ("id",) * len(nodes), right=all(not node.empty for node in nodes)),
        Field(tuple(printable(node.form or (NO_FORM if node.empty else "")) for node in nodes), kinds),
    ]
    count = max((len(node.tags) for node in nodes), default=0)
    for index in range(count):
        fields.append(Field(tuple(printable(node.tags[index]) for node in nodes), ("tag",) * len(nodes)))
    return fields


def label_field(picture: Picture, arcs: Sequence[Arc]) -> Field:
    """The column of labels; in a comparison each with its sign.

    If a graph takes the place of the tree, so that words have several arcs, labels name the heads.
    """
    count = len(picture.nodes)
    several = len({arc.dependent for arc in arcs}) < len(arcs)
    texts = [""] * count
    styles = ["label"] * count
    for arc in arcs:
        sign = SIGNS[arc.status] or ("  " if picture.comparison else "")
        label = sign + printable(arc.label) + (f" ← {picture.nodes[arc.head].id}" if several else "")
        texts[arc.dependent] = f"{texts[arc.dependent]}, {label}" if texts[arc.dependent] else label
        styles[arc.dependent] = arc.status if arc.status != "same" else "crossing" if arc.crossing else "label"
    return Field(tuple(texts[1:]), tuple(styles[1:]))


def note_field(picture: Picture, arcs: Sequence[Arc]) -> Field:
    """The column of the arcs on the right, each with the id of its head, so that it needs no rail."""
    notes: list[list[str]] = [[] for _ in picture.nodes]
    styles = ["extra"] * len(picture.nodes)
    for arc in arcs:
        notes[arc.dependent].append(f"{SIGNS[arc.status]}{printable(arc.label)} ← {picture.nodes[arc.head].id}")
        if arc.status != "same":
            styles[arc.dependent] = arc.status
    return Field(tuple(", ".join(each) for each in notes[1:]), tuple(styles[1:]))


def cell_of(field: Field, line: int, color: bool) -> str:
    """One text of a column, padded to its width."""
    text = field.texts[line]
    padding = " " * (field.width - terminal_width(text))
    shown = paint(isolated(text), field.styles[line], color)
    return padding + shown if field.right else shown + padding


def painted(cells: Sequence[Cell], color: bool) -> str:
    """The cells as text, with one colour code for each run of the same role."""
    if not color:
        return "".join(cell.character for cell in cells)
    parts = []
    start = 0
    for end in range(1, len(cells) + 1):
        if end == len(cells) or cells[end].role != cells[start].role:
            parts.append(paint("".join(cell.character for cell in cells[start:end]), cells[start].role, color))
            start = end
    return "".join(parts)


def paint(text: str, style: str, color: bool) -> str:
    """The text in the colour of a style; spaces are not coloured, so that line ends can be stripped."""
    return f"\x1b[{STYLES[style]}m{text}\x1b[0m" if color and text.strip() else text
