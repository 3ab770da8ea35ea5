from collections.abc import Iterable
from typing import Literal, Self, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

COSTS: tuple[str, ...]
_Ids = NDArray[np.int32]

class _RootOptions(TypedDict, total=False):
    single_root: bool
    root_label: int
    loose_label: int | None

def naive(
    n: int, left: ArrayLike, right: ArrayLike, labels: ArrayLike, **roots: Unpack[_RootOptions]
) -> tuple[_Ids, _Ids]: ...
def label_based(
    n: int,
    left: ArrayLike,
    right: ArrayLike,
    labels: ArrayLike,
    *,
    costs: str = "second",
    **roots: Unpack[_RootOptions],
) -> tuple[_Ids, _Ids]: ...
def score_based(
    n: int,
    left: ArrayLike,
    right: ArrayLike,
    leftward: ArrayLike,
    rightward: ArrayLike,
    leftward_costs: ArrayLike,
    rightward_costs: ArrayLike,
    *,
    root_costs: ArrayLike | None = None,
    **roots: Unpack[_RootOptions],
) -> tuple[_Ids, _Ids]: ...
def links_of(heads: ArrayLike, labels: ArrayLike, *, annotated: bool = False) -> tuple[_Ids, _Ids, _Ids]: ...

class TransitionSystem:
    name: str
    moves: tuple[str, ...]
    labelled: tuple[bool, ...]
    directed: bool
    covers: str
    memory: str
    first_node: int
    long_sentence: int
    exact_costs: bool
    single_root: bool
    reads_root: bool
    all_root_links: bool
    several_heads: bool
    most_heads: int
    most_parallel: int
    allows_cycles: bool
    def __new__(
        cls,
        *,
        single_root: bool = True,
        root_links: Literal["all", "uncrossed", "none"] = "uncrossed",
        most_heads: int = 1,
        most_parallel: int = 1,
        allows_cycles: bool = False,
    ) -> Self: ...

_Ints = NDArray[np.int32]

class Targets:
    starts: NDArray[np.int64]
    def __init__(self, heads: _Ints, labels: _Ints, starts: NDArray[np.int64]) -> None: ...
    def __len__(self) -> int: ...

class GraphTargets(Targets):
    def __init__(
        self, heads: _Ints, dependents: _Ints, labels: _Ints, arcs: NDArray[np.int64], starts: NDArray[np.int64]
    ) -> None: ...

class GraphSystem(TransitionSystem): ...

class Configuration:
    system: TransitionSystem
    gold: list[int]
    planned: list[int]
    stack: list[int]
    stack2: list[int]
    left: int
    buffer: list[int]
    heads: list[int]
    labels: list[int]
    arcs: list[tuple[int, int, int]]
    links: list[tuple[int, int, int]]
    gold_arcs: list[tuple[int, int, int]]
    def __new__(
        cls,
        system: TransitionSystem,
        heads: ArrayLike | None = None,
        labels: ArrayLike | None = None,
        *,
        arcs: Iterable[tuple[int, int, int]] | None = None,
        n: int = 0,
    ) -> Self: ...
    def copy(self) -> Configuration: ...
    def is_final(self) -> bool: ...
    def legal(self) -> list[int]: ...
    def apply(self, move: int, label: int = 0) -> None: ...
    def arc_of(self, move: int) -> tuple[int, int] | None: ...
    def add_head(self, head: int, dependent: int, label: int = 0) -> None: ...
    def arcs_with(self, node: int) -> list[tuple[int, int, int]]: ...
    def finish(self, root_label: int = 0) -> None: ...
    def oracle(self) -> int: ...
    def gold_label(self, move: int) -> int: ...
    def costs(self) -> dict[int, int]: ...

def replay(
    system: TransitionSystem, heads: ArrayLike, starts: ArrayLike
) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...
def replay_graphs(
    system: TransitionSystem, targets: GraphTargets
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]: ...
