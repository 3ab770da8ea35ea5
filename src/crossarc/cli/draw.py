"""`crossarc draw`: sentences, or the differences of two files, as terminal text, SVG or HTML."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import TYPE_CHECKING, Annotated

import typer

from crossarc.cli.arguments import From, check_output, check_stdin
from crossarc.cli.console import console, counted, say
from crossarc.errors import CrossarcError, UnknownName

if TYPE_CHECKING:
    from crossarc.draw.picture import Picture

KINDS = ("svg", "html", "txt")


@dataclass
class Selection:
    """Sentences named by number, range of numbers or id."""

    names: Sequence[str] = ()
    found: set[str] = field(default_factory=set)

    def takes(self, number: int, identity: str) -> bool:
        """Whether a sentence is selected; without names all are."""
        taken = {name for name in self.names if name == identity or number in span_of(name)}
        self.found |= taken
        return bool(taken) or not self.names

    def is_complete(self, number: int) -> bool:
        """Whether no sentence after this number can be selected."""
        return bool(self.names) and all(name in self.found and span_of(name).stop <= number + 1 for name in self.names)

    def check(self, path: str) -> None:
        """Refuse names that no sentence has."""
        missing = [name for name in self.names if name not in self.found]
        if missing:
            raise CrossarcError(
                f"{path}: no sentence {missing[0]!r}; --sentence takes an id, a number from 1, or a range such as 3-7"
            )


def span_of(name: str) -> range:
    """The sentence numbers of a name such as "3", "3-7" or "3-"; empty for an id."""
    match = re.fullmatch(r"([0-9]{1,9})(?:(-)([0-9]{1,9})?)?", name)
    if match is None:
        return range(0)
    first = int(match[1])
    last = first if match[2] is None else int(match[3]) if match[3] else sys.maxsize - 1
    return range(first, last + 1)


def select_pictures(
    file: str,
    other: str | None = None,
    *,
    source: str | None = None,
    columns: Sequence[str] = ("upos",),
    names: Sequence[str] = (),
    crossing: bool = False,
    differing: bool = False,
    limit: int | None = None,
) -> Iterator[Picture]:
    """The pictures of the selected sentences, while they are read.

    With `other` they compare the sentences of both files. `crossing` selects sentences with crossing arcs, `differing`
    sentences with differences.
    """
    from crossarc.draw.html import paired
    from crossarc.draw.picture import comparison_of, picture_of
    from crossarc.treebank import read

    selection = Selection(names)

    def pictures() -> Iterator[Picture]:
        gold = read(file, source)
        rest = gold if other is None else paired(gold, read(other, source))
        for number, found in enumerate(rest, 1):
            sentence, system = found if isinstance(found, tuple) else (found, None)
            if selection.takes(number, sentence.id):
                picture = picture_of(sentence, columns) if system is None else comparison_of(sentence, system, columns)
                if (picture.has_crossing or not crossing) and (picture.differs or not differing):
                    yield replace(picture, number=number)
            if selection.is_complete(number):
                return
        selection.check(file)

    return islice(pictures(), limit)


def render(
    pictures: Iterable[Picture],
    kind: str,
    *,
    comparison: bool = False,
    title: str = "",
    width: int | None = None,
    color: bool = False,
    target: str = "",
) -> Iterator[str]:
    """The pieces of a file of pictures; its kind is svg (one picture), html or txt."""
    from crossarc.draw.characters import isolated, printable
    from crossarc.draw.html import PAGE_WIDTH, html_of
    from crossarc.draw.svg import DEFAULT_WIDTH, svg_of
    from crossarc.draw.terminal import paint, text_of

    if kind == "html":
        yield from html_of(pictures, comparison=comparison, title=title, width=width or PAGE_WIDTH)
    elif kind == "svg":
        for number, picture in enumerate(pictures):
            if number:
                raise CrossarcError(
                    f"{target} can hold one sentence, but there are several; write all to a page with -o NAME.html, "
                    "or draw one with crossarc draw FILE --sentence ID"
                )
            yield svg_of(picture, width=width or DEFAULT_WIDTH, legend=comparison)
    else:
        for number, picture in enumerate(pictures):
            name = paint(f"# {printable(picture.id or str(picture.number))}  ", "form", color)
            drawing = text_of(picture, color=color, width=width)
            blank = "\n" if number else ""
            yield f"{blank}{name}{isolated(printable(picture.text))}\n{drawing}\n"


def kind_of(output: str) -> str:
    """The kind of file, by the extension of a path."""
    if output == "-":
        return "txt"
    name = re.sub(r"\.(gz|zst)$", "", output.lower())
    kind = name.rpartition(".")[2]
    if kind not in KINDS:
        raise UnknownName("kind of picture", kind, KINDS)
    return kind


def screen_options(output: str) -> tuple[int | None, bool]:
    """The width of the terminal, if a drawing is for one, and whether it shows colours."""
    screen = console()
    on_screen = output == "-" and screen.is_terminal
    return screen.width if on_screen else None, on_screen and not screen.no_color


def draw_pictures(
    pictures: Iterator[Picture],
    output: str = "-",
    *,
    comparison: bool = False,
    title: str = "Sentences",
    width: int | None = None,
    color: bool = False,
    kind: str = "",
) -> int:
    """Write pictures to a file and return their number; without pictures there is no file.

    The kind of file is svg, html or txt, by default that of the extension.
    """
    from crossarc.treebank.writing import atomic_writer

    kind = kind or kind_of(output)
    first = next(pictures, None)
    if first is None:
        return 0
    count = 0

    def numbered() -> Iterator[Picture]:
        nonlocal count
        for picture in chain([first], pictures):
            count += 1
            yield picture

    with atomic_writer(output) as file:
        for piece in render(
            numbered(), kind, comparison=comparison, title=title, width=width, color=color, target=output
        ):
            file.write(piece.encode())
    return count


def draw(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="A treebank file; - is standard input; .gz and .zst work too.", show_default=False
        ),
    ],
    other: Annotated[
        str | None,
        typer.Argument(
            metavar="OTHER", help="A second analysis of the same sentences, to compare with.", show_default=False
        ),
    ] = None,
    diff: Annotated[bool, typer.Option("--diff", help="Only sentences in which the two files differ.")] = False,
    sentence: Annotated[
        list[str] | None,
        typer.Option(
            "--sentence",
            "-s",
            metavar="NAME",
            help="A sentence by its id or number, or a range such as 3-7; may be repeated.",
            show_default=False,
        ),
    ] = None,
    crossing: Annotated[bool, typer.Option("--crossing", help="Only sentences with non-projective arcs.")] = False,
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Draw at most N sentences.", show_default=False)
    ] = None,
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="PATH", help="The file to write, .svg, .html or .txt; - is the terminal."
        ),
    ] = "-",
    source: From = None,
    columns: Annotated[
        str, typer.Option(metavar="NAMES", help="The columns to show with each word, separated by commas.")
    ] = "upos",
    width: Annotated[
        int | None,
        typer.Option(
            min=20,
            metavar="N",
            help="The width in characters (text) or pixels (SVG, HTML); columns that do not fit are left out.",
            show_default=False,
        ),
    ] = None,
    color: Annotated[
        bool | None,
        typer.Option("--color/--no-color", help="Use colours; default: only on a terminal.", show_default=False),
    ] = None,
) -> None:
    """Draw trees and graphs, or the differences between two files.

    The terminal shows one word per line, with the arcs of the tree on the
    left. ● marks a root, ? a word without a head. Double lines are crossing
    arcs. Dashed lines on the right are arcs that are only in the graph.
    -o draws one sentence as SVG, or many on one HTML page.

    With a second file each picture compares the two: - is a missing arc of
    the second file, + a wrong arc, ~ a wrong label.

    \b
    $ crossarc draw talks.conllu --crossing --limit 1
    # talk-7  A talk starts now on owls
          ┌► 1 A      DET  det
      ┌►╥─┴─ 2 talk   NOUN nsubj
    ●─┼─╫─── 3 starts VERB root
      └►╫─── 4 now    ADV  advmod
        ║ ┌► 5 on     ADP  case
        ╚►┴─ 6 owls   NOUN nmod
    $ crossarc draw gold.conllu parsed.conllu --diff -o differences.html
    differences.html: 31 sentences drawn
    """
    if diff and other is None:
        raise CrossarcError("--diff compares two files; give a second one")
    check_stdin(file, other)
    kind_of(output)
    check_output(output, file, other)
    usual_width, usual_color = screen_options(output)
    pictures = select_pictures(
        file,
        other,
        source=source,
        columns=[name.strip() for name in columns.split(",") if name.strip()],
        names=sentence or (),
        crossing=crossing,
        differing=diff,
        limit=limit,
    )
    count = draw_pictures(
        pictures,
        output,
        comparison=other is not None,
        title=" and ".join(os.path.basename(path) for path in (file, other) if path),
        width=usual_width if width is None else width,
        color=usual_color if color is None else color,
    )
    if not count:
        say("no sentence matches")
        raise typer.Exit(1)
    if output != "-":
        say(f"{output}: {counted(count, 'sentence')} drawn")
