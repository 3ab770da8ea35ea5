"""Lemmas that training leaves no doubt about."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossarc.transforms.known_lemmas import KnownLemmas
from crossarc.transforms.lemma_rules import apply_lemma_rule

FORMS = ["saw", "Saw", "SAW", "été", "", "a b"]
WORDS = st.dictionaries(
    st.tuples(st.sampled_from(FORMS), st.integers(0, 3), st.integers(0, 3)),
    st.sets(st.sampled_from(["see", "saw", "être", "İ"]), min_size=1, max_size=2),
    max_size=20,
)


def expected(words, form, tag, features):
    """The lemma of a word by the definition, None if there is none."""
    both = words.get((form, tag, features), set())
    whole = set().union(*(lemmas for key, lemmas in words.items() if key[:2] == (form, tag)))
    found = whole if len(whole) == 1 else both
    return next(iter(found)) if len(found) == 1 else None


@given(WORDS)
def test_forms_with_one_lemma_take_it_and_others_are_left_to_rules(words):
    known = KnownLemmas.learn(words)
    again = KnownLemmas.from_arrays(known.to_arrays("x."), "x.")
    asked = [(form, tag, features) for form in [*FORMS, "new"] for tag in range(-1, 6) for features in range(-1, 6)]
    names = [*FORMS, "new"]
    which, tags, features = np.array([(names.index(form), *rest) for form, *rest in asked], dtype=np.int32).T
    for each in (known, again, KnownLemmas.learn({}, known)):
        rules = each.find(names, which, tags, features)
        found = [
            apply_lemma_rule(each.rules[rule], form) if rule >= 0 else None
            for (form, _, _), rule in zip(asked, rules.tolist(), strict=True)
        ]
        assert found == [expected(words, *word) for word in asked]


def test_many_features_are_stored_in_wide_numbers():
    known = KnownLemmas.learn({("saw", 0, 1): {"see"}, ("saw", 0, 70_000): {"saw"}})
    again = KnownLemmas.from_arrays(known.to_arrays(""), "")
    assert again.entries.tolist() == known.entries.tolist()


def test_damaged_arrays_are_refused():
    arrays = KnownLemmas.learn({("saw", 0, 1): {"see"}, ("saw", 0, 2): {"saw"}}).to_arrays("k.")
    changes = {
        "k.entries": [arrays["k.entries"][:1], arrays["k.entries"] + 5, arrays["k.entries"].astype(np.int64)],
        "k.words": [arrays["k.words"] + 1, arrays["k.words"].astype(np.int32), arrays["k.words"][:1]],
        "k.rules": [np.full_like(arrays["k.rules"], ord("z"))],
        "k.forms.offsets": [arrays["k.forms.offsets"][:1]],
    }
    for name, bad in changes.items():
        for each in bad:
            with pytest.raises((ValueError, LookupError)):
                KnownLemmas.from_arrays({**arrays, name: each}, "k.")
        with pytest.raises(LookupError):
            KnownLemmas.from_arrays({key: value for key, value in arrays.items() if key != name}, "k.")
