"""`crossarc example`: a demonstration with the example treebank."""

from __future__ import annotations

import sys
import time
from importlib.resources import as_file, files
from typing import Annotated

import typer

from crossarc.cli.arguments import check_treebank_name
from crossarc.cli.console import say

# Form, lemma, UPOS, XPOS, FEATS and MISC of a sentence that is not in the treebank.
NEW_SENTENCE = """
Tom Tom PROPN NNP Number=Sing _
found find VERB VBD Mood=Ind|Tense=Past|VerbForm=Fin _
a a DET DT PronType=Art _
key key NOUN NN Number=Sing _
today today ADV RB _ _
that that PRON WP PronType=Rel _
opens open VERB VBZ Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin _
the the DET DT PronType=Art _
door door NOUN NN Number=Sing SpaceAfter=No
. . PUNCT . _ _
"""
COLUMNS = ("forms", "lemmas", "upos", "xpos", "feats", "misc")


def example(
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="Write the treebank to this file instead.")
    ] = None,
) -> None:
    """Describe, train on and parse the example treebank, or write it to a file.

    \b
    $ crossarc example -o example.conllu
    example.conllu: 40 sentences
    """
    with as_file(files("crossarc") / "data" / "example.conllu") as path:
        if output is None:
            show_example(str(path))
        else:
            check_treebank_name(output)
            say(f"{output}: {copy_example(str(path), output)} sentences")


def copy_example(path: str, output: str) -> int:
    """Write the treebank and return the number of its sentences."""
    from crossarc.treebank import read, write

    return write(read(path), output)


def show_example(path: str) -> None:
    """Describe the treebank, draw a sentence, train a parser and draw its parse of a new sentence."""
    from crossarc.cli.console import counted
    from crossarc.cli.stats import percent
    from crossarc.draw import to_text
    from crossarc.parsers import Parser
    from crossarc.structure import summarise
    from crossarc.treebank import Sentence, read

    color = sys.stdout.isatty()
    sentences = list(read(path))
    summary = summarise(sentences)
    size = f"{counted(summary.sentences, 'sentence')}, {counted(summary.words, 'word')}"
    crossed = percent(summary.share(summary.trees - summary.projective))
    print(f"The example treebank of crossarc: {size}, {crossed} of the trees with crossing arcs. One of them:\n")
    print(sentences[0].text)
    print(to_text(sentences[0], color=color), end="\n\n")
    begin = time.perf_counter()
    parser = Parser("swap").fit(sentences)
    seconds = time.perf_counter() - begin
    rows = [[""] * len(COLUMNS), *(line.split() for line in NEW_SENTENCE.strip().split("\n"))]
    new = Sentence.from_columns(**dict(zip(COLUMNS, map(list, zip(*rows, strict=True)), strict=True)))  # type: ignore[arg-type]
    print(f"A swap parser, trained on them in {seconds:.1f} seconds, parses a new sentence:\n")
    print(new.text)
    print(to_text(next(parser.parse([new])), color=color), end="\n\n")
    print("Try it yourself, with this or any other treebank:\n")
    for command in NEXT:
        print(f"  {command}")


NEXT = (
    "crossarc example -o example.conllu",
    "crossarc stats example.conllu",
    "crossarc train --train example.conllu -o my.crossarc",
    "crossarc parse my.crossarc example.conllu -o parsed.conllu",
    "crossarc draw parsed.conllu --crossing --limit 1",
)
