"""Scores of trees over the same tokens: attachment, exact match, non-projective edges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from crossarc.errors import UnknownName
from crossarc.evaluation.scores import ClassScore, Figures, Share, plain_fields
from crossarc.evaluation.trees import Counts, Mask, Punctuation, PunctuationBy, Source, TreePair, Trees, pair_trees

# The metrics of `sentence_counts` and of comparisons; each is a share of words, or of sentences.
METRICS = {
    "las": "labelled attachment score",
    "uas": "unlabelled attachment score",
    "label": "label accuracy",
    "undirected": "undirected attachment score",
    "lem": "labelled exact match",
    "uem": "unlabelled exact match",
}


@dataclass(frozen=True)
class Setting:
    """What the figures count; it is printed with them, since figures cannot be compared without it."""

    punctuation: Punctuation
    punctuation_by: PunctuationBy
    ignore_subtypes: bool

    def __str__(self) -> str:
        definition = {"unicode": "forms of Unicode category P*", "upos": "UPOS is PUNCT"}[self.punctuation_by]
        counted = "all tokens" if self.punctuation == "all" else f"tokens without punctuation ({definition})"
        labels = "labels cut at ':'" if self.ignore_subtypes else "whole labels"
        return f"same tokens; {counted}; {labels}"


@dataclass(frozen=True)
class TreeScores(Figures):
    """The figures over one choice of words.

    `undirected_uas` counts the words that are linked with their gold head in either direction (Levi et al. 2016).
    A sentence counts for the exact match when it has at least one counted word.
    """

    words: int
    sentences: int
    right: int
    right_heads: int
    right_labels: int
    right_links: int
    exact: int
    exact_heads: int
    non_projective: ClassScore

    las = Share("right", "words")  # words with the right head and label
    uas = Share("right_heads", "words")  # words with the right head
    label_accuracy = Share("right_labels", "words")  # words with the right label, whatever their head
    undirected_uas = Share("right_links", "words")
    lem = Share("exact", "sentences")  # sentences whose words all have the right head and label
    uem = Share("exact_heads", "sentences")  # sentences whose words all have the right head


class OfSetting:
    """An attribute: the figure of the same name in the scores of the setting."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, attachment: Attachment | None, kind: type | None = None) -> float:
        if attachment is None:
            return self  # type: ignore[return-value]
        figure: float = getattr(attachment.scores, self.name)
        return figure


@dataclass(frozen=True)
class Attachment:
    """The scores of a system's trees, with and without punctuation; its properties follow the setting.

    `broken` counts the system's sentences that are not trees (a cycle, a missing head). Whether their edges
    are projective has no answer, so none of them counts as a predicted non-projective edge.
    """

    setting: Setting
    with_punctuation: TreeScores
    without_punctuation: TreeScores
    broken: int

    def __str__(self) -> str:
        return f"LAS {self.las:.2f}, UAS {self.uas:.2f} ({self.setting})"

    @property
    def scores(self) -> TreeScores:
        """The scores of the setting."""
        return self.with_punctuation if self.setting.punctuation == "all" else self.without_punctuation

    las = OfSetting()
    uas = OfSetting()
    label_accuracy = OfSetting()
    undirected_uas = OfSetting()
    lem = OfSetting()
    uem = OfSetting()

    @property
    def non_projective(self) -> ClassScore:
        """Precision and recall of non-projective edges."""
        return self.scores.non_projective

    def to_dict(self) -> dict[str, Any]:
        """Everything by name, for JSON."""
        return self.scores.to_dict() | plain_fields(self)


def evaluate(
    gold: Source | Trees,
    system: Source | Trees,
    *,
    punctuation: Punctuation = "all",
    punctuation_by: PunctuationBy = "unicode",
    ignore_subtypes: bool = False,
) -> Attachment:
    """Score a system's trees against gold trees over the same tokens; files, or streams of sentences.

    `punctuation` chooses what `.las` and the others give: "all" words, or "none" of the punctuation, which is found by
    the characters of the form ("unicode", as CoNLL-X) or by UPOS ("upos"). Both choices are in the result. With
    `ignore_subtypes` labels are compared up to their first colon, as in the CoNLL 2018 shared task.

    Non-projective edges follow Bjorkelund and Kuhn (2012), section 3, after Kuhlmann and Nivre (2010).
    Cost: linear in the words, times the logarithm of the longest sentence.
    """
    setting = Setting(punctuation, punctuation_by, ignore_subtypes)
    return score_pair(pair_trees(gold, system, **vars(setting)), setting)


def score_pair(pair: TreePair, setting: Setting) -> Attachment:
    """The scores of paired trees."""
    everything = np.ones_like(pair.punctuation)
    return Attachment(
        setting, score_words(pair, everything), score_words(pair, ~pair.punctuation), int((~pair.system.is_tree).sum())
    )


def score_words(pair: TreePair, counted: Mask) -> TreeScores:
    """The scores over a choice of words."""
    total = pair.gold.by_sentence(counted)
    present = total > 0
    in_gold, in_system = pair.gold.non_projective & counted, pair.system.non_projective & counted
    return TreeScores(
        words=int(total.sum()),
        sentences=int(present.sum()),
        right=int((pair.right & counted).sum()),
        right_heads=int((pair.right_head & counted).sum()),
        right_labels=int((pair.right_label & counted).sum()),
        right_links=int((pair.right_link & counted).sum()),
        exact=int((present & (pair.gold.by_sentence(counted & ~pair.right) == 0)).sum()),
        exact_heads=int((present & (pair.gold.by_sentence(counted & ~pair.right_head) == 0)).sum()),
        non_projective=ClassScore(
            gold=int(in_gold.sum()),
            recalled=int((in_gold & pair.right).sum()),
            system=int(in_system.sum()),
            precise=int((in_system & pair.right).sum()),
        ),
    )


def sentence_counts(pair: TreePair, metric: str = "las") -> tuple[Counts, Counts]:
    """The right and all items of each sentence: words, or 0 and 1 for exact match."""
    masks = {
        "las": "right",
        "uas": "right_head",
        "label": "right_label",
        "undirected": "right_link",
        "lem": "right",
        "uem": "right_head",
    }
    if metric not in METRICS:
        raise UnknownName("metric", metric, METRICS)
    right: Mask = getattr(pair, masks[metric])
    correct, total = pair.gold.by_sentence(right & pair.counted), pair.gold.by_sentence(pair.counted)
    if metric in ("lem", "uem"):
        return ((total > 0) & (correct == total)).astype(np.int64), (total > 0).astype(np.int64)
    return correct, total
