"""`crossarc train`: train a parser on a treebank."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crossarc.cli.arguments import check_output, check_policy, check_stdin
from crossarc.cli.console import counted, say
from crossarc.errors import CrossarcError

if TYPE_CHECKING:
    from crossarc.cli.progress import TrainingView
    from crossarc.parsers import Parser
    from crossarc.treebank import Finding, Sentence
    from crossarc.treebank.validation import Check

SHOWN = 10  # findings that are printed one by one
DATA, PARSER, PIPELINE = "Data and model", "Parser", "Pipelines for text"  # groups of options


def preset_names(begin: str) -> list[str]:
    """The presets whose names begin so, for completion in the shell."""
    from crossarc.parsers.presets import PRESETS

    return [name for name in PRESETS if name.startswith(begin)]


def train(
    train: Annotated[
        list[str],
        typer.Option(
            "--train",
            metavar="FILE",
            help="The training treebank; may be repeated for several files.",
            rich_help_panel=DATA,
        ),
    ],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="MODEL", help="The model file to write.", rich_help_panel=DATA)
    ],
    dev: Annotated[
        str | None,
        typer.Option(
            "--dev", metavar="FILE", help="The development set, to choose the best epoch.", rich_help_panel=DATA
        ),
    ] = None,
    on_error: Annotated[
        str,
        typer.Option(metavar="POLICY", help="What to do with bad sentences: fail, skip or fix.", rich_help_panel=DATA),
    ] = "fail",
    resume: Annotated[
        bool,
        typer.Option(
            "--resume", help="Continue an interrupted training; the model will be the same.", rich_help_panel=DATA
        ),
    ] = False,
    init: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL", help="A trained model to start from, for example with new data.", rich_help_panel=DATA
        ),
    ] = None,
    parser: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            autocompletion=preset_names,
            help="The preset (see crossarc parsers); default: the recommended one.",
            rich_help_panel=PARSER,
        ),
    ] = None,
    fast: Annotated[
        bool,
        typer.Option(
            "--fast",
            help="Two to three times as fast, a little less accurate: fast search, or a smaller network.",
            rich_help_panel=PARSER,
        ),
    ] = False,
    epochs: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="The number of passes over the treebank; default: 10, with a network 20.",
            rich_help_panel=PARSER,
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=0, help="The same seed gives the same model; default: 1.", rich_help_panel=PARSER
        ),
    ] = None,
    learner: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="perceptron, mira, maxent, liblinear or libsvm; default: perceptron for transitions, "
            "mira for parsers that score arcs.",
            rich_help_panel=PARSER,
        ),
    ] = None,
    beam: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Transition parsers: the width of the beam; default: 1, greedy search.",
            rich_help_panel=PARSER,
        ),
    ] = None,
    vectors: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Networks: pretrained vectors of words, as word2vec or fastText text.",
            rich_help_panel=PARSER,
        ),
    ] = None,
    use_tree: Annotated[
        bool,
        typer.Option(
            "--use-tree", help="Parsers of graphs: use the tree in HEAD and DEPREL as features.", rich_help_panel=PARSER
        ),
    ] = False,
    directed: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help="Undirected trees: a trained mst to enhance them; default: train one too.",
            rich_help_panel=PARSER,
        ),
    ] = None,
    setting: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="SETTING=VALUE",
            help="Any setting of the parser, for example cost=0.01; may be repeated.",
            rich_help_panel=PARSER,
        ),
    ] = None,
    config: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="A TOML file with settings; options on the command line override it.",
            rich_help_panel=PARSER,
        ),
    ] = None,
    pipeline: Annotated[
        bool,
        typer.Option(
            "--pipeline",
            help="Train a tokenizer and a tagger too, for text; default parser: neural.",
            rich_help_panel=PIPELINE,
        ),
    ] = False,
    jackknife: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            help="With a linear tagger: predict the tags of the training data in N folds; default: 10; 0: gold tags.",
            rich_help_panel=PIPELINE,
        ),
    ] = None,
    graph: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            autocompletion=preset_names,
            help="Pipelines: train a parser of graphs with this preset too, for DEPS.",
            rich_help_panel=PIPELINE,
        ),
    ] = None,
) -> None:
    """Train a parser; keep the epoch that is best on the development set.

    With --pipeline the model takes text: it has a tokenizer and a tagger as well. --pipeline alone gives the most
    accurate one (a network that tags and parses), --pipeline --fast a fast one.

    Each epoch prints the share of wrong decisions during training and the scores on the development set. Parsers
    that score arcs also learn from arcs that are right by less than the margin: their share, "wrong or unsure", is
    higher. Parsers of graphs (dag-...) learn from DEPS or the SDP columns; their scores are F of labelled (LF) and
    unlabelled arcs (UF).

    \b
    $ crossarc train --train train.conllu --dev dev.conllu --epochs 3 -o tr.model
    train.conllu: 3,435 sentences, 37,522 words, no errors
    dev.conllu: 1,100 sentences, 10,542 words, no errors
    parser carreras-npa, recommended for this treebank: 5.0% of the sentences ...
    epoch 3/3  wrong or unsure 29.25%  dev LAS 63.24  UAS 71.14  4,180 tokens/s
    carreras-npa can build 100.0% of the training trees and 100.0% of their arcs
    best: epoch 3, dev LAS 63.24, UAS 71.14. Saved tr.model (48.3 MB)
    """
    check_stdin(*train, dev)
    check_output(output, *train, dev, config, vectors)
    given = {"parser": parser, "epochs": epochs, "seed": seed, "learner": learner, "beam": beam}
    given |= {"fast": fast or None, "use_tree": use_tree or None, "vectors": vectors}
    chosen = {name: value for name, value in given.items() if value is not None}
    options = settings_of(config) | with_settings(chosen, setting or [])
    if pipeline:
        from crossarc.cli.train_pipeline import train_pipeline

        if init is not None or directed is not None:
            raise CrossarcError("--pipeline trains all its parts: leave --init and --directed out")
        own = {name: value for name, value in (("jackknife", jackknife), ("graph", graph)) if value is not None}
        train_pipeline(train, dev, output, {**options, **own}, resume, on_error)
        return
    if graph is not None:
        raise CrossarcError(f"--graph adds a parser of graphs to a pipeline: add --pipeline, or --parser {graph}")
    if jackknife is not None:
        raise CrossarcError("--jackknife is for the tagger of a pipeline: add --pipeline, or see crossarc jackknife")
    train_files(train, dev, output, options, init, resume, on_error, directed)


def with_settings(options: dict[str, Any], texts: list[str]) -> dict[str, Any]:
    """The options together with the settings of --set; no setting may be given twice."""
    if not texts:
        return options
    from crossarc.experiments import read_settings

    settings = read_settings(texts, "--set")
    for name in settings:
        if name in options:
            option = f"--{name.replace('_', '-')}"
            raise CrossarcError(f"setting {name} is given twice, by {option} and by --set; leave one out")
    return options | settings


def settings_of(config: str | None) -> dict[str, Any]:
    """The settings of a TOML file."""
    from crossarc.core.checked import read_toml

    return read_toml(config) if config is not None else {}


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
    """Validate, train, save and print a summary."""
    from crossarc.cli.progress import TrainingView
    from crossarc.components.modelfile import check_model_path
    from crossarc.parsers import load
    from crossarc.parsers.presets import check_options
    from crossarc.treebank.formats import format_of_path

    check_model_path(output)
    before = load(init) if init is not None else None
    helper = load(directed) if directed is not None else None
    if "parser" in options:  # a wrong setting is an error before files are read
        learner = make_parser(options, before)
    else:
        check_options(options)
    formats = [format_of_path(path) for path in train]
    if "parser" not in options and all(each is not None and each.index("head") < 0 for each in formats):
        # Graphs without trees, as in SDP files.
        options = {**options, "parser": "dag-covington"}
        learner = make_parser(options, before)
    check = learner.target if "parser" in options else "tree"
    sentences = [sentence for path in train for sentence in validated(path, on_error, check)]
    held_out = validated(dev, on_error, check) if dev is not None else None
    if held_out is not None and not held_out:
        raise CrossarcError(f"{dev}: the development set has no sentence; leave --dev out, or give another file")
    if "parser" not in options:
        learner = choose_parser(options, before, sentences)
    else:
        say(f"parser {learner.settings.parser}")
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


def validated(path: str, on_error: str, check: Check = "tree") -> list[Sentence]:
    """The sentences of a file that have trees, or graphs; prints the errors of the others."""
    from crossarc.errors import TreebankError
    from crossarc.treebank import read

    check_policy(on_error)
    findings: list[Finding] = []
    policy = "skip" if on_error == "fail" else on_error  # so that all errors are printed at once
    sentences = list(read(path, check=check, on_error=policy, report=findings.append))  # type: ignore[arg-type]
    for finding in findings[:SHOWN]:
        say(finding.with_action("") if on_error == "fail" else finding)
    if len(findings) > SHOWN:
        more = counted(len(findings) - SHOWN, "finding")
        say(f"{path}: {more} more; crossarc validate lists all")
    kinds = ", ".join(f"{count:,} {code}" for code, count in Counter(each.code for each in findings).most_common())
    if findings and on_error == "fail":
        found = counted(len(findings), "finding")
        raise TreebankError(f"{path}: {found} ({kinds}); --on-error skip leaves such sentences out, fix repairs them")
    size = f"{counted(len(sentences), 'sentence')}, {counted(sum(map(len, sentences)), 'word')}"
    actions = ", ".join(f"{count:,} {action}" for action, count in Counter(each.action for each in findings).items())
    found = f"{counted(len(findings), 'finding')} ({kinds}): {actions}" if findings else "no errors"
    say(f"{path}: {size}, {found}")
    return sentences


def make_parser(options: dict[str, Any], before: Parser | None) -> Parser:
    """The parser with these settings; missing settings are those of the initial model, if there is one."""
    from crossarc.parsers import Parser

    kept = before.settings.model_dump() if before is not None else {}
    if before is not None and options.get("parser", before.settings.parser) != before.settings.parser:
        kept = {}  # `fit` refuses it with a reason if the two are not compatible
    settings = kept | options
    return Parser(str(settings.pop("parser")), **settings)


def choose_parser(options: dict[str, Any], before: Parser | None, sentences: list[Sentence]) -> Parser:
    """The parser of the initial model, or the one recommended for the sentences; prints which and why."""
    from crossarc.parsers.recommendation import suitable_parser

    if before is not None:
        say(f"parser {before.settings.parser}, as in the initial model")
        return make_parser(options, before)
    if not sentences:
        raise CrossarcError("there is no sentence to train on")
    name, reason = suitable_parser(sentences, **options)
    say(f"parser {name}, recommended for this treebank: {reason}; --parser changes it")
    return make_parser({**options, "parser": name}, None)


def announce_checkpoint(checkpoint: str, resume: bool) -> None:
    """Print where training starts, if that may be unexpected."""
    there = os.path.exists(checkpoint)
    if resume and not there:
        say(f"there is no {checkpoint} to resume from; training starts from the beginning")
    elif there and not resume:
        say(f"{checkpoint} is from an interrupted training; --resume continues it")


def farewell(view: TrainingView, output: str, checkpoint: str) -> str:
    """The message after an interrupt."""
    kept = min(view.finished, view.epochs - 1)
    where = f"interrupted in epoch {view.running}" if view.running else "interrupted"
    if not kept or not os.path.exists(checkpoint):
        return f"{where}; no file was changed"
    epochs = "epoch 1 is" if kept == 1 else f"epochs 1 to {kept} are"
    return f"{where}; {epochs} saved in {checkpoint}, and --resume continues from there; {output} was not written"


def summarise_training(learner: Parser, output: str) -> None:
    """Print what the parser can build, its scores, and the model file."""
    from crossarc.cli.stats import percent

    covered = learner.manifest_["coverage"]
    what = "graphs" if learner.gives_graphs else "trees"
    say(
        f"{learner.settings.parser} can build {percent(covered['trees'])} of the training {what} "
        f"and {percent(covered['arcs'])} of their arcs"
    )
    for name, text in learner.model.describe().items():
        say(f"{name}: {text}")
    best = learner.manifest_["development"]
    chosen = ""
    if best:
        which = f"epoch {best['epoch']}" if best["epoch"] else "the initial model"
        labelled, unlabelled = learner.measures
        chosen = f"best: {which}, dev {labelled} {best['las']:.2f}, {unlabelled} {best['uas']:.2f}. "
    say(f"{chosen}Saved {output} ({os.path.getsize(output) / 1e6:.1f} MB)")
