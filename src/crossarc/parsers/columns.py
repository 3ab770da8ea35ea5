"""The columns that a model learned from, and input in which they are empty."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from crossarc.core.strings import ROOT, UNKNOWN
from crossarc.errors import CrossarcError
from crossarc.features.edges import EdgeModel
from crossarc.features.encoding import SOURCES
from crossarc.features.inputs import InputModel
from crossarc.features.templates import FeatureModel
from crossarc.treebank.corpus import Corpus
from crossarc.treebank.sentence import Sentence

OPTIONAL = ("lemma", "upos", "xpos", "feats", "deprel")  # columns that may hold nothing, in the order of CoNLL-U
ENOUGH = 1_000  # words to judge a file by
CHANCE = 0.001  # how likely it may be that a column is empty in so many words by chance alone


def filled_columns(corpus: Corpus, features: FeatureModel | EdgeModel | InputModel) -> dict[str, float]:
    """Return for each column that a feature model looks at the share of the words that have something in it."""
    used = {SOURCES.get(attribute.partition("[")[0]) for attribute in features.attributes}
    return filled_columns_of(corpus, [column for column in OPTIONAL if column in used])


def filled_columns_of(corpus: Corpus, columns: Iterable[str]) -> dict[str, float]:
    """Return for each column the share of the words that have something in it."""
    shares = {}
    for column in columns:
        ids = corpus[column][corpus[column] != ROOT]
        empty = (ids == corpus.strings[column]["_"]) | (ids == UNKNOWN)
        shares[column] = round(1 - float(empty.mean()), 4) if len(ids) else 0.0
    return shares


def check_inputs(features: InputModel, columns: Sequence[str]) -> None:
    """Refuse a network that would see what it predicts."""
    for attribute in features.attributes:
        source = SOURCES.get(attribute.partition("[")[0])
        if source in columns:
            raise CrossarcError(
                f"setting predict: {source} is predicted and cannot be a feature too, but {features.name} looks at "
                f'{attribute}; take features = "neural-forms"'
            )


def given_tags(corpus: Corpus) -> dict[str, NDArray[np.bool_]]:
    """Return for each column of tags which words have it; one without features has them if it has another tag."""
    given = {name: corpus[name] != corpus.strings[name]["_"] for name in ("upos", "xpos", "feats", "lemma")}
    given["feats"] |= given["upos"] | given["xpos"]
    return given


def watched(
    sentences: Iterable[Sentence], shares: Mapping[str, float], warn: Callable[[list[str]], None]
) -> Iterator[Sentence]:
    """The sentences as they come; `warn` is called once with the columns that are empty but should not be.

    A column is judged by the first words of the input: empty there, and too often filled in training for that to be
    chance. Once each column was seen filled, the check ends.
    """
    missing = [column for column in OPTIONAL if shares.get(column, 0) > 0]
    stream = iter(sentences)
    words = 0
    for sentence in stream:
        words += len(sentence)
        missing = [column for column in missing if not any(v not in ("_", "") for v in sentence.column(column)[1:])]
        yield sentence
        if not missing or words >= ENOUGH:
            break
    empty = [column for column in missing if words and (1 - shares[column]) ** words < CHANCE]
    if empty:
        warn(empty)
    yield from stream


def describe_missing(source: str, columns: list[str]) -> str:
    """Return the warning about input with empty columns."""
    names = [column.upper() for column in columns]
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    are, them = ("is", "it") if len(names) == 1 else ("are", "them")
    return (
        f"{source}: {listed} {are} empty, but the model learned from {them}, so expect more mistakes; "
        f"fill {them} first, or train a model without {them}"
    )
