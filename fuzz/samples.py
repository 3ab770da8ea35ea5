"""Random texts, numbers, trees and sentences that targets share."""

from __future__ import annotations

from random import Random

from crossarc.treebank import Graph, Sentence

# Pieces of text that programs get wrong: controls, directions, marks, markup, numbers, separators, long runs.
ODD = (
    *"\x00\x01\x07\x08\x1b\x7f\x80\x85\x9b\x9f\u061c\u200b\u200d\u200e\u2028\u2029\u202e\u2066\u2069\ufeff\ufffe\uffff",
    *("\x1b[31m", "\x1b]0;x\x07", "<b>", "&amp;", "]]>", "<!--", "</svg>", '"', "'", "\\", "%s", "{0}", "[red]", "[/]"),
    *("_", "-", "--", "*", "0", "-1", "1e308", "NaN", "|", ":", "=", "#", " ", "\u00a0", "\u3000", "e\u0301", "\u0345"),
    *("שלום", "مرحبا", "猫", "ﷺ", "👩‍👩‍👧", "🏽", "ǅ", "ß", "İ", "\U0010ffff", "\U000e0001", "x" * 300, "\u0301" * 50),
)
FLOATS = (
    *(0.0, -0.0, 1.0, -1.0, 5e-324, -5e-324, 2.2250738585072014e-308, 1.1754943508222875e-38, 1e-30, 1e30),
    *(3.4028234663852886e38, -3.4028234663852886e38, 1e306, 1.7976931348623157e308, -1.7976931348623157e308),
    *(float("inf"), float("-inf"), float("nan")),
)


def odd_text(rng: Random, most: int = 4) -> str:
    """A text of at least one piece, odd or plain."""
    pieces = (rng.choice(ODD) if rng.random() < 0.5 else rng.choice(("a", "word", "Ω", "x1")) for _ in range(most))
    return "".join(pieces for pieces in pieces if rng.random() < 0.6) or "w"


def tree(rng: Random, n: int) -> list[int]:
    """The heads of a random tree over n words, with an entry of -1 for node 0."""
    order = list(range(1, n + 1))
    rng.shuffle(order)
    heads = [-1] * (n + 1)
    for place, word in enumerate(order):
        heads[word] = order[rng.randrange(place)] if place and rng.random() < 0.9 else 0
    return heads


def sentence(rng: Random, n: int) -> Sentence:
    """A sentence with odd texts in its columns, with a tree, a graph, both or neither."""

    def column() -> list[str]:
        return ["", *(odd_text(rng) for _ in range(n))]

    wishes = rng.random()
    arcs = {(rng.randint(0, n), rng.randint(1, n), odd_text(rng, 2)) for _ in range(rng.randint(0, 2 * n))} if n else ()
    return Sentence.from_columns(
        comments=[f"# sent_id = {odd_text(rng)}", f"# {odd_text(rng)}"],
        forms=column(),
        upos=column(),
        feats=column() if rng.random() < 0.3 else None,
        heads=tree(rng, n) if wishes < 0.8 else None,
        deprels=column() if wishes < 0.8 else None,
        graph=Graph.from_arcs(map(str, range(n + 1)), arcs) if wishes > 0.5 else None,
    )
