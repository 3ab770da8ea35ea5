"""Long texts in windows and long sentences in parts, so that neither takes more memory than others.

A window ends with a sentence. The text before it is looked at again with the next window, as far as a tokenizer looks
back, so the tokens and sentences of a text do not depend on its length or on its blocks.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crossarc.errors import SHORT, CrossarcError, TreebankError
from crossarc.tagging.spacing import Spans

WINDOW = 100_000  # characters that are tokenized at a time
AROUND = 2_000  # characters on both sides that tell where a sentence ends
LONGEST = 1_000_000  # characters: longer tokens are cut
MOST_SPACE = 10_000_000  # characters of white space in a row
CUT = 2  # in `last` of spans: a sentence that was cut there, not ended
# How much better a sentence is cut behind such tokens, where only rules say where sentences end.
PUNCTUATION = {**dict.fromkeys(".!?…", 3.0), **dict.fromkeys(";:", 2.0)}

Find = Callable[[str, int], Spans]  # the tokens of a text from a place on, where a sentence begins


class Window(NamedTuple):
    """A part of a text, its tokens, and where it begins in the text."""

    text: str
    spans: Spans
    offset: int


def windows(
    blocks: Iterable[str],
    find: Find,
    *,
    size: int = WINDOW,
    around: int = AROUND,
    longest: int = LONGEST,
    name: str = "the text",
) -> Iterator[Window]:
    """Yield a text that comes in blocks as windows; white space belongs to the token before it.

    A window grows while no sentence ends in it. From `longest` on, the sentence is cut behind a token, and a token of
    that length is cut too. `name` is what messages call the text.
    """
    kept, begin, offset, wanted = "", 0, 0, size  # the text before `begin` is only context
    for part in parts(blocks, size):
        kept += part
        while len(kept) - begin > wanted:
            end = begin + wanted
            spans = find(kept[:end], begin)
            count = complete_tokens(spans, end - around, cut=wanted >= longest)
            if count:
                following = int(spans.begins[count])
            elif wanted >= longest and len(spans) == 1 and spans.ends[0] == end and not kept[end].isspace():
                count, following = 1, end
            elif wanted >= MOST_SPACE:
                raise TreebankError(
                    f"{name}: there are more than {MOST_SPACE:,} characters of white space in a row before character "
                    f"{offset + end:,}; leave them out"
                )
            else:
                wanted *= 2
                continue
            yield Window(kept[begin:following], shifted(spans, count, begin), offset + begin)
            first = max(0, len(kept[:following].rstrip()) - max(1, around))
            kept, begin, offset, wanted = kept[first:], following - first, offset + first, size
    spans = find(kept, begin)
    yield Window(kept[begin:], shifted(spans, len(spans), begin), offset + begin)


def parts(blocks: Iterable[str], size: int) -> Iterator[str]:
    """Yield blocks in parts of so many characters at most."""
    for block in blocks:
        if not isinstance(block, str):
            raise CrossarcError(f"a text comes in strings, not {SHORT.repr(block)}; decode bytes first")
        for begin in range(0, len(block), size):
            yield block[begin : begin + size]


def complete_tokens(spans: Spans, limit: int, *, cut: bool) -> int:
    """Return how many tokens the sentences have that end before a limit; with `cut`, the tokens before it."""
    known = spans.ends[:-1] <= limit  # the last token may go on
    ended = np.flatnonzero(known & (spans.last[:-1] > 0))
    if len(ended):
        return int(ended[-1]) + 1
    return max(min(1, len(known)), int(np.count_nonzero(known))) if cut else 0


def shifted(spans: Spans, count: int, begin: int) -> Spans:
    """Return the first tokens as those of a text that begins at a place; the last one ends a sentence."""
    last = spans.last[:count].copy()
    last[-1:] |= np.where(last[-1:] == 0, CUT, 0).astype(last.dtype)
    return Spans(spans.begins[:count] - begin, spans.ends[:count] - begin, last, spans.paragraphs[:count])


def cut_sentences(spans: Spans, likely: Callable[[int, int], NDArray[np.floating]], counts: Counts, most: int) -> Spans:
    """Return the tokens with sentences of more than so many words cut where they end most likely.

    `likely` gives that for a range of tokens, and `counts` how many words they have. Each part has at least half as
    many words as it may have.
    """
    ends = np.flatnonzero(spans.last) + 1
    last = None
    for begin, end in pairwise([0, *ends.tolist()]):
        if (end - begin) * counts.most <= most:
            continue
        words = np.concatenate([[0], np.cumsum(counts.of(begin, end))])
        if words[-1] <= most:
            continue
        scores = likely(begin, end)
        last = spans.last.copy() if last is None else last
        at = 0
        while words[-1] - words[at] > most:
            lowest, highest = np.searchsorted(words, (words[at] + most // 2, words[at] + most + 1)) - (0, 1)
            highest = max(at + 1, int(highest))
            lowest = min(max(at + 1, int(lowest)), highest)
            best = scores[lowest - 1 : highest][::-1].argmax()  # the last of equal ones
            at = highest - int(best)
            last[begin + at - 1] = CUT
    return spans if last is None else replace(spans, last=last)


class Counts(NamedTuple):
    """How many words tokens have: those of a range, and the most that one can have."""

    of: Callable[[int, int], list[int]]
    most: int


def likely_by_punctuation(text: str, spans: Spans, begin: int, end: int) -> NDArray[np.floating]:
    """Return how likely a sentence ends behind each of some tokens, by their last characters."""
    final = (text[place - 1] for place in spans.ends[begin:end].tolist())
    return np.array([PUNCTUATION.get(each, float(unicodedata.category(each)[0] == "P")) for each in final])
