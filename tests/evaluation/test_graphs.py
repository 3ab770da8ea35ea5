from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossarc.errors import AlignmentError, TreebankError
from crossarc.evaluation import evaluate_enhanced, evaluate_graphs
from crossarc.evaluation.enhanced import cut_path
from crossarc.treebank.empty_nodes import collapse
from helpers import arcs_of

LABELS = ("subj", "obj", "obj:in", "ref")


def graph_text(rng, empties):
    """Three or four words, perhaps with empty nodes after some, and random arcs."""
    n = rng.randint(2, 4)
    ids = []
    for word in range(1, n + 1):
        ids.append(str(word))
        if empties and rng.random() < 0.4:
            ids.append(f"{word}.1")
    lines = []
    for name in ids:
        heads = rng.sample(["0", *ids], rng.randint(0, 2))
        deps = sorted({f"{head}:{rng.choice(LABELS)}" for head in heads if head != name}, key=order)
        tree = "_ _" if "." in name else f"{0 if name == '1' else 1} {rng.choice(LABELS)}"
        lines.append(f"{name} w _ _ _ _ {tree} {'|'.join(deps) or '_'}")
    return n, "\n".join(lines)


def order(dep):
    return tuple(map(int, dep.split(":")[0].split(".")))


def random_graphs(seed, empties=True):
    rng = random.Random(seed)
    texts = []
    while len(texts) < 10:
        (n, one), (m, other) = graph_text(rng, empties), graph_text(rng, empties)
        if n == m:
            texts.append((one, other))
    one, other = ("\n\n".join(column) for column in zip(*texts, strict=True))
    return one + "\n\n1 z _ _ _ _ 0 x 0:x", other + "\n\n1 z _ _ _ _ 0 x 0:x"


def named_arcs(sentence):
    graph = sentence.graph
    return {(graph.nodes[h], graph.nodes[d], label) for h, d, label in graph}


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.booleans())
def test_equals_sets_of_arcs(conllu, seed, empties):
    gold, system = map(conllu, random_graphs(seed, empties))
    result = evaluate_graphs(gold, system, patterns={"objects": "obj.*"})
    pairs = [(named_arcs(a), named_arcs(b)) for a, b in zip(gold, system, strict=True)]
    bare = [tuple({arc[:2] for arc in arcs} for arcs in pair) for pair in pairs]
    for score, sides in ((result.labelled, pairs), (result.unlabelled, bare)):
        assert score.gold == sum(len(a) for a, _ in sides)
        assert score.system == sum(len(b) for _, b in sides)
        assert score.correct == sum(len(a & b) for a, b in sides)
    assert result.exact == sum(a == b for a, b in pairs)
    assert result.exact_unlabelled == sum(a == b for a, b in bare)
    objects = result.classes["objects"]
    assert objects.labelled.gold == sum(arc[2].startswith("obj") for a, _ in pairs for arc in a)
    assert objects.unlabelled.recalled == sum(
        arc[2].startswith("obj") and arc[:2] in right
        for (a, _), (_, right) in zip(pairs, bare, strict=True)
        for arc in a
    )
    primary = result.classes["primary"].labelled
    assert primary.gold == sum(
        "." not in head and "." not in dependent and str(sentence.heads[int(dependent)]) == head
        for sentence, (arcs, _) in zip(gold, pairs, strict=True)
        for head, dependent, _ in arcs
    )
    assert primary.gold + result.classes["secondary"].labelled.gold == result.labelled.gold
    assert primary.precise + result.classes["secondary"].labelled.precise == result.labelled.correct


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000))
def test_identity_and_symmetry(conllu, seed):
    gold, system = map(conllu, random_graphs(seed))
    same = evaluate_graphs(gold, gold)
    assert same.labelled.f1 == same.unlabelled.f1 == same.exact_match == same.exact_match_unlabelled == 100.0
    forth, back = evaluate_graphs(gold, system), evaluate_graphs(system, gold)
    assert forth.labelled.precision == back.labelled.recall
    assert forth.exact == back.exact
    for name in ("primary", "secondary"):
        assert forth.classes[name].labelled.precision == back.classes[name].labelled.recall
    one, other = evaluate_enhanced(gold, system), evaluate_enhanced(system, gold)
    assert (one.elas.precision, one.eulas.recall) == (other.elas.recall, other.eulas.precision)
    assert evaluate_enhanced(gold, gold).elas.f1 in (100.0, 0.0)


def test_a_system_without_trees_has_primary_arcs_by_the_gold_tree(conllu):
    rows = ["1 a _ _ _ _ {} 0:root _", "2 b _ _ _ _ {} 1:x|3:y _", "3 c _ _ _ _ {} {} _"]

    def side(heads, last):
        cells = [*heads[:2], heads[2], last]
        text = "\n".join(rows).format(*cells).replace(" ", "\t")
        return conllu(text + "\n\n")

    gold = side(["0 root", "3 y", "1 z"], "1:z")
    result = evaluate_graphs(gold, side(["_ _"] * 3, "2:w"))
    primary, secondary = result.classes["primary"].labelled, result.classes["secondary"].labelled
    assert (primary.gold, primary.system, primary.precise) == (3, 3, 2)  # 3 has a wrong head in place of the right one
    assert (secondary.gold, secondary.system, secondary.precise) == (1, 1, 1)


def test_figures_by_hand(conllu):
    gold = conllu("""
        1 Owls _ _ _ _ 2 subj 2:subj|3:[subj]
        2 try _ _ _ _ 0 root 0:root
        3 singing _ _ _ _ 2 obj 2:obj
    """)
    system = conllu("""
        1 Owls _ _ _ _ 2 subj 2:subj|3:subj
        2 try _ _ _ _ 0 root 0:root
        3 singing _ _ _ _ 2 obj 1:obj|2:obj
    """)
    result = evaluate_graphs(gold, system, patterns={"controlled": r"\[.*\]"})
    assert (result.labelled.correct, result.labelled.gold, result.labelled.system) == (3, 4, 5)
    assert (result.unlabelled.correct, result.unlabelled.recall) == (4, 100.0)
    assert (result.exact, result.exact_unlabelled, result.sentences) == (0, 0, 1)
    secondary = result.classes["secondary"]
    assert (secondary.labelled.gold, secondary.labelled.recalled, secondary.labelled.system) == (1, 0, 2)
    assert (secondary.unlabelled.recall, secondary.unlabelled.precision) == (100.0, 50.0)
    controlled = result.classes["controlled"]
    assert (controlled.labelled.recall, controlled.labelled.precision) == (0.0, None)
    assert controlled.unlabelled.recall == 100.0


def test_mismatches_are_refused(conllu):
    one, two = conllu("1 a _ _ _ _ 0 r 0:r"), conllu("1 b _ _ _ _ 0 r 0:r")
    with pytest.raises(AlignmentError, match=r"sentence 1: gold is .*:1 with 'a'"):
        evaluate_graphs(one, two)
    with pytest.raises(AlignmentError, match="system has nothing"):
        evaluate_graphs(one, [])
    with pytest.raises(TreebankError, match="the system sentences have no graph"):
        evaluate_graphs(one, conllu("1 a _ _ _ _ 0 r"))
    with pytest.raises(TreebankError, match="pattern 'bad'"):
        evaluate_graphs(one, one, patterns={"bad": "["})


def naive_collapse(sentence):
    arcs = named_arcs(sentence)
    found = set()

    def walk(start, node, labels, passed):
        for head, dependent, label in arcs:
            if head != node or dependent in passed:
                continue
            if "." in dependent:
                walk(start, dependent, [*labels, label], {*passed, dependent})
            else:
                found.add((int(start), int(dependent), ">".join([*labels, label])))

    for name in sentence.graph.nodes:
        if "." not in name:
            walk(name, name, [], set())
    return found


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000))
def test_enhanced_equals_the_naive_twin(conllu, seed):
    gold, system = map(conllu, random_graphs(seed))
    result = evaluate_enhanced(gold, system)
    total = [0, 0]
    right = {False: 0, True: 0}
    for ours, theirs in zip(gold, system, strict=True):
        one, other = naive_collapse(ours), naive_collapse(theirs)
        assert set(collapse(ours)) == one
        total = [total[0] + len(one), total[1] + len(other)]
        for cut in right:

            def key(arc, cut=cut):
                return (*arc[:2], [step.split(":")[0] for step in arc[2].split(">")] if cut else arc[2])

            right[cut] += sum(key(a) == key(b) for a in one for b in other)
    assert (result.elas.correct, result.elas.gold, result.elas.system) == (right[False], *total)
    assert (result.eulas.correct, result.eulas.gold, result.eulas.system) == (right[True], *total)


def test_paths_through_empty_nodes(conllu):
    (sentence,) = conllu("""
        1 She _ _ _ _ 2 nsubj 2:nsubj|4.1:nsubj
        2 sings _ _ _ _ 0 root 0:root
        3 songs _ _ _ _ 2 obj 2:obj
        4 he _ _ _ _ 2 conj 4.1:nsubj
        4.1 _ _ _ _ _ _ _ 2:conj:and
        4.2 _ _ _ _ _ _ _ 4.1:dep
        5 tunes _ _ _ _ 4 orphan 4.1:obj|4.2:dep
    """)
    assert set(collapse(sentence)) == {
        *arcs_of("0-2 root, 2-1 nsubj, 2-3 obj"),
        *arcs_of("2-1 conj:and>nsubj, 2-4 conj:and>nsubj, 2-5 conj:and>obj, 2-5 conj:and>dep>dep"),
    }
    assert cut_path("conj:and>nsubj:pass") == "conj>nsubj"


def test_words_are_aligned_for_elas(conllu):
    gold = conllu("""
        1-2 vámonos
        1 vamos _ _ _ _ 0 root 0:root
        2 nos _ _ _ _ 1 obj 1:obj
        3 mar _ _ _ _ 1 obl 1:obl:a
    """)
    system = conllu("""
        1 vámonos _ _ _ _ 0 root 0:root
        2 mar _ _ _ _ 1 obl 1:obl|0:root
    """)
    result = evaluate_enhanced(gold, system)
    # Only "mar" is aligned; its head in the system is not.
    assert (result.elas.correct, result.elas.gold, result.elas.system, result.elas.aligned) == (0, 3, 3, None)
    system = conllu("""
        1-2 vámonos
        1 Vamos _ _ _ _ 0 root 0:root
        2 os _ _ _ _ 1 obj 1:obj
        3 mar _ _ _ _ 1 obl 1:obl
    """)
    result = evaluate_enhanced(gold, system)
    assert (result.elas.correct, result.eulas.correct) == (1, 2)


def test_cut_labels_count_pairs(conllu):
    # As in the shared task's script: two gold arcs that become equal once cut match one of the system twice.
    gold = conllu("1 a _ _ _ _ 0 r 0:r\n2 b _ _ _ _ 1 x 1:obl:in|1:obl:on")
    system = conllu("1 a _ _ _ _ 0 r 0:r\n2 b _ _ _ _ 1 x 1:obl:in")
    result = evaluate_enhanced(gold, system)
    assert (result.elas.correct, result.eulas.correct) == (2, 3)
