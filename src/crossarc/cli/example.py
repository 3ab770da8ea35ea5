"""`crossarc example`: the treebank that comes with crossarc, described and drawn."""

from __future__ import annotations

import sys
from importlib.resources import as_file, files
from typing import Annotated

import typer

from crossarc.cli.console import print_tables

# Form, lemma, UPOS and XPOS of a sentence that the treebank has not got.
NEW_SENTENCE = """
Tom Tom PROPN NNP
found find VERB VBD
a a DET DT
key key NOUN NN
today today ADV RB
that that PRON WP
opens open VERB VBZ
the the DET DT
door door NOUN NN
. . PUNCT .
"""


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
    """Describe the treebank, draw two of its sentences, train a parser on it and draw how it parses a new sentence."""
    from crossarc.cli.stats import advice, stats_table, summarise_file
    from crossarc.draw import to_text
    from crossarc.parsers import Parser
    from crossarc.treebank import Sentence, read

    color = sys.stdout.isatty()
    summary = summarise_file(path, None)
    print_tables([stats_table({"example.conllu": summary})])
    print(advice(summary), end="\n\n")
    sentences = {sentence.id: sentence for sentence in read(path)}
    for name in ("example-1", "example-12"):
        print(f"{name}: {sentences[name].text}")
        print(to_text(sentences[name], color=color), end="\n\n")
    parser = Parser("swap").fit(sentences.values())
    rows = [["", "", "", ""], *(line.split() for line in NEW_SENTENCE.strip().split("\n"))]
    forms, lemmas, upos, xpos = (list(column) for column in zip(*rows, strict=True))
    new = Sentence.from_columns(forms=forms, lemmas=lemmas, upos=upos, xpos=xpos)
    print(f"A new sentence, parsed by a swap parser trained on those {len(sentences)}: {new.text}")
    print(to_text(next(parser.parse([new])), color=color))
