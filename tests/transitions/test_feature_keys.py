"""Keys of features are as many as there are features: no two templates or values share one."""

import itertools
import random

import numpy as np
import pytest

from crossarc import Parser, read
from crossarc.features.attributes import Attributes
from crossarc.features.templates import parse_model
from crossarc.transitions.registry import get_graph_system
from crossarc.transitions.search import Greedy
from crossarc.transitions.system import Targets
from crossarc.transitions.training import instances
from crossarc.treebank import Corpus

TERMS = (
    "stack[0].form", "stack[0].upos", "stack[1].upos", "buffer[0].form", "buffer[0].upos", "buffer[1].upos",
    "stack[0].left[1].deprel", "stack[0].right_labels", "stack[0].left_count", "distance(stack[0], buffer[0])",
)  # fmt: skip


def test_templates_of_transitions_have_keys_of_their_own(example):
    """A template of several terms has as many keys as there are combinations of theirs, and shares none with others."""
    joined = [(a, b) for a in TERMS for b in TERMS if a < b] + [TERMS[k : k + 4] for k in range(len(TERMS) - 3)]
    templates = [*((term,) for term in TERMS), *joined]
    text = f"templates = {[' + '.join(terms) for terms in templates]}".replace("'", '"')
    sentences = list(read(example))
    trained = Parser("arc-hybrid", epochs=1).fit(sentences).model
    model = parse_model(text)
    corpus = Corpus.of(sentences)
    attributes = Attributes.fit(corpus, model.attributes)
    search = Greedy(trained.search.system, model, trained.moves, trained.move_labels, len(model.attributes))
    names = {name: number for number, name in enumerate(trained.labels)}
    labels = np.array([names.get(label, -1) for s in sentences for label in s.deprels], dtype=np.int32)
    data = (attributes.encode(corpus), Targets(corpus["head"], labels, corpus.starts))
    keys, _, _ = instances(search, *data)
    columns = {terms: keys[:, place] for place, terms in enumerate(templates)}
    for terms, column in columns.items():
        parts = np.column_stack([columns[(term,)] for term in terms])
        assert len(np.unique(column)) == len(np.unique(parts, axis=0)), terms
    assert len(np.unique(keys)) == sum(len(np.unique(column)) for column in columns.values())


@pytest.mark.parametrize("labels", [40, 400])
def test_sets_of_head_labels_have_keys_of_their_own(labels):
    """No two sets of up to three labels share one, whatever their numbers add up to, and their order does not count."""
    text = 'templates = ["stack[0].head_labels"]'
    system = get_graph_system("dag-eager", most_heads=3, most_parallel=3)
    moves = [system.moves.index(name) for name in ("SHIFT", "REDUCE")]
    moves += [system.moves.index(name) for name in ("LEFT-ARC", "RIGHT-ARC") for _ in range(labels)]
    search = Greedy(system, parse_model(text), moves, [-1, -1, *range(labels), *range(labels)], 0)
    tokens = np.zeros((3, 1), dtype=np.int32)
    rng = random.Random(labels)
    sets = {*itertools.combinations(range(40), 1), *itertools.combinations(range(40), 2)}
    sets |= {tuple(sorted(rng.sample(range(labels), 3))) for _ in range(2_000)}

    def key(chosen):
        """The key of the word 1 below node 0 by arcs with some labels."""
        actions = [2 + labels + label for label in chosen]  # RIGHT-ARC
        return int(search.keys_after(tokens, np.array([*actions, 0], dtype=np.int32))[0])

    assert len({key(chosen) for chosen in sets}) == len(sets)
    assert key((3, 1, 2)) == key((1, 2, 3))
