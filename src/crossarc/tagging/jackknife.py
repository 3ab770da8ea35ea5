"""Predicted tags for training data: each fold is tagged by a tagger that has not seen it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from crossarc.components.checkpoint import Checkpoint
from crossarc.components.component import Arrays, arrays_of, numbered
from crossarc.parsers.provenance import digest
from crossarc.tagging.tagger import Tagger
from crossarc.treebank import Sentence
from crossarc.treebank.folds import jackknifed


def jackknife_tags(
    sentences: Sequence[Sentence],
    folds: int = 10,
    seed: int = 1,
    *,
    report: Callable[[int], None] = lambda fold: None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    **settings: Any,
) -> list[Sentence]:
    """Return the sentences with predicted tags: those of each fold from a tagger trained on all other folds.

    A parser that is trained on them meets tags of the quality that it will get. `settings` are those of `Tagger`, and
    `report` is called with the number of each fold that is done. After each fold the tags so far are saved to the file
    `checkpoint`; with `resume` the folds in that file are not tagged again. The caller deletes it.
    """
    file = None
    if checkpoint is not None:
        known = {**settings, "folds": folds, "seed": seed}
        file = Checkpoint(checkpoint, {"settings": known, "train": digest(sentences)}, resume=resume)
    done = read_folds(file) if file is not None else []
    waiting = iter(done[:])

    def predict(others: list[Sentence], own: list[Sentence]) -> list[Sentence]:
        before = next(waiting, None)
        if before is not None and file is not None:
            with file.reading():
                return sentences_with(own, before)
        found = Tagger(seed=seed, **settings).fit(others).tag(own)
        if file is not None:
            done.append(packed(found))
            file.put({"folds": len(done)}, numbered(done, "fold"))
        return found

    return jackknifed(sentences, folds, seed, predict, report)


def read_folds(file: Checkpoint) -> list[Arrays]:
    """Return the data of each finished fold for a checkpoint."""
    found = file.get()
    return [arrays_of(found[1], number, "fold") for number in range(found[0]["folds"])] if found is not None else []


def packed(sentences: list[Sentence]) -> Arrays:
    """Return sentences as arrays."""
    data = [sentence.raw for sentence in sentences]
    return {
        "bytes": np.frombuffer(b"".join(data), dtype=np.uint8),
        "ends": np.cumsum([len(each) for each in data], dtype=np.int64),
    }


def sentences_with(sentences: list[Sentence], arrays: Arrays) -> list[Sentence]:
    """Return sentences with the values that `packed` kept; `ValueError` for those of other sentences."""
    data = arrays["bytes"].tobytes()
    ends = arrays["ends"].tolist()
    found = [
        Sentence(data[begin:end], sentence.format, source=sentence.source, line=sentence.line)
        for sentence, begin, end in zip(sentences, [0, *ends[:-1]], ends, strict=True)
    ]
    if any(each.forms != sentence.forms for each, sentence in zip(found, sentences, strict=True)):
        raise ValueError("it has other sentences")
    return found
