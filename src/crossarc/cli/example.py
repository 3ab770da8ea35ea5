"""`crossarc example`: the treebank that comes with crossarc, described and drawn."""

from __future__ import annotations

import sys
from importlib.resources import as_file, files
from typing import Annotated

import typer

from crossarc.cli.console import print_tables


def example(
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="Write the treebank to this file instead.")
    ] = None,
) -> None:
    """Show crossarc at work on its own example treebank, or write that treebank to a file.

    \b
    $ crossarc example -o example.conllu
    example.conllu: 40 sentences
    """
    with as_file(files("crossarc") / "data" / "example.conllu") as path:
        if output is None:
            show_example(str(path))
        else:
            print(f"{output}: {copy_example(str(path), output)} sentences", file=sys.stderr)


def copy_example(path: str, output: str) -> int:
    """Write the treebank and give the number of its sentences."""
    from crossarc.treebank import read, write

    return write(read(path), output)


def show_example(path: str) -> None:
    """Describe the treebank and draw two of its sentences: one with crossing arcs, one with second heads."""
    from crossarc.cli.stats import advice, stats_table, summarise_file
    from crossarc.draw import to_text
    from crossarc.treebank import read

    summary = summarise_file(path, None)
    print_tables([stats_table({"example.conllu": summary})])
    print(advice(summary), end="\n\n")
    sentences = {sentence.id: sentence for sentence in read(path)}
    for name in ("example-1", "example-12"):
        print(f"{name}: {sentences[name].text}")
        print(to_text(sentences[name], color=sys.stdout.isatty()))
