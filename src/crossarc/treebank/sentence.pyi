from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Generic, TypedDict, TypeVar, Unpack, overload

import numpy as np
from numpy.typing import NDArray

from crossarc.treebank.fields import Token
from crossarc.treebank.formats import Format
from crossarc.treebank.graph import Graph

T = TypeVar("T", covariant=True)

class ReadOnly(Generic[T]):
    def __get__(self, holder: object, owner: type | None = None) -> T: ...

Strings = Sequence[str] | None

class Columns(TypedDict, total=False):
    lemmas: Strings
    upos: Strings
    xpos: Strings
    feats: Strings
    heads: Sequence[int] | NDArray[np.int32] | None
    deprels: Strings
    deps: Strings
    misc: Strings
    graph: Graph | None

class Sentence:
    source: str
    line: int
    raw: ReadOnly[bytes]
    format: ReadOnly[Format]
    comments: ReadOnly[tuple[str, ...]]
    metadata: ReadOnly[dict[str, str]]
    id: ReadOnly[str]
    text: ReadOnly[str]
    rows: ReadOnly[tuple[Token, ...]]
    ranges: ReadOnly[tuple[Token, ...]]
    empty_nodes: ReadOnly[tuple[Token, ...]]
    node_ids: ReadOnly[tuple[str, ...]]
    arguments: ReadOnly[tuple[tuple[str, ...], ...]]
    forms: ReadOnly[tuple[str, ...]]
    lemmas: ReadOnly[tuple[str, ...]]
    upos: ReadOnly[tuple[str, ...]]
    xpos: ReadOnly[tuple[str, ...]]
    feats: ReadOnly[tuple[str, ...]]
    deprels: ReadOnly[tuple[str, ...]]
    deps: ReadOnly[tuple[str, ...]]
    misc: ReadOnly[tuple[str, ...]]
    heads: ReadOnly[NDArray[np.int32]]
    graph: ReadOnly[Graph]
    is_tree: ReadOnly[bool]
    roots: ReadOnly[list[int]]
    has_graph: ReadOnly[bool]
    is_projective: ReadOnly[bool]
    def __init__(self, raw: bytes, format: str | Format = "conllu", *, source: str = "", line: int = 1) -> None: ...
    @classmethod
    def from_columns(
        cls,
        *,
        comments: Sequence[str] = (),
        metadata: Mapping[str, str] | None = None,
        forms: Sequence[str],
        **columns: Unpack[Columns],
    ) -> Sentence: ...
    def replace(self, *, comments: Strings = None, forms: Strings = None, **columns: Unpack[Columns]) -> Sentence: ...
    def to_dict(self) -> dict[str, Any]: ...
    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Sentence: ...
    def column(self, name: str) -> tuple[str, ...]: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Token]: ...
    @overload
    def __getitem__(self, key: int | str) -> Token: ...
    @overload
    def __getitem__(self, key: slice) -> list[Token]: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...
    def __bytes__(self) -> bytes: ...
    def _repr_html_(self) -> str: ...

class Scanner:
    def __init__(self, format: Format, source: str) -> None: ...
    @property
    def pending(self) -> int: ...
    def feed(self, block: bytes, final: bool = False) -> list[Sentence | tuple[bytes, int]]: ...
