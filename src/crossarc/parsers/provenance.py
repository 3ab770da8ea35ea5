"""The provenance of a model: a description of its data, and the signature of its checkpoint."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from typing import Any

import numpy as np

from crossarc.features.templates import model_text
from crossarc.parsers.model import Model
from crossarc.parsers.settings import Settings
from crossarc.treebank.sentence import Sentence


def describe_data(sentences: list[Sentence]) -> dict[str, Any]:
    """Return the description of training data for a model file."""
    sources = dict.fromkeys(os.path.basename(sentence.source) for sentence in sentences if sentence.source)
    return {
        "sentences": len(sentences),
        "words": sum(map(len, sentences)),
        "sha256": digest(sentences),
        "source": " + ".join(sources),
    }


def digest(sentences: Iterable[Sentence]) -> str:
    """Return the SHA-256 of sentences as they are used."""
    result = hashlib.sha256()
    for sentence in sentences:
        result.update(sentence.raw)
    return result.hexdigest()


def signature_of(
    settings: Settings, train: str, dev: str, before: Model | None, helper: Model | None
) -> dict[str, Any]:
    """Return the signature of a checkpoint; `train` and `dev` are the digests of the data."""
    features = before.features.text if before is not None else model_text(settings.features)
    return {
        "settings": settings.model_dump(),
        "train": train,
        "dev": dev,
        "features": hashlib.sha256(features.encode()).hexdigest(),
        "init": fingerprint(before) if before is not None else None,
        "directed": fingerprint(helper) if helper is not None else None,
    }


def fingerprint(model: Model) -> str:
    """The SHA-256 of a model."""
    manifest, arrays = model.to_arrays()
    result = hashlib.sha256(json.dumps(manifest, sort_keys=True).encode())
    for name in sorted(arrays):
        result.update(np.ascontiguousarray(arrays[name]).data)
    return result.hexdigest()
