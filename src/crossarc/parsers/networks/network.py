"""The network of a parser: an encoder, heads for arcs, labels and more; and how a file keeps it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossarc.components.component import Arrays
from crossarc.core.strings import StringTable
from crossarc.features.inputs import InputAttributes, InputModel
from crossarc.neural.encoder import Encoder
from crossarc.neural.heads import ArcHead, BesideHead, LabelHead
from crossarc.neural.layers import Array, Ints, Layer
from crossarc.parsers.model import pack_attributes, unpack_attributes
from crossarc.parsers.networks.heads import NO_HEADS, Heads
from crossarc.parsers.networks.settings import NetworkSettings

LEVELS = 127  # of an int8, each way
BETWEEN = 128  # numbers that all heads of words are read off


class Network(Layer):
    """An encoder of sentences and what is read off its vectors.

    Heads of words read the last numbers of the vectors, which come from a layer between the first two. `beside` has
    the sizes of the head for arcs beside a tree: those of `BesideHead` before its labels; `kinds` is the number of
    kinds of arcs that are told apart. The weights are random, or with `stored` to be filled by those of a file.
    """

    def __init__(
        self,
        settings: NetworkSettings,
        inputs: InputModel,
        attributes: InputAttributes,
        labels: int,
        vectors: Array | None = None,
        *,
        heads: Heads = NO_HEADS,
        beside: tuple[int, int, int] | None = None,
        kinds: int = 0,
        stored: bool = False,
    ) -> None:
        rng = np.random.default_rng([settings.seed]) if not stored else None
        sizes = {"lexical": settings.lexical_size, "tags": settings.tag_size}
        self.columns: list[slice] = []  # of the attributes of each part
        self.offsets: list[Ints] = []  # the first row of each attribute in the table of its part
        tables, at = [], 0
        for part, names in inputs.parts.items():
            rows = [len(attributes.tables[name]) for name in names]
            self.columns.append(slice(at, at + len(names)))
            self.offsets.append(np.cumsum([0, *rows[:-1]], dtype=np.int32))
            tables.append((sum(rows), sizes[part]))
            at += len(names)
        if vectors is not None:
            self.columns.append(slice(at, at + 1))
            self.offsets.append(np.zeros(1, dtype=np.int32))
        between = BETWEEN if any(head.sizes for head in heads.values()) else 0
        self.encoder = Encoder(tables, settings.hidden, settings.layers, rng, vectors=vectors, between=between)
        self.arcs = ArcHead(self.encoder.outputs, settings.arc_size, rng, kinds=kinds)
        self.labels = LabelHead(self.encoder.outputs, settings.label_size, labels, rng)
        self.beside = BesideHead(self.encoder.outputs, *beside, labels, rng) if beside is not None else None
        self.heads = {key: head.layer(BETWEEN, rng) for key, head in heads.items()}

    def numbers(self, tokens: Ints) -> list[Ints]:
        """Return the rows of each table for nodes with these attributes."""
        parts = zip(self.columns, self.offsets, strict=True)
        return [np.ascontiguousarray(tokens[:, columns] + offsets) for columns, offsets in parts]

    def stored(self) -> Arrays:
        """Return the weights as a file keeps them: tables in bytes with a scale a row, others in half precision."""
        arrays: Arrays = {}
        for name, parameter in self.parameters():
            if not parameter.table:
                arrays[name] = parameter.value.astype(np.float16)
                continue
            scales = np.abs(parameter.value).max(axis=1, keepdims=True, initial=0) / LEVELS
            arrays[f"{name}.scales"] = scales.astype(np.float32)
            levels = np.divide(parameter.value, scales, out=np.zeros_like(parameter.value), where=scales > 0)
            arrays[name] = np.rint(levels).astype(np.int8)
        return arrays

    def fill(self, arrays: Arrays) -> None:
        """Take the weights of a file; `KeyError` or `ValueError` if they belong to another network, or can overflow."""
        for name, parameter in self.parameters():
            value: NDArray[Any] = arrays[name]
            if value.shape != parameter.value.shape:
                raise ValueError(f"{name} has the shape {value.shape}, not {parameter.value.shape}")
            if parameter.table:
                scales = arrays[f"{name}.scales"]
                if value.dtype != np.int8 or scales.shape != (len(value), 1) or scales.dtype != np.float32:
                    raise ValueError(f"{name} is not stored as a table")
                parameter.value = value.astype(np.float32)
                parameter.value *= scales
            else:
                if value.dtype != np.float16:
                    raise ValueError(f"{name} is not stored in half precision")
                parameter.value = value.astype(np.float32)
            parameter.packed.clear()
        self.check_reach()

    def check_reach(self) -> None:
        """Refuse weights with which scores may not be finite."""
        rows = max(columns.stop - columns.start for columns in self.columns)
        vectors = self.encoder.reach(rows, "encoder")
        arcs = self.arcs.reach(vectors, "arcs")
        self.labels.reach(vectors, "labels")
        if self.beside is not None:
            self.beside.reach(max(vectors, arcs), "beside")
        for key, head in self.heads.items():
            head.reach(vectors, key)


def stored_network(
    settings: NetworkSettings, inputs: InputModel, attributes: InputAttributes, labels: int, weights: Arrays, **how: Any
) -> Network:
    """Return the network of a file; `KeyError` or `ValueError` if its weights belong to another one."""
    vectors = None
    if attributes.vector_words is not None:
        stored = weights["encoder.vectors.table"]
        if stored.ndim != 2 or len(stored) != len(attributes.vector_words):
            raise ValueError("each word among the pretrained vectors has one")
        vectors = np.zeros(stored.shape, dtype=np.float32)
    network = Network(settings, inputs, attributes, labels, vectors, **how, stored=True)
    network.fill(weights)
    return network


def pack_inputs(attributes: InputAttributes) -> Arrays:
    """Return the vocabulary as a model file keeps it."""
    arrays = pack_attributes(attributes)
    if attributes.vector_words is not None:
        arrays["strings.vectors"], arrays["offsets.vectors"] = attributes.vector_words.pack()
    return arrays


def unpack_inputs(arrays: Arrays, names: tuple[str, ...]) -> InputAttributes:
    """Return the vocabulary that `pack_inputs` gave."""
    words = None
    if "strings.vectors" in arrays:
        words = StringTable.unpack(arrays["strings.vectors"], arrays["offsets.vectors"])
    return InputAttributes(unpack_attributes(arrays, names).tables, words)
