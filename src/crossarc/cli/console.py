"""Output of the commands: consoles, tables for terminals and Markdown, JSON, progress bars."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import PurePath
from textwrap import fill, wrap
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from crossarc.treebank.streams import Source

Cell = str | int | float | None
FIGURE = re.compile(r"[-+]?[\d.,]*\s?(%|x|$|/|\(|\d)")  # a number, alone or with others like it
LONGEST = 28  # columns of a word in a title, or of the name of a file next to a bar
PIPE = 80  # columns of a table that no terminal shows


@dataclass
class Table:
    """A table with a title and a note below it; floats are shown with two decimals, None as a blank."""

    title: str
    columns: Sequence[str]
    rows: list[Sequence[Cell]] = field(default_factory=list)
    note: str = ""


def console(*, stderr: bool = False) -> Console:
    """A rich console: as wide as its terminal, in a pipe as COLUMNS says or 80 columns."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    columns = os.environ.get("COLUMNS", "")
    width = None if stream.isatty() else int(columns) if columns.isdecimal() and int(columns) else PIPE
    return Console(stderr=stderr, width=width, highlight=False, soft_wrap=not stream.isatty())


def say(text: object, *, stderr: bool = True) -> None:
    """Print a message, normally on standard error; on a terminal long lines are broken between words."""
    stream = sys.stderr if stderr else sys.stdout
    message = clean(str(text))
    print(wrapped(message, console(stderr=stderr).width) if stream.isatty() else message, file=stream, flush=True)


def put(text: str, end: str = "\n") -> None:
    """Print a text on standard output."""
    print(clean(text), end=end)


def clean(text: str) -> str:
    """The text, whose parts may come from files, without what would move the cursor or turn the writing direction."""
    from crossarc.draw.characters import printable

    return "\n".join(printable(line.replace("\t", " ")) for line in text.split("\n"))


def wrapped(text: str, width: int) -> str:
    """The text with long lines broken between words, never inside one."""
    return "\n".join(fill(line, width, break_long_words=False, break_on_hyphens=False) for line in text.split("\n"))


def show(value: Cell) -> str:
    """A cell as text: two decimals for floats, thousands separators for integers, a blank for None."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.2f}"
    return f"{value:,}" if isinstance(value, int) else value


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun: 1 sentence, 2,000 sentences."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def describe(error: Exception) -> str:
    """The error as one line; errors of the operating system begin with the file."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error)


def print_tables(tables: Iterable[Table], *, markdown: bool = False) -> None:
    """Print tables for a terminal, or as Markdown."""
    for table in tables:
        if markdown:
            put(as_markdown(table))
        else:
            print_table(table)


def print_table(table: Table) -> None:
    """Print one table: text to the left, figures to the right; in parts if it is wider than the terminal."""
    width = console().width
    if table.title:
        put(wrapped(clean(table.title), width))
    for lines in laid_out(table, width):
        put("\n".join(lines) + "\n")
    if table.note:
        put(wrapped(clean(table.note), width) + "\n")


@dataclass
class Column:
    """A column of text: its title, its cells, and the widths that it takes without and with breaks at blanks."""

    title: str
    cells: list[str]
    figures: bool
    whole: int
    least: int


def laid_out(table: Table, width: int) -> Iterator[list[str]]:
    """Yield the lines of each part of a table; parts that are not the first begin with the first column again.

    Figures and the first column are never broken, texts and titles are broken between words.
    """
    from rich.cells import cell_len

    columns = []
    for index, title in enumerate(table.columns):
        title = clean(title)
        cells = [clean(show(row[index]).replace("\n", " ")) for row in table.rows]
        figures = bool(cells) and all(FIGURE.match(cell) for cell in cells)
        parts = [part for text in cells for part in text.split()] if not figures and index else []
        parts += [part[:LONGEST] for part in title.split()]
        unbroken = [*parts, *(cells if figures or not index else ())]
        widths = [max(map(cell_len, texts), default=0) for texts in ([title, *cells], unbroken)]
        columns.append(Column(title, cells, figures, *widths))
    while columns:
        part, used = columns[:1], 1 + columns[0].least
        for column in columns[1:]:
            used += 2 + column.least
            if used > width and len(part) > 1:
                break
            part.append(column)
        yield part_lines(part, width)
        columns = columns[len(part) :] and [columns[0], *columns[len(part) :]]


def part_lines(columns: Sequence[Column], width: int) -> list[str]:
    """The lines of columns side by side: titles, a rule, rows."""
    from rich.cells import cell_len

    gap = 3 if sum(column.whole + 3 for column in columns) - 2 <= width else 2
    room = width + gap - 1 - sum(gap + column.least for column in columns)  # for texts that would be broken
    widths = [column.least for column in columns]
    short = sorted(range(len(columns)), key=lambda index: columns[index].whole - columns[index].least)
    for rank, index in enumerate(short):
        more = min(columns[index].whole - columns[index].least, max(0, room) // (len(columns) - rank))
        widths[index] += more
        room -= more

    def row(texts: Sequence[str], bottom: bool = False) -> Iterator[str]:
        broken = [wrap(text, max(1, size), break_on_hyphens=False) for text, size in zip(texts, widths, strict=True)]
        height = max(1, *map(len, broken))
        for line in range(height):
            cells = []
            for lines, column, size in zip(broken, columns, widths, strict=True):
                at = line - (height - len(lines) if bottom else 0)
                text = lines[at] if 0 <= at < len(lines) else ""
                blank = " " * (size - cell_len(text))
                cells.append(blank + text if column.figures else text + blank)
            yield (" " + (" " * gap).join(cells)).rstrip()

    lines = [*row([column.title for column in columns], bottom=True)] if any(c.title for c in columns) else []
    lines.append(" " + "─" * (sum(widths) + gap * (len(widths) - 1)))
    for cells in zip(*(column.cells for column in columns), strict=True):
        lines += row(cells)
    return lines


def as_markdown(table: Table) -> str:
    """The table in Markdown, its title as bold text above it."""

    def line(cells: Iterable[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    lines = [f"**{table.title}**\n"] if table.title else []
    lines += [line(table.columns), line("---" for _ in table.columns)]
    lines += [line(show(cell) for cell in row) for row in table.rows]
    return "\n".join(lines) + ("\n\n" + table.note if table.note else "") + "\n"


def print_json(value: Any) -> None:
    """Print a value as JSON that a program can read back; not-a-number and infinities become null."""

    from crossarc.draw.characters import UNSAFE_ON_TERMINAL

    def finite(item: Any) -> Any:
        if isinstance(item, float) and (item != item or item in (float("inf"), float("-inf"))):
            return None
        if isinstance(item, dict):
            return {str(key): finite(inner) for key, inner in item.items()}
        if isinstance(item, list | tuple):
            return [finite(inner) for inner in item]
        return item

    text = json.dumps(finite(value), ensure_ascii=False, indent=2)
    print(UNSAFE_ON_TERMINAL.sub(lambda found: found[0] if found[0] == "\n" else f"\\u{ord(found[0]):04x}", text))


def bar_width(screen: Console, texts: int) -> int:
    """The columns of a bar next to texts of so many columns."""
    return max(10, min(40, screen.width - texts))


@contextmanager
def tracked(path: str, *, quiet: bool = False, note: Callable[[], str] | None = None) -> Iterator[Source]:
    """A file to read, with a progress bar on a terminal; elsewhere the path itself.

    `note` returns a text that is shown after the bar.
    """
    screen = console(stderr=True)
    if quiet or path == "-" or not screen.is_terminal:
        yield path
        return
    from rich.progress import BarColumn, DownloadColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
    from rich.text import Text

    class Note(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(note() if note is not None else "")

    name = clean(PurePath(path).name)
    short = name if len(name) <= LONGEST else f"…{name[1 - LONGEST :]}"
    bars = BarColumn(bar_width(screen, 70))
    columns = (TextColumn("{task.description}", markup=False), bars, DownloadColumn(), TimeRemainingColumn(), Note())
    with (
        Progress(*columns, console=screen, transient=True) as bar,
        bar.open(path, "rb", description=short) as file,
    ):
        yield file
