"""The models and trainers that settings ask for; a parser that is loaded needs the modules of its own kind only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from crossarc.components.component import Arrays
from crossarc.components.training import Trainer
from crossarc.errors import CrossarcError
from crossarc.parsers.families import FAMILIES, placed
from crossarc.parsers.presets import stored_settings
from crossarc.parsers.settings import Settings
from crossarc.treebank.corpus import Corpus
from crossarc.treebank.sentence import Sentence

TRANSFORMED = "crossarc.parsers.composites.transformed"  # which knows this module


def stored_model(manifest: dict[str, Any], arrays: Arrays) -> Any:
    """Return the model of a file; `LookupError` or `ValueError` for a file that holds none."""
    if manifest["kind"] != "parser":
        raise ValueError(f"it is a {manifest['kind']}")
    settings = stored_settings(manifest["settings"])
    model: Any = placed(settings.model_place).stored(manifest, arrays)
    if settings.transform != "none":
        model = placed(f"{TRANSFORMED}:Transformed")(model)
    if FAMILIES[settings.family].method != "networks":  # these are whole once they are made
        parse = model.parse_graphs if settings.gives_graphs else model.parse
        parse(Corpus.of([Sentence.from_columns(forms=["", "word"])]))  # features that do not fit are found out now
        model.reset_notes()
    return model


def trainer_of(corpus: Corpus, settings: Settings, init: Any = None, directed: Any = None) -> Trainer:
    """Return the trainer of a parser of these settings on a corpus.

    `init` is the model to start from, `directed` a directed model that enhances the trees of undirected parsers.
    """
    from crossarc.parsers.graphs import Graphs, graph_transform  # parsing needs neither
    from crossarc.parsers.trees import Trees

    make: Callable[..., Trainer] = placed(settings.trainer_place)
    helper = (directed,) if directed is not None else ()
    if settings.gives_graphs:
        return make(Graphs.of(corpus, graph_transform(settings)), settings, init)
    trees = Trees.of(corpus)
    if settings.transform == "none":
        trees = trees.projective() if settings.is_projective else trees
        return make(trees, settings, init, *helper)
    if directed is not None:
        raise CrossarcError("a directed model and a transform do not go together: leave one of the two out")
    found: Trainer = placed(f"{TRANSFORMED}:TransformedTrainer")(make, trees, settings, init)
    return found
