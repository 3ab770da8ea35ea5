"""The share of the graphs that the transforms restore, their changes, and their speed, as Markdown tables.

    python benchmarks/graph_transforms.py FOLDER [--part train] [--treebanks da_ddt_graph en_ewt]

FOLDER is a treebank with *.conllu files, or contains one such folder per treebank. The first table has the labelled
precision and recall of graphs that were encoded and decoded, against the gold graphs. This is the upper bound for a
parser. The second one counts what was changed, the third one labels, and the fourth one has the speed of encoding and
decoding.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from shared import print_table

from crossarc.structure import is_acyclic
from crossarc.transforms import GraphTransform, LabelLemmas
from crossarc.transforms.label_lemmas import SOURCES
from crossarc.treebank import Sentence, read
from crossarc.treebank.empty_nodes import numbered_arcs

SETTINGS = {
    "projective": {"projective": True},
    "projective, shortest": {"projective": True, "lifting": "shortest"},
    "projective, numbers 9": {"projective": True, "numbers": 9},
    "projective, paper": {"projective": True, "reversal": "paper"},
    "acyclic": {"projective": False},
    "acyclic, paper": {"projective": False, "reversal": "paper"},
}


@dataclass
class Result:
    """Arcs in gold graphs, decoded graphs and both; encoded labels; counts of the transform; CPU seconds."""

    gold: int = 0
    found: int = 0
    right: int = 0
    labels: set[str] = field(default_factory=set)
    losses: Counter[str] = field(default_factory=Counter)
    encoding: float = 0.0
    decoding: float = 0.0


def named_arcs(sentence: Sentence) -> set[tuple[str, str, str]]:
    """The arcs of a sentence between the ids of nodes."""
    nodes = sentence.graph.nodes
    return {(nodes[head], nodes[dependent], label) for head, dependent, label in sentence.graph}


def measure(sentences: list[Sentence], transform: GraphTransform) -> Result:
    """Encode and decode graphs, and compare."""
    result = Result(losses=transform.losses)
    for sentence in sentences:
        gold = named_arcs(sentence)
        begin = time.process_time()
        arcs = transform.encode(sentence)
        middle = time.process_time()
        back = transform.decode(sentence, arcs)
        end = time.process_time()
        found = named_arcs(back)
        result.encoding += middle - begin
        result.decoding += end - middle
        result.gold += len(gold)
        result.found += len(found)
        result.right += len(gold & found)
        result.labels.update(label for _, _, label in arcs)
    return result


def covered(sentences: list[Sentence]) -> tuple[int, int, int]:
    """The number of labels with lemmas or cases, of those with a placeholder, and of distinct labels afterwards.

    A label whose relation can have a lemma has one, or a case, unless the trees have the label too, as `acl:relcl`.
    """
    lemmas = LabelLemmas()
    long = short = 0
    labels = set()
    of_trees = {label for sentence in sentences for label in sentence.deprels}
    for sentence in sentences:
        arcs = numbered_arcs(sentence)
        for (*_, old), (*_, new) in zip(arcs, lemmas.encode(sentence, arcs), strict=True):
            base, colon, _ = old.partition(":")
            if colon and base in SOURCES and old not in of_trees:
                long += 1
                short += "⟨" in new
            labels.add(new)
    return long, short, len(labels)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--part", default="train", help="the files whose names begin so; '' for all")
    parser.add_argument("--treebanks", nargs="*", help="names of folders; all that have graphs if there are none")
    arguments = parser.parse_args()
    bounds, changes, labels, speed = [], [], [], []
    for folder in [arguments.folder, *sorted(arguments.folder.iterdir())]:
        if arguments.treebanks and folder.name not in arguments.treebanks:
            continue
        paths = sorted(folder.glob(f"{arguments.part}*.conllu")) if folder.is_dir() else []
        sentences = [sentence for path in paths for sentence in read(path) if sentence.has_graph]
        if not sentences:
            continue
        results = {name: measure(sentences, GraphTransform(**each)) for name, each in SETTINGS.items()}  # type: ignore[arg-type]
        first = next(iter(results.values()))
        shares = [
            f"{100 * each.right / each.found:.2f} / {100 * each.right / each.gold:.2f}" for each in results.values()
        ]
        bounds.append([folder.name, f"{first.gold:,}", *shares])
        cyclic = sum(not is_acyclic(sentence.graph) for sentence in sentences)
        for name, each in results.items():
            names = ("arcs_reversed", "arcs_dropped", "null_arcs", "arcs_lifted", "lifted_to_root", "lifted_elsewhere")
            counts = [f"{each.losses[kind]:,}" for kind in (*names, "empty_nodes_lost")]
            changes.append([folder.name, f"{cyclic:,} of {len(sentences):,}", name, *counts])
        long, short, distinct = covered(sentences)
        old = len({label for sentence in sentences for label in sentence.graph.labels})
        sizes = [f"{len(each.labels):,}" for each in results.values()]
        share = f"{100 * short / long:.1f}" if long else "-"
        labels.append([folder.name, f"{long:,}", share, f"{old:,}", f"{distinct:,}", *sizes])
        words = sum(map(len, sentences)) / 1000
        rates = [f"{words / each.encoding:.0f}, {words / each.decoding:.0f}" for each in results.values()]
        speed.append([folder.name, *rates])
    print_table(["treebank", "arcs", *SETTINGS], bounds)
    columns = ["reversed", "dropped", "null arcs", "lifted", "to node 0", "put elsewhere", "empty nodes lost"]
    print_table(["treebank", "cyclic graphs", "transform", *columns], changes)
    print_table(["treebank", "labels with lemmas", "covered, %", "distinct", "with placeholders", *SETTINGS], labels)
    print_table(["treebank", *(f"kwords/s, {name}" for name in SETTINGS)], speed)


if __name__ == "__main__":
    main()
