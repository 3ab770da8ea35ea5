"""Keys of features are as many as there are features: no two templates, directions or values share one."""

from dataclasses import dataclass

import numpy as np
import pytest

from crossarc import read
from crossarc.decode.spanning import ChuLiuEdmonds
from crossarc.factors.arcs import ArcFactors, LabelFactors, RoundFactors
from crossarc.features.attributes import Attributes
from crossarc.features.edges import ENDS, RELATIVES, fit_edge_model, load_edge_model
from crossarc.treebank import Corpus

SENTENCES = 60  # of a real treebank; all arcs of each are looked at
MODELS = ("mst", "mst-compact", "mst-table2", "mst-mcdonald")


@dataclass
class Twin:
    """Features of a sentence as tuples, by the text of their templates."""

    model: object
    tokens: np.ndarray
    heads: np.ndarray
    labels: np.ndarray | None = None

    def attribute(self, word, name):
        if name == "deprel":
            return int(self.labels[word])
        inside = word is not None and 0 <= word < len(self.tokens)
        return int(self.tokens[word, self.model.attributes.index(name)]) if inside else None

    def dependents(self, head, side=None):
        found = [d for d in range(1, len(self.heads)) if self.heads[d] == head]
        return [d for d in found if side is None or (d > head) == (side > 0)]

    def distance(self, h, d):
        gap = abs(h - d)
        return gap if not self.model.distances else gap - 1 if gap <= 5 else 5 if gap <= 10 else 6

    def word(self, path, h, d):
        """The word that a path leads to from an arc in a whole tree."""
        name, _, offset = path.rstrip("]").partition("[")
        if name in ENDS:
            return (h if name == "head" else d) + int(offset or 0)
        if name == "grand":
            return int(self.heads[h]) if h else None
        if name == "sib":
            near = [s for s in self.dependents(self.heads[d]) if s != d and (s > d) == (int(offset) > 0)]
            return (min if int(offset) > 0 else max)(near, default=None)
        outer = self.dependents(d)
        return (max if int(offset) > 0 else min)(outer, default=None)

    def arc_features(self, h, d):
        found = set()
        for place, terms in enumerate(self.model.arc_terms):
            between = [term for term in terms if term.startswith("between.")]
            values = [self.distance_or_value(term, h, d) for term in terms if term not in between]
            kinds = {self.attribute(w, b.partition(".")[2]) for b in between for w in range(min(h, d) + 1, max(h, d))}
            found |= {(place, *values, kind) for kind in (kinds if between else {None})}
        return found

    def distance_or_value(self, term, h, d):
        if term == "direction":
            return None
        if term == "distance":
            return abs(h - d)
        path, _, attribute = term.rpartition(".")
        return self.attribute(self.word(path, h, d), attribute)

    def label_features(self, h, d):
        return {
            (place, h < d, *(self.distance(h, d) if term == "distance" else self.distance_or_value(term, h, d)
                             for term in terms))
            for place, terms in enumerate(self.model.label_terms)
        }  # fmt: skip


def sentences_of(example, treebanks=()):
    """The example treebank, and where there are real ones some sentences of one of them."""
    yield "example", list(read(example))
    for path in treebanks:
        if path.parent.name == "tr_imst" and path.name == "dev.conllu":
            yield "tr_imst", list(read(path))[:SENTENCES]


def fitted(sentences, name):
    """A feature model as some sentences need it, and their attributes."""
    corpus = Corpus.of(sentences)
    model = fit_edge_model(load_edge_model(name), corpus)
    return model, Attributes.fit(corpus, model.attributes)


def count(sentences, features):
    """For arcs to the right, to the left, and labels: the distinct keys and the distinct features."""
    model, attributes = fitted(sentences[:5], features)
    arcs, labels = ArcFactors(model, ChuLiuEdmonds(True)), LabelFactors(model, np.full(1, 3, dtype=np.uint8))
    ends_only = not any(term.startswith(RELATIVES) for terms in model.label_terms for term in terms)
    keys, twins = ([set(), set(), set()] for _ in range(2))
    for sentence in sentences:
        tokens = attributes.encode(Corpus.of([sentence]))
        heads = np.asarray(sentence.heads, dtype=np.int32)
        twin = Twin(model, tokens, heads)
        for d in range(1, len(heads)):
            for h in range(len(heads)):
                if h == d:
                    continue
                keys[h > d].update(arcs.features_of(tokens, h, d).tolist())
                twins[h > d] |= twin.arc_features(h, d)
                if ends_only or heads[d] == h:
                    keys[2].update(labels.features_of(tokens, h, d, heads).tolist())
                    twins[2] |= twin.label_features(h, d)
    return [len(each) for each in keys], [len(each) for each in twins]


@pytest.mark.parametrize("features", MODELS)
def test_every_feature_has_a_key_of_its_own(example, features):
    (_, sentences), *_ = sentences_of(example)
    keys, twins = count(sentences, features)
    assert keys == twins


@pytest.mark.parametrize("features", ["mst", "mst-table2"])
def test_every_feature_of_a_treebank_has_a_key_of_its_own(example, treebanks, features):
    _, (_, sentences) = sentences_of(example, treebanks)
    keys, twins = count(sentences, features)
    assert keys == twins


@pytest.mark.parametrize("labelled", [False, True])
def test_templates_with_dependents_have_keys_of_their_own(example, labelled):
    """Those of siblings differ in the side of the sibling's head, its attribute, and nothing else.

    Templates with labels count only where labels are known.
    """
    sentences = list(read(example))
    model, attributes = fitted(sentences[:5], "mst-bottom-up")
    assert any(term.endswith(".deprel") for terms in model.arc_terms for term in terms)
    places = np.full(5, 3, dtype=np.uint8) if labelled else None
    factors = RoundFactors(model, ChuLiuEdmonds(True), 0, np.zeros(1, dtype=np.int32), label_places=places)
    rng = np.random.default_rng(1)
    keys, twins = ([set(), set()] for _ in range(2))
    for sentence in sentences:
        tokens = attributes.encode(Corpus.of([sentence]))
        n = len(sentence)
        heads = np.where(rng.random(n + 1) < 0.5, sentence.heads, -1).astype(np.int32)
        labels = rng.integers(0, 5, size=n + 1).astype(np.int32) if labelled else None
        twin = Twin(model, tokens, heads, labels)
        for d in range(1, n + 1):
            for h in (h for h in range(n + 1) if h != d and heads[d] < 0):
                keys[h > d].update(factors.late_features_of(tokens, h, d, heads, labels).tolist())
                twins[h > d] |= late_features(twin, h, d)
    assert [len(each) for each in keys] == [len(each) for each in twins]


def late_features(twin, h, d):
    """The features of templates that look at dependents; none where one of these is not there."""
    found = set()
    for place, terms in enumerate(twin.model.arc_terms):
        if twin.labels is None and any(term.endswith(".deprel") for term in terms):
            continue
        values, late = [], False
        for term in terms:
            path, _, attribute = term.rpartition(".")
            end, _, child = path.partition(".")
            if path == "sib":
                near = [s for s in twin.dependents(h) if min(h, d) < s < max(h, d)]
                values.append(twin.attribute((max if h < d else min)(near), attribute) if near else "none")
            elif attribute == "children" or child:
                own = twin.dependents(h if end == "head" or path == "head" else d)
                if not own:
                    values.append("none")
                elif attribute == "children":
                    values.append(min(len(own), 3))
                else:
                    values.append(twin.attribute(min(own) if child == "child[-1]" else max(own), attribute))
            elif path != "between" and term != "distance":
                values.append(twin.attribute(twin.word(path, h, d), attribute))
                continue
            else:
                continue
            late = True
        if late and "none" not in values:
            found.add((place, *values))
    return found
