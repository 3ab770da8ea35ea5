"""Files that unpack to far more than they hold: memory stays small, and the message says what is too large."""

import gzip
import io
import subprocess
import sys

import pytest

from crossarc.errors import TreebankError
from crossarc.treebank import read, read_arrays, validate
from crossarc.treebank.json_lines import read_json_documents
from crossarc.treebank.streams import blocks, numbered_lines

zstandard = pytest.importorskip("zstandard")
MB = 1 << 20
ROW = b"1\tHi\thi\tINTJ\t_\t_\t0\troot\t_\t_\n"


def zstd(pieces, **options):
    """Pieces packed by zstd."""
    packer = zstandard.ZstdCompressor(**options).compressobj()
    return b"".join([*map(packer.compress, pieces), packer.flush()])


def repeated(count):
    """A frame of zstd with so many blocks of 128 KB of one byte each, which take four bytes."""
    numbers = [1 << 17 << 3 | 1 << 1 | (block == count - 1) for block in range(count)]
    return b"\x28\xb5\x2f\xfd" + bytes([0, 7 << 3]) + b"".join(each.to_bytes(3, "little") + b"x" for each in numbers)


@pytest.mark.parametrize("pack", [gzip.compress, lambda data: zstd([data]), lambda data: repeated(len(data) >> 17)])
def test_no_block_is_large(pack):
    packed = pack(b"x" * (64 * MB))
    sizes = [len(block) for block in blocks(io.BytesIO(packed))]
    assert sum(sizes) == 64 * MB
    assert max(sizes) <= 17 * MB


@pytest.mark.parametrize("checksum", [False, True])
@pytest.mark.parametrize("sized", [False, True])
def test_frames_of_zstd(checksum, sized):
    """Frames of all shapes, one after another, with frames between them that are skipped."""
    frames, expected = b"", b""
    for size in (0, 1, 255, 256, 70_000, 300_000):
        data = bytes(place * place % 251 for place in range(size))
        packer = zstandard.ZstdCompressor(write_checksum=checksum, write_content_size=sized)
        frames += packer.compress(data) + b"\x53\x2a\x4d\x18" + (5).to_bytes(4, "little") + b"12345"
        expected += data
    assert b"".join(blocks(io.BytesIO(frames))) == expected
    whole = zstd([b"a" * 300_000], write_checksum=checksum)
    for end in range(5, len(whole)):
        with pytest.raises(TreebankError, match=r"zstd data (end too early|are damaged)"):
            list(blocks(io.BytesIO(whole[:end])))
    with pytest.raises(TreebankError, match="zstd data are damaged"):
        list(blocks(io.BytesIO(whole + b"what follows")))


def test_zstd_that_looks_back_too_far():
    options = zstandard.ZstdCompressionParameters(window_log=28, compression_level=1)
    with pytest.raises(TreebankError, match=r"zstd data are damaged .*memory"):
        list(blocks(io.BytesIO(zstd([ROW, b"\n"], compression_params=options))))


READERS = {
    "read": lambda source, **options: list(read(source, "conllu", **options)),
    "validate": lambda source, **options: list(validate(source, "conllu", **options)),
    "read_arrays": lambda source, **options: read_arrays(source, "conllu", **options),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("large", [b"# a\n" * 60, ROW[:-1] + b"a" * 300 + b"\n\n", b"\n" * 300, b"1" * 300])
def test_large_sentence(reader, large):
    source = ROW + b"\n" + large
    line = 3 if large.strip() else 1  # empty lines belong to the sentence before them
    with pytest.raises(TreebankError, match=f"<input>:{line}: this sentence has more than .* MB.*--largest"):
        READERS[reader](io.BytesIO(source), largest=200)
    assert READERS[reader](io.BytesIO(ROW + b"\n" + ROW + b"\n"), largest=200)


def test_large_line():
    line = b'{"text": "' + b"a" * 300 + b'"}'
    assert len(list(read_json_documents(io.BytesIO(line), largest=400))) == 1
    for source in (line, line + b"\n", b'{"text": ""}\n' + line + b"\n{}"):
        with pytest.raises(TreebankError, match=r"<input>:[12]: this line has more than .* MB.*--largest"):
            list(read_json_documents(io.BytesIO(source), largest=200, on_error="skip"))
    assert list(numbered_lines(io.BytesIO(b"\xef\xbb\xbfa\n\n \r\nb"))) == [(1, b"a"), (4, b"b")]


def test_few_faults_of_one_sentence():
    findings = list(validate(io.BytesIO(b"x\n" * 50_000 + b"\n")))
    assert len(findings) <= 4_000


BOMBS = {
    "zeros.conllu.zst": zstd([b"\0" * MB] * 600),
    "repeated.conllu.zst": repeated(5_000),
    "comments.conllu.gz": gzip.compress(b"#\n" * (100 * MB)),
    "lists.jsonl.zst": zstd([b'{"text": "a", "x": [[]', *[b",[]" * MB] * 200]),
    "deep.jsonl.zst": zstd([b"[" * MB] * 600),
    "spaces.txt.zst": zstd([b"a", *[b" " * MB] * 600]),
}
# `ru_maxrss` begins with what the process had that started this one.
MEASURED = """
import re, sys
from pathlib import Path
from crossarc.cli import main
sys.argv = ["crossarc", *sys.argv[1:]]
try:
    main()
finally:
    highest = re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]
    print(int(highest) >> 10, file=sys.stderr)
"""
COMMANDS = {"jsonl": ["parse"], "txt": ["parse"], "conllu": ["validate", "convert", "evaluate"]}


@pytest.mark.skipif(sys.platform != "linux", reason="memory is measured as Linux does")
@pytest.mark.parametrize(("name", "command"), [(name, each) for name in BOMBS for each in COMMANDS[name.split(".")[1]]])
def test_memory(tmp_path, name, command):
    """Every command that reads: less than 500 MB, and one line that names the file."""
    path = tmp_path / name
    path.write_bytes(BOMBS[name])
    arguments = {"parse": ["parse", "en", path], "evaluate": ["evaluate", path, path]}.get(command, [command, path])
    run = subprocess.run([sys.executable, "-c", MEASURED, *arguments], capture_output=True, text=True, check=False)
    message, memory = run.stderr.splitlines()
    assert run.returncode == 2
    assert name in message
    assert int(memory) < 500
