"""A tokenizer that is ready to work: where tokens and sentences end, and the words of multiword tokens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from crossarc.components.component import Arrays, Component, Manifest, Scores, part, prefixed
from crossarc.components.description import Described, Description, Number
from crossarc.errors import CrossarcError
from crossarc.learning.scorers import PackedWeights
from crossarc.tagging import rules
from crossarc.tagging.boundaries import ACTIONS, SENTENCE_END, BoundaryModel, Lexicon
from crossarc.tagging.characters import BLANK_LINE, SPACE, Characters
from crossarc.tagging.known_places import has_known_places, with_known_places
from crossarc.tagging.multiword import MultiwordSplitter
from crossarc.tagging.spacing import Sentences, Spans, sentences_of
from crossarc.tagging.training_text import raw_text
from crossarc.tagging.windows import CUT, Counts, cut_sentences, likely_by_punctuation, windows
from crossarc.treebank import Sentence

if TYPE_CHECKING:
    from crossarc.evaluation.tokenization import Tokenization

CLASSES = 128  # as in boundary_features.pxd
MOST_WORDS = 1_000  # of a sentence; the longest in any treebank has about half as many


class BoundaryDescription(Described):
    """The options of learned boundaries."""

    spaces: bool
    rules: bool


class TokenizerDescription(Description):
    """The manifest of a tokenizer."""

    kind: Literal["tokenizer"]
    max_sentence_words: Number
    boundaries: BoundaryDescription | None


@dataclass(frozen=True, eq=False)
class TokenizerModel(Component):
    """Splits text into sentences and tokens, by learned boundaries, or by rules if there are none."""

    boundaries: BoundaryModel | None = None
    splitter: MultiwordSplitter = field(default_factory=lambda: MultiwordSplitter({}, {}))
    max_sentence_words: int = MOST_WORDS
    cuts: list[int] = field(default_factory=list)  # how often sentences were cut, window by window

    kind = "tokenizer"
    description = TokenizerDescription
    reads = ()
    gives = ("form",)

    def tokenize(self, text: str, *, document: str = "", offset: int = 0, first: int = 1) -> Sentences:
        """Return the sentences of a text; see `Tokenizer.tokenize`."""
        found = Sentences(self.stream([text], document=document, offset=offset, first=first))
        if not found:
            found.spaces = text
        return found

    def stream(
        self, blocks: Iterable[str], *, document: str = "", offset: int = 0, first: int = 1
    ) -> Iterator[Sentence]:
        """Yield the sentences of a text that comes in blocks."""
        split = self.splitter.split if self.splitter.forms or self.splitter.suffixes else None
        for text, spans, place in windows(blocks, self.find_sentences, name=document or "the text"):
            found = sentences_of(text, spans, split, document, offset + place, first)
            first += len(found)
            if cuts := int(np.count_nonzero(spans.last == CUT)):
                self.cuts.append(cuts)
            yield from found

    def find_tokens(self, text: str, begin: int) -> tuple[Spans, NDArray[np.float32] | None]:
        """Return the tokens of a text from a place on, where a sentence begins; the text before is only context.

        A learned tokenizer also says how likely a sentence ends with each token.
        """
        if self.boundaries is not None:
            return learned_spans(self.boundaries, text, begin)
        spans = rules.find_spans(text[begin:])
        if begin and len(spans):
            gaps = Characters.of(f"{text[:begin]}.").gaps
            spans.paragraphs[0] = gaps[-2] == BLANK_LINE
        return Spans(spans.begins + begin, spans.ends + begin, spans.last, spans.paragraphs), None

    def find_sentences(self, text: str, begin: int) -> Spans:
        """Return the tokens of a text from a place on, with sentences that are not too long."""
        spans, sureness = self.find_tokens(text, begin)

        def likely(first: int, end: int) -> NDArray[np.floating]:
            return sureness[first:end] if sureness is not None else likely_by_punctuation(text, spans, first, end)

        def words(first: int, end: int) -> list[int]:
            both = zip(spans.begins[first:end].tolist(), spans.ends[first:end].tolist(), strict=True)
            return [len(self.splitter.split(text[begin:end]) or "1") for begin, end in both]

        return cut_sentences(spans, likely, Counts(words, self.splitter.most_words), self.max_sentence_words)

    def evaluate(self, gold: list[Sentence]) -> Tokenization:
        """Tokenize the text of a treebank and score the result by the metrics of the CoNLL 2018 shared task."""
        from crossarc.evaluation.tokenization import evaluate_tokenization

        return evaluate_tokenization(gold, self.tokenize(raw_text(gold)))

    def score(self, gold: list[Sentence]) -> Scores:
        """Return F of words and of sentences, in percent."""
        found = self.evaluate(gold)
        return {name: found[name].f1 for name in ("Words", "Sentences")}

    def quality(self, scores: Scores) -> float:
        """Return the mean in which words count three times."""
        return (3 * scores["Words"] + scores["Sentences"]) / 4

    def describe(self) -> dict[str, str]:
        """Return facts about the tokenizer, by name."""
        if self.boundaries is None:
            return {"tokens": "by rules"}
        return {"known words": f"{len(self.boundaries.lexicon):,}"}

    def notes(self) -> list[str]:
        """Return remarks about the texts so far."""
        cuts, most = sum(self.cuts), self.max_sentence_words
        return [f"sentences of more than {most:,} words were cut, {cuts:,} times in all"] if cuts else []

    def reset_notes(self) -> None:
        """Forget the remarks about the texts so far."""
        self.cuts.clear()

    def to_arrays(self) -> tuple[Manifest, Arrays]:
        """Return the manifest and the arrays that a model file keeps."""
        manifest: Manifest = {"kind": self.kind, "max_sentence_words": self.max_sentence_words, "boundaries": None}
        if self.boundaries is None:
            return manifest, {}
        model, scorer = self.boundaries, self.boundaries.scorer
        assert isinstance(scorer, PackedWeights)
        manifest["boundaries"] = {"spaces": model.spaces, "rules": model.rules}
        boundaries = {
            **scorer.to_arrays("weights."),
            "words": model.lexicon.keys,
            "flags": model.lexicon.flags,
            "quiet": model.quiet,
        }
        return manifest, prefixed(boundaries, "boundaries.") | prefixed(self.splitter.to_arrays(), "multiword.")

    @classmethod
    def from_arrays(cls, manifest: Manifest, arrays: Arrays) -> TokenizerModel:
        """Return the tokenizer of a file; `ValueError` or `LookupError` if it holds none."""
        most, known = manifest["max_sentence_words"], manifest["boundaries"]
        if known is None:
            return cls(max_sentence_words=most)
        own = part(arrays, "boundaries.")
        scorer = PackedWeights.from_arrays(own, ACTIONS, "weights.")
        if own["quiet"].shape != (CLASSES, CLASSES):
            raise ValueError("the tables of the tokenizer are damaged")
        lexicon = Lexicon(own["words"], own["flags"])
        boundaries = BoundaryModel(scorer, lexicon, own["quiet"], known["spaces"], known["rules"])
        return cls(boundaries, MultiwordSplitter.from_arrays(part(arrays, "multiword.")), most)


def checked_most(words: object) -> int:
    """Return how many words a sentence may have; refuse anything but such a number."""
    if not isinstance(words, int) or words < 1:
        raise CrossarcError(f"max_sentence_words = {words!r}: name a number of words, 1 or more")
    return words


def learned_spans(model: BoundaryModel, text: str, begin: int = 0) -> tuple[Spans, NDArray[np.float32]]:
    """Return the tokens of a text from a place on, where a sentence begins, and how likely a sentence ends with each.

    The text before is only context.
    """
    characters = Characters.of(text)
    if model.rules and has_known_places(text):
        characters = with_known_places(characters)
    first = int(np.searchsorted(characters.places, begin))
    decisions, sureness = model.decide(characters, first)
    ends = np.flatnonzero(decisions)
    begins = np.concatenate((np.full(min(1, len(ends)), first), ends[:-1] + 1))
    begins += characters.classes[begins] == SPACE
    return Spans.at(characters, begins, ends, decisions[ends] == SENTENCE_END), sureness[ends]
