"""Lemmas as rules that make them from forms, so that a classifier can choose among them; each rule is undone exactly.

A rule is one letter for the case, three numbers and the added characters: `l0,3,0:y` turns "flies" and "Flies" into
"fly": the form in lower case, with 0 characters cut from the front and 3 from the end, 0 added in front and the rest at
the end. The letters are `l` (lower case), `t` (lower case, the first letter a capital), `k` (case as in the form) and
`a` (the lemma itself, whatever the form is).
"""

from __future__ import annotations

from difflib import SequenceMatcher
from functools import lru_cache

LONGEST = 200  # characters: longer forms have a lemma of their own, or are their own lemma
SAME = "k0,0,0:"


@lru_cache(maxsize=100_000)
def lemma_rule(form: str, lemma: str) -> str:
    """Return the rule that makes a lemma from a form.

    >>> lemma_rule("Flies", "fly"), lemma_rule("went", "go"), lemma_rule("NATO", "NATO")
    ('l0,3,0:y', 'ago', 'k0,0,0:')
    """
    lower = lemma.lower()
    cases = [("l", form.lower(), lemma)] if lemma == lower else []
    if lemma == capitalised(lower) != lower:
        cases.append(("t", form.lower(), lower))
    for case, source, target in [*cases, ("k", form, lemma)]:
        rule = case + edit(source, target) if max(len(source), len(target)) <= LONGEST else SAME
        if rule != case and apply_lemma_rule(rule, form) == lemma:
            return rule
    return f"a{lemma}"


@lru_cache(maxsize=100_000)
def apply_lemma_rule(rule: str, form: str) -> str:
    """Return the lemma that a rule makes from a form; the form itself where it is too short for the rule.

    >>> apply_lemma_rule("l0,3,0:y", "Cries"), apply_lemma_rule("l0,3,0:y", "is")
    ('cry', 'is')
    """
    case, rest = rule[:1], rule[1:]
    if case == "a":
        return rest
    numbers, _, added = rest.partition(":")
    front, end, before = map(int, numbers.split(","))
    source = form if case == "k" else form.lower()
    if front + end > len(source):
        return form
    made = added[:before] + source[front : len(source) - end] + added[before:]
    return (capitalised(made) if case == "t" else made) or form


def capitalised(word: str) -> str:
    """Return a word with a capital as its first letter."""
    return word[:1].upper() + word[1:]


def edit(source: str, target: str) -> str:
    """Return what to cut and to add around the longest common part; nothing if there is none."""
    same = SequenceMatcher(None, source, target, autojunk=False).find_longest_match()
    if not same.size:
        return ""
    front, end = source[: same.a], source[same.a + same.size :]
    before, after = target[: same.b], target[same.b + same.size :]
    return f"{len(front)},{len(end)},{len(before)}:{before}{after}"
