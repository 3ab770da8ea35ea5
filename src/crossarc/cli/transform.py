"""`crossarc transform`: make non-projective trees projective, and back."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import typer

from crossarc.cli.arguments import Files, From, Output
from crossarc.cli.console import counted, tracked

DIRECTIONS = ("projectivize", "deprojectivize")


def transform(
    direction: Annotated[
        str, typer.Argument(metavar="projectivize|deprojectivize", help="Lift non-projective edges, or put them back.")
    ],
    files: Files,
    output: Output = "-",
    encoding: Annotated[
        str, typer.Option(metavar="NAME", help="How labels mark lifted edges: head (label↑label of the head).")
    ] = "head",
    source: From = None,
    on_error: Annotated[
        str, typer.Option(metavar="POLICY", help="What to do with sentences that are not trees: fail, skip or fix.")
    ] = "fail",
) -> None:
    """Make trees projective, with marked labels, for parsers that build only such trees; and restore their output.

    \b
    $ crossarc transform projectivize train.conllu -o train-projective.conllu
    train-projective.conllu: 12,544 sentences, 357 edges lifted in 288 trees
    $ crossarc transform deprojectivize parsed.conllu -o final.conllu
    """
    tally = transform_files(direction, files, output, encoding, source, on_error)
    if output != "-":
        print(f"{output}: {describe(direction, tally)}", file=sys.stderr)


@dataclass
class Tally:
    """The number of sentences, of changed trees, of moved edges, and of marked edges that stayed."""

    sentences: int = 0
    trees: int = 0
    edges: int = 0
    stayed: int = 0


def describe(direction: str, tally: Tally) -> str:
    """The summary of a run in one line."""
    done = "lifted" if direction == "projectivize" else "put back"
    stayed = f", {tally.stayed:,} found no place" if tally.stayed else ""
    moved = f"{counted(tally.edges, 'edge')} {done} in {counted(tally.trees, 'tree')}"
    return f"{counted(tally.sentences, 'sentence')}, {moved}{stayed}"


def transform_files(
    direction: str, files: list[str], output: str, encoding: str, source: str | None, on_error: str
) -> Tally:
    """Write the sentences of all files with new heads and labels; everything else stays, byte for byte."""
    from crossarc.errors import UnknownName
    from crossarc.transforms import PseudoProjective
    from crossarc.treebank import Sentence, read, write

    if direction not in DIRECTIONS:
        raise UnknownName("direction", direction, DIRECTIONS)
    rewrite = PseudoProjective(encoding)
    change = rewrite.encode if direction == "projectivize" else rewrite.decode
    tally = Tally()

    def changed(sentence: Sentence) -> Sentence:
        heads, labels = change(sentence.heads, sentence.deprels)
        edges = int((heads != sentence.heads).sum())
        relabelled = sum(new != old for new, old in zip(labels[1:], sentence.deprels[1:], strict=True))
        tally.sentences += 1
        tally.trees += edges > 0
        tally.edges += edges
        if direction == "deprojectivize":
            tally.stayed += rewrite.count_marks(sentence.deprels) - edges
        return sentence.replace(heads=heads, deprels=labels) if edges or relabelled else sentence

    def sentences() -> Iterator[Sentence]:
        for path in files:
            with tracked(path, quiet=output == "-") as file:
                yield from map(changed, read(file, source, on_error=on_error, check="tree"))  # type: ignore[arg-type]

    write(sentences(), output)
    return tally
