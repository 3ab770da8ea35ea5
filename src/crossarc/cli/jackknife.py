"""`crossarc jackknife`: predicted trees for training data."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from crossarc.cli.arguments import Output, check_policy
from crossarc.cli.console import counted


def jackknife(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The treebank; .gz and .zst work too.")],
    parser: Annotated[
        str,
        typer.Option(
            metavar="NAME[:SETTING=VALUE,...]", help="A preset for trees (see crossarc parsers) with its settings."
        ),
    ] = "arc-hybrid",
    output: Output = "-",
    folds: Annotated[int, typer.Option(metavar="N", min=2, help="The number of folds.")] = 5,
    epochs: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="The number of passes over the treebank; default: 10.")
    ] = None,
    seed: Annotated[
        int, typer.Option(metavar="N", min=0, help="The same seed gives the same folds and the same trees.")
    ] = 1,
    on_error: Annotated[
        str, typer.Option(metavar="POLICY", help="What to do with bad sentences: fail, skip or fix.")
    ] = "fail",
) -> None:
    """Write a treebank with predicted trees, each by a parser that was trained on the other folds.

    A parser that gets predicted trees as features (train --use-tree) should be trained on such trees: gold trees are
    better than what it will get. HEAD and DEPREL are new, everything else is unchanged, graphs too.

    \b
    $ crossarc jackknife train.conllu --parser arc-hybrid --folds 5 -o train-trees.conllu
    train.conllu: 4,508 sentences, 80,395 words, no errors
    train-trees.conllu: 5 folds, LAS 84.76, UAS 88.64
    $ crossarc train --train train-trees.conllu --parser dag-covington --use-tree -o graphs.crossarc
    """
    from crossarc.cli.train import validated
    from crossarc.evaluation import evaluate
    from crossarc.experiments import candidates_of, jackknife
    from crossarc.treebank import write

    check_policy(on_error)
    [candidate] = candidates_of([parser])
    settings = {**({"epochs": epochs} if epochs is not None else {}), **candidate.settings}
    sentences = validated(file, on_error)
    show = sys.stderr.isatty()

    def report(fold: int) -> None:
        if show:
            print(f"fold {fold} of {folds} is done", file=sys.stderr)

    predicted = jackknife(sentences, settings.pop("parser"), folds=folds, seed=seed, report=report, **settings)
    write(predicted, output)
    if output != "-":
        scores = evaluate(sentences, predicted)
        print(f"{output}: {counted(folds, 'fold')}, LAS {scores.las:.2f}, UAS {scores.uas:.2f}", file=sys.stderr)
