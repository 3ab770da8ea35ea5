"""Output of the commands: consoles, tables for terminals and Markdown, JSON, progress bars."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from crossarc.treebank.streams import Source

Cell = str | int | float | None
FIGURE = re.compile(r"[-+]?[\d.,]*\s?(%|$|/|\(|\[)")  # a number, alone or with others like it


@dataclass
class Table:
    """A table with a title and a note below it; floats are shown with two decimals, None as a blank."""

    title: str
    columns: Sequence[str]
    rows: list[Sequence[Cell]] = field(default_factory=list)
    note: str = ""


def console(*, stderr: bool = False) -> Console:
    """A rich console that does not wrap lines in a pipe."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    return Console(
        stderr=stderr, width=None if stream.isatty() else 200, highlight=False, soft_wrap=not stream.isatty()
    )


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
            print(as_markdown(table))
        else:
            print_table(table)


def print_table(table: Table) -> None:
    """Print one table with rich: text to the left, figures to the right."""
    from rich import box
    from rich.markup import escape
    from rich.table import Table as RichTable

    view = RichTable(
        title=escape(table.title) or None,
        title_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        caption=escape(table.note) or None,
        caption_justify="left",
    )
    for index, column in enumerate(table.columns):
        figures = bool(table.rows) and all(FIGURE.match(show(row[index])) for row in table.rows)
        view.add_column(escape(column), justify="right" if figures else "left", overflow="fold")
    for row in table.rows:
        view.add_row(*(escape(show(cell)) for cell in row))
    console().print(view)


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

    def clean(item: Any) -> Any:
        if isinstance(item, float) and (item != item or item in (float("inf"), float("-inf"))):
            return None
        if isinstance(item, dict):
            return {str(key): clean(inner) for key, inner in item.items()}
        if isinstance(item, list | tuple):
            return [clean(inner) for inner in item]
        return item

    print(json.dumps(clean(value), ensure_ascii=False, indent=2))


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

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn(), Note())
    with (
        Progress(*columns, console=screen, transient=True) as bar,
        bar.open(path, "rb", description=PurePath(path).name) as file,
    ):
        yield file
