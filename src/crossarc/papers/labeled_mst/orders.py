"""The order in which words get their heads, by part of speech, when trees are built in rounds from the bottom up.

Words of a round can hang from words of their own round and of later ones. So a gold arc can be found if its dependent
is not later than its head, and with exactly one root, which only the last round of a sentence can have, the root's arc
if no word of the sentence is later. An order is judged by how many arcs can be found.

Some tags get rounds of their own, one after the other, and all others share the last round. What a tag adds behind
those that came before depends on their set alone, so the best order of each set of tags is found exactly, by dynamic
programming over sets. Of the sets that leave enough arcs within reach, the one is taken that decides the most words
before the last round. That takes 2^tags steps, which is little for the 17 of Universal Dependencies; of more, the
rarest count as one. One round of all tags leaves every arc within reach.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crossarc.core.strings import ROOT, StringTable
from crossarc.errors import CrossarcError, UnknownName
from crossarc.features.edges import EdgeModel
from crossarc.papers.labeled_mst.settings import RoundSettings
from crossarc.parsers.arcs.lengths import TAGS
from crossarc.treebank.corpus import Corpus

MOST_TAGS = 17
REACHABLE = 0.995  # of the gold arcs: rounds that are found leave so many within reach

Ints = NDArray[np.int32]
Counts = NDArray[np.int64]
Rounds = list[list[str]]


def tag_attribute(features: EdgeModel) -> str:
    """The attribute by which words are put into rounds."""
    for name in TAGS:
        if name in features.attributes:
            return name
    raise CrossarcError(
        "the treebank has no parts of speech, or the feature model looks at none, but rounds go by them; "
        "fill UPOS or XPOS, or train mst, which needs none"
    )


def rounds_of(settings: RoundSettings, features: EdgeModel, corpus: Corpus, single_root: bool) -> Rounds:
    """The tags of each round: those that the settings name, or those that are best for a treebank.

    Tags that the settings do not name are in the last round.
    """
    column = tag_attribute(features)
    table = corpus.strings[column]
    present = [table.string(tag) for tag in np.unique(corpus[column]).tolist() if tag != ROOT]
    if not settings.order:
        return best_rounds(corpus[column], table, corpus["head"], corpus.starts, single_root, REACHABLE)
    rounds = [[group] if isinstance(group, str) else list(group) for group in settings.order]
    named = [tag for group in rounds for tag in group]
    for tag in named:
        if tag not in present:
            raise CrossarcError(f"setting order: {UnknownName('tag', tag, present)}")
        if named.count(tag) > 1:
            raise CrossarcError(f"setting order: {tag} is there {named.count(tag)} times; a tag has one round")
    rounds[-1] += [tag for tag in present if tag not in named]
    return rounds


def round_numbers(rounds: Rounds, table: StringTable) -> Ints:
    """The round of each string of a table; tags that no round names are in the last."""
    numbers = np.full(len(table), len(rounds) - 1, dtype=np.int32)
    for number, group in enumerate(rounds):
        for tag in group:
            numbers[table[tag]] = number
    return numbers


def reachable_arcs(rounds: Ints, heads: Ints, starts: NDArray[np.int64], single_root: bool) -> NDArray[np.bool_]:
    """For each node, given by its round, whether its arc can be found; not for node 0."""
    first = np.repeat(starts[:-1], np.diff(starts))
    words = heads >= 0
    latest = np.repeat(np.maximum.reduceat(np.where(words, rounds, -1), starts[:-1]), np.diff(starts))
    found: NDArray[np.bool_] = rounds <= rounds[first + heads.clip(0)]
    roots = rounds == latest if single_root else np.ones_like(words)
    result: NDArray[np.bool_] = words & np.where(heads == 0, roots, found)
    return result


def best_rounds(
    tags: Ints, table: StringTable, heads: Ints, starts: NDArray[np.int64], single_root: bool, share: float
) -> Rounds:
    """The rounds that leave this share of the arcs of a treebank within reach and decide the most words early."""
    words = heads >= 0
    counts = np.bincount(tags[words], minlength=len(table))
    by_count = np.argsort(-counts, kind="stable")[: int((counts > 0).sum())]
    kinds = np.zeros(len(table), dtype=np.int64)
    kinds[by_count] = np.minimum(np.arange(len(by_count)), MOST_TAGS - 1)
    gains = Gains(kinds[tags], heads, starts, single_root)
    first = best_order(gains, np.bincount(kinds[tags[words]]), share * int(words.sum()))
    groups = [[kind] for kind in first]
    if rest := [kind for kind in range(gains.count) if kind not in first]:
        groups.append(rest)
    return [[table.string(tag) for tag in by_count.tolist() if kinds[tag] in group] for group in groups]


class Gains:
    """How many arcs of a treebank can be found if words of a kind come behind those of a set of kinds."""

    def __init__(self, kinds: Counts, heads: Ints, starts: NDArray[np.int64], single_root: bool) -> None:
        first = np.repeat(starts[:-1], np.diff(starts))
        words = heads >= 0
        self.count = int(kinds[words].max()) + 1
        inner = heads > 0
        self.arcs = np.zeros((self.count, self.count), dtype=np.int64)  # by head and dependent
        np.add.at(self.arcs, (kinds[(first + heads)[inner]], kinds[inner]), 1)
        # For a kind and a set of kinds, the root arcs into that kind in sentences that have no kinds but those.
        self.roots = np.zeros((self.count, 1 << self.count), dtype=np.int64)
        bits = np.where(words, 1 << kinds, 0)
        sets = np.repeat(np.bitwise_or.reduceat(bits, starts[:-1]), np.diff(starts)) if single_root else 0 * kinds
        np.add.at(self.roots, (kinds[heads == 0], sets[heads == 0]), 1)
        for kind in range(self.count):
            halves = self.roots.reshape(self.count, -1, 2, 1 << kind)
            halves[:, :, 1] += halves[:, :, 0]

    def inbound(self, kind: int) -> Counts:
        """For each set, the arcs into a kind from all other kinds than those of the set."""
        below = np.zeros(1, dtype=np.int64)
        for other in range(self.count):
            below = np.concatenate([below, below + self.arcs[other, kind]])
        arcs: Counts = self.arcs[:, kind].sum() - below
        return arcs


def best_order(gains: Gains, words: Counts, needed: float) -> list[int]:
    """The kinds that come before the last round, in their order, where so many arcs must be found.

    `words` has the number of words of each kind. Of sets that decide as many of them, the one with the most arcs.
    """
    count = gains.count
    sets = np.arange(1 << count)
    sizes = sum((sets >> kind & 1 for kind in range(count)), 0 * sets)
    inbound = [gains.inbound(kind) for kind in range(count)]
    most = np.full(len(sets), -1, dtype=np.int64)  # the arcs found into a set that comes first
    last = np.zeros(len(sets), dtype=np.int64)  # the kind in it that comes last then
    most[0] = 0
    for size in range(1, count + 1):
        layer = sets[sizes == size]
        for kind in range(count):
            with_it = layer[layer >> kind & 1 == 1]
            without = with_it ^ 1 << kind
            value = most[without] + inbound[kind][without] + gains.roots[kind, with_it]
            better = value > most[with_it]
            most[with_it[better]] = value[better]
            last[with_it[better]] = kind
    early = 0 * sets
    found = most.copy()
    for kind in range(count):
        inside = sets >> kind & 1 == 1
        early += np.where(inside, words[kind], 0)
        found += np.where(inside, 0, inbound[kind] + gains.roots[kind, -1])
    good = np.flatnonzero(found >= needed)
    rest = int(good[np.lexsort((-found[good], -early[good]))[0]])
    order: list[int] = []
    while rest:
        order.append(int(last[rest]))
        rest ^= 1 << order[-1]
    return order[::-1]
