"""The share of the trees that the pseudo-projective transform restores, and its speed, as Markdown tables.

    python benchmarks/pseudo_projective.py FOLDER [--part train] [--cap 30]

FOLDER is a treebank with *.conllu files, or contains one such folder per treebank. Sentences that are not trees are
left out. The cap counts the labels of the same trees. The first table is over all edges, the second one over
non-projective edges; in its last columns decoding prefers non-projective places. The third table has the number of new
labels and the speed of encoding and decoding together. The fourth table counts, over all treebanks and without a cap,
the lifted edges that do not come back.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from shared import print_table

from crossarc.structure import non_projective_edges
from crossarc.transforms import ENCODINGS, PseudoProjective
from crossarc.treebank import read

Tree = tuple[np.ndarray, list[str]]


@dataclass
class Result:
    """Shares in percent, numbers of new labels, words per CPU second, and kinds of lost edges."""

    edges: float
    non_projective: float
    new_labels: int
    only_path: int  # new labels without the mark of lifted edges
    speed: float
    losses: Counter[str]


GONE = "the head was lifted higher"
SHARED = "wrong head, several edges lifted to one word"
ALONE = "wrong head, one edge lifted there"


def explain(gold: np.ndarray, lifted: np.ndarray, found: np.ndarray) -> Counter[str]:
    """Count the lifted edges of a tree that did not come back."""
    reasons: Counter[str] = Counter()
    to = Counter(lifted[lifted != gold].tolist())
    for word in np.flatnonzero((lifted != gold) & (found != gold)).tolist():
        above = gold[word]
        while above not in (0, lifted[word]):
            above = lifted[above]
        reasons[GONE if above != lifted[word] else SHARED if to[lifted[word]] > 1 else ALONE] += 1
    return reasons


def measure(trees: list[Tree], transform: PseudoProjective) -> Result:
    """Encode and decode trees, and compare."""
    words = right = crossing = crossing_right = 0
    new: set[str] = set()
    losses: Counter[str] = Counter()
    seconds = 0.0
    transform.fit(trees)
    for gold, deprels in trees:
        begin = time.process_time()
        lifted, labels = transform.encode(gold, deprels)
        found, _ = transform.decode(lifted, labels)
        seconds += time.process_time() - begin
        same = found == gold
        edges = non_projective_edges(gold)
        words += len(gold) - 1
        right += int(same[1:].sum())
        crossing += len(edges)
        crossing_right += int(same[edges].sum())
        new.update(filter(transform.is_new, labels))
        losses += explain(gold, lifted, found)
    shares = 100 * right / max(1, words), 100 * crossing_right / max(1, crossing)
    only_path = sum(not transform.is_marked(label) for label in new)
    return Result(*shares, len(new), only_path, words / seconds, losses)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--part", default="train", help="the files whose names begin so; '' for all")
    parser.add_argument("--cap", type=int, default=30)
    arguments = parser.parse_args()
    capped = {f"{name} {arguments.cap}": (name, arguments.cap, "first") for name in ENCODINGS}
    free = {name: (name, None, "first") for name in ENCODINGS}
    preferring = {f"{name} np": (name, None, "non-projective") for name in ENCODINGS}
    kinds = free | capped | preferring
    edges, crossing, labels = [], [], []
    losses: dict[str, Counter[str]] = {kind: Counter() for kind in free}
    folders = [arguments.folder, *sorted(arguments.folder.iterdir())]
    for folder in (path for path in folders if any(path.glob(f"{arguments.part}*.conllu"))):
        trees = [
            (sentence.heads, list(sentence.deprels))
            for path in sorted(folder.glob(f"{arguments.part}*.conllu"))
            for sentence in read(path, on_error="skip", check="tree", report=lambda finding: None)
        ]
        results = {
            kind: measure(trees, PseudoProjective(name, cap=cap, prefer=prefer))
            for kind, (name, cap, prefer) in kinds.items()
        }
        words = sum(len(heads) - 1 for heads, _ in trees)
        count = sum(len(non_projective_edges(heads)) for heads, _ in trees)
        edges.append([folder.name, f"{words:,}", *(f"{results[kind].edges:.2f}" for kind in free | capped)])
        crossing.append([folder.name, f"{count:,}", *(f"{results[kind].non_projective:.1f}" for kind in kinds)])
        for kind, total in losses.items():
            total.update(results[kind].losses)
        old = len({label for tree in trees for label in tree[1][1:]})
        new = [f"{results[kind].new_labels}" for kind in free]
        new.append(f"{results[f'headpath {arguments.cap}'].only_path}")
        labels.append([folder.name, f"{old}", *new, *(f"{results[kind].speed / 1000:,.0f}" for kind in free)])
    print_table(["treebank", "edges", *free, *capped], edges)
    print_table(["treebank", "non-projective edges", *kinds], crossing)
    names = [*(f"new, {name}" for name in free), f"`l↓`, headpath {arguments.cap}"]
    print_table(["treebank", "labels", *names, *(f"kwords/s, {name}" for name in free)], labels)
    reasons = [[reason, *(f"{losses[kind][reason]:,}" for kind in free)] for reason in (SHARED, ALONE, GONE)]
    print_table(["lost lifted edges", *free], reasons)


if __name__ == "__main__":
    main()
