"""`crossarc info` and `crossarc parsers`: describe a model, and list the presets."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from crossarc.cli.arguments import Json, Markdown
from crossarc.cli.console import Cell, Table, counted, print_json, print_tables

if TYPE_CHECKING:
    from crossarc.parsers import Parser, Settings


ALWAYS_TOLD = ("system", "epochs", "seed", "learner")


def info(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model file of crossarc train.")],
    json: Json = False,
) -> None:
    """Describe a model: the parser, its training data, its accuracy and settings; --json prints all settings.

    \b
    $ crossarc info turkish.crossarc
                       turkish.crossarc
     parser            two-planar-label
     learned from      train.conllu: 3,435 sentences, 37,522 words
     words with        LEMMA 100%, UPOS 100%, XPOS 100%, FEATS 61%
     can build         99.9% of those trees, 99.99% of their arcs
     development set   LAS 56.36, UAS 63.62 after epoch 3
     ...
    """
    from crossarc.parsers import load, read_model

    parser = load(model)  # refuses other files
    if json:
        print_json(read_model(model, verify=False)[0])
        return
    rows: list[Sequence[Cell]] = [[name, value] for name, value in describe_model(parser).items() if value]
    rows.append(["size", f"{os.path.getsize(model) / 1e6:.1f} MB"])
    print_tables([Table("", ["", os.path.basename(model)], rows)])


def describe_model(parser: Parser) -> dict[str, str]:
    """The description of a model by name; an empty string if a part does not apply."""
    from crossarc.cli.stats import percent

    data, covered, start = (parser.manifest_[name] for name in ("data", "coverage", "init"))
    best = parser.manifest_["development"]
    settings, features = parser.settings.model_dump(), parser.model.features
    columns = {name: data["columns"][name] for name in ("lemma", "upos", "xpos", "feats") if name in data["columns"]}
    name, features_name = settings.pop("parser"), settings.pop("features")
    return {
        "parser": name,
        "learned from": describe_data(data),
        "started from": f"a model that learned from {describe_data(start)}" if start else "",
        "words with": ", ".join(f"{column.upper()} {100 * share:.0f}%" for column, share in columns.items()),
        "rounds": describe_rounds(parser),
        "can build": f"{percent(covered['trees'])} of those trees, {percent(covered['arcs'])} of their arcs",
        "development set": f"LAS {best['las']:.2f}, UAS {best['uas']:.2f} after epoch {best['epoch']}" if best else "",
        "left out": describe_pruning(parser),
        "weights": str(parser.model.storage or ""),
        "labels": f"{len(parser.model.labels):,}",
        "roots of a tree": "one" if parser.model.single_root else "one or more",
        "features": f"{features_name}, {counted(len(features.templates), 'template')}",
        "settings": ", ".join(f"{setting} {value}" for setting, value in told(settings).items()),
        "data, SHA-256": data["sha256"],
    }


def told(settings: dict[str, object]) -> dict[str, object]:
    """The settings that differ from the defaults, and a few that are always shown."""
    from crossarc.parsers import Settings

    usual = Settings.model_fields
    return {name: value for name, value in settings.items() if name in ALWAYS_TOLD or value != usual[name].default}


def describe_rounds(parser: Parser) -> str:
    """The tags of each round of a bottom-up parser."""
    rounds = getattr(parser.model, "rounds", None) or []
    return ", then ".join(" ".join(tags) for tags in rounds)


def describe_pruning(parser: Parser) -> str:
    """The arcs of the development set that lengths left out, if the parser uses lengths."""
    pruning = getattr(parser.model, "pruning", None)
    return f"on the development set {pruning}" if pruning else ""


def describe_data(data: dict[str, object]) -> str:
    """A treebank in one line."""
    size = f"{counted(int(str(data['sentences'])), 'sentence')}, {counted(int(str(data['words'])), 'word')}"
    return f"{data['source']}: {size}" if data["source"] else size


def parsers(json: Json = False, markdown: Markdown = False) -> None:
    """List the presets that can be trained, with the trees that each can build.

    \b
    $ crossarc parsers
     name               trees        system                  notes
     ...
     arc-hybrid         projective   arc-hybrid              learns from its own mistakes
     swap               all          swap
     two-planar-label   2-planar     two-planar-undirected   undirected; directions by its labels
    """
    from crossarc.parsers.settings import PRESETS, make_settings

    if json:
        print_json(PRESETS)
        return
    rows: list[Sequence[Cell]] = [[name, *describe_preset(make_settings(name))] for name in PRESETS]
    print_tables([Table("", ["name", "trees", "system", "notes"], rows)], markdown=markdown)


CLASSES = {"two-planar": "2-planar"}


def describe_preset(settings: Settings) -> tuple[str, str, str]:
    """The class of trees, the system and notes on a preset."""
    from crossarc.parsers.settings import is_graph
    from crossarc.parsers.transition import system_of

    if is_graph(settings.system):
        special = ["scores all arcs, finds the best tree"]
        if settings.system == "undirected":
            features = "undirected" if settings.combine == "none" else "undirected, with directed features"
            special = [features, "directions by walking from the root", *["then enhanced"] * (settings.enhance > 0)]
            if settings.stack:
                special = ["sees the trees of a directed and an undirected model"]
        elif settings.system == "bottom-up":
            special = ["in rounds by part of speech; sees the dependents found in earlier rounds"]
        return "projective" if settings.system == "eisner" else "all", settings.system, "; ".join(special)
    system = system_of(settings, True)
    trees = CLASSES.get(system.covers, system.covers)
    special = []
    if settings.explore > 0:
        special.append("learns from its own mistakes")
    if settings.transform != "none":
        trees = "nearly all"
        special.append("makes trees projective, and back")
    if not system.directed and settings.reconstruction == "naive":
        trees = "projective" if trees == "planar" else trees  # trees that are planar with their root arcs
        special.append("undirected; directions by walking from the root")
    elif not system.directed:
        scores = "the scores of " if settings.reconstruction == "score" else ""
        special.append(f"undirected; directions by {scores}its labels")
    return trees, system.name, "; ".join(special)
