"""The encoder: vectors of all words of sentences, from their attributes and from the words around them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossarc.neural.kernels import distinct_rows
from crossarc.neural.layers import (
    Array,
    BiLstm,
    Embeddings,
    Ints,
    Layer,
    Linear,
    Rng,
    Starts,
    Vectors,
    leaky,
    leaky_back,
)


class Batch:
    """Sentences side by side, as recurrent layers take them.

    The nodes of the batch are in the order of their sentences, from `starts[i]` to `starts[i + 1]`. Recurrent layers
    take them step by step, the longest sentence first: `rows[r]` is the node in their row r, `places[v]` is the row of
    node v, `sentences[r]` the sentence of row r, and `steps` is where the rows of each step begin.
    """

    def __init__(self, starts: Starts) -> None:
        sizes = np.diff(starts)
        order = np.argsort(-sizes, kind="stable")
        self.starts = starts
        longest = int(sizes[order[0]]) if len(sizes) else 0
        running = np.searchsorted(-sizes[order], -np.arange(longest), side="left")  # sentences at each step
        self.steps: Starts = np.concatenate([[0], np.cumsum(running)]).astype(np.int64)
        step = np.repeat(np.arange(longest), running)
        self.sentences: NDArray[np.int64] = order[np.arange(len(step)) - self.steps[step]]
        self.rows: NDArray[np.int64] = starts[self.sentences] + step
        self.places = np.empty(len(step), dtype=np.int64)
        self.places[self.rows] = np.arange(len(step))


@dataclass(frozen=True)
class Dropout:
    """Dropout: the shares of parts of inputs and of outputs that training leaves out."""

    parts: float = 0.2  # whole sums of embeddings of a word
    outputs: float = 0.3  # numbers of the outputs of a layer, the same in all words of a sentence


@dataclass(frozen=True)
class Prepared:
    """The output of the first layer for each node, which no other node changes; node i has row same[i] of the sums."""

    same: Ints
    sums: list[Array]  # of each direction
    embedded: Array  # the sums of embeddings of the distinct nodes


@dataclass
class Encoding:
    """Everything that the gradient of the encoder needs from the forward pass of a batch."""

    batch: Batch
    numbers: list[Ints]
    kept: list[Array]  # of each sum of embeddings, how much of it is left for each row
    inputs: list[Array]  # of each layer
    outputs: list[Array]
    saved: list[list[tuple[Array, Array]]]
    masks: list[Array | None]
    between: Array | None = None  # what the layer between gave, before some of it was left out
    between_mask: Array | None = None


class Encoder(Layer):
    """Sums of embeddings, joined, and layers of long short-term memory over them.

    `tables` has the number of rows and the size of each sum. `size` is that of one direction. Pretrained `vectors` of
    words are joined to the first sum; the last numbers of each word are then those of its vector. With `between` there
    is a layer of that size over the first one and the embeddings. The layers behind it see it too, and it is the last
    part of each vector: what is read off there, such as tags, helps what is read off later.
    """

    def __init__(
        self,
        tables: list[tuple[int, int]],
        size: int,
        layers: int,
        rng: Rng,
        dtype: Any = np.float32,
        vectors: Array | None = None,
        between: int = 0,
    ) -> None:
        self.embeddings = [Embeddings(rows, width, rng, 0.1, dtype) for rows, width in tables]
        self.ends = np.cumsum([0, *(width for _, width in tables)]).tolist()
        sizes = [self.ends[-1], *([2 * size + between] * (layers - 1))]
        self.layers = [BiLstm(inputs, size, rng, dtype) for inputs in sizes]
        self.between = Linear(2 * size + self.ends[-1], between, rng, dtype) if between else None
        self.vectors = Vectors(vectors, tables[0][1], rng) if vectors is not None else None
        self.hidden = 2 * size
        self.outputs = 2 * size + between
        self.dtype = np.dtype(dtype)

    def embed(self, numbers: list[Ints]) -> Array:
        """Return the sums of embeddings of words, joined."""
        x = np.empty((len(numbers[0]), self.ends[-1]), dtype=self.dtype)
        for place, embeddings in enumerate(self.embeddings):
            embeddings.forward(numbers[place], self.part(x, place))
        if self.vectors is not None:
            self.vectors.forward(numbers[-1], self.part(x, 0))
        return x

    def reach(self, x: float, name: str) -> float:
        """Return a bound of the vectors; the rows that are summed in a part are at most `x`."""
        embedded = max(each.reach(x, f"{name}.embeddings.{place}") for place, each in enumerate(self.embeddings))
        embedded += self.vectors.reach(1, f"{name}.vectors") if self.vectors is not None else 0
        seen = self.layers[0].reach(embedded, f"{name}.layers.0")
        if self.between is not None:
            seen = max(seen, self.between.reach(max(seen, embedded), f"{name}.between"))
        for place, layer in enumerate(self.layers[1:], 1):
            layer.reach(seen, f"{name}.layers.{place}")
        return seen

    def part(self, x: Array, place: int) -> Array:
        """Return the columns of one sum."""
        return x[:, self.ends[place] : self.ends[place + 1]]

    def prepare(self, numbers: list[Ints]) -> Prepared:
        """Return the output of the first layer for nodes by their rows of each table; equal nodes are computed once."""
        firsts, same = distinct_rows(np.concatenate(numbers, axis=1))
        embedded = self.embed([np.ascontiguousarray(each[firsts]) for each in numbers])
        return Prepared(same, self.layers[0].sums(embedded), embedded)

    def forward(self, prepared: Prepared, nodes: NDArray[np.int64], batch: Batch) -> Array:
        """Return the vectors of the nodes of a batch; `nodes` are their places among those prepared."""
        rows = prepared.same[nodes[batch.rows]]
        x, _ = self.layers[0].run([sums[rows] for sums in prepared.sums], batch.steps)
        seen = []
        if self.between is not None:
            seen = [leaky(self.between.forward(np.concatenate([x, prepared.embedded[rows]], axis=1)))]
        for layer in self.layers[1:]:
            x, _ = layer.forward(joined(x, *seen), batch.steps)
        return np.asarray(joined(x, *seen)[batch.places])

    def learn_forward(
        self, numbers: list[Ints], batch: Batch, dropout: Dropout, rng: np.random.Generator
    ) -> tuple[Array, Encoding]:
        """Return the vectors with some of the input left out, and what the gradient needs."""
        numbers = [np.ascontiguousarray(each[batch.rows]) for each in numbers]
        x = self.embed(numbers)
        kept = self.kept_parts(len(x), dropout.parts, rng)
        for place, each in enumerate(kept):
            self.part(x, place)[:] *= each
        done = Encoding(batch, numbers, kept, [], [], [], [])
        seen: list[Array] = []
        for layer in self.layers:
            y, saved = layer.forward(x, batch.steps)
            mask = self.mask(len(batch.starts) - 1, self.hidden, dropout.outputs, rng)
            done.inputs.append(x)
            done.outputs.append(y)
            done.saved.append(saved)
            done.masks.append(mask)
            x = masked(y, mask, batch)
            if self.between is not None and not seen:
                done.between = leaky(self.between.forward(joined(x, done.inputs[0])))
                done.between_mask = self.mask(len(batch.starts) - 1, done.between.shape[1], dropout.outputs, rng)
                seen = [masked(done.between, done.between_mask, batch)]
            x = joined(x, *seen)
        return np.asarray(x[batch.places]), done

    def kept_parts(self, rows: int, share: float, rng: np.random.Generator) -> list[Array]:
        """Return for each sum how much of it is left: all, nothing, or more to make up for others that are left out."""
        count = len(self.embeddings)
        if count == 1 or not share:
            return []
        there = rng.random((rows, count)) >= share
        scale = count / np.maximum(1, there.sum(axis=1))
        return [(there[:, place] * scale).astype(self.dtype)[:, None] for place in range(count)]

    def mask(self, sentences: int, width: int, share: float, rng: np.random.Generator) -> Array | None:
        """Return the factors of the outputs in each sentence: 0 for those left out."""
        if not share:
            return None
        return ((rng.random((sentences, width)) >= share) / (1 - share)).astype(self.dtype)

    def backward(self, gradient: Array, done: Encoding) -> None:
        """Add to the gradients of all parameters, given that of the vectors."""
        batch = done.batch
        dx = np.ascontiguousarray(gradient[batch.rows])
        embedded = None  # the gradient of the embeddings through the layer between
        dseen = dx[:, self.hidden :].copy()
        for place in reversed(range(len(self.layers))):
            dy = np.ascontiguousarray(dx[:, : self.hidden])
            if place < len(self.layers) - 1:
                dseen += dx[:, self.hidden :]
            if self.between is not None and place == 0:
                assert done.between is not None
                x = joined(masked(done.outputs[0], done.masks[0], batch), done.inputs[0])
                inside = leaky_back(done.between, masked(dseen, done.between_mask, batch))
                both = self.between.backward(x, inside)
                dy += both[:, : self.hidden]
                embedded = both[:, self.hidden :]
            dy = masked(dy, done.masks[place], batch)
            x, y, saved = done.inputs[place], done.outputs[place], done.saved[place]
            dx = self.layers[place].backward(x, batch.steps, y, saved, dy)
        if embedded is not None:
            dx += embedded
        for place, embeddings in enumerate(self.embeddings):
            part = self.part(dx, place)
            if done.kept:
                part *= done.kept[place]
            embeddings.backward(done.numbers[place], part)
        if self.vectors is not None:
            self.vectors.backward(done.numbers[-1], self.part(dx, 0))


def joined(*parts: Array) -> Array:
    """Return the parts side by side."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)


def masked(rows: Array, mask: Array | None, batch: Batch) -> Array:
    """Return the rows of recurrent layers with what is left out of each sentence."""
    return rows if mask is None else np.asarray(rows * mask[batch.sentences])
