"""Adapt a parser to a new genre with 200 sentences: the gain on the new genre and the loss on the old, by `inertia`.

    python benchmarks/adaptation.py treebanks/en_ewt

The folder has train.conllu and dev.conllu of UD English EWT, whose sentence ids begin with the genre.
"""

import sys
from pathlib import Path

from crossarc import Parser, Sentence, read

OLD, NEW = ("weblog", "newsgroup"), ("reviews",)


def of_kinds(path: Path, kinds: tuple[str, ...]) -> list[Sentence]:
    """The sentences of some genres, genre by genre."""
    sentences = list(read(path))
    return [sentence for kind in kinds for sentence in sentences if sentence.id.startswith(kind)]


def main(folder: Path) -> None:
    """Train, adapt and score."""
    old, new = of_kinds(folder / "train.conllu", OLD)[:1800], of_kinds(folder / "train.conllu", NEW)[:200]
    old_dev, new_dev = of_kinds(folder / "dev.conllu", OLD), of_kinds(folder / "dev.conllu", NEW)
    start = Parser("arc-hybrid", epochs=5).fit(old)
    parsers = {"before": start}
    for inertia in (0, 1, 3, 10):
        parsers[f"inertia {inertia}"] = Parser("arc-hybrid", inertia=inertia).fit(new, init=start)
    parsers["old and new together"] = Parser("arc-hybrid", epochs=5).fit(old + new)
    for name, parser in parsers.items():
        print(f"{name:22} LAS on new {parser.evaluate(new_dev).las:.2f}, on old {parser.evaluate(old_dev).las:.2f}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
