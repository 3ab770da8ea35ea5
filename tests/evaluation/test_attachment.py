from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossarc.errors import AlignmentError, TreebankError, UnknownName
from crossarc.evaluation import evaluate, pair_trees, sentence_counts
from crossarc.evaluation.trees import Trees, is_punctuation
from crossarc.treebank import write

SEEDS = st.integers(0, 10_000)


def naive_is_non_projective(heads, dependent):
    head = heads[dependent]
    for word in range(min(head, dependent) + 1, max(head, dependent)):
        above = word
        while above not in (0, head):
            above = heads[above]
        if above != head:
            return True
    return False


def naive_is_tree(heads):
    for word in range(1, len(heads)):
        seen = set()
        while word > 0 and word not in seen:
            seen.add(word)
            word = heads[word]
        if word != 0:
            return False
    return True


def naive_counts(gold, system, keep):
    counts = dict.fromkeys(
        (
            "words",
            "right",
            "right_heads",
            "right_labels",
            "right_links",
            "sentences",
            "exact",
            "exact_heads",
            "np_gold",
            "np_recalled",
            "np_system",
            "np_precise",
            "broken",
        ),
        0,
    )
    for ours, theirs in zip(gold, system, strict=True):
        heads, parsed = ours.heads.tolist(), theirs.heads.tolist()
        whole = naive_is_tree(parsed)
        counts["broken"] += not whole
        chosen = [k for k in range(1, len(ours) + 1) if keep(ours, k)]
        links = {frozenset((k, parsed[k])) for k in range(1, len(parsed))}
        good = [heads[k] == parsed[k] for k in chosen]
        both = [heads[k] == parsed[k] and ours.deprels[k] == theirs.deprels[k] for k in chosen]
        counts["words"] += len(chosen)
        counts["right_heads"] += sum(good)
        counts["right"] += sum(both)
        counts["right_labels"] += sum(ours.deprels[k] == theirs.deprels[k] for k in chosen)
        counts["right_links"] += sum(frozenset((k, heads[k])) in links for k in chosen)
        counts["sentences"] += bool(chosen)
        counts["exact"] += bool(chosen) and all(both)
        counts["exact_heads"] += bool(chosen) and all(good)
        for k, correct in zip(chosen, both, strict=True):
            if naive_is_non_projective(heads, k):
                counts["np_gold"] += 1
                counts["np_recalled"] += correct
            if whole and naive_is_non_projective(parsed, k):
                counts["np_system"] += 1
                counts["np_precise"] += correct
    return counts


def as_naive(result, scores):
    edges = scores.non_projective
    return {
        "words": scores.words,
        "right": scores.right,
        "right_heads": scores.right_heads,
        "right_labels": scores.right_labels,
        "right_links": scores.right_links,
        "sentences": scores.sentences,
        "exact": scores.exact,
        "exact_heads": scores.exact_heads,
        "np_gold": edges.gold,
        "np_recalled": edges.recalled,
        "np_system": edges.system,
        "np_precise": edges.precise,
        "broken": result.broken,
    }


@settings(max_examples=60, deadline=None)
@given(SEEDS)
def test_equals_the_naive_twin(random_pair, seed):
    gold, system = random_pair(seed)
    by_form = evaluate(gold, system)
    assert as_naive(by_form, by_form.with_punctuation) == naive_counts(gold, system, lambda s, k: True)
    assert as_naive(by_form, by_form.without_punctuation) == naive_counts(
        gold, system, lambda s, k: s.forms[k] not in ("!", "«»")
    )
    by_tag = evaluate(gold, system, punctuation="none", punctuation_by="upos")
    assert as_naive(by_tag, by_tag.scores) == naive_counts(gold, system, lambda s, k: s.upos[k] != "PUNCT")


@settings(max_examples=30, deadline=None)
@given(SEEDS)
def test_a_file_against_itself_is_perfect(random_pair, seed):
    gold, _ = random_pair(seed)
    result = evaluate(gold, gold)
    figures = (result.las, result.uas, result.label_accuracy, result.undirected_uas, result.lem, result.uem)
    assert figures == (100.0,) * 6
    assert result.broken == 0
    assert result.non_projective.recall in (100.0, None)
    assert result.non_projective.precision == result.non_projective.recall


@settings(max_examples=30, deadline=None)
@given(SEEDS)
def test_swapping_gold_and_system_swaps_precision_and_recall(random_pair, seed):
    gold, system = random_pair(seed)
    pairs = [(a, b) for a, b in zip(gold, system, strict=True) if naive_is_tree(b.heads.tolist())]
    left, right = [a for a, _ in pairs], [b for _, b in pairs]
    forth, back = evaluate(left, right), evaluate(right, left)
    assert (forth.las, forth.uas, forth.lem) == (back.las, back.uas, back.lem)
    assert forth.non_projective.recall == back.non_projective.precision
    assert forth.non_projective.precision == back.non_projective.recall


def test_figures_by_hand(tree):
    # Gold: 2 -> 4 crosses 3 -> 1 (3 is the root). The system reverses the link 2 - 4 and mislabels word 5.
    gold = tree("Mice/3/subj saw/4/adv red/0/root owls/3/obj ./3/punct")
    system = tree("Mice/3/subj saw/3/adv red/0/root owls/2/obj ./3/dot")
    result = evaluate([gold], [system])
    assert (result.las, result.uas, result.label_accuracy) == (40.0, 60.0, 80.0)
    assert result.undirected_uas == 80.0
    assert (result.lem, result.uem) == (0.0, 0.0)
    # Word 2 under 4 spans 3, which is not below 4: the only non-projective edge of gold, missed. In the
    # system word 4 under 2 spans 3, which is not below 2.
    edges = result.non_projective
    assert (edges.gold, edges.recalled, edges.system, edges.precise) == (1, 0, 1, 0)
    assert (edges.precision, edges.recall) == (0.0, 0.0)
    assert (result.without_punctuation.las, result.without_punctuation.uas) == (50.0, 50.0)


def test_recall_counts_right_edges_that_are_projective_in_the_system(tree):
    gold = tree("a/3/x b/4/x c/0/root d/3/x")
    # The same edge 4 -> 2, but 3 hangs below 4: projective, right, and so recalled without being predicted.
    system = tree("a/4/x b/4/x c/4/root d/0/x")
    edges = evaluate([gold], [system]).non_projective
    assert (edges.gold, edges.recalled, edges.system) == (1, 1, 0)
    assert (edges.recall, edges.precision, edges.f1) == (100.0, None, None)


def test_broken_system_trees_are_counted(tree):
    gold = [tree("a/2/x b/0/x c/2/x"), tree("a/0/x b/1/x c/2/x")]
    system = [tree("a/2/x b/1/x c/2/x"), tree("a/_/x b/1/x c/2/x")]
    result = evaluate(gold, system)
    assert result.broken == 2
    assert result.uas == pytest.approx(100 * 4 / 6)
    assert result.non_projective.system == 0


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("a/2/x b/3/x c/1/x d/0/x", "cycle 1 -> 3 -> 2 -> 1"),
        ("a/0/x b/_/x", "word 2 has no head"),
        ("a/_/x b/_/x", "the gold file has no trees"),
    ],
)
def test_gold_must_be_trees(tree, text, fault):
    sentence = tree(text)
    with pytest.raises(TreebankError, match=fault) as caught:
        evaluate([sentence], [sentence])
    assert "<sentences>:1" in str(caught.value)


def test_subtypes_can_be_ignored(tree):
    gold, system = [tree("a/0/root b/1/obj:dir")], [tree("a/0/root b/1/obj")]
    assert evaluate(gold, system).las == 50.0
    assert evaluate(gold, system, ignore_subtypes=True).las == 100.0


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        (".", True),
        ("«…»", True),
        ("$", False),
        ("+", False),
        ("-", True),
        ("U.S.", False),
        ("", False),
        ("。", True),
    ],
)
def test_punctuation_by_unicode(form, expected):
    assert is_punctuation(form) is expected


def test_a_sentence_of_punctuation_has_no_exact_match_without_it(tree):
    result = evaluate([tree("!/0/root ?/1/x"), tree("a/0/root")], [tree("!/0/root ?/1/y"), tree("a/0/root")])
    assert (result.with_punctuation.sentences, result.with_punctuation.exact) == (2, 1)
    assert (result.without_punctuation.sentences, result.without_punctuation.exact) == (1, 1)


def test_different_tokens_are_refused_with_the_place(tree, tmp_path):
    write([tree("a/0/x b/1/x"), tree("a/0/x bee/1/x cow/1/x")], tmp_path / "gold.conllu")
    write([tree("a/0/x b/1/x"), tree("a/0/x bees/1/x cow/1/x")], tmp_path / "system.conllu")
    with pytest.raises(AlignmentError) as caught:
        evaluate(tmp_path / "gold.conllu", str(tmp_path / "system.conllu"))
    text = str(caught.value)
    assert "sentence 2 " in text
    assert "gold.conllu:4 and" in text
    assert "system.conllu:4)" in text
    assert "token 2 is 'bee' in gold and 'bees' in the system" in text
    assert "\n" not in text


@pytest.mark.parametrize(
    ("gold", "system", "message"),
    [
        (["a/0/x b/1/x"], ["a/0/x"], "token 2 is 'b' in gold and missing"),
        (["a/0/x", "b/0/x"], ["a/0/x"], "the system file ends after sentence 1"),
        (["a/0/x"], ["a/0/x", "b/0/x"], "the gold file ends after sentence 1"),
    ],
)
def test_missing_words_and_sentences_are_refused(tree, gold, system, message):
    with pytest.raises(AlignmentError, match=message):
        evaluate([tree(text) for text in gold], [tree(text) for text in system])


def test_nothing_has_no_score():
    with pytest.raises(TreebankError, match="no sentences to score"):
        evaluate([], [])


@pytest.mark.parametrize("options", [{"punctuation": "some"}, {"punctuation_by": "colour"}])
def test_unknown_settings_name_the_valid_ones(tree, options):
    with pytest.raises(UnknownName, match="valid: "):
        evaluate([tree("a/0/x")], [tree("a/0/x")], **options)


def test_long_chains_have_their_depths(tree):
    n = 3000
    chain = Trees.of([tree(" ".join(f"w/{k}/x" for k in range(n)))])
    assert chain.depths.tolist() == list(range(1, n + 1))
    loop = Trees.of([tree(" ".join(f"w/{k or n}/x" for k in range(n)))])
    assert not loop.is_tree.any()


@pytest.mark.parametrize(
    ("metric", "correct", "total"),
    [
        ("las", [1, 1], [2, 1]),
        ("uas", [2, 1], [2, 1]),
        ("label", [1, 1], [2, 1]),
        ("undirected", [2, 1], [2, 1]),
        ("lem", [0, 1], [1, 1]),
        ("uem", [1, 1], [1, 1]),
    ],
)
def test_counts_by_sentence(tree, metric, correct, total):
    pair = pair_trees([tree("a/0/r b/1/x"), tree("c/0/r")], [tree("a/0/r b/1/y"), tree("c/0/r")])
    found = sentence_counts(pair, metric)
    assert (found[0].tolist(), found[1].tolist()) == (correct, total)


def test_unknown_metric(tree):
    with pytest.raises(UnknownName, match="'las'"):
        sentence_counts(pair_trees([tree("a/0/r")], [tree("a/0/r")]), "laas")
