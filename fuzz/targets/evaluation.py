"""Scores of random trees and graphs against a naive count; tests of significance with hostile counts."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from pathlib import Path
from random import Random

from crossarc.errors import CrossarcError
from crossarc.evaluation import (
    break_down,
    compare,
    evaluate,
    evaluate_graphs,
    pair_trees,
    paired_bootstrap,
    paired_t_test,
    randomised_p,
    score_intervals,
)
from crossarc.treebank import Graph, Sentence
from fuzz import samples

LABELS = ("nsubj", "nsubj:pass", "obj", "punct", "conj", "_", "a:b:c", "ß")
FORMS = ("word", ".", "…", "«", "x.", "-", "猫", "'", "$", "\u0301")


@dataclass(frozen=True)
class Analyses:
    """Sentences as two systems analyse them."""

    gold: tuple[Sentence, ...]
    system: tuple[Sentence, ...]
    punctuation: str
    ignore_subtypes: bool


@dataclass(frozen=True)
class Counts:
    """Columns of numbers by sentence, and how to sample."""

    columns: tuple[tuple[float, ...], ...]
    samples: int
    confidence: float


def prepare(folder: Path) -> None:
    """Nothing is needed."""


def make(seed: int, context: None) -> Analyses | Counts:
    """Trees, or numbers that are sometimes no counts."""
    rng = Random(seed)
    if rng.random() < 0.3:
        return counts(rng)
    pairs = [pair(rng, rng.choice((1, 1, 2, 3, 6, 10))) for _ in range(rng.choice((0, 1, 1, 2, 2, 3, 4)))]
    gold, system = tuple(one for one, _ in pairs), tuple(other for _, other in pairs)
    if rng.random() < 0.03:
        system = system[:-1]
    return Analyses(gold, system, rng.choice(("all", "none")), rng.random() < 0.3)


def counts(rng: Random) -> Counts:
    """Four columns of counts, or of any numbers."""
    size = rng.choice((0, 1, 2, 5, 20))
    hostile = rng.random() < 0.6

    def number() -> float:
        return rng.choice(samples.FLOATS) if hostile and rng.random() < 0.3 else rng.randint(0, 9)

    columns = [tuple(number() for _ in range(size)) for _ in range(2)]
    columns += [tuple(max(each) for each in zip(*columns, strict=True)), tuple(number() + 9 for _ in range(size))]
    if rng.random() < 0.05:
        columns[rng.randrange(4)] = (1.0,) * (size + 1)
    confidence = rng.choice((0.95, 0.5, 0.95, 0.999999, 0.0, 1.0, float("nan")))
    return Counts(tuple(columns), rng.choice((100, 1, 10, 0, -1)), confidence)


def pair(rng: Random, n: int) -> tuple[Sentence, Sentence]:
    """A sentence and another analysis of it, often partly the same, sometimes without a tree."""
    heads = samples.tree(rng, n)
    others = [head if rng.random() < 0.6 else other for head, other in zip(heads, samples.tree(rng, n), strict=True)]
    if rng.random() < 0.3:
        others[rng.randint(1, n)] = rng.choice((-1, rng.randint(0, n)))

    def labels() -> list[str]:
        return ["", *(rng.choice(LABELS) for _ in range(n))]

    deprels = labels()
    changed = [label if rng.random() < 0.6 else other for label, other in zip(deprels, labels(), strict=True)]
    ids = [str(node) for node in range(n + 1)]

    def arcs() -> set[tuple[int, int, str]]:
        return {(rng.randint(0, n), rng.randint(1, n), rng.choice(LABELS[:3])) for _ in range(rng.randint(0, 2 * n))}

    gold_arcs = arcs()
    forms = ["", *(rng.choice(FORMS) for _ in range(n))]
    gold = Sentence.from_columns(forms=forms, heads=heads, deprels=deprels, graph=Graph.from_arcs(ids, gold_arcs))
    kept = {arc for arc in gold_arcs if rng.random() < 0.7} | set(list(arcs())[:2])
    return gold, gold.replace(heads=others, deprels=changed, graph=Graph.from_arcs(ids, kept))


def check(given: Analyses | Counts, context: None) -> str:
    """Compare with the definition."""
    warnings.simplefilter("error")
    try:
        return check_scores(given) if isinstance(given, Analyses) else check_significance(given)
    except CrossarcError as error:
        assert str(error).splitlines() == [str(error)], f"the message {error!s:r} has not one line"
        return "refused"


def check_scores(given: Analyses) -> str:
    """Attachment, exact match and arcs of graphs."""
    options = {"punctuation": given.punctuation, "ignore_subtypes": given.ignore_subtypes}
    scores = evaluate(given.gold, given.system, **options).scores  # type: ignore[arg-type]
    assert len(given.gold) == len(given.system), "files of different length"
    naive = dict.fromkeys(("words", "right", "right_heads", "right_labels", "right_links", "exact", "exact_heads"), 0)
    for gold, system in zip(given.gold, given.system, strict=True):
        count_words(naive, given, gold, system)
    found = {name: getattr(scores, name) for name in naive}
    assert found == naive, f"{found} instead of {naive}"
    check_graphs(given)
    if given.gold:
        trees = pair_trees(given.gold, given.system)
        for part in break_down(trees, ["label", "length", "depth", "crossing"]):
            assert sum(row.labelled.gold for row in part.rows) == sum(map(len, given.gold)), part
        compared = compare(given.gold, given.gold, given.system, shuffles=50).chosen
        assert all(0 <= p <= 1 for p in (compared.p, compared.t_test.p, compared.bootstrap.p)), compared
        assert 0 <= compared.b <= compared.a == compared.oracle == 100, compared
    return "scored"


def count_words(naive: dict[str, int], given: Analyses, gold: Sentence, system: Sentence) -> None:
    """Add the counts of a sentence, word by word."""

    def label(sentence: Sentence, word: int) -> str:
        whole = sentence.deprels[word]
        return whole.split(":")[0] if given.ignore_subtypes else whole

    words = [w for w in range(1, len(gold) + 1) if given.punctuation == "all" or not is_punctuation(gold.forms[w])]
    heads = [w for w in words if gold.heads[w] == system.heads[w]]
    labels = [w for w in words if label(gold, w) == label(system, w)]
    links = [w for w in words if w in heads or (gold.heads[w] > 0 and system.heads[gold.heads[w]] == w)]
    both = [w for w in heads if w in labels]
    naive["words"] += len(words)
    naive["right_heads"] += len(heads)
    naive["right_labels"] += len(labels)
    naive["right"] += len(both)
    naive["right_links"] += len(links)
    naive["exact"] += bool(words) and both == words
    naive["exact_heads"] += bool(words) and heads == words


def is_punctuation(form: str) -> bool:
    """Whether a form consists of Unicode punctuation."""
    return form in (".", "…", "«", "-", "'")


def check_graphs(given: Analyses) -> None:
    """Arcs are found or not."""
    scores = evaluate_graphs(given.gold, given.system)
    both = [(set(gold.graph), set(system.graph)) for gold, system in zip(given.gold, given.system, strict=True)]
    naive = (
        sum(len(gold & system) for gold, system in both),
        sum(len(gold) for gold, _ in both),
        sum(len(system) for _, system in both),
        sum(gold == system for gold, system in both),
    )
    labelled = scores.labelled
    found = labelled.correct, labelled.gold, labelled.system, scores.exact
    assert found == naive, f"{found} instead of {naive}"


def check_significance(given: Counts) -> str:
    """Probabilities are probabilities, intervals hold their ends in order."""
    a, b, total, other = given.columns
    p = randomised_p(a, b, shuffles=given.samples)
    assert 0 < p <= 1, f"p = {p}"
    assert p == randomised_p(b, a, shuffles=given.samples), "p depends on the order of systems"
    test = paired_t_test(a, b, total)
    assert 0 <= test.p <= 1, test
    assert not math.isnan(test.t), test
    boot = paired_bootstrap(a, b, total, resamples=given.samples, confidence=given.confidence)
    assert 0 < boot.p <= 1, boot
    assert boot.low <= boot.high, boot
    assert math.isfinite(boot.difference), boot
    intervals = score_intervals(total, a, other, b, resamples=given.samples, confidence=given.confidence)
    for interval in (intervals.precision, intervals.recall, intervals.f1):
        assert interval is None or -1e-9 <= interval[0] <= interval[1] <= 100 + 1e-9, intervals
    return "tested"
