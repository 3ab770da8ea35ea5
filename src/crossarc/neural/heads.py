"""Heads: layers that score arcs, labels, arcs beside a tree, and tags by the vectors of words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossarc.neural.kernels import (
    DISTANCES,
    Panels,
    choice_loss,
    multiply,
    score_arcs,
    score_arcs_back,
    spread_rows,
    square_places,
    sum_rows,
    transposed,
)
from crossarc.neural.layers import (
    Array,
    Embeddings,
    Ints,
    Layer,
    Linear,
    Parameter,
    Rng,
    Starts,
    checked_sum,
    leaky,
    leaky_back,
)


@dataclass
class ArcScores:
    """The scores of all arcs of each sentence, and what their gradient needs.

    The scores of a sentence of n words are (n + 1) ** 2 numbers, [dependent, head]; those of sentence i begin at
    `places[i]`.
    """

    starts: Starts
    places: Starts
    scores: Array
    projected: Array
    dependents: Array
    heads: Array
    moved: Array
    cells: NDArray[np.int64] | None = None  # of each arc, if there are kinds: dependent * kinds + kind

    def square(self, sentence: int) -> Array:
        """Return the scores of one sentence."""
        size = int(self.starts[sentence + 1] - self.starts[sentence])
        return self.scores[self.places[sentence] : self.places[sentence + 1]].reshape(size, size)


class ArcHead(Layer):
    """Biaffine scores of arcs (Dozat and Manning 2017), with a part for the direction and the distance of an arc.

    With `kinds` there is a part for the kind of an arc too; `forward` is then told the kind of each.
    """

    def __init__(self, inputs: int, size: int, rng: Rng, dtype: Any = np.float32, kinds: int = 0) -> None:
        self.size = size
        self.project = Linear(inputs, 2 * size, rng, dtype)
        self.weight = Parameter(np.zeros((size, size), dtype=dtype))
        self.as_head = Parameter(np.zeros((size, 1), dtype=dtype))
        self.near = Parameter(np.zeros((size, DISTANCES), dtype=dtype))
        self.kinds = Parameter(np.zeros((size, kinds), dtype=dtype)) if kinds else None

    def forward(self, vectors: Array, starts: Starts, cells: NDArray[np.int64] | None = None) -> ArcScores:
        """Return the scores of all arcs."""
        y = leaky(self.project.forward(vectors))
        dependents, heads = (np.ascontiguousarray(half) for half in (y[:, : self.size], y[:, self.size :]))
        moved = multiply(dependents, self.weight.panels())
        as_head = multiply(heads, self.as_head.panels())[:, 0]
        near = multiply(dependents, self.near.panels())
        places = square_places(starts)
        scores = np.empty(int(places[-1]), dtype=vectors.dtype)
        score_arcs(moved, heads, np.ascontiguousarray(as_head), near, starts, places, scores)
        if self.kinds is not None and cells is not None:
            scores += multiply(dependents, self.kinds.panels()).reshape(-1)[cells]
        return ArcScores(starts, places, scores, y, dependents, heads, moved, cells)

    def reach(self, x: float, name: str) -> float:
        """Return a bound of the scores."""
        y = self.project.reach(x, f"{name}.project")
        moved = checked_sum(self.size * self.weight.peak() * y, f"{name}.weight")
        scores = self.size * y * (moved + self.as_head.peak() + self.near.peak())
        scores += self.size * y * self.kinds.peak() if self.kinds is not None else 0
        return checked_sum(scores, f"{name}.weight")

    def backward(self, vectors: Array, done: ArcScores) -> Array:
        """Return the gradient of the vectors; the scores are their own gradient now."""
        dmoved, dheads, dnear = np.empty_like(done.moved), np.empty_like(done.heads), self.rows_of(done, DISTANCES)
        das_head = np.empty(len(vectors), dtype=vectors.dtype)
        what = (done.scores, done.moved, done.heads, done.starts, done.places)
        score_arcs_back(*what, dmoved, dheads, das_head, dnear)
        turned = transposed(done.dependents)
        multiply(turned, Panels(dmoved), self.weight.gradient, add=True)
        multiply(turned, Panels(dnear), self.near.gradient, add=True)
        multiply(transposed(done.heads), Panels(das_head[:, None]), self.as_head.gradient, add=True)
        dy = self.rows_of(done, 2 * self.size)
        multiply(dmoved, self.weight.panels(sideways=True), dy[:, : self.size])
        multiply(dnear, self.near.panels(sideways=True), dy[:, : self.size], add=True)
        if self.kinds is not None and done.cells is not None:
            count = len(vectors) * self.kinds.value.shape[1]
            dkinds = np.bincount(done.cells, done.scores, count).astype(vectors.dtype).reshape(len(vectors), -1)
            multiply(turned, Panels(dkinds), self.kinds.gradient, add=True)
            multiply(dkinds, self.kinds.panels(sideways=True), dy[:, : self.size], add=True)
        dy[:, self.size :] = dheads
        dy[:, self.size :] += das_head[:, None] * self.as_head.value[:, 0]
        return self.project.backward(vectors, leaky_back(done.projected, dy))

    def rows_of(self, done: ArcScores, width: int) -> Array:
        """Return an empty array with a row for each node."""
        return np.empty((len(done.moved), width), dtype=done.moved.dtype)


@dataclass
class LabelScores:
    """The scores of all labels for some arcs, and what their gradient needs."""

    scores: Array
    dependents: Ints
    heads: Ints
    hidden: Array


class LabelHead(Layer):
    """Scores of labels by a layer over both ends of an arc."""

    def __init__(self, inputs: int, size: int, labels: int, rng: Rng, dtype: Any = np.float32) -> None:
        self.size = size
        self.project = Linear(inputs, 2 * size, rng, dtype)
        self.output = Linear(size, labels, rng, dtype)

    def ends(self, vectors: Array) -> tuple[Array, Array]:
        """Return the vectors of each node as a dependent and as a head."""
        y = self.project.forward(vectors)
        return y[:, : self.size], y[:, self.size :]

    def forward(self, vectors: Array, dependents: Ints, heads: Ints) -> LabelScores:
        """Return the scores of labels for arcs between nodes of the batch."""
        below, above = self.ends(vectors)
        hidden = leaky(below[dependents] + above[heads])
        return LabelScores(self.output.forward(hidden), dependents, heads, hidden)

    def reach(self, x: float, name: str) -> float:
        """Return a bound of the scores."""
        return self.output.reach(2 * self.project.reach(x, f"{name}.project"), f"{name}.output")

    def backward(self, vectors: Array, done: LabelScores) -> Array:
        """Return the gradient of the vectors; the scores are their own gradient now."""
        dhidden = leaky_back(done.hidden, self.output.backward(done.hidden, done.scores))
        ends = []
        for nodes in (done.dependents, done.heads):
            ends.append(np.zeros((len(vectors), self.size), dtype=vectors.dtype))
            spread_rows(ends[-1], nodes[:, None], dhidden, np.zeros(len(vectors), dtype=np.uint8))
        return self.project.backward(vectors, np.concatenate(ends, axis=1))


@dataclass
class BesideScores:
    """The scores of no arc and of each set of labels for some arcs, and what their gradient needs."""

    scores: Array
    nodes: Array
    rows: Ints
    numbers: Ints
    before: Array
    hidden: Array


class BesideHead(Layer):
    """Scores of labels, and of no arc, by a layer over words around an arc, what is known of it, and an earlier score.

    The words have roles: each of `roles` has weights of its own. A word is seen by its vector and by `labels` numbers
    more. `embeddings` is the number of rows of the table for what else is known of an arc.
    """

    def __init__(
        self, inputs: int, size: int, roles: int, embeddings: int, labels: int, rng: Rng, dtype: Any = np.float32
    ) -> None:
        self.size, self.roles = size, roles
        self.project = Linear(inputs + labels, roles * size, rng, dtype)
        self.known = Embeddings(embeddings, size, rng, 0.1, dtype)
        self.output = Linear(size, labels + 1, rng, dtype)
        self.trust = Parameter(np.ones((1, labels), dtype=dtype))  # in the earlier score, for each label

    def forward(self, vectors: Array, more: Array, nodes: Ints, numbers: Ints, before: Array) -> BesideScores:
        """Return the scores; column 0 means no arc. `nodes` has the rows of the words of each arc, one per role."""
        x = np.concatenate([vectors, more.astype(vectors.dtype)], axis=1)
        y = self.project.forward(x).reshape(-1, self.size)
        rows = (self.roles * nodes + np.arange(self.roles)).astype(np.int32)
        hidden, known = (np.empty((len(nodes), self.size), dtype=vectors.dtype) for _ in range(2))
        sum_rows(y, rows, hidden)
        self.known.forward(numbers, known)
        hidden = leaky(hidden + known)
        before = before.astype(vectors.dtype)[:, None]
        scores = self.output.forward(hidden)
        scores[:, 1:] += before * self.trust.value
        return BesideScores(scores, x, rows, numbers, before, hidden)

    def reach(self, x: float, name: str) -> float:
        """Return a bound of the scores; `x` is also one of the earlier scores."""
        hidden = self.roles * self.project.reach(x, f"{name}.project")
        hidden += self.known.reach(self.roles, f"{name}.known")
        return checked_sum(self.output.reach(hidden, f"{name}.output") + x * self.trust.peak(), f"{name}.trust")

    def backward(self, vectors: Array, done: BesideScores) -> Array:
        """Return the gradient of the vectors; the scores are their own gradient now. Earlier scores have none."""
        self.trust.gradient += (done.scores[:, 1:] * done.before).sum(axis=0)
        dhidden = leaky_back(done.hidden, self.output.backward(done.hidden, done.scores))
        self.known.backward(done.numbers, dhidden)
        dy = np.zeros((len(vectors) * self.roles, self.size), dtype=vectors.dtype)
        spread_rows(dy, done.rows, dhidden, np.zeros(len(dy), dtype=np.uint8))
        return self.project.backward(done.nodes, dy.reshape(len(vectors), -1))[:, : vectors.shape[1]]


class TagHead(Layer):
    """Scores of tags of several columns, each by a layer over the last numbers of a vector."""

    def __init__(self, size: int, tags: list[int], rng: Rng, dtype: Any = np.float32) -> None:
        self.size = size
        self.outputs = [Linear(size, count, rng, dtype) for count in tags]

    def forward(self, vectors: Array) -> list[Array]:
        """Return the scores of all tags of each column."""
        seen = self.seen(vectors)
        return [output.forward(seen) for output in self.outputs]

    def reach(self, x: float, name: str) -> float:
        """Return a bound of the scores."""
        found = (output.reach(x, f"{name}.outputs.{place}") for place, output in enumerate(self.outputs))
        return max(found, default=x)

    def loss(self, scores: list[Array], gold: list[Ints], weight: float) -> int:
        """Turn scores into the gradient of their loss, 0 where gold is -1; return how many tags are wrong."""
        wrong = 0
        for own, right in zip(scores, gold, strict=True):
            known = np.flatnonzero(right >= 0)
            chosen = np.ascontiguousarray(own[known])
            wrong += choice_loss(chosen, right[known], weight)[1]
            own[:] = 0
            own[known] = chosen
        return wrong

    def backward(self, vectors: Array, scores: list[Array], gradient: Array) -> None:
        """Add to the gradient of the vectors; the scores are their own gradient now."""
        seen = self.seen(vectors)
        for output, own in zip(self.outputs, scores, strict=True):
            gradient[:, -self.size :] += output.backward(seen, own)

    def seen(self, vectors: Array) -> Array:
        """Return the numbers from which tags are scored."""
        return np.ascontiguousarray(vectors[:, -self.size :])
