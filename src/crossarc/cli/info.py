"""`crossarc info` and `crossarc parsers`: what a model is, and what can be trained."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from crossarc.cli.arguments import Json, Markdown
from crossarc.cli.console import Cell, Table, print_json, print_tables


def info(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model that crossarc train made.")],
    json: Json = False,
) -> None:
    """Print what a model file says of itself: settings, training data, scores on the development set.

    \b
    $ crossarc info danish.crossarc
     parser                       arc-hybrid
     ...
    """
    from crossarc.parsers import read_model

    manifest, arrays = read_model(model)
    if json:
        print_json(manifest)
        return
    settings = manifest.pop("settings")
    rows = {**settings, **(manifest["data"] or {}), "labels": len(manifest["labels"])}
    rows |= {f"development {name}": value for name, value in (manifest["development"] or {}).items()}
    rows |= {f"storage {name}": value for name, value in (manifest.get("storage") or {}).items()}
    rows["arrays"] = f"{len(arrays)}, {sum(array.nbytes for array in arrays.values()) / 1e6:.1f} MB"
    print_tables([Table("", ["", model], [[name, str(value)] for name, value in rows.items()])])


def parsers(json: Json = False, markdown: Markdown = False) -> None:
    """List the parsers that can be trained.

    \b
    $ crossarc parsers
     name         system       features
     arc-hybrid   arc-hybrid   stack
     ...
    """
    from crossarc.parsers.settings import PRESETS

    if json:
        print_json(PRESETS)
        return
    rows: list[Sequence[Cell]] = [[name, preset["system"], preset["features"]] for name, preset in PRESETS.items()]
    print_tables([Table("", ["name", "system", "features"], rows)], markdown=markdown)
