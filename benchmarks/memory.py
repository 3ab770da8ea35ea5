"""The memory and time of texts that have no sentence ends, no spaces or nothing but brackets.

    python benchmarks/memory.py en my-fast.crossarc --threads 1

Each text is parsed in a process of its own: by `nlp(text)`, as a stream of blocks as `crossarc parse` reads files, and
as one sentence of given words, which is never split. `beyond` is the memory at its highest less that of the loaded
model and the text, and less the bytes of the result. Times are CPU times of all threads.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import time
from importlib.resources import files

import crossarc

MEGABYTE = 2**20
LINUX_UNIT = 1024  # bytes that ru_maxrss counts in


def words(count: int) -> list[str]:
    """Return words of the example treebank in random order, in small letters and without punctuation."""
    known = [
        form.lower()
        for sentence in crossarc.read(str(files("crossarc") / "data" / "example.conllu"))
        for form in sentence.forms[1:]
        if form.isalpha()
    ]
    return random.Random(1).choices(known, k=count)


TEXTS = {
    "100,000 brackets": lambda: "(" * 100_000,
    "27,000 words, no full stop": lambda: " ".join(words(27_000)),
    "2.2 MB, no full stop": lambda: " ".join(words(400_000))[:2_200_000],
    "1,000,000 letters, no space": lambda: "abcdefghij" * 100_000,
    "2.2 MB of short sentences": lambda: ". ".join(" ".join(words(12)) for _ in range(30_000))[:2_200_000],
}


def blocks(text: str, size: int = 2**16) -> list[str]:
    """Return a text in blocks, as files are read."""
    return [text[begin : begin + size] for begin in range(0, len(text), size)]


def highest() -> int:
    """Return the most bytes that this process has had in memory."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * LINUX_UNIT


def measure(model: str, name: str, way: str, threads: int) -> dict[str, float]:
    """Parse one text in this process, and return its time and memory."""
    nlp = crossarc.load(model)
    nlp("A first sentence loads what is loaded once.")
    text = TEXTS[name]()
    loaded, begin = highest(), time.process_time()
    if way == "nlp(text)":
        found = nlp(text) if threads == 1 else next(nlp.pipe([text], threads=threads))
    elif way == "stream":
        found = list(nlp.stream(blocks(text), threads=threads))
    else:
        given = crossarc.Sentence.from_columns(forms=["", *text.split()])
        found = list(nlp.parse([given], threads=threads))
    seconds, peak = time.process_time() - begin, highest()
    result = sum(len(bytes(sentence)) for sentence in found)
    longest = max(map(len, found))
    words_found = sum(map(len, found))
    beyond = peak - loaded - result
    return {"seconds": seconds, "peak": peak, "beyond": beyond, "words": words_found, "longest": longest}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", help="pipelines")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--ways", nargs="+", default=["nlp(text)", "stream", "given words"])
    parser.add_argument("--limit", type=int, default=8, help="GB that a process may take")
    parser.add_argument("--case", nargs=3, help=argparse.SUPPRESS)  # what a process of its own measures
    options = parser.parse_args()
    if options.case:
        size = options.limit * 2**30
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
        print(json.dumps(measure(*options.case, options.threads)))
        return
    print(
        "| model | text | way | words | longest sentence | CPU s | peak MB | beyond MB |\n|---|---|---|" + "---:|" * 5
    )
    for model in options.models:
        for name in TEXTS:
            for way in options.ways:
                if way == "given words" and " " not in TEXTS[name]():
                    continue
                case = [model, "--case", model, name, way, "--threads", str(options.threads)]
                command = [sys.executable, __file__, *case, "--limit", str(options.limit)]
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                row = f"| {model.rpartition('/')[2]} | {name} | {way} |"
                if done.returncode:
                    print(f"{row} fails: {done.stderr.strip().rpartition(chr(10))[2][:60]} | | | | |", flush=True)
                    continue
                found = json.loads(done.stdout.splitlines()[-1])
                print(
                    f"{row} {found['words']:,} | {found['longest']:,} | {found['seconds']:.1f} "
                    f"| {found['peak'] / MEGABYTE:,.0f} | {found['beyond'] / MEGABYTE:,.0f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
