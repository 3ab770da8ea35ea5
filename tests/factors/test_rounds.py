"""Rounds: what later rounds see of earlier ones."""

import numpy as np
import pytest

from crossarc.decode.spanning import ChuLiuEdmonds
from crossarc.factors.arcs import ARC_WEIGHTS, LabelFactors, RoundFactors
from crossarc.features.edges import parse_edge_model
from crossarc.features.templates import TemplateError
from crossarc.learning.scorers import Weights

ROOT, GO, COME, CAT, NEAR, FAR = range(6)  # forms, which are tags too
PLACES = np.full(4, 3, dtype=np.uint8)
FIRST, AFTER = 0, 1
ROUNDS = np.array([AFTER, AFTER, AFTER, AFTER, FIRST, FIRST], dtype=np.int32)


@pytest.mark.parametrize("template", ["dep.child[1].deprel + head.form + dep.form", "head.child[1].deprel + dep.form"])
@pytest.mark.parametrize("labelled", [False, True])
def test_labels_of_dependents_decide_later_arcs(template, labelled):
    """The noun hangs from the verb that its preposition's label asks for, and arcs see nothing else of that."""
    model = parse_edge_model(f'arcs = ["head.form + dep.form", "{template}"]\nlabels = ["dep.form"]')
    tokens = np.array([[ROOT], [GO], [CAT], [NEAR], [COME], [ROOT], [GO], [CAT], [FAR], [COME]], dtype=np.int32)
    if template.startswith("head"):
        # The verbs hang from the noun or from each other.
        heads = np.array([-1, 2, 0, 2, 2, -1, 4, 4, 2, 0], dtype=np.int32)
    else:
        heads = np.array([-1, 0, 1, 2, 1, -1, 0, 4, 2, 1], dtype=np.int32)
    labels = np.array([-1, 0, 1, 2, 0, -1, 0, 1, 3, 0], dtype=np.int32)
    starts, order = np.array([0, 5, 10]), np.array([0, 1])
    label_weights, weights = Weights(4, 1), Weights(ARC_WEIGHTS, 1)
    extra = (label_weights,) if labelled else ()
    factors = RoundFactors(model, ChuLiuEdmonds(True), 0, ROUNDS, label_places=PLACES if labelled else None)
    for _ in range(20):
        LabelFactors(model, PLACES).learn(label_weights, tokens, heads, labels, starts, order)
        factors.learn(weights, tokens, heads, starts, order, 0.0, False, *extra)
    found = np.full_like(heads, -1)
    factors.find_trees(weights, tokens, starts, found, *extra)
    assert (found.tolist() == heads.tolist()) == labelled


def test_labels_of_dependents_need_weights():
    model = parse_edge_model('arcs = ["head.form + dep.form"]\nlabels = ["dep.form"]')
    labelled = RoundFactors(model, ChuLiuEdmonds(True), 0, ROUNDS, label_places=PLACES)
    plain = RoundFactors(model, ChuLiuEdmonds(True), 0, ROUNDS)
    data = np.zeros((2, 1), dtype=np.int32), np.array([0, 2]), np.zeros(2, dtype=np.int32)
    for factors, extra in ((labelled, ()), (plain, (Weights(4, 1),))):
        with pytest.raises(ValueError, match="need weights"):
            factors.find_trees(Weights(ARC_WEIGHTS, 1), *data, *extra)


@pytest.mark.parametrize("template", ["dep.deprel", "head.upos + between.deprel", "head[1].deprel + dep.form"])
def test_only_dependents_have_labels(template):
    with pytest.raises(TemplateError, match="deprel"):
        parse_edge_model(f'arcs = ["{template}"]\nlabels = ["dep.upos"]')
