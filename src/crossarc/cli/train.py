"""`crossarc train`: learn a parser from a treebank."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crossarc.cli.console import console, counted

if TYPE_CHECKING:
    from crossarc.parsers import Epoch, Parser
    from crossarc.treebank import Finding


def train(
    train: Annotated[str, typer.Option("--train", metavar="FILE", help="The treebank to learn from.")],
    output: Annotated[str, typer.Option("--output", "-o", metavar="MODEL", help="Where to keep the model.")],
    dev: Annotated[
        str | None, typer.Option("--dev", metavar="FILE", help="The treebank by which the best epoch is chosen.")
    ] = None,
    parser: Annotated[
        str, typer.Option(metavar="NAME", help="The preset; crossarc parsers lists them.")
    ] = "arc-hybrid",
    config: Annotated[
        str | None, typer.Option(metavar="FILE", help="A TOML file with settings; options here go before it.")
    ] = None,
    epochs: Annotated[int | None, typer.Option(min=1, help="How often to go through the treebank.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="The same seed gives the same model.")] = None,
    learner: Annotated[
        str | None, typer.Option(metavar="NAME", help="perceptron, mira, maxent, liblinear or libsvm.")
    ] = None,
    on_error: Annotated[
        str, typer.Option(metavar="POLICY", help="What to do with bad sentences: fail, skip or fix.")
    ] = "fail",
) -> None:
    """Train a parser; keep the epoch that is best on the development set.

    \b
    $ crossarc train --train train.conllu --dev dev.conllu --parser swap --epochs 3 -o danish.crossarc
    parser swap
    epoch 3/3  wrong 5.83%  dev LAS 82.93  UAS 87.04
    learned from 4,508 sentences, 80,395 words
    pruned and stored in 16 bits: dev LAS 82.94 -> 82.93, 15.1 MB of weights instead of 22.0
    best: epoch 3, dev LAS 82.93. Saved danish.crossarc (16 MB)
    """
    given = {"epochs": epochs, "seed": seed, "learner": learner}
    options = settings_of(config) | {name: value for name, value in given.items() if value is not None}
    train_file(train, dev, output, str(options.pop("parser", parser)), options, on_error)


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


def train_file(train: str, dev: str | None, output: str, name: str, options: dict[str, Any], on_error: str) -> Parser:
    """Train, save and say how it went."""
    from crossarc.parsers import Parser

    findings: list[Finding] = []
    learner = Parser(name, **options)
    total = learner.settings.epochs
    screen = console(stderr=True)

    def show(epoch: Epoch) -> None:
        scores = "" if epoch.las is None else f"  dev LAS {epoch.las:.2f}  UAS {epoch.uas:.2f}"
        line = f"epoch {epoch.number}/{total}  wrong {epoch.wrong:.2f}%{scores}"
        print(line, file=sys.stderr, end="\r" if screen.is_terminal and epoch.number < total else "\n", flush=True)

    print(f"parser {name}", file=sys.stderr)
    learner.fit(train, dev, on_error=on_error, on_finding=findings.append, on_epoch=show)  # type: ignore[arg-type]
    for finding in findings[:10]:
        print(finding, file=sys.stderr)
    data = learner.manifest_["data"]
    left_out = f", {counted(len(findings), 'finding')}" if findings else ""
    print(f"learned from {counted(data['sentences'], 'sentence')}, {data['words']:,} words{left_out}", file=sys.stderr)
    learner.save(output)
    if storage := learner.model.storage:
        print(
            f"pruned and stored in 16 bits: dev LAS {storage.exact_las:.2f} -> {storage.las:.2f}, "
            f"{storage.bytes / 1e6:.1f} MB of weights instead of {storage.exact_bytes / 1e6:.1f}",
            file=sys.stderr,
        )
    best = learner.manifest_["development"]
    chosen = f"best: epoch {best['epoch']}, dev LAS {best['las']:.2f}. " if best else ""
    print(f"{chosen}Saved {output} ({Path(output).stat().st_size / 1e6:.0f} MB)", file=sys.stderr)
    return learner
