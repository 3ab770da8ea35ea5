"""`crossarc train`: learn a parser from a treebank."""

from __future__ import annotations

import os
import sys
import tomllib
from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crossarc.cli.arguments import check_policy, check_stdin
from crossarc.cli.console import counted

if TYPE_CHECKING:
    from crossarc.cli.progress import TrainingView
    from crossarc.parsers import Parser
    from crossarc.treebank import Finding, Sentence

SHOWN = 10  # findings that are printed one by one


def train(
    train: Annotated[
        list[str],
        typer.Option("--train", metavar="FILE", help="The treebank to learn from; may be repeated for several files."),
    ],
    output: Annotated[str, typer.Option("--output", "-o", metavar="MODEL", help="Where to keep the model.")],
    dev: Annotated[
        str | None, typer.Option("--dev", metavar="FILE", help="The treebank by which the best epoch is chosen.")
    ] = None,
    parser: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The preset (crossarc parsers lists them); else the one recommended."),
    ] = None,
    config: Annotated[
        str | None, typer.Option(metavar="FILE", help="A TOML file with settings; options here go before it.")
    ] = None,
    epochs: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="How often to go through the treebank; 10 if not given.")
    ] = None,
    seed: Annotated[int | None, typer.Option(metavar="N", min=0, help="The same seed gives the same model.")] = None,
    learner: Annotated[
        str | None, typer.Option(metavar="NAME", help="perceptron, mira, maxent, liblinear or libsvm.")
    ] = None,
    beam: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="How many derivations to follow side by side; 1 is greedy.")
    ] = None,
    fast: Annotated[
        bool, typer.Option("--fast", help="A parser that is two to three times as fast, and a little less accurate.")
    ] = False,
    init: Annotated[
        str | None, typer.Option(metavar="MODEL", help="A trained model to go on from, for example with new data.")
    ] = None,
    directed: Annotated[
        str | None,
        typer.Option(metavar="MODEL", help="A trained mst that enhances undirected trees; else one is learned beside."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on where a training that was killed stood; the model is the same.")
    ] = False,
    on_error: Annotated[
        str, typer.Option(metavar="POLICY", help="What to do with bad sentences: fail, skip or fix.")
    ] = "fail",
) -> None:
    """Train a parser; keep the epoch that is best on the development set.

    Each line of an epoch has the share of wrong decisions while it learned, and the scores on the development set.
    Graph parsers also learn from arcs that are right by too little, so that their share is high: "wrong or unsure".

    \b
    $ crossarc train --train train.conllu --dev dev.conllu -o turkish.crossarc --epochs 3
    train.conllu: 3,435 sentences, 37,522 words, nothing wrong
    dev.conllu: 1,100 sentences, 10,542 words, nothing wrong
    parser two-planar, recommended for this treebank: 5.0% of the sentences are non-projective, ...
    epoch 3/3  wrong 13.16%  dev LAS 60.85  UAS 68.50  14k tokens/s
    two-planar can build 99.9% of the training trees and 99.99% of their arcs
    best: epoch 3, dev LAS 60.85, UAS 68.50. Saved turkish.crossarc (10.6 MB)
    """
    check_stdin(*train, dev)
    given = {"parser": parser, "epochs": epochs, "seed": seed, "learner": learner, "beam": beam, "fast": fast or None}
    options = settings_of(config) | {name: value for name, value in given.items() if value is not None}
    train_files(train, dev, output, options, init, resume, on_error, directed)


def settings_of(config: str | None) -> dict[str, Any]:
    """The settings of a TOML file."""
    from crossarc.errors import CrossarcError

    if config is None:
        return {}
    try:
        with open(config, "rb") as file:
            return tomllib.load(file)
    except tomllib.TOMLDecodeError as error:
        raise CrossarcError(f"{config}: {error}") from None


def train_files(
    train: list[str],
    dev: str | None,
    output: str,
    options: dict[str, Any],
    init: str | None,
    resume: bool,
    on_error: str,
    directed: str | None = None,
) -> Parser:
    """Validate, train, save and say how it went."""
    from crossarc.cli.progress import TrainingView
    from crossarc.errors import CrossarcError
    from crossarc.parsers import load
    from crossarc.parsers.modelfile import check_model_path
    from crossarc.parsers.settings import check_names

    check_model_path(output)
    before = load(init) if init is not None else None
    helper = load(directed) if directed is not None else None
    if "parser" in options:  # a wrong setting shows before files are read
        learner = make_parser(options, before)
    else:
        check_names(options)
    sentences = [sentence for path in train for sentence in validated(path, on_error)]
    held_out = validated(dev, on_error) if dev is not None else None
    if held_out is not None and not held_out:
        raise CrossarcError(f"{dev}: no sentence to choose the best epoch by; leave --dev out, or name another")
    if "parser" not in options:
        learner = choose_parser(options, before, sentences)
    else:
        print(f"parser {learner.settings.parser}", file=sys.stderr)
    checkpoint = f"{output}.checkpoint"
    announce_checkpoint(checkpoint, resume)
    unsure = getattr(learner.settings, "augment", False)
    view = TrainingView(learner.settings.epochs, sum(map(len, sentences)), unsure)
    try:
        with view:
            learner.fit(
                sentences,
                held_out,
                init=before,
                directed=helper,
                checkpoint=checkpoint,
                resume=resume,
                on_epoch=view.on_epoch,
                on_progress=view.on_progress,
            )
        learner.save(output)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(farewell(view, output, checkpoint)) from None
    summarise_training(learner, output)
    return learner


def validated(path: str, on_error: str) -> list[Sentence]:
    """The sentences of a file whose trees can be learned from; says what is wrong with the others."""
    from crossarc.errors import TreebankError
    from crossarc.treebank import read

    check_policy(on_error)
    findings: list[Finding] = []
    policy = "skip" if on_error == "fail" else on_error  # all that is wrong is said at once
    sentences = list(read(path, check="tree", on_error=policy, report=findings.append))  # type: ignore[arg-type]
    for finding in findings[:SHOWN]:
        print(finding.with_action("") if on_error == "fail" else finding, file=sys.stderr)
    if len(findings) > SHOWN:
        more = counted(len(findings) - SHOWN, "finding")
        print(f"{path}: {more} more; crossarc validate lists all", file=sys.stderr)
    kinds = ", ".join(f"{count:,} {code}" for code, count in Counter(each.code for each in findings).most_common())
    if findings and on_error == "fail":
        found = counted(len(findings), "finding")
        raise TreebankError(f"{path}: {found} ({kinds}); --on-error skip leaves such sentences out, fix mends them")
    size = f"{counted(len(sentences), 'sentence')}, {counted(sum(map(len, sentences)), 'word')}"
    actions = ", ".join(f"{count:,} {action}" for action, count in Counter(each.action for each in findings).items())
    found = f"{counted(len(findings), 'finding')} ({kinds}): {actions}" if findings else "nothing wrong"
    print(f"{path}: {size}, {found}", file=sys.stderr)
    return sentences


def make_parser(options: dict[str, Any], before: Parser | None) -> Parser:
    """The parser of some settings; a training that goes on from a model has those of the model where none are given."""
    from crossarc.parsers import Parser

    kept = before.settings.model_dump() if before is not None else {}
    if before is not None and options.get("parser", before.settings.parser) != before.settings.parser:
        kept = {}  # which `fit` refuses with a reason if the two do not fit together
    settings = kept | options
    return Parser(str(settings.pop("parser")), **settings)


def choose_parser(options: dict[str, Any], before: Parser | None, sentences: list[Sentence]) -> Parser:
    """The parser of the model to go on from, or the one recommended for the sentences; says which and why."""
    from crossarc.errors import CrossarcError
    from crossarc.parsers.recommendation import suitable_parser

    if before is not None:
        print(f"parser {before.settings.parser}, as in the model to start from", file=sys.stderr)
        return make_parser(options, before)
    if not sentences:
        raise CrossarcError("there is no sentence to learn from")
    name, reason = suitable_parser(sentences)
    print(f"parser {name}, recommended for this treebank: {reason}; --parser changes it", file=sys.stderr)
    return make_parser({**options, "parser": name}, None)


def announce_checkpoint(checkpoint: str, resume: bool) -> None:
    """Say where training starts, if that is not as expected."""
    there = os.path.exists(checkpoint)
    if resume and not there:
        print(f"there is no {checkpoint} to resume from; training starts from the beginning", file=sys.stderr)
    elif there and not resume:
        print(f"{checkpoint} is of a training that did not end; --resume goes on from it", file=sys.stderr)


def farewell(view: TrainingView, output: str, checkpoint: str) -> str:
    """What an interrupt left behind."""
    kept = min(view.finished, view.epochs - 1)
    where = f"interrupted in epoch {view.running}" if view.running else "interrupted"
    if not kept or not os.path.exists(checkpoint):
        return f"{where}; no file was changed"
    epochs = "epoch 1 is" if kept == 1 else f"epochs 1 to {kept} are"
    return f"{where}; {epochs} kept in {checkpoint}, and --resume goes on from there; {output} was not written"


def summarise_training(learner: Parser, output: str) -> None:
    """Say what was learned, how good it is, and where it is kept."""
    from crossarc.cli.stats import percent

    covered = learner.manifest_["coverage"]
    print(
        f"{learner.settings.parser} can build {percent(covered['trees'])} of the training trees "
        f"and {percent(covered['arcs'])} of their arcs",
        file=sys.stderr,
    )
    for name, text in learner.model.describe().items():
        print(f"{name}: {text}", file=sys.stderr)
    best = learner.manifest_["development"]
    chosen = ""
    if best:
        which = f"epoch {best['epoch']}" if best["epoch"] else "the model to start from"
        chosen = f"best: {which}, dev LAS {best['las']:.2f}, UAS {best['uas']:.2f}. "
    print(f"{chosen}Saved {output} ({os.path.getsize(output) / 1e6:.1f} MB)", file=sys.stderr)
