"""`crossarc convert`: a treebank in another format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Annotated

import typer

from crossarc.cli.arguments import Files, From, OnError, Output, check_output, check_stdin, check_treebank_name
from crossarc.cli.console import counted, say, tracked


def convert(
    files: Files,
    output: Output = "-",
    source: From = None,
    target: Annotated[
        str | None,
        typer.Option("--to", metavar="FORMAT", help="conllu, conllx, conll09 or sdp; default: by the output's name."),
    ] = None,
    predicted: Annotated[
        bool, typer.Option("--predicted", help="Take the predicted lemmas, tags and features of CoNLL-2009 files.")
    ] = False,
    on_error: OnError = "fail",
) -> None:
    """Convert treebanks between CoNLL-U, CoNLL-X, CoNLL-2009 and SDP, and report what is lost.

    \b
    $ crossarc convert example.conllu -o example.conllx
    example.conllx: 40 sentences in CoNLL-X
    CoNLL-X cannot carry: 2 multiword ranges, 1 empty nodes, ...
    """
    count, title, lost = convert_files(files, output, source, target, on_error, predicted)
    if output != "-":
        say(f"{output}: {counted(count, 'sentence')}{title and ' in ' + title}")
    if lost:
        say(lost)


def convert_files(
    files: list[str], output: str, source: str | None, target: str | None, on_error: str, predicted: bool = False
) -> tuple[int, str, str]:
    """Write the sentences of all files; return their number, the name of the format, and a line about losses."""
    from crossarc.treebank import Sentence, read, write
    from crossarc.treebank.conversion import describe_losses, with_predicted
    from crossarc.treebank.formats import format_of_path, get_format

    check_stdin(*files)
    if not target:
        check_treebank_name(output)
    check_output(output, *files)
    wanted = get_format(target) if target else format_of_path(output)
    losses: Counter[str] = Counter()

    def sentences() -> Iterator[Sentence]:
        for path in files:
            with tracked(path, quiet=output == "-") as file:
                found = read(file, source, on_error=on_error)  # type: ignore[arg-type]
                yield from map(with_predicted, found) if predicted else found

    count = write(sentences(), output, wanted, losses=losses)
    return count, wanted.title if wanted else "", describe_losses(losses, wanted) if wanted and losses else ""
