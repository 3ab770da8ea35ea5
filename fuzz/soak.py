"""Pass generated words through a pipeline on two threads, and watch that memory stays the same.

python -m fuzz.soak --words 1000000 [--threads 2] [--model en]

Half of the words are new, so tables of strings that grow with the text are seen.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from random import Random

import crossarc
from crossarc import Pipeline

LETTERS = "etaoinshrdlucmfwygpbvkqjxzéßжя猫"
COMMON = ("the", "a", "and", "is", "was", "of", "to", "in", "she", "it", "that", "not", "saw", "had", "who", "will")
SPARE = 30e6  # bytes that memory may grow after the first fifth


def main() -> int:
    """Run it and print a line for each part of the words; the exit code is 1 if memory grew."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.soak", description=__doc__)
    parser.add_argument("--words", type=int, default=1_000_000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--model", default="en")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    nlp = crossarc.load(arguments.model)
    assert isinstance(nlp, Pipeline)
    memory = []
    begin, cpu = time.monotonic(), time.process_time()
    for words, resident in soaked(nlp, arguments.words, arguments.threads, arguments.seed):
        memory.append(resident)
        seconds = time.monotonic() - begin
        print(
            f"{words:13,} words  {resident / 1e6:7,.1f} MB  {seconds:9,.0f} s  {words / seconds:9,.0f} words/s",
            flush=True,
        )
    grown = growth(memory)
    print(f"{time.process_time() - cpu:,.0f} CPU seconds; memory grew by {grown / 1e6:,.1f} MB after the first fifth")
    return int(grown > SPARE)


def soaked(nlp: Pipeline, words: int, threads: int, seed: int, parts: int = 20) -> Iterator[tuple[int, int]]:
    """After each part of the words, how many have passed and how many bytes are resident."""
    done = 0
    step = max(1, words // parts)
    due = step
    for sentence in nlp.stream(blocks(seed), threads=threads):
        done += len(sentence)
        if done >= due:
            yield done, resident()
            due += step
        if done >= words:
            return


def blocks(seed: int) -> Iterator[str]:
    """Text without an end."""
    rng = Random(seed)
    while True:
        yield " ".join(sentence(rng) for _ in range(200)) + rng.choice((" ", "\n", "\n\n"))


def sentence(rng: Random) -> str:
    """Common and new words, with punctuation, of a length that is sometimes great."""
    size = rng.choice((1, 3, 8, 12, 20, 30, 60)) if rng.random() < 0.999 else 900
    words = [rng.choice(COMMON) if rng.random() < 0.5 else new_word(rng) for _ in range(size)]
    return ", ".join((" ".join(words[: size // 2]), " ".join(words[size // 2 :]))).capitalize() + rng.choice(".!?")


def new_word(rng: Random) -> str:
    """A word that hardly any other text has."""
    return "".join(rng.choices(LETTERS, k=rng.randint(3, 12)))


def resident() -> int:
    """The bytes that this process has resident."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmRSS:"))


def growth(memory: list[int]) -> int:
    """By how much the most memory of the last half exceeds the most of the first fifth, or of the first part."""
    first = memory[: max(1, len(memory) // 5)]
    return max(memory[len(memory) // 2 :]) - max(first)


if __name__ == "__main__":
    sys.exit(main())
