"""The components of a pipeline by their roles, and the columns that each reads and writes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from crossarc.parsers import Parser
from crossarc.tagging import Tagger, Tokenizer
from crossarc.treebank.sentence import Sentence

if TYPE_CHECKING:
    from crossarc.pipeline.pipeline import Pipeline

TAGS = ["upos", "xpos", "feats", "lemma"]
Member = Tokenizer | Tagger | Parser
# The roles of a pipeline, in the order in which sentences pass through it.
ROLES: dict[str, type[Tokenizer] | type[Tagger] | type[Parser]] = {
    "tokenizer": Tokenizer,
    "tagger": Tagger,
    "parser": Parser,
    "graph": Parser,
}
Kind = TypeVar("Kind")


class Role(Generic[Kind]):
    """An attribute that is a component of a pipeline; one that may be missing is None then."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, pipeline: Pipeline, owner: type) -> Kind:
        return cast("Kind", pipeline.components.get(self.name))

    def __set__(self, pipeline: Pipeline, component: Kind) -> None:
        found = {**pipeline.components, self.name: component}
        pipeline.components = {role: found[role] for role in ROLES if found.get(role) is not None}  # type: ignore[misc]


def tagging_parser(name: str, settings: Mapping[str, Any]) -> Parser:
    """Return a parser of a preset that predicts all tags if it can."""
    parser = Parser(name, **settings)
    asked = parser.settings
    # Several networks, or one with linear parsers, predict trees only.
    several = getattr(asked, "guides", ()) or getattr(asked, "ensemble", 1) > 1
    if several or not asked.features_of_forms:
        return parser
    return Parser(name, **{"features": asked.features_of_forms, "predict": TAGS, **settings})


def columns_read(component: Member) -> tuple[str, ...]:
    """Return the columns of sentences that a trained component looks at."""
    return ("form", *component.columns) if isinstance(component, Parser) else component.model.reads


def columns_given(component: Member) -> tuple[str, ...]:
    """Return the columns of sentences that a component writes; of a tokenizer or tagger, after its training."""
    if isinstance(component, Parser):
        return (*component.settings.gives, *getattr(component.settings, "predicted", ()))
    return component.model.gives


def gives_tags(component: Member) -> bool:
    """Whether a component writes tags or lemmas."""
    return not set(TAGS).isdisjoint(columns_given(component))


def passed(sentences: list[Sentence], components: Iterable[Tagger | Parser], keep_tags: bool = False) -> list[Sentence]:
    """Return sentences after they passed through components; `keep_tags` keeps the tags that are there."""
    for each in components:
        sentences = each.model.parsed(sentences, keep_tags=keep_tags)
    return sentences
