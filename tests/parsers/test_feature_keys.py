"""Keys of features are as many as there are features: no two templates, directions or values share one."""

from dataclasses import dataclass

import numpy as np
import pytest

from crossarc import Parser, read
from crossarc.features.attributes import Attributes
from crossarc.features.edges import ENDS
from crossarc.features.templates import parse_model
from crossarc.transitions.search import Greedy
from crossarc.treebank import Corpus

SENTENCES = 60  # of a real treebank; all arcs of each are looked at
MODELS = ("mst", "mst-compact", "mst-table2", "mst-mcdonald")


@dataclass
class Twin:
    """Features of a sentence as tuples, by the text of their templates."""

    model: object
    tokens: np.ndarray
    heads: np.ndarray

    def attribute(self, word, name):
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


def count(sentences, features, joint=False, **options):
    """For arcs to the right, to the left, and labels: the distinct keys and the distinct features."""
    model = Parser("mst", features=features, epochs=1, labels="joint" if joint else "after", **options)
    model = model.fit(sentences[:5]).model
    keys, twins = ([set(), set(), set()] for _ in range(2))
    search = model.search()
    for sentence in sentences:
        tokens = model.attributes.encode(Corpus.of([sentence]))
        heads = np.asarray(sentence.heads, dtype=np.int32)
        twin = Twin(model.features, tokens, heads)
        for d in range(1, len(heads)):
            for h in range(len(heads)):
                if h == d:
                    continue
                arc, label = search.features_of(tokens, h, d, heads)
                keys[h > d].update(arc.tolist())
                twins[h > d] |= twin.arc_features(h, d)
                if joint or heads[d] == h:
                    keys[2].update(label.tolist())
                    twins[2] |= twin.label_features(h, d)
    return [len(each) for each in keys], [len(each) for each in twins]


@pytest.mark.parametrize("features", MODELS)
def test_every_feature_has_a_key_of_its_own(example, features):
    (_, sentences), *_ = sentences_of(example)
    keys, twins = count(sentences, features, joint=features == "mst-table2")
    assert keys == twins


@pytest.mark.parametrize("features", ["mst", "mst-table2"])
def test_every_feature_of_a_treebank_has_a_key_of_its_own(example, treebanks, features):
    _, (_, sentences) = sentences_of(example, treebanks)
    keys, twins = count(sentences, features, joint=features == "mst-table2")
    assert keys == twins


def test_templates_with_dependents_have_keys_of_their_own(example):
    """Those of siblings differ in the side of the sibling's head, its attribute, and nothing else."""
    sentences = list(read(example))
    model = Parser("mst-bottom-up", epochs=1).fit(sentences[:5]).model
    search = model.search()
    rng = np.random.default_rng(1)
    keys, twins = ([set(), set()] for _ in range(2))
    for sentence in sentences:
        tokens = model.attributes.encode(Corpus.of([sentence]))
        n = len(sentence)
        heads = np.where(rng.random(n + 1) < 0.5, sentence.heads, -1).astype(np.int32)
        twin = Twin(model.features, tokens, heads)
        for d in range(1, n + 1):
            for h in (h for h in range(n + 1) if h != d and heads[d] < 0):
                keys[h > d].update(search.late_features_of(tokens, h, d, heads).tolist())
                twins[h > d] |= late_features(twin, h, d)
    assert [len(each) for each in keys] == [len(each) for each in twins]


def late_features(twin, h, d):
    """The features of templates that look at dependents; none where one of these is not there."""
    found = set()
    for place, terms in enumerate(twin.model.arc_terms):
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
    search = Greedy(trained.search().system, model, trained.moves, trained.move_labels, len(model.attributes))
    names = {name: number for number, name in enumerate(trained.labels)}
    labels = np.array([names.get(label, -1) for s in sentences for label in s.deprels], dtype=np.int32)
    data = (attributes.encode(corpus), corpus["head"], labels, corpus.starts)
    keys, _, _ = search.instances(*data)
    columns = {terms: keys[:, place] for place, terms in enumerate(templates)}
    for terms, column in columns.items():
        parts = np.column_stack([columns[(term,)] for term in terms])
        assert len(np.unique(column)) == len(np.unique(parts, axis=0)), terms
    assert len(np.unique(keys)) == sum(len(np.unique(column)) for column in columns.values())
