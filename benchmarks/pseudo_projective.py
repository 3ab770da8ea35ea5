"""The share of trees and edges that the pseudo-projective transform restores, and its speed, as a Markdown table.

    python benchmarks/pseudo_projective.py FOLDER [--encoding head]

FOLDER is a treebank with any number of *.conllu files, or contains one such folder per treebank. Sentences that are not
trees are left out.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from crossarc.structure import non_projective_edges
from crossarc.transforms import PseudoProjective
from crossarc.treebank import read


def measure(folder: Path, transform: PseudoProjective) -> str:
    sentences = crooked_trees = trees_back = edges = edges_back = words = 0
    labels: set[str] = set()
    marked: set[str] = set()
    seconds = 0.0
    for path in sorted(folder.glob("*.conllu")):
        for sentence in read(path, on_error="skip", check="tree", report=lambda finding: None):
            gold, deprels = sentence.heads, sentence.deprels
            begin = time.perf_counter()
            lifted, encoded = transform.encode(gold, deprels)
            found, _ = transform.decode(lifted, encoded)
            seconds += time.perf_counter() - begin
            crooked = non_projective_edges(gold)
            sentences += 1
            words += len(sentence)
            labels.update(deprels[1:])
            marked.update(encoded[1:])
            crooked_trees += len(crooked) > 0
            trees_back += len(crooked) > 0 and bool((found == gold).all())
            edges += len(crooked)
            edges_back += int((found[crooked] == gold[crooked]).sum())
    shares = f"{100 * trees_back / max(1, crooked_trees):.1f} | {100 * edges_back / max(1, edges):.1f}"
    counts = f"{sentences:,} | {crooked_trees:,} | {edges:,}"
    return f"| {folder.name} | {counts} | {shares} | {len(labels)} | {len(marked)} | {words / seconds / 1000:,.0f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--encoding", default="head")
    arguments = parser.parse_args()
    transform = PseudoProjective(arguments.encoding)
    print(
        "| treebank | trees | non-projective | edges | trees back, % | edges back, % | labels | with marks | kwords/s |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    folders = [arguments.folder, *sorted(arguments.folder.iterdir())]
    for folder in (path for path in folders if any(path.glob("*.conllu"))):
        print(measure(folder, transform))


if __name__ == "__main__":
    main()
