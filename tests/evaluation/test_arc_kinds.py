"""Kinds of arcs by hand and against the definitions, and scores by kind with their intervals."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossarc.errors import StructureError, TreebankError, UnknownName
from crossarc.evaluation import KINDS, evaluate_graphs, score_intervals
from crossarc.evaluation.arc_kinds import EMPTY, GoldTree, enhanced_kinds
from crossarc.treebank import Graph, Sentence, read


def kinds(sentence):
    """The kinds of the arcs of a sentence by its own tree, by names of head, dependent and label."""
    graph = sentence.graph
    word = [int(name) if name.isdigit() else EMPTY for name in graph.nodes]
    arcs = [(word[h], word[d], label) for h, d, label in graph]
    named = [(graph.nodes[h], graph.nodes[d], label) for h, d, label in graph]
    return dict(zip(named, enhanced_kinds(sentence, arcs), strict=True))


def secondary(sentence):
    return {arc: kind for arc, kind in kinds(sentence).items() if kind != "primary"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            """
            1 Mia _ _ _ _ 2 nsubj 2:nsubj|4:nsubj
            2 sat _ _ _ _ 0 root 0:root
            3 and _ _ _ _ 4 cc 4:cc
            4 knitted _ _ _ _ 2 conj 2:conj:and|0:root
            5 socks _ _ _ _ 4 obj 4:obj
            6 and _ _ _ _ 7 cc 7:cc
            7 hats _ _ _ _ 5 conj 4:obj|5:conj:and|2:obj
            """,
            {
                ("4", "1", "nsubj"): "conj-shared",
                ("0", "4", "root"): "conj-shared",
                ("4", "7", "obj"): "conj-shared",
                ("2", "7", "obj"): "conj-shared",
            },
            id="coordination",
        ),
        pytest.param(
            """
            1 Mia _ _ _ _ 2 nsubj 2:nsubj|4:nsubj:xsubj|6:nsubj|8:nsubj
            2 tries _ _ _ _ 0 root 0:root
            3 to _ _ _ _ 4 mark 4:mark
            4 begin _ _ _ _ 2 xcomp 2:xcomp
            5 to _ _ _ _ 6 mark 6:mark
            6 swim _ _ _ _ 4 xcomp 4:xcomp
            7 and _ _ _ _ 8 cc 8:cc
            8 dive _ _ _ _ 6 conj 6:conj|4:xcomp
            """,
            {
                ("4", "1", "nsubj:xsubj"): "control",
                ("6", "1", "nsubj"): "control",
                ("8", "1", "nsubj"): "control",
                ("4", "8", "xcomp"): "conj-shared",
            },
            id="control",
        ),
        pytest.param(
            """
            1 cups _ _ _ _ 0 root 0:root|7:obj
            2 and _ _ _ _ 3 cc 3:cc
            3 plates _ _ _ _ 1 conj 1:conj:and|7:obj
            4 that _ _ _ _ 7 obj 1:ref
            5 Mia _ _ _ _ 6 nsubj 6:nsubj|7:nsubj:xsubj
            6 hoped _ _ _ _ 1 acl:relcl 1:acl:relcl
            7 glued _ _ _ _ 6 xcomp 6:xcomp
            """,
            {
                ("7", "1", "obj"): "relative",
                ("7", "3", "obj"): "relative",
                ("1", "4", "ref"): "relative",
                ("7", "5", "nsubj:xsubj"): "control",
            },
            id="relative clause",
        ),
        pytest.param(
            """
            1 Mia _ _ _ _ 2 nsubj 2:nsubj
            2 ate _ _ _ _ 0 root 0:root
            3 soup _ _ _ _ 2 obj 2:obj
            4 Ben _ _ _ _ 2 conj 4.1:nsubj
            4.1 _ _ _ _ _ _ _ 2:conj
            5 bread _ _ _ _ 4 orphan 4.1:obj|1:dep
            """,
            {
                ("4.1", "4", "nsubj"): "ellipsis",
                ("2", "4.1", "conj"): "ellipsis",
                ("4.1", "5", "obj"): "ellipsis",
            },
            id="empty nodes",
        ),
        pytest.param(
            """
            1 Mia _ _ _ _ 2 nsubj 2:nsubj|3:nsubj|3:dep
            2 saw _ _ _ _ 0 root 0:root
            3 Ben _ _ _ _ 2 obj 1:dep|3:self
            """,
            {
                ("3", "1", "nsubj"): "other",
                ("3", "1", "dep"): "other",
                ("3", "3", "self"): "other",
            },
            id="others, the first of a word without its head in the tree being primary",
        ),
    ],
)
def test_kinds_by_hand(conllu, text, expected):
    (sentence,) = conllu(text)
    assert secondary(sentence) == expected


LABELS = ("conj", "conj:and", "xcomp", "acl:relcl", "nsubj", "csubj:pass", "obj", "advcl:relcl", "ref", "nsubj:xsubj")


def random_sentence(rng):
    """A random tree with labels that kinds look at, and a random graph over it with most of the tree's arcs."""
    n = rng.randint(1, 7)
    order = rng.sample(range(1, n + 1), n)
    heads = [-1] * (n + 1)
    for place, word in enumerate(order):
        heads[word] = rng.choice([0, *order[:place]]) if place else 0
    labels = ["", *(rng.choice(LABELS) for _ in range(n))]
    arcs = {(heads[word], word, labels[word]) for word in order if rng.random() < 0.8}
    arcs |= {(rng.randint(0, n), rng.randint(1, n), rng.choice(LABELS)) for _ in range(2 * n)}
    forms = ["", *["w"] * n]
    return Sentence.from_columns(
        forms=forms, heads=heads, deprels=labels, graph=Graph.from_arcs(map(str, range(n + 1)), sorted(arcs))
    )


def path_up(sentence, node):
    """The node and all above it, the root last."""
    return [node] + (path_up(sentence, int(sentence.heads[node])) if node else [])


def coordination(sentence, node):
    """All words that conj arcs link with a node."""
    found = {node}
    while True:
        more = found | {
            other
            for word in range(1, len(sentence) + 1)
            if sentence.deprels[word].startswith("conj")
            for pair in ((word, int(sentence.heads[word])),)
            if set(pair) & found
            for other in pair
        }
        if more == found:
            return found
        found = more


def naive_kind(sentence, head, dependent, label):
    """The definitions of the documentation, word by word."""
    tree, labels = sentence.heads.tolist(), sentence.deprels
    if tree[dependent] == head:
        return "primary"
    if label.startswith(("nsubj", "csubj")):
        climbed = path_up(sentence, head)
        for end in range(1, len(climbed)):
            bases = [labels[word].split(":")[0] for word in climbed[:end]]
            if set(bases) <= {"xcomp", "conj"} and "xcomp" in bases and climbed[end] == tree[dependent]:
                return "control"
        if label.endswith(":xsubj"):
            return "control"
    if label == "ref":
        return "relative"
    for word in path_up(sentence, head)[:-1]:
        if labels[word].endswith(":relcl") and tree[word] in coordination_down(sentence, dependent):
            return "relative"
    first = min_conjunct(sentence, dependent)
    if head in coordination_down(sentence, tree[first]):
        return "conj-shared"
    return "other"


def min_conjunct(sentence, word):
    """The first conjunct: the first word on the way up that is not labelled conj."""
    return next(each for each in path_up(sentence, word) if not sentence.deprels[each].startswith("conj"))


def coordination_down(sentence, word):
    """The words that have the same first conjunct."""
    first = min_conjunct(sentence, word)
    return {other for other in range(len(sentence) + 1) if min_conjunct(sentence, other) == first}


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 100_000))
def test_kinds_equal_the_naive_twin(seed):
    sentence = random_sentence(random.Random(seed))
    tree = GoldTree(sentence)
    for head, dependent, label in sentence.graph:
        assert tree.kind(head, dependent, label) == naive_kind(sentence, head, dependent, label)
    for word in range(1, len(sentence) + 1):
        assert coordination(sentence, word) == coordination_down(sentence, word)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 100_000), st.sampled_from(sorted(KINDS)))
def test_each_arc_has_one_kind_and_counts_add_up(seed, name):
    rng = random.Random(seed)
    gold = [random_sentence(rng) for _ in range(4)]
    system = []
    for sentence in gold:
        arcs = [arc for arc in sentence.graph if rng.random() < 0.8]
        arcs.append((rng.randint(0, len(sentence)), rng.randint(1, len(sentence)), rng.choice(LABELS)))
        # Whatever the system's tree is, kinds go by that of gold.
        heads = [-1, *[rng.choice([-1, 0])] * len(sentence)]
        system.append(sentence.replace(graph=Graph.from_arcs(sentence.node_ids, set(arcs)), heads=heads))
    result = evaluate_graphs(gold, system, kinds=name)
    assert tuple(result.classes) == KINDS[name].names
    for part in ("labelled", "unlabelled"):
        scores = [getattr(each, part) for each in result.classes.values()]
        assert sum(score.gold for score in scores) == result.labelled.gold
        assert sum(score.system for score in scores) == result.labelled.system
    assert sum(each.labelled.recalled for each in result.classes.values()) == result.labelled.correct
    assert sum(each.labelled.precise for each in result.classes.values()) == result.labelled.correct
    for each in evaluate_graphs(gold, gold, kinds=name).classes.values():
        assert each.labelled.f1 in (None, 100.0)


def test_wrong_heads_are_errors_of_primary_arcs(conllu):
    gold = conllu("1 Mia _ _ _ _ 2 nsubj 2:nsubj\n2 saw _ _ _ _ 0 root 0:root\n3 Ben _ _ _ _ 2 obj 2:obj")
    system = conllu("1 Mia _ _ _ _ _ _ 2:nsubj\n2 saw _ _ _ _ _ _ 0:root\n3 Ben _ _ _ _ _ _ 1:obj|2:iobj")
    primary = evaluate_graphs(gold, system, kinds="enhanced").classes["primary"]
    assert (primary.labelled.gold, primary.labelled.recalled, primary.labelled.system) == (3, 2, 3)
    system = conllu("1 Mia _ _ _ _ _ _ 2:nsubj\n2 saw _ _ _ _ _ _ 0:root\n3 Ben _ _ _ _ _ _ 1:obj")
    primary = evaluate_graphs(gold, system, kinds="enhanced").classes["primary"]
    assert (primary.unlabelled.precision, primary.unlabelled.system) == (pytest.approx(200 / 3), 3)


def test_what_is_refused(conllu):
    bare = conllu("1 a _ _ _ _ _ _ 0:root\n2 b _ _ _ _ _ _ 1:ref")
    with pytest.raises(TreebankError, match=":1: sentence '': the heads are not a tree"):
        evaluate_graphs(bare, bare, kinds="enhanced")
    assert evaluate_graphs(bare, bare, kinds="danish").classes["anaphoric"].labelled.gold == 1
    with pytest.raises(UnknownName, match=r"did you mean 'danish'\? \(valid: danish, enhanced\)"):
        evaluate_graphs(bare, bare, kinds="danisch")
    with pytest.raises(TreebankError, match="pattern 'gapping' has the name of a kind"):
        evaluate_graphs(bare, bare, kinds="danish", patterns={"gapping": "x"})


def test_kinds_of_real_graphs(treebanks):
    """Nearly all arcs beyond the tree have a reason in enhanced UD; in Danish, labels and tree agree."""
    found = {path.parent.name for path in treebanks}
    if not {"en_ewt", "da_ddt_graph"} <= found:
        pytest.skip("needs en_ewt and da_ddt_graph")
    paths = {path.parent.name: path for path in treebanks if path.name == "test.conllu"}
    english = evaluate_graphs(paths["en_ewt"], paths["en_ewt"], kinds="enhanced").classes
    counts = {name: each.labelled.gold for name, each in english.items()}
    assert counts["other"] < 0.02 * (sum(counts.values()) - counts["primary"])
    assert min(counts[name] for name in ("conj-shared", "relative", "control")) > 100
    danish = evaluate_graphs(paths["da_ddt_graph"], paths["da_ddt_graph"], kinds="danish").classes
    counts = {name: each.labelled.gold for name, each in danish.items()}
    words = sum(len(sentence) for sentence in read(paths["da_ddt_graph"]))
    # Arcs of gaps are in the tree, the other two kinds never are.
    assert counts["primary"] + counts["gapping"] == words


# Intervals


def naive_intervals(columns, resamples, rng):
    """Precision, recall and F1 of sentences drawn one by one."""
    drawn = [[], [], []]
    for _ in range(resamples):
        gold, recalled, system, precise = np.array(columns)[:, rng.integers(0, len(columns[0]), len(columns[0]))].sum(1)
        if not gold or not system:
            continue
        precision, recall = 100 * precise / system, 100 * recalled / gold
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        for values, value in zip(drawn, (precision, recall, f1), strict=True):
            values.append(value)
    return [tuple(np.quantile(values, [0.025, 0.975])) for values in drawn]


def test_intervals_are_those_of_a_plain_bootstrap():
    rng = np.random.default_rng(5)
    gold = rng.integers(1, 4, 60)
    recalled = rng.binomial(gold, 0.8)
    system = recalled + rng.integers(0, 2, 60)
    found = score_intervals(gold, recalled, system, recalled)
    expected = naive_intervals([gold, recalled, system, recalled], 4000, rng)
    for one, other in zip((found.precision, found.recall, found.f1), expected, strict=True):
        assert one == pytest.approx(other, abs=1.0)


def test_intervals_hold_the_score_and_depend_on_the_seed_alone():
    counts = [[2, 1, 0, 3] * 9, [1, 1, 0, 2] * 9, [2, 2, 1, 3] * 9, [1, 1, 0, 2] * 9]
    one = score_intervals(*counts)
    assert one == score_intervals(*counts) != score_intervals(*counts, seed=1)
    assert one.recall[0] < 100 * 4 / 6 < one.recall[1]
    wide = score_intervals(*counts, confidence=0.99)
    assert wide.recall[0] <= one.recall[0] < one.recall[1] <= wide.recall[1]


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        (([0, 0], [0, 0], [1, 0], [0, 0]), ((0.0, 0.0), None, None)),
        (([1, 1], [1, 1], [1, 1], [1, 1]), ((100.0, 100.0),) * 3),
        (([1, 1], [0, 0], [1, 1], [0, 0]), ((0.0, 0.0),) * 3),
        (([], [], [], []), (None, None, None)),
    ],
)
def test_intervals_of_classes_without_items(counts, expected):
    found = score_intervals(*counts)
    assert (found.precision, found.recall, found.f1) == expected


def test_impossible_intervals_are_refused():
    with pytest.raises(StructureError, match="0 resamples"):
        score_intervals([1], [1], [1], [1], resamples=0)
    with pytest.raises(StructureError, match="confidence 1"):
        score_intervals([1], [1], [1], [1], confidence=1)


def test_intervals_of_graphs(conllu):
    gold = conllu("\n\n".join(["1 a _ _ _ _ 0 root 0:root|1:ref"] * 8))
    system = conllu("\n\n".join(["1 a _ _ _ _ 0 root 0:root|1:ref"] * 6 + ["1 a _ _ _ _ 0 root 0:root"] * 2))
    result = evaluate_graphs(gold, system, kinds="danish", intervals=True)
    anaphoric = result.classes["anaphoric"]
    assert anaphoric.labelled.recall == 75.0
    assert anaphoric.labelled_intervals.recall[0] < 75.0 < anaphoric.labelled_intervals.recall[1] <= 100.0
    assert anaphoric.labelled_intervals.precision == (100.0, 100.0)
    assert result.unlabelled_intervals.recall[0] < result.unlabelled.recall < result.unlabelled_intervals.recall[1]
    assert evaluate_graphs(gold, system, kinds="danish").classes["anaphoric"].labelled_intervals is None
    assert result.to_dict()["classes"]["anaphoric"]["labelled_intervals"]["precision"] == [100.0, 100.0]
