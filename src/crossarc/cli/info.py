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
    from crossarc.pipeline import Pipeline


ALWAYS_SHOWN = ("system", "epochs", "seed", "learner")


def info(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="A file of crossarc train, or en, which comes with crossarc.")
    ],
    json: Json = False,
) -> None:
    """Describe a model: the parser, its training data, its accuracy and settings; --json prints all settings.

    \b
    $ crossarc info turkish.crossarc
                    turkish.crossarc
     parser         two-planar-label
     learned from   train.conllu: 3,435 sentences, 37,522 words
     words with     LEMMA 100%, UPOS 100%, XPOS 100%, FEATS 61%
     can build      99.9% of those trees, 99.99% of their arcs
     development    LAS 56.36, UAS 63.62 after epoch 3
     ...
    """
    from crossarc.components import read_model
    from crossarc.pipeline import Pipeline, load, model_path

    path = model_path(model)
    loaded = load(path)  # refuses other files
    if json:
        print_json(read_model(path, verify=False)[0])
        return
    size = {"size": f"{os.path.getsize(path) / 1e6:.1f} MB"}
    parts = describe_pipeline(loaded) if isinstance(loaded, Pipeline) else {"": describe_model(loaded)}
    first, *others = parts
    tables = {os.path.basename(path): size | parts[first], **{name: parts[name] for name in others}}
    for title, described in tables.items():
        rows: list[Sequence[Cell]] = [[name, value] for name, value in described.items() if value]
        print_tables([Table("", ["", title], rows)])


def describe_pipeline(pipeline: Pipeline) -> dict[str, dict[str, str]]:
    """The description of a pipeline: how it tags and its parser, and the parser of graphs if it has one."""
    tags = "by the network of the parser" if pipeline.predicts_tags else "by a linear tagger"
    parts = {"": {"takes": "text", "tags": tags, **describe_model(pipeline.parser)}}
    if pipeline.graph is not None:
        parts["its parser of graphs"] = describe_model(pipeline.graph)
    return parts


def describe_model(parser: Parser) -> dict[str, str]:
    """The description of a model by name; an empty string if a part does not apply."""
    from crossarc.cli.stats import percent

    data, covered, start = (parser.manifest_[name] for name in ("data", "coverage", "init"))
    best = parser.manifest_["development"]
    features = parser.model.features
    (labelled, unlabelled), what = parser.measures, "graph" if parser.gives_graphs else "tree"
    columns = {name: data["columns"][name] for name in ("lemma", "upos", "xpos", "feats") if name in data["columns"]}
    return {
        "parser": parser.settings.parser,
        "learned from": describe_data(data),
        "started from": f"a model that learned from {describe_data(start)}" if start else "",
        "words with": ", ".join(f"{column.upper()} {100 * share:.0f}%" for column, share in columns.items()),
        "can build": f"{percent(covered['trees'])} of those {what}s, {percent(covered['arcs'])} of their arcs",
        "development": f"{labelled} {best['las']:.2f}, {unlabelled} {best['uas']:.2f} after epoch {best['epoch']}"
        if best
        else "",
        **parser.model.describe(),
        "labels": f"{len(parser.model.labels):,}",
        "roots": f"{'one' if parser.model.single_root else 'one or more'} in each {what}",
        "features": f"{parser.settings.features}, {counted(len(features.templates), 'template')}",
        "settings": ", ".join(f"{setting} {value}" for setting, value in shown_settings(parser.settings).items()),
        "data, SHA-256": data["sha256"],
    }


def shown_settings(settings: Settings) -> dict[str, object]:
    """Return the settings that are not the defaults, and those that people ask for."""
    usual = type(settings).model_fields
    return {
        name: value
        for name, value in settings.model_dump().items()
        if name not in ("parser", "features", "family") and (name in ALWAYS_SHOWN or value != usual[name].default)
    }


def describe_data(data: dict[str, object]) -> str:
    """A treebank in one line."""
    size = f"{counted(int(str(data['sentences'])), 'sentence')}, {counted(int(str(data['words'])), 'word')}"
    return f"{data['source']}: {size}" if data["source"] else size


def parsers(json: Json = False, markdown: Markdown = False) -> None:
    """List the presets that can be trained, with the trees or graphs that each can build.

    \b
    $ crossarc parsers
     name               builds       notes
     ...
     arc-hybrid         projective   learns from its own mistakes
     swap               all
     mst                all          scores all arcs, finds the best tree
    """
    from crossarc.parsers.presets import PRESETS

    if json:
        rows = {name: {"family": each.family, "builds": each.builds, **each.settings} for name, each in PRESETS.items()}
        print_json(rows)
        return
    found: list[Sequence[Cell]] = [[name, each.builds, each.notes] for name, each in PRESETS.items()]
    print_tables([Table("", ["name", "builds", "notes"], found)], markdown=markdown)
