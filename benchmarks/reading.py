"""The speed of reading and writing CoNLL-U, compared with the PyPI packages conllu and pyconll in the same run.

    python benchmarks/reading.py [FILE] [--no-peers]

Tokens per second of CPU time, the best of several runs; ratios are to conllu. Without FILE it reads the example
treebank, repeated to 200,000 words.
"""

from __future__ import annotations

import argparse
import io
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import crossarc
from crossarc.treebank import Corpus, read, read_arrays, write


def best(work: Callable[[], object], runs: int) -> float:
    times = []
    for _ in range(runs):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return min(times)


def ours(path: str) -> dict[str, Callable[[], object]]:
    sentences = list(read(path))
    trees = [(sentence.heads, sentence.deprels) for sentence in sentences]

    def columns() -> None:
        for sentence in read(path):
            _ = sentence.forms, sentence.upos, sentence.heads, sentence.deprels

    def with_trees() -> None:
        pairs = zip(read(path), trees, strict=True)
        write((sentence.replace(heads=heads, deprels=deprels) for sentence, (heads, deprels) in pairs), io.BytesIO())

    def arrays() -> None:
        corpus = Corpus.of(sentences)
        _ = [corpus[column] for column in (*corpus.strings, "head")]

    return {
        "crossarc: bytes to int arrays": lambda: read_arrays(path),
        "crossarc: bytes to sentences": lambda: sum(1 for _ in read(path)),
        "crossarc: ... and form, UPOS, HEAD, DEPREL as Python objects": columns,
        "crossarc: sentences to int arrays": arrays,
        "crossarc: sentences to the arcs of their graphs": lambda: Corpus.of(sentences).graphs,
        "crossarc: sentences to bytes": lambda: write(sentences, io.BytesIO()),
        "crossarc: read, new HEAD and DEPREL, write": with_trees,
    }


def peers(path: str) -> dict[str, Callable[[], object]]:
    try:
        import conllu
        import pyconll
    except ImportError as error:
        print(f"without peers: {error.name} is not installed (pip install '.[bench]')")
        return {}

    def conllu_read() -> None:
        with open(path, encoding="utf-8") as file:
            for _ in conllu.parse_incr(file):
                pass

    def pyconll_read() -> None:
        for _ in pyconll.iter_from_file(path):
            pass

    return {"conllu: bytes to sentences": conllu_read, "pyconll: bytes to sentences": pyconll_read}


def peak_memory(path: str) -> str:
    """The peak memory of a process that streams a file (VmHWM; the ru_maxrss of a child includes its parent)."""
    code = (
        "import sys; from crossarc.treebank import read; sum(1 for _ in read(sys.argv[1])); "
        "print(next(line for line in open('/proc/self/status') if line.startswith('VmHWM')).split()[1])"
    )
    run = subprocess.run([sys.executable, "-c", code, path], capture_output=True, check=False, text=True)
    return f"{int(run.stdout) / 1024:.0f} MB" if run.stdout.strip().isdigit() else "not known here"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?")
    parser.add_argument("--peers", action=argparse.BooleanOptionalAction, default=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = arguments.file
        if path is None:
            example = Path(crossarc.__file__).parent / "data" / "example.conllu"
            path = str(Path(folder) / "repeated.conllu")
            Path(path).write_bytes(example.read_bytes() * 625)
        words = sum(len(sentence) for sentence in read(path))
        print(f"{path}: {words:,} words, {Path(path).stat().st_size / 1e6:.1f} MB")
        speeds = {}
        if arguments.peers:
            speeds |= {name: words / best(work, 2) for name, work in peers(path).items()}
        speeds |= {name: words / best(work, 5) for name, work in ours(path).items()}
        base = speeds.get("conllu: bytes to sentences")
        for name, speed in speeds.items():
            print(f"{name:<62}{speed:>14,.0f} tokens/s" + (f"{speed / base:>10.1f}x" if base else ""))
        large = str(Path(folder) / "large.conllu")
        Path(large).write_bytes(Path(path).read_bytes() * 10)
        print(f"peak memory of streaming: {peak_memory(path)}; ten times the file: {peak_memory(large)}")


if __name__ == "__main__":
    main()
