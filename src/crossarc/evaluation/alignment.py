"""Words of two tokenizations of the same text, aligned as in the CoNLL 2018 shared task (Zeman et al. 2018).

The text is the concatenation of all tokens without spaces. A token is its span of characters in it. A word
that is a token has its span; the words of a multiword token all have the span of the token. Words outside
multiword tokens are aligned when their spans are equal. Where either side has a multiword token, the smallest
stretch of text that holds every multiword token touching it is taken, and its words are aligned by the
longest common subsequence of their lower-cased forms.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from crossarc.errors import AlignmentError
from crossarc.evaluation.trees import Counts, Place, Source, sentences_of

if TYPE_CHECKING:
    from crossarc.treebank.sentence import Sentence

# The characters of Unicode category Zs.
SPACE = re.compile("[ \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
ROOT = -1
NO_HEAD = -2


@dataclass(eq=False)
class Words:
    """The words, tokens and sentences of a file as spans of its text, with the columns that are scored.

    Spans count characters of the text, `multiword` says which words are parts of a token. `heads` are
    numbers of words in the whole file, ROOT for node 0 and NO_HEAD where there is none.
    """

    text: str = ""
    places: list[Place] = field(default_factory=list)
    sentence_starts: list[int] = field(default_factory=list)
    sentence_ends: list[int] = field(default_factory=list)
    token_starts: list[int] = field(default_factory=list)
    token_ends: list[int] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    multiword: list[bool] = field(default_factory=list)
    forms: list[str] = field(default_factory=list)
    lemmas: list[str] = field(default_factory=list)
    upos: list[str] = field(default_factory=list)
    xpos: list[str] = field(default_factory=list)
    feats: list[str] = field(default_factory=list)
    deprels: list[str] = field(default_factory=list)
    heads: Counts = field(default_factory=lambda: np.zeros(0, np.int64))

    @classmethod
    def of(cls, source: Source) -> Words:
        """Lay out the sentences of a file or stream."""
        words = cls()
        texts: list[str] = []
        heads = []
        for sentence in sentences_of(source):
            heads.append(sentence.heads[1:])
            words.add_tokens(sentence, texts)
            words.lemmas += sentence.lemmas[1:]
            words.upos += sentence.upos[1:]
            words.xpos += sentence.xpos[1:]
            words.feats += sentence.feats[1:]
            words.deprels += sentence.deprels[1:]
        words.text = "".join(texts)
        words.heads = number_heads(heads)
        return words

    def add_tokens(self, sentence: Sentence, texts: list[str]) -> None:
        """Add the spans and forms of a sentence, and the text of its tokens to `texts`."""
        at = self.sentence_ends[-1] if self.sentence_ends else 0
        place = Place(sentence.id, sentence.source, sentence.line)
        self.places.append(place)
        self.sentence_starts.append(at)
        forms, word = sentence.forms, 1
        text = "".join(forms)
        if not sentence.ranges and not SPACE.search(text) and "" not in forms[1:]:
            # Nearly all sentences: every word is a token as it stands. The form of node 0 is empty.
            bounds = list(accumulate(map(len, forms), initial=at))
            texts.append(text)
            for starts in (self.token_starts, self.starts):
                starts += bounds[1:-1]
            for ends in (self.token_ends, self.ends):
                ends += bounds[2:]
            self.forms += forms[1:]
            self.multiword += [False] * (len(forms) - 1)
            self.sentence_ends.append(bounds[-1])
            return
        ranges = {}
        for token in sentence.ranges:
            low, high = token.id.split("-")
            ranges[int(low)] = (int(high), token.form)
        while word < len(forms):
            inside = word in ranges
            last, form = ranges[word] if inside else (word, forms[word])
            visible = without_spaces(form)
            if not visible:
                raise AlignmentError(f"{place}: token {word} is empty; every token needs a form")
            end = at + len(visible)
            texts.append(visible)
            self.token_starts.append(at)
            self.token_ends.append(end)
            parts = forms[word : last + 1] if inside else (visible,)
            self.forms += parts
            self.starts += [at] * len(parts)
            self.ends += [end] * len(parts)
            self.multiword += [inside] * len(parts)
            at, word = end, last + 1
        self.sentence_ends.append(at)

    def __len__(self) -> int:
        return len(self.forms)

    def describe(self, position: int) -> str:
        """The place of a character of the text, and the text that follows it."""
        if not self.places:
            return "an empty file"
        number = max(bisect_right(self.sentence_starts, position) - 1, 0)
        rest = self.text[position : position + 20]
        return f"{self.places[number]} (sentence {number + 1}) " + (f"has {rest!r}" if rest else "ends")


def number_heads(rows: list[NDArray[np.int32]]) -> Counts:
    """The heads of all sentences as numbers of words in the whole file."""
    if not rows:
        return np.zeros(0, np.int64)
    lengths = np.array([len(row) for row in rows], dtype=np.int64)
    heads = np.concatenate(rows).astype(np.int64)
    first, length = np.repeat(np.cumsum(lengths) - lengths, lengths), np.repeat(lengths, lengths)
    missing = (heads < 0) | (heads > length)
    return np.where(missing, NO_HEAD, np.where(heads == 0, ROOT, heads + first - 1))


def without_spaces(form: str) -> str:
    """A form without characters of category Zs, which may be within a token on one side only."""
    return SPACE.sub("", form)


def require_same_text(gold: Words, system: Words) -> None:
    """Refuse files whose tokens are not the same text, and say where they part."""
    if gold.text == system.text:
        return
    low, high = 0, min(len(gold.text), len(system.text))
    while low < high:
        middle = (low + high + 1) // 2
        if gold.text[low:middle] == system.text[low:middle]:
            low = middle
        else:
            high = middle - 1
    raise AlignmentError(f"gold and system are not the same text: {gold.describe(low)}, {system.describe(low)}")


def align_words(gold: Words, system: Words) -> tuple[Counts, Counts]:
    """The aligned words as two arrays of their numbers, in the order of the text."""
    require_same_text(gold, system)
    pairs: list[tuple[int, int]] = []
    g = s = 0
    gold_count, system_count = len(gold), len(system)
    gold_multi, system_multi = gold.multiword, system.multiword
    gold_starts, system_starts, gold_ends, system_ends = gold.starts, system.starts, gold.ends, system.ends
    while g < gold_count and s < system_count:
        if gold_multi[g] or system_multi[s]:
            g, s = align_stretch(gold, system, g, s, pairs)
        elif gold_starts[g] == system_starts[s] and gold_ends[g] == system_ends[s]:
            pairs.append((g, s))
            g += 1
            s += 1
        elif gold_starts[g] <= system_starts[s]:
            g += 1
        else:
            s += 1
    both = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def align_stretch(gold: Words, system: Words, g: int, s: int, pairs: list[tuple[int, int]]) -> tuple[int, int]:
    """Align the stretch of text around the multiword token at `g` or `s`; return the words that follow it."""
    # A plain word that begins before the token sticks out of the stretch on the left.
    if gold.multiword[g]:
        end = gold.ends[g]
        if not system.multiword[s] and system.starts[s] < gold.starts[g]:
            s += 1
    else:
        end = system.ends[s]
        if gold.starts[g] < system.starts[s]:
            g += 1
    first_gold, first_system = g, s
    while is_within(gold, g, end) or is_within(system, s, end):
        # The side that is behind steps, and its multiword token may draw the end of the stretch further out.
        if g < len(gold) and (s >= len(system) or gold.starts[g] <= system.starts[s]):
            end = max(end, gold.ends[g]) if gold.multiword[g] else end
            g += 1
        else:
            end = max(end, system.ends[s]) if system.multiword[s] else end
            s += 1
    left = [form.lower() for form in gold.forms[first_gold:g]]
    right = [form.lower() for form in system.forms[first_system:s]]
    pairs += [(first_gold + i, first_system + j) for i, j in common_subsequence(left, right)]
    return g, s


def is_within(words: Words, number: int, end: int) -> bool:
    """Whether a word begins (in a multiword token) or ends (a plain one) before the end of a stretch."""
    if number >= len(words):
        return False
    return words.starts[number] < end if words.multiword[number] else words.ends[number] <= end


def common_subsequence(left: list[str], right: list[str]) -> list[tuple[int, int]]:
    """The places of a longest common subsequence; among equals the one the shared task's script takes.

    >>> common_subsequence(["a", "b", "c"], ["b", "x", "c"])
    [(1, 0), (2, 2)]
    """
    rows, columns = len(left), len(right)
    # best[i][j]: the length for left[i:] and right[j:]; the extra row and column are the empty rests.
    best = [[0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        row, below = best[i], best[i + 1]
        for j in range(columns - 1, -1, -1):
            longest = max(below[j], row[j + 1])
            row[j] = max(longest, below[j + 1] + 1) if left[i] == right[j] else longest
    found = []
    i = j = 0
    while i < rows and j < columns:
        if left[i] == right[j]:
            found.append((i, j))
            i += 1
            j += 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return found
