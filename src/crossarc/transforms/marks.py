"""Marks in labels, and escapes for labels of a treebank that have the characters of marks themselves."""

from __future__ import annotations

import re

from crossarc.transforms.pseudo_projective import ESCAPE
from crossarc.treebank.graph import Arc


class Marks:
    """The characters that one transform writes into labels, with the digit that stands for each after the escape.

    `unescape` gives back what `escape` was given, so transforms can be nested in any order.

    >>> marks = Marks({"⇄": "3"})
    >>> marks.escape("nsubj"), marks.escape("a⇄⇡"), marks.unescape("a⇡3⇡0")
    ('nsubj', 'a⇡3⇡0', 'a⇄⇡')
    """

    def __init__(self, digits: dict[str, str]) -> None:
        digits = {ESCAPE: "0", **digits}
        self.table = str.maketrans({mark: ESCAPE + digit for mark, digit in digits.items()})
        self.marks = {digit: mark for mark, digit in digits.items()}
        self.any = re.compile("[" + re.escape("".join(digits)) + "]")
        self.escaped = re.compile(f"{ESCAPE}([{''.join(self.marks)}])")

    def is_plain(self, label: str) -> bool:
        """Whether a label has none of the marks and no escape."""
        return self.any.search(label) is None

    def escape(self, label: str) -> str:
        """The label without characters that could be taken for marks."""
        return label if self.is_plain(label) else label.translate(self.table)

    def unescape(self, label: str) -> str:
        """The label that `escape` was given."""
        if ESCAPE not in label:
            return label
        return self.escaped.sub(lambda found: self.marks[found[1]], label)


def arc_order(arc: Arc) -> tuple[int, int, str]:
    """The order of arcs in what transforms return: by dependent, head and label."""
    return arc[1], arc[0], arc[2]
