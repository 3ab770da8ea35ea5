"""Models by their files or names; only what the model needs is imported."""

from __future__ import annotations

import os
from importlib.resources import files
from typing import TYPE_CHECKING

from crossarc.components.modelfile import open_model
from crossarc.errors import ModelError, UnknownName
from crossarc.parsers.parser import Parser

if TYPE_CHECKING:
    from crossarc.pipeline.pipeline import Pipeline

EXTENSION = ".crossarc"


def bundled_models() -> dict[str, str]:
    """Return the models that come with crossarc: the path of each by its name."""
    folder = files("crossarc.pipeline") / "models"
    found = sorted(file.name for file in folder.iterdir() if file.name.endswith(EXTENSION))
    return {name.removesuffix(EXTENSION): str(folder / name) for name in found}


def model_path(path: str | os.PathLike[str]) -> str:
    """Return the path of a model file, or of a model that comes with crossarc by its name."""
    name = os.fspath(path)
    if os.path.basename(name) != name or os.path.splitext(name)[1]:
        return name
    models = bundled_models()
    if name in models:  # ./en is the file of that name
        return models[name]
    if not os.path.exists(name):
        raise UnknownName("model", name, models)
    return name


def load(path: str | os.PathLike[str], *, mapped: bool = False) -> Parser | Pipeline:
    """Return the parser or pipeline of a model file, or of a model that comes with crossarc, such as "en".

    The file is read and checked. With `mapped` processes share its memory; it must then never be truncated or written
    to, only replaced by renaming another file, as `save` does.
    """
    name = model_path(path)
    manifest, arrays, origin = open_model(name, mapped=mapped)
    found: Parser | Pipeline
    if manifest.get("kind") == "pipeline":
        from crossarc.pipeline.pipeline import Pipeline

        found = Pipeline.from_parts(manifest, arrays, name)
    elif manifest.get("kind") in ("tokenizer", "tagger"):
        kind = manifest["kind"]
        raise ModelError(f"{name}: this is a {kind}; crossarc.tagging.{kind.title()}.open reads it")
    else:
        found = Parser.from_parts(manifest, arrays, name)
    found.origin_ = origin
    return found
