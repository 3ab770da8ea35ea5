"""Rules that make lemmas from forms."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from crossarc.transforms.lemma_rules import SAME, apply_lemma_rule, lemma_rule

WORDS = st.one_of(st.text(min_size=1, max_size=30), st.text("aAbBcCİıßſΣσς", min_size=1, max_size=12))


@given(WORDS, WORDS)
@example("İ", "i")
@example("ſ", "S")
@example("ΑΣ", "ας")
@example("x", "a:b,c")
def test_a_rule_gives_back_its_lemma(form, lemma):
    assert apply_lemma_rule(lemma_rule(form, lemma), form) == lemma


@given(WORDS, WORDS, WORDS)
def test_every_rule_gives_some_lemma_for_every_form(form, lemma, other):
    assert apply_lemma_rule(lemma_rule(form, lemma), other)


@pytest.mark.parametrize(
    ("pairs", "other", "expected"),
    [
        ([("walks", "walk"), ("Walks", "walk"), ("WALKS", "walk")], "Talks", "talk"),
        ([("Oslo", "Oslo"), ("OSLO", "Oslo"), ("oslo", "Oslo")], "ROME", "Rome"),
        ([("gekauft", "kaufen"), ("Gesagt", "sagen")], "gefragt", "fragen"),
        ([("iPhone", "iPhone"), ("WHO", "WHO")], "eBay", "eBay"),
    ],
)
def test_equal_changes_have_equal_rules(pairs, other, expected):
    rules = {lemma_rule(*pair) for pair in pairs}
    assert len(rules) == 1
    assert apply_lemma_rule(rules.pop(), other) == expected


def test_nothing_in_common_is_the_lemma_itself():
    assert lemma_rule("was", "be") == "abe"


def test_long_forms_are_their_own_lemma():
    address = "http://" + "A" * 5000
    assert lemma_rule(address, address) == SAME
    assert apply_lemma_rule(lemma_rule(address, "x"), address) == "x"
