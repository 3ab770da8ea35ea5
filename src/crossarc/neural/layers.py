"""The layers of networks: the output of each, and its gradient.

A layer keeps only its parameters. `backward` takes what went into the layer and the gradient of what came out, adds to
the gradients of the parameters and returns the gradient of the input. All products are those of
`crossarc.neural.kernels`, so results do not depend on the library that NumPy uses, nor on its threads.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossarc.errors import CrossarcError
from crossarc.neural.kernels import (
    Panels,
    adam,
    multiply,
    recur,
    recur_back,
    rows_before,
    spread_rows,
    square_sum,
    sum_rows,
    transposed,
)

Array = NDArray[Any]  # of float32, or float64 to test gradients
Ints = NDArray[np.int32]
Starts = NDArray[np.int64]
Rng = np.random.Generator | None  # None for weights that are filled later
LEAK = 0.1  # what is left of a negative input
MOST = 1e37  # of a sum; float32 has room for a little more


class Parameter:
    """Weights with their gradient and the moving averages of Adam, which exist once training asks for them.

    A table has rows of which few are used at a time: only these are moved. A fixed one stays as it is.
    """

    def __init__(self, value: Array, *, table: bool = False, fixed: bool = False) -> None:
        self.value = value
        self.table = table
        self.fixed = fixed
        self.packed: dict[bool, Panels] = {}

    def learnable(self) -> None:
        """Make room for what training needs."""
        self.gradient, self.mean, self.square = (np.zeros_like(self.value) for _ in range(3))
        self.touched = np.zeros(len(self.value) if self.table else 0, dtype=np.uint8)

    def panels(self, *, sideways: bool = False) -> Panels:
        """Return the weights as a right factor, or their transpose."""
        if sideways not in self.packed:
            self.packed[sideways] = Panels(self.value, transposed=sideways)
        return self.packed[sideways]

    def peak(self) -> float:
        """Return the greatest weight, whatever its sign."""
        return max(float(self.value.max(initial=0)), -float(self.value.min(initial=0)))

    def square_sum(self) -> float:
        """Return the sum of the squares of the gradient."""
        return square_sum(self.gradient, self.touched if self.table else None)


def checked_sum(bound: float, name: str) -> float:
    """Return a bound of sums; an error, with the name of the weights, if the sums may not be finite."""
    if not bound <= MOST:
        raise CrossarcError(f"{name} has weights so great that sums can overflow; train again with a lower rate")
    return bound


class Layer:
    """Something with parameters, by name, and layers inside it."""

    def reach(self, x: float, name: str) -> float:
        """Return a bound of the output for inputs up to `x`; an error if sums may not be finite.

        `name` is that of the layer in messages. Layers that say nothing of it are not checked.
        """
        return x

    def parameters(self, prefix: str = "") -> Iterator[tuple[str, Parameter]]:
        """Yield the parameters of the layer and of those inside it, with their names."""
        for name, value in vars(self).items():
            if isinstance(value, Parameter):
                yield prefix + name, value
            elif isinstance(value, Layer):
                yield from value.parameters(f"{prefix}{name}.")
            elif isinstance(value, list):
                for place, each in enumerate(value):
                    if isinstance(each, Layer):
                        yield from each.parameters(f"{prefix}{name}.{place}.")
            elif isinstance(value, dict):
                for key, each in value.items():
                    if isinstance(each, Layer):
                        yield from each.parameters(f"{prefix}{key}.")


class Linear(Layer):
    """x * weight + bias."""

    def __init__(self, inputs: int, outputs: int, rng: Rng, dtype: Any = np.float32) -> None:
        shape, bound = (inputs, outputs), np.sqrt(6 / (inputs + outputs))
        weight = rng.uniform(-bound, bound, shape) if rng is not None else np.zeros(shape, dtype)
        self.weight = Parameter(weight.astype(dtype, copy=False))
        self.bias = Parameter(np.zeros(outputs, dtype=dtype))

    def forward(self, x: Array) -> Array:
        """Return the output."""
        y = multiply(x, self.weight.panels())
        y += self.bias.value
        return y

    def reach(self, x: float, name: str) -> float:
        """Return a bound of the output."""
        return checked_sum(len(self.weight.value) * self.weight.peak() * x + self.bias.peak(), f"{name}.weight")

    def backward(self, x: Array, dy: Array) -> Array:
        """Return the gradient of the input."""
        self.backward_weights(transposed(x), dy)
        return multiply(dy, self.weight.panels(sideways=True))

    def backward_weights(self, turned: Array, dy: Array) -> None:
        """Add to the gradients of the parameters; `turned` is the transpose of the input."""
        multiply(turned, Panels(dy), self.weight.gradient, add=True)
        self.bias.gradient += dy.sum(axis=0)


class Embeddings(Layer):
    """Sums of rows of one table: each input is a row of numbers, -1 for none."""

    def __init__(self, rows: int, size: int, rng: Rng, scale: float, dtype: Any = np.float32) -> None:
        shape = (rows, size)
        table = scale * rng.standard_normal(shape) if rng is not None else np.zeros(shape, dtype)
        self.table = Parameter(table.astype(dtype, copy=False), table=True)

    def forward(self, numbers: Ints, out: Array) -> None:
        """Write the sums into `out`."""
        sum_rows(self.table.value, numbers, out)

    def reach(self, x: float, name: str) -> float:
        """Return a bound of sums of so many rows."""
        return checked_sum(x * self.table.peak(), f"{name}.table")

    def backward(self, numbers: Ints, dy: Array) -> None:
        """Add to the gradient of the table."""
        spread_rows(self.table.gradient, numbers, dy, self.table.touched)


class Vectors(Layer):
    """Pretrained vectors of words, which stay as they are, and a layer from them to embeddings."""

    def __init__(self, table: Array, outputs: int, rng: Rng) -> None:
        self.table = Parameter(table, table=True, fixed=True)
        self.bridge = Linear(table.shape[1], outputs, rng, table.dtype)

    def rows(self, numbers: Ints) -> Array:
        """Return the vectors of words."""
        return np.ascontiguousarray(self.table.value[numbers[:, 0]])

    def forward(self, numbers: Ints, out: Array) -> None:
        """Add the embeddings of words to `out`."""
        out += self.bridge.forward(self.rows(numbers))

    def reach(self, x: float, name: str) -> float:
        """Return a bound of the embeddings."""
        return self.bridge.reach(self.table.peak(), f"{name}.bridge")

    def backward(self, numbers: Ints, dy: Array) -> None:
        """Add to the gradients of the layer."""
        self.bridge.backward_weights(transposed(self.rows(numbers)), np.ascontiguousarray(dy))


class Lstm(Layer):
    """Long short-term memory in one direction (Hochreiter and Schmidhuber 1997, with a forget gate)."""

    def __init__(self, inputs: int, size: int, rng: Rng, dtype: Any = np.float32, *, backwards: bool = False) -> None:
        self.backwards = backwards
        self.input = Linear(inputs, 4 * size, rng, dtype)
        self.input.bias.value[size : 2 * size] = 1  # remember at first
        if rng is None:
            self.recurrent = Parameter(np.zeros((size, 4 * size), dtype=dtype))
        else:
            blocks = [orthogonal(size, rng) for _ in range(4)]
            self.recurrent = Parameter(np.concatenate(blocks, axis=1).astype(dtype))

    def forward(self, sums: Array, steps: Starts, hidden: Array) -> Array:
        """Write the outputs into `hidden`, given the output of the layer `input`; return the cells.

        The sums become the values of the gates.
        """
        return recur(sums, self.recurrent.panels(), steps, hidden, backwards=self.backwards)

    def backward(self, gates: Array, cells: Array, hidden: Array, steps: Starts, gradient: Array) -> Array:
        """Return the gradient of the sums, in the place of the gates; `gradient` is that of the outputs."""
        recur_back(gates, self.recurrent.panels(sideways=True), steps, cells, gradient, backwards=self.backwards)
        before = rows_before(hidden, steps, backwards=self.backwards)
        multiply(transposed(before), Panels(gates), self.recurrent.gradient, add=True)
        return gates


class BiLstm(Layer):
    """A layer of long short-term memory in both directions; the outputs of both are joined."""

    def __init__(self, inputs: int, size: int, rng: Rng, dtype: Any = np.float32) -> None:
        self.size = size
        self.directions = [Lstm(inputs, size, rng, dtype, backwards=way) for way in (False, True)]

    def forward(self, x: Array, steps: Starts) -> tuple[Array, list[tuple[Array, Array]]]:
        """Return the outputs, and the gates and cells of each direction."""
        return self.run(self.sums(x), steps)

    def reach(self, x: float, name: str) -> float:
        """Return a bound of the output, which is 1 whatever the sums are."""
        for place, lstm in enumerate(self.directions):
            own = f"{name}.directions.{place}"
            checked_sum(lstm.input.reach(x, f"{own}.input") + self.size * lstm.recurrent.peak(), f"{own}.recurrent")
        return 1.0

    def sums(self, x: Array) -> list[Array]:
        """Return the sums of the gates over the input, for each direction."""
        return [lstm.input.forward(x) for lstm in self.directions]

    def run(self, sums: list[Array], steps: Starts) -> tuple[Array, list[tuple[Array, Array]]]:
        """Return the outputs, and the gates and cells of each direction; the sums become the gates."""
        hidden = np.empty((len(sums[0]), 2 * self.size), dtype=sums[0].dtype)
        saved = []
        for place, (lstm, own) in enumerate(zip(self.directions, sums, strict=True)):
            saved.append((own, lstm.forward(own, steps, self.half(hidden, place))))
        return hidden, saved

    def backward(
        self, x: Array, steps: Starts, hidden: Array, saved: list[tuple[Array, Array]], gradient: Array
    ) -> Array:
        """Return the gradient of the input; `gradient`, that of the outputs, is changed."""
        turned, dx = transposed(x), np.zeros_like(x)
        for place, (lstm, (gates, cells)) in enumerate(zip(self.directions, saved, strict=True)):
            sums = lstm.backward(gates, cells, self.half(hidden, place), steps, self.half(gradient, place))
            lstm.input.backward_weights(turned, sums)
            multiply(sums, lstm.input.weight.panels(sideways=True), dx, add=True)
        return dx

    def half(self, array: Array, place: int) -> Array:
        """Return the columns of one direction."""
        return array[:, place * self.size : (place + 1) * self.size]


def leaky(x: Array) -> Array:
    """Return the input, a tenth of it where it is negative."""
    return np.asarray(np.maximum(x, x.dtype.type(LEAK) * x))


def leaky_back(y: Array, dy: Array) -> Array:
    """Return the gradient of the input of `leaky`, given its output."""
    return np.where(y > 0, dy, dy.dtype.type(LEAK) * dy)


def orthogonal(size: int, rng: np.random.Generator) -> Array:
    """Return a random orthogonal matrix (Gram and Schmidt, each vector twice)."""
    rows = rng.standard_normal((size, size))
    for place in range(size):
        for _ in range(2):
            shares = (rows[:place] * rows[place]).sum(axis=1, keepdims=True)
            rows[place] -= (rows[:place] * shares).sum(axis=0)
        rows[place] /= np.sqrt(np.square(rows[place]).sum())
    return rows


class Adam:
    """Adam (Kingma and Ba 2015) over the parameters of a layer, with a limit on the norm of the gradient.

    Rows of tables that a batch does not use stay as they are, and so do their moving averages.
    """

    def __init__(self, layer: Layer, beta1: float = 0.9, beta2: float = 0.98, limit: float = 5.0) -> None:
        self.parameters = {name: each for name, each in layer.parameters() if not each.fixed}
        self.beta1, self.beta2, self.limit = beta1, beta2, limit
        self.steps = 0
        for parameter in self.parameters.values():
            parameter.learnable()

    def step(self, rate: float) -> None:
        """Move all parameters against their gradients, which are cleared."""
        self.steps += 1
        norm = np.sqrt(sum(parameter.square_sum() for parameter in self.parameters.values()))
        scale = self.limit / norm if norm > self.limit else 1.0
        correction = np.sqrt(1 - self.beta2**self.steps) / (1 - self.beta1**self.steps)
        for each in self.parameters.values():
            marks = each.touched if each.table else None
            how = (scale, rate * correction, self.beta1, self.beta2, 1e-8)
            adam(each.value, each.gradient, each.mean, each.square, *how, marks)
            each.packed.clear()
            each.touched[:] = 0

    def state(self) -> dict[str, Array]:
        """Return the state from which learning goes on."""
        found: dict[str, Array] = {"steps": np.array([self.steps])}
        for name, each in self.parameters.items():
            found |= {f"{name}/value": each.value, f"{name}/mean": each.mean, f"{name}/square": each.square}
        return found

    def restore(self, arrays: dict[str, Array]) -> None:
        """Go on from what `state` returned; `KeyError` or `ValueError` if that belongs to another network."""
        self.steps = int(arrays["steps"][0])
        for name, each in self.parameters.items():
            each.packed.clear()
            for array, kind in ((each.value, "value"), (each.mean, "mean"), (each.square, "square")):
                found = arrays[f"{name}/{kind}"]
                if found.shape != array.shape or found.dtype != array.dtype:
                    raise ValueError(f"{name} has the shape {found.shape} of {found.dtype}, not {array.shape}")
                array[...] = found
