"""Parsers around scorers of any kind: score matrices in, trees, k best trees, constraints and probabilities out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from crossarc import decode
from crossarc.components.component import Arrays
from crossarc.core.arrays import copied
from crossarc.core.registry import Registry
from crossarc.errors import CrossarcError, DecodeError, StructureError
from crossarc.features.attributes import Attributes
from crossarc.features.edges import EdgeModel, parse_edge_model
from crossarc.parsers.analysis import Scales
from crossarc.parsers.arcs.analysis import Searched, SentenceScores
from crossarc.parsers.arcs.model import ArcScoringModel
from crossarc.parsers.constraints import Constraints, place_of
from crossarc.parsers.graphs import sentences_of
from crossarc.parsers.model import Ints
from crossarc.parsers.settings import Settings
from crossarc.structure import describe_fault
from crossarc.treebank.corpus import Corpus
from crossarc.treebank.formats import CONLLU
from crossarc.treebank.graph import label_fault
from crossarc.treebank.sentence import Sentence


def check_decoder(name: str, decoder: object) -> None:
    """Refuse anything but functions."""
    if not callable(decoder):
        raise CrossarcError(f"the decoder {name!r} is {decoder!r}; it must be a function of scores that gives heads")


# Functions of the scores of a sentence, [dependent, head], and `single_root`, that return its heads. Arcs that are -inf
# may not be in the tree: constraints need it.
DECODERS: Registry[Any] = Registry("decoder", "decoders", {"mst": decode.mst, "eisner": decode.eisner}, check_decoder)
EXACT = ("mst", "eisner")  # those with k best trees and sums over the same trees
Scores = NDArray[np.float64]


@runtime_checkable
class ArcScorer(Protocol):
    """Anything that scores the arcs of a batch of sentences, and the labels of the arcs of their trees.

    Scores are NumPy arrays or tensors with `__dlpack__` or `__array__`: one for each sentence of n words, of the shapes
    (n + 1, n + 1) as [dependent, head] and (n + 1, labels), or one for the whole batch with the greatest n, padded.
    Higher is better, and -inf forbids an arc. `labels` names the labels.
    """

    labels: Sequence[str]

    def arc_scores(self, sentences: list[Sentence]) -> Any:
        """Return the scores of all arcs of each sentence."""

    def label_scores(self, sentences: list[Sentence], heads: list[Ints]) -> Any:
        """Return the scores of all labels for each word of each tree."""


class ScorerSettings(Settings):
    """The settings of a parser around a scorer: there is nothing to train."""

    family: Literal["scorer"] = "scorer"
    parser: str = "scorer"
    features: str = "none"
    system: str = "mst"


@dataclass(frozen=True, eq=False)
class ScoredSentence:
    """A sentence with the scores of its arcs."""

    sentence: Sentence
    arcs: Scores


class ScorerModel(ArcScoringModel):
    """Decodes the scores that a scorer gives."""

    usual_scales = Scales(1.0, 1.0)
    long_sentence = 2**31 - 1
    features: EdgeModel = parse_edge_model('labels = ["dep.form"]', "none")  # it looks at nothing
    attributes = Attributes({})

    def __init__(self, scorer: ArcScorer, decoder: str = "mst", *, single_root: bool = True) -> None:
        _ = DECODERS[decoder]  # unknown names are refused
        if not isinstance(scorer, ArcScorer):
            raise CrossarcError(
                f"{type(scorer).__name__} scores no arcs: it must have labels, arc_scores(sentences) and "
                "label_scores(sentences, heads)"
            )
        self.scorer = scorer
        self.labels = checked_labels(scorer.labels)
        self.single_root = single_root
        self.settings = ScorerSettings.model_validate({"system": decoder})
        self.is_projective = decoder == "eisner"

    def inputs(self, corpus: Corpus) -> Iterator[ScoredSentence]:
        """Yield each sentence with the scores of its arcs."""
        sentences = sentences_of(corpus)
        shapes = [(len(sentence) + 1, len(sentence) + 1) for sentence in sentences]
        found = unpadded(self.scorer.arc_scores(list(sentences)), shapes, "arc_scores")
        return (ScoredSentence(*each) for each in zip(sentences, found, strict=True))

    def parse(self, corpus: Corpus) -> tuple[Ints, Ints]:
        """Return heads and labels of all nodes of a corpus."""
        found = self.search(corpus)
        return found.heads, found.labels

    def search(self, corpus: Corpus) -> Searched:
        """Return the parses of a corpus and the scores that they come from."""
        inputs = list(self.inputs(corpus))
        trees = [self.tree_of(each) for each in inputs]
        shapes = [(len(tree), len(self.labels)) for tree in trees]
        sentences = [each.sentence for each in inputs]
        given = [read_only(tree) for tree in trees]
        named = self.named(self.scorer.label_scores(list(sentences), given), shapes, sentences) if inputs else []
        labels = np.full(len(corpus["head"]), -1, dtype=np.int32)
        scores = []
        for each, tree, own, (begin, end) in zip(inputs, trees, named, pairwise(corpus.starts.tolist()), strict=True):
            labels[begin + 1 : end] = own[1:].argmax(axis=1)
            scores.append(SentenceScores(self, lambda each=each: each, each.arcs))  # type: ignore[misc]
            scores[-1].labelled[tree.tobytes()] = own
        return Searched(np.concatenate(trees) if trees else labels.copy(), labels, scores, {})

    def tree_of(self, sentence: ScoredSentence) -> Ints:
        """Return the heads that the decoder finds; one that was registered must give a tree of allowed arcs."""
        name, scores = self.settings.system, sentence.arcs
        if name in EXACT:
            try:
                return DECODERS[name](scores, single_root=self.single_root)  # type: ignore[no-any-return]
            except DecodeError as error:
                raise DecodeError(f"{place_of(sentence.sentence)}: {error}") from None
        heads = copied(DECODERS[name](read_only(scores), single_root=self.single_root), "heads", CrossarcError)
        fault = fault_of(heads, scores, self.single_root)
        if fault:
            raise CrossarcError(f"the decoder {name!r} gave no tree over {len(scores) - 1} words: {fault}")
        return heads.astype(np.int32, copy=False)

    def parse_under(self, sentence: ScoredSentence, constraints: Constraints) -> Ints | None:
        """Return the heads that the decoder finds under constraints; None where the best tree by scores is the same."""
        if self.settings.system in EXACT:
            return None
        scores = sentence.arcs.copy()
        scores[constraints.left_out(len(scores) - 1)] = -np.inf
        return self.tree_of(replace(sentence, arcs=scores))

    def arc_scores(self, sentence: ScoredSentence, *, whole: bool = False) -> Scores:
        """Return the scores of the arcs of a sentence."""
        return sentence.arcs.copy()

    def label_scores(self, sentence: ScoredSentence, heads: Ints) -> Scores:
        """Return the scores of all labels for the arcs of a tree."""
        scores = self.scorer.label_scores([sentence.sentence], [read_only(heads)])
        return self.named(scores, [(len(heads), len(self.labels))], [sentence.sentence])[0]

    def named(self, scores: Any, shapes: list[tuple[int, int]], sentences: list[Sentence]) -> list[Scores]:
        """Return the scores of labels of each sentence; NaN, which has no place in an order, is an error."""
        found = unpadded(scores, shapes, "label_scores")
        for own, sentence in zip(found, sentences, strict=True):
            wrong = np.argwhere(np.isnan(own[1:]))
            if len(wrong):
                label = self.labels[wrong[0][1]]
                raise CrossarcError(f"{place_of(sentence)}: the score of word {wrong[0][0] + 1} for {label!r} is NaN")
        return found

    def to_arrays(self) -> tuple[dict[str, Any], Arrays]:
        """Refuse: only the owner of a scorer can keep it."""
        raise CrossarcError("a parser around a scorer has nothing to save; save the scorer")

    @classmethod
    def from_arrays(cls, manifest: dict[str, Any], arrays: Arrays) -> ScorerModel:
        """Refuse: files hold no scorers."""
        raise CrossarcError("a model file holds no scorer")


def fault_of(heads: NDArray[Any], scores: Scores, single_root: bool) -> str:
    """Return what keeps heads from being a tree of allowed arcs; an empty string when they are one."""
    try:
        fault = describe_fault(heads)
    except StructureError as error:
        return str(error)
    if fault or len(heads) != len(scores):
        return fault or f"there are {len(heads)} heads, with the -1 of node 0, and not {len(scores)}"
    if single_root and np.count_nonzero(heads == 0) > 1:
        return "it has several roots, although single_root is true"
    words = np.arange(1, len(heads))
    barred = words[np.isneginf(scores[words, heads[1:]])]
    return f"the arc {heads[barred[0]]} -> {barred[0]} has the score -inf" if len(barred) else ""


def unpadded(scores: Any, shapes: list[tuple[int, int]], name: str) -> list[Scores]:
    """Return one float64 array for each sentence, without padding; a wrong number or shape is an error."""
    whole = hasattr(scores, "__dlpack__") or hasattr(scores, "__array__")
    if not whole and not isinstance(scores, Iterable):
        raise CrossarcError(f"{name} gave {scores!r}, and no array of scores for each sentence")
    found = list(np.atleast_1d(as_array(scores))) if whole else [as_array(each) for each in scores]
    if len(found) != len(shapes):
        raise CrossarcError(f"{name} gave scores of {len(found)} sentences for {len(shapes)}")
    result = []
    for number, (array, (rows, columns)) in enumerate(zip(found, shapes, strict=True)):
        if array.ndim != 2 or array.shape[0] < rows or array.shape[1] < columns or array.dtype.kind not in "fiub":
            raise CrossarcError(
                f"{name} gave an array of the shape {array.shape} for sentence {number} of the batch, of "
                f"{array.dtype}; numbers of the shape ({rows}, {columns}) are needed, or more with padding"
            )
        result.append(np.array(array[:rows, :columns], dtype=np.float64))
    return result


def checked_labels(labels: Sequence[str]) -> list[str]:
    """Return the labels of a scorer, which must be names that a file can hold."""
    names = list(labels) if isinstance(labels, Iterable) and not isinstance(labels, str) else []
    if not names:
        raise CrossarcError(f"the labels of a scorer are {labels!r}; they must be a list of at least one name")
    for name in names:
        if not isinstance(name, str):
            raise CrossarcError(f"the label {name!r} of a scorer is no string")
        fault = label_fault(name, CONLLU) or ("is no text in UTF-8" if not is_text(name) else "")
        if fault:
            raise CrossarcError(f"the label {name!r} of a scorer {fault}; give it another name")
    return names


def is_text(name: str) -> bool:
    """Return whether a string can be written as UTF-8."""
    try:
        return bool(name.encode())
    except UnicodeEncodeError:
        return False


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return the same array for others, who cannot write to it."""
    view = array.view()
    view.flags.writeable = False
    return view


def as_array(scores: Any) -> NDArray[Any]:
    """Return the content of an array or a tensor, without a copy where possible."""
    if isinstance(scores, np.ndarray) or not hasattr(scores, "__dlpack__"):
        return np.asarray(scores)
    try:
        return np.from_dlpack(scores)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise CrossarcError(f"the scores cannot be read ({error}); detach them and move them to the CPU") from None
