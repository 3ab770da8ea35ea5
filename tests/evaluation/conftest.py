"""Sentences from short texts, and random pairs of gold and system trees."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from crossarc.treebank import Sentence, read_string


def build_tree(text: str) -> Sentence:
    """A sentence from words written form:head:label or form:head:label:UPOS."""
    lines = []
    for number, word in enumerate(text.split(), 1):
        form, head, label, *rest = word.split("/")
        upos = rest[0] if rest else "_"
        lines.append(f"{number}\t{form}\t_\t{upos}\t_\t_\t{head}\t{label}\t_\t_")
    return Sentence(("\n".join(lines) + "\n\n").encode())


def build_random_pair(seed: int, sentences: int = 6, longest: int = 9) -> tuple[list[Sentence], list[Sentence]]:
    """Gold trees and system trees over the same words; the system's may be no trees."""
    rng = random.Random(seed)
    gold, system = [], []
    for _ in range(sentences):
        n = rng.randint(1, longest)
        words = [rng.choice(["ant", "bee", "!", "«»", "$"]) for _ in range(n)]
        order = rng.sample(range(1, n + 1), n)
        heads = {word: rng.choice([0, *order[:place]]) if place else 0 for place, word in enumerate(order)}
        labels = {word: rng.choice(["a", "a:x", "b", "c"]) for word in order}
        tags = {word: rng.choice(["NOUN", "VERB", "PUNCT"]) for word in order}
        parsed = {
            word: rng.choice([k for k in range(n + 1) if k != word]) if rng.random() < 0.3 else head
            for word, head in heads.items()
        }
        marked = {word: rng.choice(["a", "a:x", "b"]) if rng.random() < 0.3 else labels[word] for word in order}
        for heads_, labels_, side in ((heads, labels, gold), (parsed, marked, system)):
            side.append(
                build_tree(" ".join(f"{words[k - 1]}/{heads_[k]}/{labels_[k]}/{tags[k]}" for k in range(1, n + 1)))
            )
    return gold, system


@pytest.fixture(scope="session")
def tree() -> Callable[[str], Sentence]:
    return build_tree


@pytest.fixture(scope="session")
def random_pair() -> Callable[..., tuple[list[Sentence], list[Sentence]]]:
    return build_random_pair


@pytest.fixture(scope="session")
def conllu() -> Callable[[str], list[Sentence]]:
    """Sentences from CoNLL-U whose columns are separated by spaces; missing last columns are filled with _."""

    def parse(text: str) -> list[Sentence]:
        lines = []
        for line in text.strip().splitlines():
            columns = line.split()
            lines.append("\t".join(columns + ["_"] * (10 - len(columns))) if columns else "")
        return read_string("\n".join(lines) + "\n\n", "conllu")

    return parse
