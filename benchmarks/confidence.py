"""The calibration of parsers: the share of right heads by their probability.

    python benchmarks/confidence.py treebanks/tr_imst --parsers mst arc-hybrid carreras-npa:labels=joint

Settings of a parser follow its name, as for `crossarc crossval`. The folder has train.conllu and dev.conllu.
Every other sentence of the development set is used in training, to fit the scale of probabilities. The other sentences
are measured.
"""

import argparse
import sys
import time
from itertools import pairwise
from pathlib import Path

import numpy as np

from crossarc import Parser, Sentence, read
from crossarc.experiments.folds import candidates_of
from crossarc.parsers import Analysis

BOUNDS = (0.0, 0.5, 0.7, 0.9, 0.99, 1.01)


def main() -> None:
    """Train, analyse and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path)
    options.add_argument("--parsers", nargs="+", default=["mst", "arc-hybrid"])
    options.add_argument("--epochs", type=int, default=8)
    options.add_argument("--beam", type=int, default=1, help="the beam of transition parsers in training")
    options.add_argument("--k", type=int, default=5)
    chosen = options.parse_args()
    dev = list(read(chosen.folder / "dev.conllu"))
    gold = dev[1::2]
    train = list(read(chosen.folder / "train.conllu"))
    beam = {"beam": chosen.beam} if chosen.beam > 1 else {}
    for candidate in candidates_of(chosen.parsers):
        parser = Parser(**{"epochs": chosen.epochs, **beam, **candidate.settings}).fit(train, dev=dev[::2])
        begin = time.perf_counter()
        found = list(parser.parse(gold, scores=True))
        seconds = time.perf_counter() - begin
        print(f"{candidate.name} on {chosen.folder.name}, {sum(map(len, gold)):,} words, ", end="")
        print(f"{sum(map(len, gold)) / seconds:,.0f} words per second with scores; {parser.scales}\n")
        print_bins(found, gold)
        several = list(parser.parse(gold, k=chosen.k))
        print(f"\nright heads: {oracle(found, gold):.2f}% in the first tree, ", end="")
        print(f"{oracle(several, gold):.2f}% in the best of {chosen.k}; ", end="")
        print(f"a right head is more likely than a wrong one in {100 * order(found, gold):.1f}% of all pairs; ", end="")
        print(f"expected calibration error {100 * calibration_error(found, gold):.1f}\n")
        sys.stdout.flush()


def print_bins(found: list[Analysis], gold: list[Sentence]) -> None:
    """Print words by the probability of their heads, and of their labels if the heads are right."""
    heads, right = judged(found, gold)
    labels = np.concatenate([analysis.best.label_probabilities[1:] for analysis in found])[right]
    named = np.concatenate(
        [
            np.array(analysis.best.sentence.deprels[1:]) == np.array(sentence.deprels[1:])
            for analysis, sentence in zip(found, gold, strict=True)
        ]
    )[right]
    print("| probability | words | mean of HeadProb | right heads | words | mean of LabelProb | right labels |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for low, high in pairwise(BOUNDS):
        cells = [f"{low:g} to {min(high, 1):g}"]
        for chances, good in ((heads, right), (labels, named)):
            here = (chances >= low) & (chances < high)
            cells.append(f"{100 * here.mean():.0f}%")
            cells += [f"{100 * each[here].mean():.0f}%" if here.any() else "" for each in (chances, good)]
        print(f"| {' | '.join(cells)} |")


def judged(found: list[Analysis], gold: list[Sentence]) -> tuple[np.ndarray, np.ndarray]:
    """The probabilities of all heads, and which are right."""
    return (
        np.concatenate([analysis.best.head_probabilities[1:] for analysis in found]),
        np.concatenate(
            [(a.best.sentence.heads == sentence.heads)[1:] for a, sentence in zip(found, gold, strict=True)]
        ),
    )


def oracle(found: list[Analysis], gold: list[Sentence]) -> float:
    """The right heads in the best tree of each sentence, in percent."""
    right = sum(
        max(int((tree.sentence.heads == sentence.heads)[1:].sum()) for tree in analysis.trees)
        for analysis, sentence in zip(found, gold, strict=True)
    )
    return 100 * right / sum(map(len, gold))


def order(found: list[Analysis], gold: list[Sentence]) -> float:
    """The share of pairs of a right and a wrong head in which the right one is more likely; ties count half."""
    chances, right = judged(found, gold)
    good, bad = np.sort(chances[right]), chances[~right]
    below, within = np.searchsorted(good, bad, "right"), np.searchsorted(good, bad, "left")
    return float((len(good) - (below + within) / 2).mean() / max(1, len(good)))


def calibration_error(found: list[Analysis], gold: list[Sentence]) -> float:
    """The expected calibration error of head probabilities, with ten bins."""
    chances, right = judged(found, gold)
    tenths = np.minimum((10 * chances).astype(int), 9)
    return sum(abs((chances - right)[tenths == tenth].sum()) for tenth in range(10)) / len(chances)


if __name__ == "__main__":
    main()
