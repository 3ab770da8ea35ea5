"""The model file: named arrays and a manifest in one safetensors file.

The file is 8 bytes with the length of the header, the header in JSON padded with spaces, and the data of the arrays.
The manifest is JSON text under the one metadata key `crossarc`. Arrays stand in order of their names, each on a
boundary of 64 bytes; arrays of bytes whose names begin with `~` fill the gaps, since the format allows none, and the
last of them, `~checksum`, covers every byte before it. The same manifest and arrays give the same bytes.

A file is read into memory, and this copy is checked: nothing that happens to the file later changes it. It can be
mapped instead, so that processes share its memory. A process that has mapped a file is killed by the system when it
looks at a part that is not there any more, so such files must be replaced by renaming, never truncated or written to.
"""

from __future__ import annotations

import json
import math
import mmap
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from crossarc.core.checksum import Checksum, checksum
from crossarc.errors import ModelError
from crossarc.treebank.streams import atomic_writer, check_output

FORMAT_VERSION = 6
ALIGNMENT = 64
HEADER_LIMIT = 100_000_000  # that of the safetensors library
METADATA = "__metadata__"
MANIFEST = "crossarc"
CHECKSUM = "~checksum"
DTYPES: dict[str, np.dtype[Any]] = {
    "I8": np.dtype("<i1"),
    "U8": np.dtype("<u1"),
    "I16": np.dtype("<i2"),
    "U16": np.dtype("<u2"),
    "I32": np.dtype("<i4"),
    "U32": np.dtype("<u4"),
    "I64": np.dtype("<i8"),
    "U64": np.dtype("<u8"),
    "F16": np.dtype("<f2"),
    "F32": np.dtype("<f4"),
    "F64": np.dtype("<f8"),
}
CODES = {dtype: code for code, dtype in DTYPES.items()}

Manifest = dict[str, Any]
Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Origin:
    """The model file that something was read from or written to, with what shows that the file was changed since."""

    path: str
    size: int
    checksum: int
    mapped: bool = False  # whether it was mapped, not copied

    def is_unchanged(self) -> bool:
        """Whether the file is still there, with the same size and checksum; the data are not looked at."""
        try:
            with open(self.path, "rb") as file:
                if file.seek(0, os.SEEK_END) != self.size:
                    return False
                file.seek(-8, os.SEEK_END)
                return int.from_bytes(file.read(8), "little") == self.checksum
        except OSError:
            return False


def write_model(
    path: str | os.PathLike[str], manifest: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> Origin:
    """Write a model file atomically: after an error, the file that was at the path before is unchanged.

    The manifest is any JSON value without NaN and infinity; `format_version` is added to it.
    """
    check_model_path(path)
    pieces = file_pieces(manifest, arrays, os.fspath(path))
    total = Checksum()
    size = 8
    with atomic_writer(path) as file:
        for piece in pieces:
            total.update(piece)
            size += file.write(piece)
        file.write(total.value().to_bytes(8, "little"))
    return Origin(os.path.abspath(path), size, total.value())


def model_bytes(manifest: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return the bytes that `write_model` would write."""
    data = b"".join(file_pieces(manifest, arrays, "the model"))
    return data + checksum(data).to_bytes(8, "little")


def file_pieces(manifest: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], name: str) -> list[memoryview]:
    """Return all that a model file holds before the value of its checksum."""
    text = json.dumps({**manifest, "format_version": FORMAT_VERSION}, sort_keys=True, allow_nan=False)
    header: dict[str, Any] = {METADATA: {MANIFEST: text}}
    parts: list[NDArray[Any]] = []
    end = 0

    def place(name: str, array: NDArray[Any]) -> None:
        nonlocal end
        offsets = [end, end + array.nbytes]
        header[name] = {"dtype": CODES[array.dtype], "shape": list(array.shape), "data_offsets": offsets}
        parts.append(array)
        end = offsets[1]

    for array in sorted(arrays):
        place(array, storable(array, arrays[array]))
        if gap := -end % ALIGNMENT:
            place(f"~{len(parts)}", np.zeros(gap, dtype=np.uint8))
    place(CHECKSUM, np.zeros(1, dtype="<u8"))
    head = json.dumps(header, separators=(",", ":")).encode()
    head += b" " * (-(8 + len(head)) % ALIGNMENT)
    if len(head) > HEADER_LIMIT:
        raise ModelError(f"{name}: the manifest is too large; keep long values in arrays")
    pieces = [memoryview(len(head).to_bytes(8, "little") + head)]
    return pieces + [part.reshape(-1).view(np.uint8).data for part in parts[:-1]]


def check_model_path(path: str | os.PathLike[str]) -> None:
    """Refuse paths that a model cannot be written to; called before training."""
    name = os.fspath(path)
    if name.endswith((".gz", ".zst")):
        raise ModelError(f"{name}: a model is never packed, since it can be mapped; choose another extension")
    if name == "-":
        raise ModelError("a model is never a stream, since it can be mapped; name a file")
    check_output(name)


def storable(name: str, array: NDArray[Any]) -> NDArray[Any]:
    """The array in row order and with the least byte first, if a file can hold its name and type."""
    if name == METADATA or name.startswith("~"):
        raise ValueError(f"an array of a model cannot be named {name!r}: names from ~ on and {METADATA} are reserved")
    dtype = array.dtype.newbyteorder("<")
    if dtype not in CODES:
        raise TypeError(f"the array {name!r} has type {array.dtype}; a model holds {', '.join(map(str, CODES))} only")
    return np.asarray(array, dtype=dtype, order="C")


def read_model(path: str | os.PathLike[str], *, verify: bool = True, mapped: bool = False) -> tuple[Manifest, Arrays]:
    """Return the manifest and the arrays of a model file; the arrays are read-only.

    Whatever the file holds, the arrays lie within memory of their own, or `ModelError` is raised. With `mapped` they
    lie within the mapped file instead. Without `verify` the checksum is not looked at.
    """
    return open_model(path, verify=verify, mapped=mapped)[:2]


def open_model(
    path: str | os.PathLike[str], *, verify: bool = True, mapped: bool = False
) -> tuple[Manifest, Arrays, Origin]:
    """Return what `read_model` does, and which file it is."""
    name = os.fspath(path)
    with open(path, "rb", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        if size == 0:
            raise ModelError(f"{name}: the file is empty; {REMEDY}")
        check_beginning(file.read(9), name)  # before a large file of another kind is read
        buffer = mapped_file(file) if mapped else copied_file(file, size, name)
    manifest, arrays, found = parts_of(buffer, name, verify)
    return manifest, arrays, Origin(os.path.abspath(path), len(buffer), found, mapped)


def mapped_file(file: BinaryIO) -> NDArray[np.uint8]:
    """Return the bytes of a file as they are on disk now and later."""
    return np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), dtype=np.uint8)


def copied_file(file: BinaryIO, size: int, name: str) -> NDArray[np.uint8]:
    """Return a copy of the bytes of a file of this size."""
    file.seek(0)
    buffer, at = aligned_bytes(size), 0
    while at < size:
        count = file.readinto(buffer[at:].data)  # type: ignore[attr-defined]
        if not count:
            raise ModelError(f"{name}: the model was truncated while it was read; {REMEDY}")
        at += count
    return buffer


def aligned_bytes(size: int) -> NDArray[np.uint8]:
    """Return memory that begins where arrays of a model may begin."""
    room = np.empty(size + ALIGNMENT, dtype=np.uint8)
    begin = -room.ctypes.data % ALIGNMENT
    return room[begin : begin + size]


def unpack_model(data: bytes, name: str) -> tuple[Manifest, Arrays]:
    """Return the manifest and the arrays of the bytes of a model file; `name` is what messages call it."""
    buffer = aligned_bytes(len(data))
    buffer[:] = np.frombuffer(data, dtype=np.uint8)
    return parts_of(buffer, name, verify=True)[:2]


def parts_of(buffer: NDArray[np.uint8], name: str, verify: bool) -> tuple[Manifest, Arrays, int]:
    """Return the manifest, the arrays and the checksum of the bytes of a model file, which become read-only."""
    buffer.flags.writeable = False
    manifest, header, start = read_header(buffer, name)
    arrays = views(header, buffer[start:], name)
    stored = arrays.pop(CHECKSUM, None)
    if stored is None or stored.shape != (1,) or stored.dtype != DTYPES["U64"]:
        raise damaged(name)
    if verify and checksum(buffer[: len(buffer) - 8].data) != int(stored[0]):
        raise damaged(name)
    return manifest, {name: array for name, array in arrays.items() if not name.startswith("~")}, int(stored[0])


REMEDY = "get it again or train it again"


def damaged(name: str) -> ModelError:
    """The error for a model file whose bytes have changed."""
    return ModelError(f"{name}: the model is damaged; {REMEDY}")


def foreign(name: str) -> ModelError:
    """The error for a file that is not a model."""
    return ModelError(f"{name}: this is not a crossarc model; give a file that `crossarc train` wrote")


def read_header(buffer: NDArray[np.uint8], name: str) -> tuple[Manifest, dict[str, Any], int]:
    """The manifest, the descriptions of the arrays, and where their data begin."""
    length = check_beginning(buffer[:9].tobytes(), name)
    if 8 + length > len(buffer):
        raise ModelError(f"{name}: the model is truncated within its header; {REMEDY}")
    try:
        header = parse(buffer[8 : 8 + length].tobytes())
    except (ValueError, RecursionError):
        raise damaged(name) from None
    metadata = header.pop(METADATA, None) if isinstance(header, dict) else None
    if not isinstance(metadata, dict) or not isinstance(metadata.get(MANIFEST), str):
        raise foreign(name)
    try:
        manifest = parse(metadata[MANIFEST].encode())
    except (ValueError, RecursionError):
        raise damaged(name) from None
    if not isinstance(manifest, dict):
        raise damaged(name)
    check_version(manifest.get("format_version"), name)
    return manifest, header, 8 + length


def check_beginning(begin: bytes, name: str) -> int:
    """Return the length of the header by the first 9 bytes of a file; refuse what no model begins with."""
    length = int.from_bytes(begin[:8], "little")
    if len(begin) < 8 or length > HEADER_LIMIT or length < 2 or begin[8:] not in (b"{", b""):
        raise foreign(name)
    return length


def parse(data: bytes) -> Any:
    """JSON as the standard has it: UTF-8, without NaN and infinity; strings are text, without halves of characters."""

    def refuse(constant: str) -> None:
        raise ValueError(constant)

    value = json.loads(data.decode(), parse_constant=refuse)
    if b"\\ud" in data.lower():  # halves come from such escapes only
        json.dumps(value, ensure_ascii=False).encode()
    return value


def check_version(version: object, name: str) -> None:
    """Refuse models that another version of crossarc wrote."""
    if not is_size(version):
        raise damaged(name)
    if version != FORMAT_VERSION:
        newer = int(version) > FORMAT_VERSION  # type: ignore[call-overload]
        age, remedy = ("a newer", "upgrade crossarc") if newer else ("an older", "train it again")
        raise ModelError(f"{name}: the model has {age} format ({version}; this one reads {FORMAT_VERSION}); {remedy}")


def is_size(value: object) -> bool:
    """Whether a value is an integer from 0 on that fits 63 bits; JSON's true is not."""
    return type(value) is int and 0 <= value < 1 << 63


def views(header: dict[str, Any], data: NDArray[np.uint8], name: str) -> Arrays:
    """Each array as a view of the data; they must cover the data without gap or overlap, as the format demands."""
    spans = {array: checked_span(description, name) for array, description in header.items()}
    arrays: Arrays = {}
    at = 0
    for array, (begin, end) in sorted(spans.items(), key=lambda item: item[1]):
        if begin != at:
            raise damaged(name)
        at = end
        if end > len(data):
            raise ModelError(f"{name}: the model is truncated; {REMEDY}")
        if begin % ALIGNMENT and not (array.startswith("~") and array != CHECKSUM):
            raise damaged(name)
        try:
            arrays[array] = data[begin:end].view(DTYPES[header[array]["dtype"]]).reshape(header[array]["shape"])
        except (ValueError, OverflowError):  # shapes that no array can have, though a 0 makes their size right
            raise damaged(name) from None
    if at != len(data):
        raise damaged(name)
    return arrays


def checked_span(description: Any, name: str) -> tuple[int, int]:
    """The begin and the end of an array; refuse descriptions that are incomplete or have a wrong size."""
    match description:
        case {"dtype": str(dtype), "shape": list(shape), "data_offsets": [begin, end]} if (
            dtype in DTYPES and is_size(begin) and is_size(end) and all(map(is_size, shape))
        ):
            if end - begin == math.prod(shape) * DTYPES[dtype].itemsize:
                return begin, end
    raise damaged(name)
