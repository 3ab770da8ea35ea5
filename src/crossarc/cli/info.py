"""`crossarc info` and `crossarc parsers`: describe a model, and list the presets."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crossarc.cli.arguments import Json, Markdown
from crossarc.cli.console import Cell, Table, counted, print_json, print_tables

if TYPE_CHECKING:
    from crossarc.parsers import Parser, Settings
    from crossarc.parsers.arcs.settings import ArcSettings
    from crossarc.parsers.moves.settings import MoveTreeSettings
    from crossarc.parsers.networks.settings import NetworkTreeSettings
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
    from crossarc.parsers.presets import PRESETS, make_settings

    if json:
        print_json(PRESETS)
        return
    rows: list[Sequence[Cell]] = [[name, *describe_preset(make_settings(name))] for name in PRESETS]
    print_tables([Table("", ["name", "builds", "notes"], rows)], markdown=markdown)


def describe_preset(settings: Settings) -> tuple[str, str]:
    """Return the class of trees, and what sets a preset apart."""
    from crossarc.parsers.moves.settings import MoveTreeSettings
    from crossarc.parsers.networks.settings import NetworkTreeSettings
    from crossarc.parsers.settings import GraphOutput

    if isinstance(settings, GraphOutput):
        return describe_dag(settings)
    describe: Any = describe_graph
    if isinstance(settings, MoveTreeSettings):
        describe = describe_transitions
    elif isinstance(settings, NetworkTreeSettings):
        describe = describe_neural
    trees, special = describe(settings)
    if settings.transform != "none":
        trees, special = "nearly all", [*special, "makes trees projective, and back"]
    return trees, "; ".join(special)


def describe_dag(settings: Settings) -> tuple[str, str]:
    """Describe a parser that gives graphs."""
    if settings.family == "neural-graph":
        return "all graphs", "a network; several heads; the best tree, then arcs beside it; most accurate"
    if settings.family == "dag-mst":
        return "all graphs", "several heads; the best tree, then each arc that raises the score"
    if not settings.is_projective:
        return "all graphs", "several heads; crossing arcs without a transform; accurate"
    return "nearly all graphs", "several heads; makes graphs projective, and back"


def describe_neural(settings: NetworkTreeSettings) -> tuple[str, list[str]]:
    """Describe a parser of trees with a network."""
    special = ["a network scores all arcs", *(f"beside {' and '.join(settings.guides)}" for _ in settings.guides[:1])]
    if not settings.is_projective:
        special.append("most accurate" if settings.guides else "accurate")
    return "projective" if settings.is_projective else "all", special


def describe_graph(settings: ArcSettings) -> tuple[str, list[str]]:
    """Describe a graph parser."""
    from crossarc.parsers.arcs.settings import RoundSettings, SecondOrderSettings, UndirectedArcSettings

    special = ["scores all arcs, finds the best tree"]
    if isinstance(settings, UndirectedArcSettings):
        features = "undirected" if settings.combine == "none" else "undirected, with directed features"
        special = [features, "directions by walking from the root", *["then enhanced"] * (settings.enhance > 0)]
        if settings.stack:
            special = ["sees the trees of a directed and an undirected model"]
    elif isinstance(settings, RoundSettings):
        special = ["in rounds by part of speech; sees the dependents found in earlier rounds"]
    elif isinstance(settings, SecondOrderSettings):
        special = ["scores pairs of arcs; accurate", *["then moves words"] * (settings.reattach is not None)]
    return "projective" if settings.is_projective else "all", special


def describe_transitions(settings: MoveTreeSettings) -> tuple[str, list[str]]:
    """Describe a transition parser."""
    from crossarc.parsers.moves.model import system_of

    system = system_of(settings, True)
    trees = "2-planar" if system.covers == "two-planar" else system.covers
    special = []
    if settings.explore > 0:
        special.append("learns from its own mistakes")
    if not system.directed and settings.reconstruction == "naive":
        trees = "projective" if trees == "planar" else trees  # those that are planar with their root arcs
        special.append("undirected; directions by walking from the root")
    elif not system.directed:
        scored = settings.reconstruction == "score"
        by = "the scores of its labels" if scored else "its labels"
        special.append(f"undirected; directions by {by}")
    return trees, special
