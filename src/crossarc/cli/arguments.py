"""Arguments that several commands share, so that they are called and explained the same everywhere."""

from __future__ import annotations

from typing import Annotated

import typer

from crossarc.errors import CrossarcError, UnknownName


def check_stdin(*paths: str | None) -> None:
    """Refuse standard input in two places: it can be read once only."""
    if paths.count("-") > 1:
        raise CrossarcError("standard input (-) can be read only once; name a file in its other place")


def check_policy(on_error: str) -> None:
    """Refuse a policy for errors that does not exist, before anything is read."""
    from crossarc.treebank.reading import POLICIES

    if on_error not in POLICIES:
        raise UnknownName("policy for errors", on_error, POLICIES)


Files = Annotated[
    list[str], typer.Argument(metavar="FILE", help="Treebank files; - is standard input, .gz and .zst are read too.")
]
From = Annotated[
    str | None,
    typer.Option("--from", metavar="FORMAT", help="conllu, conllx, conll09 or sdp; else by extension or content."),
]
OnError = Annotated[
    str, typer.Option(metavar="POLICY", help="What to do with sentences that cannot be read: fail, skip or fix.")
]
Gold = Annotated[str, typer.Argument(metavar="GOLD", help="The file with the gold trees, - for standard input.")]
NoPunct = Annotated[bool, typer.Option("--no-punct", help="Leave punctuation out of the figures.")]
Punct = Annotated[
    str, typer.Option(metavar="unicode|upos", help="What punctuation is: by the characters of the form, or UPOS.")
]
IgnoreSubtypes = Annotated[bool, typer.Option("--ignore-subtypes", help="Cut labels at the first colon.")]
Json = Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")]
Markdown = Annotated[bool, typer.Option("--markdown", help="Print the tables as Markdown.")]
