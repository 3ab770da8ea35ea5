"""The cost of a model in a service: time to load, time for one sentence, sentences per second, memory of each process.

    python benchmarks/service.py MODEL FILE --threads 1 2 --processes 2 [--mapped]

MODEL is a model file, of a parser or a pipeline, or the name of a model that comes with crossarc. FILE is a treebank;
pipelines get the text of its sentences, parsers their tokens and tags. Each request is one sentence. Times are
wall-clock times, so run it on a machine that does nothing else. Memory is read from /proc, after a process has
parsed all sentences: `own` is what it does not share with other processes. The pages of a mapped file are shared.
"""

from __future__ import annotations

import argparse
import json
import operator
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import crossarc
from crossarc import Sentence

FIRST_TREE = """
import json, sys, time
begin = time.perf_counter()
import crossarc
load = crossarc.load
imported = time.perf_counter()
nlp = load(sys.argv[1], mapped=bool(sys.argv[3]))
opened = time.perf_counter()
sentence = next(crossarc.read(sys.argv[2]))
list(nlp(sentence.text)) if callable(nlp) else list(nlp.parse(sentence))
print(json.dumps([1000 * (opened - imported), 1000 * (time.perf_counter() - begin)]))
"""


def requests_of(nlp: Any, sentences: list[Sentence]) -> list[Callable[[], Any]]:
    """One call for each sentence."""
    if callable(nlp):
        return [lambda text=sentence.text: nlp(text) for sentence in sentences]
    return [lambda sentence=sentence: list(nlp.parse(sentence)) for sentence in sentences]


def milliseconds(call: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    call()
    return 1000 * (time.perf_counter() - begin)


def memory() -> dict[str, float]:
    """The memory of this process in MB: all that is in use, and what it has alone."""
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()[1:]
    sizes = {name: int(rest.split()[0]) / 1024 for name, _, rest in (line.partition(":") for line in lines)}
    return {"all": sizes["Rss"], "own": sizes["Private_Clean"] + sizes["Private_Dirty"]}


def work(nlp: Any, sentences: list[Sentence]) -> dict[str, float]:
    """Parse all sentences, as a worker process does, and return its memory."""
    for call in requests_of(nlp, sentences):
        call()
    return memory()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("file", type=Path)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--processes", type=int, default=2, help="whose memory is measured; 0 leaves it out")
    parser.add_argument("--sentences", type=int, default=1000)
    parser.add_argument("--mapped", action="store_true", help="map the model file instead of reading it")
    options = parser.parse_args()
    command = [sys.executable, "-c", FIRST_TREE, options.model, str(options.file), "yes" if options.mapped else ""]
    runs = [json.loads(subprocess.check_output(command)) for _ in range(3)]
    load, first = map(min, zip(*runs, strict=True))
    nlp = crossarc.load(options.model, mapped=options.mapped)
    sentences = [sentence for sentence, _ in zip(crossarc.read(options.file), range(options.sentences), strict=False)]
    calls = requests_of(nlp, sentences)
    calls[0]()
    times = sorted(map(milliseconds, calls))
    print("| | |\n|---|---:|")
    print(f"| loading the model | {load:.0f} ms |")
    print(f"| from the start of Python's imports to the first tree | {first:.0f} ms |")
    print(f"| one sentence, median of {len(times):,} | {statistics.median(times):.2f} ms |")
    print(f"| one sentence, 99 of 100 within | {times[int(0.99 * (len(times) - 1))]:.2f} ms |")
    for threads in options.threads:
        with ThreadPoolExecutor(threads) as pool:
            begin = time.perf_counter()
            list(pool.map(operator.call, calls))
            seconds = time.perf_counter() - begin
        print(f"| requests per second, {threads} thread{'s' * (threads > 1)} | {len(calls) / seconds:,.0f} |")
    if options.processes and Path("/proc/self/smaps_rollup").exists():
        with get_context("spawn").Pool(options.processes) as pool:
            found = pool.starmap(work, [(nlp, sentences)] * options.processes, chunksize=1)
        for what in ("all", "own"):
            most = max(each[what] for each in found)
            print(f"| memory of each of {options.processes} processes, {what} | {most:.0f} MB |")


if __name__ == "__main__":
    main()
