"""`crossarc transform`: make non-projective trees projective, and back."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from crossarc.cli.arguments import Files, From, Output
from crossarc.cli.console import counted, tracked

if TYPE_CHECKING:
    from crossarc.transforms import PseudoProjective
    from crossarc.treebank import Sentence

DIRECTIONS = ("projectivize", "deprojectivize")


def transform(
    direction: Annotated[
        str, typer.Argument(metavar="projectivize|deprojectivize", help="Lift non-projective edges, or put them back.")
    ],
    files: Files,
    output: Output = "-",
    encoding: Annotated[
        str,
        typer.Option(metavar="NAME", help="What labels mark: head (label↑label of the head), path (↑, ↓) or headpath."),
    ] = "head",
    cap: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, help="Keep the N most frequent new labels; the others become plain."),
    ] = None,
    prefer: Annotated[
        str, typer.Option(metavar="NAME", help="Put edges back to the first place, or to a non-projective one.")
    ] = "first",
    source: From = None,
    on_error: Annotated[
        str, typer.Option(metavar="POLICY", help="What to do with sentences that are not trees: fail, skip or fix.")
    ] = "fail",
) -> None:
    """Make trees projective, with marked labels, for parsers that build only such trees; and restore their output.

    \b
    $ crossarc transform projectivize train.conllu -o train-projective.conllu
    train-projective.conllu: 12,544 sentences, 357 edges lifted in 288 trees
    back again: 99.98% of 204,577 edges are right, and 90.96% of 354 non-projective ones
    $ crossarc transform deprojectivize parsed.conllu -o final.conllu
    """
    from crossarc.errors import UnknownName
    from crossarc.transforms import PseudoProjective

    if direction not in DIRECTIONS:
        raise UnknownName("direction", direction, DIRECTIONS)
    rewrite = PseudoProjective(encoding, cap=cap, prefer=prefer)
    tally = transform_files(direction, files, output, rewrite, source, on_error)
    if output != "-":
        print(f"{output}: {describe(direction, tally)}", file=sys.stderr)


@dataclass
class Tally:
    """The number of sentences, of changed trees, of moved edges, and of marked edges that stayed.

    Where trees are made projective, also the number of edges and how many are right after the way back, of all and of
    non-projective ones.
    """

    sentences: int = 0
    trees: int = 0
    edges: int = 0
    stayed: int = 0
    words: int = 0
    words_back: int = 0
    non_projective: int = 0
    non_projective_back: int = 0


def describe(direction: str, tally: Tally) -> str:
    """The summary of a run in one line, or two where trees are made projective."""
    done = "lifted" if direction == "projectivize" else "put back"
    stayed = f", {tally.stayed:,} found no place" if tally.stayed else ""
    moved = f"{counted(tally.edges, 'edge')} {done} in {counted(tally.trees, 'tree')}"
    line = f"{counted(tally.sentences, 'sentence')}, {moved}{stayed}"
    if direction == "deprojectivize":
        return line
    share = 100 * tally.words_back / max(1, tally.words)
    line += f"\nback again: {share:.2f}% of {counted(tally.words, 'edge')} are right"
    if tally.non_projective:
        share = 100 * tally.non_projective_back / tally.non_projective
        line += f", and {share:.2f}% of {tally.non_projective:,} non-projective ones"
    return line


def transform_files(
    direction: str, files: list[str], output: str, rewrite: PseudoProjective, source: str | None, on_error: str
) -> Tally:
    """Write the sentences of all files with new heads and labels; everything else stays, byte for byte."""
    from crossarc.structure import non_projective_edges
    from crossarc.treebank import read, write

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
        else:
            right = rewrite.decode(heads, labels)[0] == sentence.heads
            crossing = non_projective_edges(sentence.heads)
            tally.words += len(right) - 1
            tally.words_back += int(right[1:].sum())
            tally.non_projective += len(crossing)
            tally.non_projective_back += int(right[crossing].sum())
        return sentence.replace(heads=heads, deprels=labels) if edges or relabelled else sentence

    def sentences() -> Iterator[Sentence]:
        for path in files:
            with tracked(path, quiet=output == "-") as file:
                yield from read(file, source, on_error=on_error, check="tree")  # type: ignore[arg-type]

    found: Iterable[Sentence] = sentences()
    if direction == "projectivize" and rewrite.cap is not None:  # what is kept is known only after the last sentence
        found = list(found)
        rewrite.fit((sentence.heads, sentence.deprels) for sentence in found)
    write(map(changed, found), output)
    return tally
