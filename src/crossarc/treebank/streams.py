"""Bytes in and out: files, standard streams, compression, and atomic writing."""

from __future__ import annotations

import codecs
import errno
import glob
import io
import itertools
import os
import stat
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import IO, Any, BinaryIO, cast

from crossarc.errors import CrossarcError, MissingDependency, TreebankError

BOM = b"\xef\xbb\xbf"
BLOCK = 1 << 17  # small enough to stay in the cache between reading and parsing
GZIP = b"\x1f\x8b"
GZIP_PIECE = 1 << 14
UNPACKED = 1 << 26  # bytes that any packed file may unpack to
MOST_TIMES = 200  # its size that a larger one may unpack to; treebanks and text unpack to 5 to 20 times
ZSTD = b"\x28\xb5\x2f\xfd"
REPEATED = 1  # the kind of a block of zstd that is one byte, many times
WINDOW_LOG = 27  # how far zstd may look back: 128 MB
# How files of other kinds begin, and the message for each.
FOREIGN = {
    b"BZh": "is packed with bzip2; only gzip and zstd are read",
    b"\xfd7zXZ": "is packed with xz; only gzip and zstd are read",
    b"PK\x03\x04": "is a zip archive; unpack it first",
    b"\xff\xfe": "is in UTF-16; save it as UTF-8",
    b"\xfe\xff": "is in UTF-16; save it as UTF-8",
}
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # errors that occur only in writing
OTHER_PACKINGS = (".bz2", ".xz", ".zip", ".7z")

Source = str | os.PathLike[str] | IO[bytes] | IO[str] | Iterable[str] | Iterable[bytes]


def name_of(source: Source) -> str:
    """The name of a source in messages."""
    if isinstance(source, str | os.PathLike):
        return "<stdin>" if source == "-" else os.fspath(source)
    return str(getattr(source, "name", "<input>"))


@dataclass
class Limits:
    """What a file may hold at most, in bytes; `crossarc --largest` changes it for a command.

    A document takes up to a hundred times its size in memory, a sentence up to thirty times.
    """

    sentence: int = 4 << 20
    line: int = 2 << 20  # a document in JSON, or a word with its vector


limits = Limits()


def too_large(place: str, what: str, largest: int) -> TreebankError:
    """The error for a sentence or a line that is larger than files may have them."""
    return TreebankError(
        f"{place}: this {what} has more than {largest / (1 << 20):,g} MB; split it, or allow more with the option "
        f"crossarc --largest MB, in Python with largest"
    )


def numbered_lines(source: Source, largest: int | None = None) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, without their ends and a byte order mark, each with its number."""
    most = limits.line if largest is None else largest
    number, size = 1, 0
    pending: list[bytes] = []
    for block in itertools.chain(blocks(source), [b"\n"]):  # which ends the last line
        ends = block.split(b"\n")
        pending.append(ends[0])
        size += len(ends[0])
        for begin in itertools.islice(ends, 1, None):
            if size > most:
                break
            line = b"".join(pending)
            if number == 1:
                line = line.removeprefix(BOM)
            if line and not line.isspace():
                yield number, line
            number += 1
            pending, size = [begin], len(begin)
        if size > most:
            raise too_large(f"{name_of(source)}:{number}", "line", most)


def blocks(source: Source) -> Iterator[bytes]:
    """The bytes of a path, "-", a file object or lines; gzip and zstd are decompressed."""
    return decompressed(raw_blocks(source), name_of(source))


def text_blocks(source: Source) -> Iterator[str]:
    """The text of a source in UTF-8, in blocks; a byte order mark is left out."""
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    done = 0
    for block in itertools.chain(blocks(source), [b""]):
        pending = len(decoder.getstate()[0])
        try:
            yield decoder.decode(block, final=not block)
        except UnicodeDecodeError as error:
            place = done - pending + error.start
            raise TreebankError(
                f"{name_of(source)}: byte {place + 1:,} is not UTF-8 (0x{error.object[error.start]:02x}); save the "
                "text as UTF-8"
            ) from None
        done += len(block)


def raw_blocks(source: Source) -> Iterator[bytes]:
    """The bytes of a source, not decompressed."""
    if isinstance(source, str | os.PathLike):
        if source == "-":
            yield from file_blocks(sys.stdin.buffer)
            return
        with open(source, "rb") as file:
            yield from file_blocks(file)
    elif hasattr(source, "read"):
        yield from file_blocks(source)
    elif isinstance(source, bytes):
        raise TypeError("read takes a path, a file or lines; wrap bytes in io.BytesIO")
    else:
        yield from line_blocks(source)


def file_blocks(file: Any) -> Iterator[bytes]:
    """The content of a binary or text file object in blocks."""
    while block := file.read(BLOCK):
        yield block.encode() if isinstance(block, str) else block


def line_blocks(lines: Iterable[str] | Iterable[bytes]) -> Iterator[bytes]:
    """Lines, with or without their ends, joined to blocks."""
    encoded = (line.encode() if isinstance(line, str) else line for line in lines)
    return joined(data if data.endswith(b"\n") else data + b"\n" for data in encoded)


def joined(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Pieces of a file joined to blocks."""
    pending: list[bytes] = []
    size = 0
    for piece in pieces:
        pending.append(piece)
        size += len(piece)
        if size >= BLOCK:
            yield b"".join(pending)
            pending, size = [], 0
    yield b"".join(pending)


def write_blocks(file: BinaryIO, pieces: Iterable[bytes]) -> None:
    """Write the pieces of a file in large blocks."""
    for block in joined(pieces):
        file.write(block)


def decompressed(stream: Iterator[bytes], name: str) -> Iterator[bytes]:
    """The decompressed stream; other streams stay as they are."""
    first = next(stream, b"")
    while 0 < len(first) < 6 and (more := next(stream, b"")):
        first += more
    for start, what in FOREIGN.items():
        if first.startswith(start):
            raise TreebankError(f"{name}: this file {what}")
    stream = chain(first, stream)
    if first.startswith(GZIP):
        return unpacked(gzip_pieces(stream), lambda: zlib.decompressobj(wbits=31), name, "gzip")
    if first.startswith(ZSTD):
        return unpacked(zstd_pieces(stream), zstd_decompressor(), name, "zstd")
    return stream


def chain(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    """A first block and the blocks that follow."""
    if first:
        yield first
    yield from rest


def gzip_pieces(stream: Iterable[bytes]) -> Iterator[bytes]:
    """Pieces that unpack to some MB at most, since a byte unpacks to 1,032 at most."""
    for block in stream:
        for begin in range(0, len(block), GZIP_PIECE):
            yield block[begin : begin + GZIP_PIECE]


def zstd_pieces(stream: Iterator[bytes]) -> Iterator[bytes]:
    """Pieces that unpack to 2 MB at most: the header of a frame, each of its blocks, its checksum (RFC 8878).

    A decompressor has no bound of its own in all versions of Python, and four bytes may unpack to 128 KB.
    """
    file = io.BufferedReader(cast(io.RawIOBase, Joined(stream)), BLOCK)
    while magic := file.read(4):
        if magic != ZSTD:  # a frame that is skipped, with its size; the decompressor refuses anything else
            size = file.read(4)
            yield magic + size
            left = int.from_bytes(size, "little")
            while left > 0 and (piece := file.read(min(left, BLOCK))):
                yield piece
                left -= len(piece)
            continue
        start = file.read(1)
        flags = start[0] if start else 0
        whole = flags >> 5 & 1
        yield magic + start + file.read((1 - whole) + (0, 1, 2, 4)[flags & 3] + (whole, 2, 4, 8)[flags >> 6])
        is_last = False
        while not is_last and (head := file.read(3)):
            number = int.from_bytes(head, "little")
            is_last = bool(number & 1)
            yield head + file.read(1 if number >> 1 & 3 == REPEATED else number >> 3)
        yield file.read(4 * (flags >> 2 & 1))


class Joined(io.RawIOBase):
    """A stream of blocks as a file."""

    def __init__(self, stream: Iterator[bytes]) -> None:
        self.stream, self.rest = stream, memoryview(b"")

    def readable(self) -> bool:
        """Whether it can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer as far as the block goes; return the number of bytes, 0 at the end."""
        while not self.rest and (block := next(self.stream, None)) is not None:
            self.rest = memoryview(block)
        count = min(len(buffer), len(self.rest))
        buffer[:count], self.rest = self.rest[:count], self.rest[count:]
        return count


def unpacked(pieces: Iterator[bytes], make: Callable[[], Any], name: str, kind: str) -> Iterator[bytes]:
    """The decompressed pieces; a file may have several members."""
    decompressor = make()
    fresh = True
    read = made = 0
    for piece in pieces:
        read += len(piece)
        while piece:
            if decompressor.eof:
                decompressor, fresh = make(), True
            try:
                data = decompressor.decompress(piece)
            except Exception as error:
                raise TreebankError(f"{name}: the {kind} data are damaged ({error}); get the file again") from error
            fresh = False
            piece = decompressor.unused_data if decompressor.eof else b""
            made += len(data)
            if made > max(UNPACKED, MOST_TIMES * read):
                raise TreebankError(
                    f"{name}: this {kind} file unpacks to more than {MOST_TIMES} times its size, as if it was made to "
                    "fill memory; if it was not, unpack it first"
                )
            if data:
                yield data
    if not fresh and not decompressor.eof:
        raise TreebankError(f"{name}: the {kind} data end too early; get the file again")


def zstd_decompressor() -> Callable[[], Any]:
    """A function that makes zstd decompressors, from the standard library (Python 3.14) or the zstandard package."""
    if sys.version_info >= (3, 14):
        from compression.zstd import DecompressionParameter, ZstdDecompressor

        return lambda: ZstdDecompressor(options={DecompressionParameter.window_log_max: WINDOW_LOG})
    try:
        import zstandard
    except ImportError:
        raise MissingDependency("reading zstd files", "zstandard") from None
    return lambda: zstandard.ZstdDecompressor(max_window_size=1 << WINDOW_LOG).decompressobj()


def compressed(file: BinaryIO, path: str) -> BinaryIO:
    """A file object that compresses as the path's extension asks; the same bytes always give the same file."""
    if path.endswith(".gz"):
        import gzip

        return cast(BinaryIO, gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0))
    if path.endswith(".zst"):
        if sys.version_info >= (3, 14):
            from compression.zstd import ZstdFile

            return cast(BinaryIO, ZstdFile(file, "wb"))
        try:
            import zstandard
        except ImportError:
            raise MissingDependency("writing zstd files", "zstandard") from None
        return cast(BinaryIO, zstandard.ZstdCompressor().stream_writer(file, closefd=False))
    return file


def check_target(name: str, target: str) -> int | None:
    """The mode of an existing file, None if there is no file; refuses paths that should not be written.

    A read-only file is refused even if the system allows to replace it.
    """
    if name.lower().endswith(OTHER_PACKINGS):
        raise CrossarcError(f"{name}: only .gz and .zst are packed; choose another extension")
    if os.path.isdir(target):
        raise CrossarcError(f"{name}: this is a folder; name a file in it")
    if not os.path.isdir(os.path.dirname(target)):
        raise CrossarcError(f"{name}: there is no folder {os.path.dirname(target)}; make it first")
    try:
        mode = os.stat(target).st_mode
    except FileNotFoundError:
        return None
    if not mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH):
        raise CrossarcError(f"{name}: the file is read-only; write to another, or make it writable first")
    return stat.S_IMODE(mode)


@contextmanager
def atomic_writer(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A binary file that appears only when it is complete; "-" is standard output, .gz and .zst are compressed.

    After an error, an older file at the path is still there, unchanged.
    """
    name = os.fspath(path)
    try:
        yield from written_whole(name)
    except OSError as error:
        if error.errno in NO_ROOM and error.filename is None:
            error.filename = "standard output" if name == "-" else name
        raise


def written_whole(name: str) -> Iterator[BinaryIO]:
    """The work of `atomic_writer`; its errors may not have the file name yet."""
    if name == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = os.path.realpath(name)
    mode = check_target(name, target)
    if mode is not None and not os.path.isfile(target):  # a device or a pipe cannot be replaced
        with open(target, "wb") as file:
            yield file
        return
    part, temporary = part_file(target)
    try:
        with part:
            packed = compressed(part, name)
            yield packed
            if packed is not part:
                packed.close()
            part.flush()
            if mode is not None:
                os.chmod(temporary, mode)
            if sys.platform != "win32":
                os.replace(temporary, target)  # while it is locked: another run would remove it
        if sys.platform == "win32":
            os.replace(temporary, target)
    except BaseException:
        with suppress(FileNotFoundError):
            os.remove(temporary)
        raise


def check_output(path: str | os.PathLike[str]) -> None:
    """Refuse a path that cannot be written, before any work is done; an older file at the path stays."""
    name = os.fspath(path)
    if name == "-":
        return
    target = os.path.realpath(name)
    if check_target(name, target) is None or os.path.isfile(target):
        try:
            file, temporary = part_file(target)
        except OSError as error:
            error.filename = name
            raise
        file.close()
        os.remove(temporary)


def part_file(target: str) -> tuple[BinaryIO, str]:
    """Return a new file beside a target, and its path; it is locked, and those that killed runs left are removed.

    No link is followed, and no file of another run is touched: each holds the lock of its own.
    """
    for left in glob.glob(f"{glob.escape(target)}.*.part"):
        remove_unlocked(left)
    for number in itertools.count():
        path = f"{target}.{os.getpid()}-{number}.part"
        try:
            file = cast(BinaryIO, open(path, "xb", opener=only_itself))  # noqa: SIM115 - the caller closes it
        except FileExistsError:
            continue
        with suppress(OSError):  # file systems without locks; or another run is about to remove the file
            lock(file.fileno())
        if sys.platform == "win32" or os.fstat(file.fileno()).st_nlink:
            return file, path
        file.close()
    raise AssertionError("there are numbers without end")


def only_itself(path: str, flags: int) -> int:
    """Open a file that is no link, without waiting for the other end of a pipe."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0), 0o666)


def lock(number: int, *, wait: bool = True) -> None:
    """Lock an open file until it is closed; `OSError` if that is impossible."""
    if sys.platform != "win32":  # which removes no open file anyway
        import fcntl

        fcntl.flock(number, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))


def remove_unlocked(path: str) -> None:
    """Remove the file of a run that was killed, unless it is something else, or a run that goes on has it."""
    with suppress(OSError), open(path, "r+b", opener=only_itself) as file:
        found = os.fstat(file.fileno())
        lock(file.fileno(), wait=False)
        if stat.S_ISREG(found.st_mode) and os.path.samestat(found, os.stat(path)):
            os.remove(path)
