"""What the manifests of parsers hold; families with more keys add them in the file of their model."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, field_validator

from crossarc.components.description import Clean, Count, Described, Description, Factor, Number, Percent, Share

Within = Annotated[float, Field(gt=0, lt=1)]


class Data(Described):
    """The training data."""

    sentences: Count
    words: Count
    sha256: str
    source: str
    columns: dict[Literal["lemma", "upos", "xpos", "feats", "deprel"], Share]


class Covered(Described):
    """How much of the training data the parser could build."""

    trees: Percent
    arcs: Percent


class Development(Described):
    """The scores on the development set after the best epoch."""

    epoch: Count
    las: Percent
    uas: Percent


class Confidence(Described):
    """The scales of probabilities."""

    trees: Factor
    labels: Factor
    arcs: Factor


class Inner(Described):
    """The trees inside graphs."""

    single_root: bool
    shares: dict[str, Within]
    deprels: dict[str, Annotated[Clean, Field(min_length=1)]]


class Provenance(Described):
    """Where a parser comes from and what was found out about it; a parser inside another has nothing of this."""

    data: Data
    coverage: Covered
    development: Development | None
    init: Data | None  # of the parser that training started from
    confidence: Confidence | None = None
    trees: Inner | None = None


class StoredSettings(Described):
    """The settings that say of which class all others are."""

    model_config = ConfigDict(extra="allow")

    parser: str
    family: str
    system: str
    features: str


class ParserDescription(Description):
    """The manifest of the model of a parser."""

    kind: Literal["parser"]
    labels: list[Clean] = Field(min_length=1)
    single_root: bool
    settings: StoredSettings
    features: str

    @field_validator("labels")
    @classmethod
    def distinct(cls, labels: list[str]) -> list[str]:
        """Refuse labels that are there twice."""
        if len(set(labels)) < len(labels):
            raise ValueError("a label is there twice")
        return labels


class GraphDescription(ParserDescription):
    """The manifest of a parser of graphs."""

    most_heads: Number
    most_parallel: Number

    @field_validator("labels")
    @classmethod
    def filled(cls, labels: list[str]) -> list[str]:
        """Refuse an empty label, which no graph can hold."""
        if "" in labels:
            raise ValueError("a label is empty")
        return labels
