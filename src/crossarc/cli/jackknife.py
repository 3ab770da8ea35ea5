"""`crossarc jackknife`: predicted trees or tags for training data."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crossarc.cli.arguments import Output, check_output, check_policy, check_treebank_name
from crossarc.cli.console import counted, say
from crossarc.errors import CrossarcError

if TYPE_CHECKING:
    from crossarc.treebank import Sentence

COLUMNS = {"UPOS": "upos", "XPOS": "xpos", "FEATS": "feats", "LEMMA": "lemmas"}


def jackknife(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The treebank; .gz and .zst work too.")],
    parser: Annotated[
        str | None,
        typer.Option(
            metavar="NAME[:SETTING=VALUE,...]",
            help="A preset for trees (see crossarc parsers) with its settings; default: arc-hybrid.",
        ),
    ] = None,
    tags: Annotated[
        bool,
        typer.Option("--tags", help="Predict UPOS, XPOS, FEATS and LEMMA instead of trees, with the linear tagger."),
    ] = False,
    output: Output = "-",
    folds: Annotated[
        int | None, typer.Option(metavar="N", min=2, help="The number of folds; default: 5, with --tags 10.")
    ] = None,
    epochs: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="The number of passes over the treebank; default: 10, with --tags 6."),
    ] = None,
    seed: Annotated[
        int, typer.Option(metavar="N", min=0, help="The same seed gives the same folds and the same trees or tags.")
    ] = 1,
    on_error: Annotated[
        str, typer.Option(metavar="POLICY", help="What to do with bad sentences: fail, skip or fix.")
    ] = "fail",
) -> None:
    """Write a treebank with predicted trees or tags, each fold by a parser or tagger trained on the others.

    A parser that gets predicted trees as features (train --use-tree) should be trained on such trees: gold trees are
    better than what it will get. HEAD and DEPREL are new, everything else is unchanged, graphs too.

    \b
    $ crossarc jackknife train.conllu --parser arc-hybrid -o trees.conllu
    train.conllu: 4,508 sentences, 80,395 words, no errors
    trees.conllu: 5 folds, LAS 84.76, UAS 88.64
    $ crossarc train --train trees.conllu --parser dag-covington --use-tree -o dag

    A parser that gets predicted tags should learn from such tags too: they are wrong in the same way. With --tags all
    columns of tags that the treebank has, and lemmas, are new; everything else is unchanged. The development and test
    parts are tagged by a tagger of the whole training part, for example that of a pipeline.

    \b
    $ crossarc jackknife train.conllu --tags -o train-tags.conllu
    train.conllu: 910 sentences, 20,166 words, no errors
    train-tags.conllu: 10 folds, UPOS 93.21, FEATS 88.28, LEMMA 90.82
    """
    from crossarc.treebank import write

    check_policy(on_error)
    check_treebank_name(output)
    check_output(output, file)
    if tags and parser is not None:
        raise CrossarcError("--tags predicts tags and --parser trees: leave one out, or run the command twice")
    folds = folds or (10 if tags else 5)
    show = sys.stderr.isatty()

    def report(fold: int) -> None:
        if show:
            say(f"fold {fold} of {folds} is done")

    predict = predict_tags if tags else predict_trees
    predicted, scores = predict(file, parser or "arc-hybrid", folds, epochs, seed, on_error, report)
    write(predicted, output)
    if output != "-":
        say(f"{output}: {counted(folds, 'fold')}, {scores}")


Report = Callable[[int], None]


def predict_trees(
    file: str, parser: str, folds: int, epochs: int | None, seed: int, on_error: str, report: Report
) -> tuple[list[Sentence], str]:
    """The sentences of a file with predicted trees, and their scores as text."""
    from crossarc.cli.train import validated
    from crossarc.evaluation import evaluate
    from crossarc.experiments import candidates_of, jackknife

    [candidate] = candidates_of([parser])
    settings = {**({"epochs": epochs} if epochs is not None else {}), **candidate.settings}
    sentences = validated(file, on_error)
    predicted = jackknife(sentences, settings.pop("parser"), folds=folds, seed=seed, report=report, **settings)
    scores = evaluate(sentences, predicted)
    return predicted, f"LAS {scores.las:.2f}, UAS {scores.uas:.2f}"


def predict_tags(
    file: str, parser: str, folds: int, epochs: int | None, seed: int, on_error: str, report: Report
) -> tuple[list[Sentence], str]:
    """The sentences of a file with predicted tags and lemmas, and their accuracies as text; without a parser."""
    from crossarc.cli.train import validated
    from crossarc.tagging import jackknife_tags

    settings: dict[str, Any] = {"epochs": epochs} if epochs is not None else {}
    sentences = validated(file, on_error, "syntax")  # words without trees have tags too
    predicted = jackknife_tags(sentences, folds, seed, report=report, **settings)
    shares = {title: accuracy(sentences, predicted, column) for title, column in COLUMNS.items()}
    return predicted, ", ".join(f"{title} {share:.2f}" for title, share in shares.items() if share is not None)


def accuracy(gold: list[Sentence], predicted: list[Sentence], column: str) -> float | None:
    """The share of words with the right value in a column, in percent; None if the gold column is empty."""
    values = [
        pair
        for ours, theirs in zip(gold, predicted, strict=True)
        for pair in zip(getattr(ours, column)[1:], getattr(theirs, column)[1:], strict=True)
    ]
    if all(wanted in ("", "_") for wanted, _ in values):
        return None
    share: float = 100 * sum(wanted == found for wanted, found in values) / len(values)
    return share
