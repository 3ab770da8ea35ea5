"""The input of a network for each word: attributes whose embeddings are summed, as TOML."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crossarc.core.checked import parse_toml
from crossarc.core.strings import StringTable
from crossarc.errors import CrossarcError
from crossarc.features.attributes import EACH, Attributes, check_attribute, choose_attributes, commonest_features
from crossarc.features.encoding import Attribute, encode
from crossarc.features.templates import TemplateError, line_of, model_text
from crossarc.treebank.corpus import Corpus

PARTS = ("lexical", "tags")
MOST_FEATURES = 32  # morphological features that feats[*] stands for


@dataclass(frozen=True)
class InputModel:
    """The attributes of each part of the input: `lexical` ones and `tags`."""

    name: str
    text: str
    parts: dict[str, tuple[str, ...]]

    @property
    def attributes(self) -> tuple[str, ...]:
        """All attributes, part by part."""
        return tuple(name for names in self.parts.values() for name in names)

    @property
    def templates(self) -> tuple[tuple[str, ...], ...]:
        """The templates, as in other feature models: one attribute each."""
        return tuple((name,) for name in self.attributes)


def load_input_model(name: str) -> InputModel:
    """A model that comes with crossarc, by name, or one from a TOML file."""
    return parse_input_model(model_text(name), name)


def parse_input_model(text: str, name: str = "<model>") -> InputModel:
    """Read a model from its text; errors name the line.

    >>> parse_input_model('lexical = ["form", "suffix[2]"]').attributes
    ('form', 'suffix[2]')
    """
    data = parse_toml(text, name, TemplateError)
    for part, names in data.items():
        if part not in PARTS or not isinstance(names, list) or not all(isinstance(each, str) for each in names):
            raise TemplateError(
                f"{name}: {part!r}: the features of a network are the lists of attributes {' and '.join(PARTS)}"
            )
        for attribute in names:
            try:
                check_attribute(attribute)
            except CrossarcError as error:
                raise TemplateError(f"{name}:{line_of(text, attribute)}: {error}") from None
    parts = {part: tuple(dict.fromkeys(data[part])) for part in PARTS if data.get(part)}
    listed = [attribute for names in parts.values() for attribute in names]
    if not parts or len(set(listed)) < len(listed):
        raise TemplateError(f"{name}: name some attributes, each in one part only")
    return InputModel(name, text, parts)


def fit_input_model(model: InputModel, corpus: Corpus) -> InputModel:
    """The model fitted to a treebank: the most frequent features by name, without those with one value in all words."""
    features = [EACH.replace("*", name) for name in commonest_features(corpus, MOST_FEATURES)]
    parts = {}
    for part, names in model.parts.items():
        wanted = [each for name in names for each in (features if name == EACH else [name])]
        chosen = choose_attributes(corpus, wanted)
        parts[part] = tuple(name for name in wanted if chosen[name] == name)
    parts = {part: names for part, names in parts.items() if names}
    if not parts:
        raise TemplateError(f"{model.name}: all its attributes read columns in which all words have the same value")
    return InputModel(model.name, written(parts), parts)


def written(parts: dict[str, tuple[str, ...]]) -> str:
    """The text of a model."""
    return "".join(f"{part} = {json.dumps(names, ensure_ascii=False)}\n" for part, names in parts.items())


class InputAttributes(Attributes):
    """The ids of attributes, and behind them that of each word among pretrained vectors of words, if there are some."""

    def __init__(self, tables: dict[str, StringTable], vector_words: StringTable | None = None) -> None:
        super().__init__(tables)
        self.vector_words = vector_words

    def encode(self, corpus: Corpus) -> NDArray[np.int32]:
        """The ids of all nodes of a corpus."""
        rows = super().encode(corpus)
        if self.vector_words is None:
            return rows
        return np.concatenate([rows, encode(corpus, [Attribute("lower")], [self.vector_words])], axis=1)


def frequent_values(
    corpus: Corpus, names: Iterable[str], cut: int, known: Attributes | None = None
) -> tuple[dict[str, StringTable], list[NDArray[np.int64]]]:
    """Number the values that occur at least `cut` times, after those that are known; returns also how often each does.

    The counts of an attribute are by number. The first, that of unknown values, has all others.
    """
    names = list(names)
    whole = Attributes.fit(corpus, names)
    rows = whole.encode(corpus)
    tables: dict[str, StringTable] = {}
    counts = []
    for place, (name, table) in enumerate(whole.tables.items()):
        often = np.bincount(rows[:, place], minlength=len(table))
        before = list(known.tables[name]) if known is not None else []
        kept = [string for number, string in enumerate(table, table.reserved) if often[number] >= cut]
        tables[name] = StringTable(dict.fromkeys([*before, *kept]))
        found = np.zeros(len(tables[name]), dtype=np.int64)
        for number, string in enumerate(tables[name], table.reserved):
            old = table[string]
            found[number] = often[old] if old >= table.reserved else 0
        found[0] = often.sum() - found.sum()
        counts.append(found)
    return tables, counts
