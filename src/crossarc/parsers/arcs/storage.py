"""The common part of the files of all parsers that score arcs."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from crossarc.components.component import Arrays, Manifest
from crossarc.components.description import Count, Described
from crossarc.features.attributes import Attributes
from crossarc.features.edges import EdgeModel, parse_edge_model
from crossarc.parsers.arcs.lengths import Lengths, Pruning, tag_column
from crossarc.parsers.arcs.settings import ArcSettings
from crossarc.parsers.description import GraphDescription, ParserDescription
from crossarc.parsers.model import pack_attributes, unpack_attributes
from crossarc.parsers.presets import stored_basics
from crossarc.parsers.trees import check_places

Kind = TypeVar("Kind", bound=ArcSettings)


class Stored(NamedTuple, Generic[Kind]):
    """The contents of the model file of any parser that scores arcs."""

    settings: Kind
    features: EdgeModel
    attributes: Attributes
    labels: list[str]
    label_places: NDArray[np.uint8]
    single_root: bool
    lengths: Lengths | None


class Storable(Protocol):
    """A parser that scores arcs."""

    @property
    def attributes(self) -> Attributes:
        """The vocabulary."""

    @property
    def label_places(self) -> NDArray[np.uint8]:
        """Where each label can be."""

    @property
    def lengths(self) -> Lengths | None:
        """The greatest lengths of arcs, if the parser goes by them."""

    def shared_manifest(self) -> Manifest:
        """Return what the manifests of all models say."""


class PruningDescription(Described):
    """What lengths left out of the development set."""

    arcs: Count
    pruned: Count
    unpruned: Count


class ArcDescription(ParserDescription):
    """The manifest of a parser of trees that scores arcs."""

    pruning: PruningDescription | None


class ArcGraphDescription(GraphDescription):
    """The manifest of the parser of graphs that scores arcs."""

    pruning: PruningDescription | None


def stored_parts(model: Storable) -> tuple[Manifest, Arrays]:
    """Return the manifest and the arrays that `read_stored` takes."""
    arrays: Arrays = {"label_places": model.label_places, **pack_attributes(model.attributes)}
    left_out = None
    if model.lengths is not None:
        arrays["lengths"] = model.lengths.table
        left_out = asdict(model.lengths.development) if model.lengths.development is not None else None
    return {**model.shared_manifest(), "pruning": left_out}, arrays


def read_stored(manifest: Manifest, arrays: Arrays, kind: type[Kind]) -> Stored[Kind]:
    """Return what `stored_parts` gave; `ValueError` or `LookupError` for other files."""
    settings, labels, single_root = stored_basics(manifest, kind)
    features = parse_edge_model(manifest["features"], settings.features)
    check_places(arrays["label_places"], len(labels))
    attributes = unpack_attributes(arrays, features.attributes)
    lengths = None
    if settings.lengths:
        noted: Any = Pruning(**manifest["pruning"]) if manifest["pruning"] else None
        lengths = Lengths(arrays["lengths"], tag_column(attributes), noted)
        lengths.check(attributes)
    return Stored(settings, features, attributes, labels, arrays["label_places"], single_root, lengths)
