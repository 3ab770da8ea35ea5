"""Arguments that several commands share."""

from __future__ import annotations

import os
import re
from typing import Annotated

import typer

from crossarc.errors import CrossarcError


def check_stdin(*paths: str | None) -> None:
    """Refuse standard input in two places."""
    if paths.count("-") > 1:
        raise CrossarcError("standard input (-) can be read only once; give a file instead of the other one")


def check_policy(on_error: str) -> None:
    """Refuse an unknown error policy before anything is read."""
    from crossarc.treebank import reading

    reading.check_policy(on_error)


# Commands that write treebanks refuse these extensions: a user who asks for one expects another kind of file.
PICTURES = ("png", "jpg", "jpeg", "gif", "pdf")
OFFICE = ("doc", "docx", "odt", "rtf", "xls", "xlsx", "ods", "csv", "tsv", "xml", "parquet", "arrow")


def extension(path: str) -> str:
    """The extension of a path, without that of a packed file; "" if there is none."""
    name = re.sub(r"\.(gz|zst)$", "", os.path.basename(path).lower())
    return name.rpartition(".")[2] if "." in name else ""


def check_treebank_name(output: str) -> None:
    """Refuse to write a treebank to a file that is called something else."""
    from crossarc.treebank.formats import EXTENSIONS

    kind = extension(output)
    if kind and f".{kind}" not in EXTENSIONS:
        endings = ", ".join(EXTENSIONS)
        raise CrossarcError(f"{output}: this command writes treebanks, not {kind}; take {endings}, or no extension")


def check_output(output: str, *inputs: str | None) -> None:
    """Refuse an output that cannot be written, or would replace an input, before any work is done."""
    from crossarc.treebank import streams

    if os.path.isfile(output):
        for path in inputs:
            if path is not None and os.path.exists(path) and os.path.samefile(path, output):
                raise CrossarcError(f"{output}: this is an input, which the output would replace; name another file")
    streams.check_output(output)


Files = Annotated[
    list[str], typer.Argument(metavar="FILE", help="Treebank files; - is standard input; .gz and .zst work too.")
]
From = Annotated[
    str | None,
    typer.Option("--from", metavar="FORMAT", help="conllu, conllx, conll09 or sdp; default: by extension or content."),
]
OnError = Annotated[
    str, typer.Option(metavar="POLICY", help="What to do with sentences that cannot be read: fail, skip or fix.")
]
Output = Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="Where to write; - is standard output.")]
Gold = Annotated[str, typer.Argument(metavar="GOLD", help="The file with the gold trees; - is standard input.")]
NoPunct = Annotated[bool, typer.Option("--no-punct", help="Do not count punctuation.")]
Punct = Annotated[
    str, typer.Option(metavar="unicode|upos", help="Recognise punctuation by the characters of the form, or by UPOS.")
]
IgnoreSubtypes = Annotated[bool, typer.Option("--ignore-subtypes", help="Cut labels at the first colon.")]
Json = Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")]
Markdown = Annotated[bool, typer.Option("--markdown", help="Print the tables as Markdown.")]
