"""The template language: named addresses, and templates that join attributes of addresses.

    [addresses]
    s0 = "stack[0]"
    b0 = "buffer[0]"
    [templates]
    words = ["s0.form", "s0.form + b0.upos", "s0.left[1].deprel", "distance(s0, b0)"]

An address is a base with a place (`stack[0]` is the top) and steps from there; a term is an attribute of an address, or
a function of two; a template joins terms with "+". A model is compiled to three tables of integers for native code.
Before training it is fitted to the treebank, so that no template looks at a column that the treebank does not have.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossarc.core.checked import parse_toml, toml_text
from crossarc.core.registry import Registry
from crossarc.errors import SHORT, CrossarcError, UnknownName
from crossarc.features.attributes import (
    EACH,
    TREE_HEAD,
    check_attribute,
    choose_attributes,
    commonest_features,
    implies,
)
from crossarc.treebank.corpus import Corpus

BASES = ("stack", "stack2", "buffer", "list1", "list2")
STEPS = ("head", "left", "right", "sibling_left", "sibling_right", TREE_HEAD)
INDEXED_STEPS = ("left", "right")
# Attributes that the parser's state gives; those of the tokens come behind them.
STATE_ATTRIBUTES = (
    "deprel",
    "left_count",
    "right_count",
    "left_labels",
    "right_labels",
    "head_count",
    "head_labels",
)
FUNCTIONS = {"distance": 2, "linked": 2, "arc": 2, "last": 0, "tree": 2}  # with the number of their addresses
WIDEST = 6  # terms in a template
DEEPEST = 3  # the outermost dependents that a state remembers
FURTHEST = 99  # places on stacks, in buffers and lists
MOST_FEATURES = 6  # morphological features that feats[*] stands for
# Single features pay where their combinations are rare; with more words than this to each, only the time is lost.
WORDS_A_COMBINATION = 400

BASE = re.compile(r"(\w+)\[(\d+)\]")
STEP = re.compile(r"(\w+)(?:\[(\d+)\])?")
FUNCTION = re.compile(r"(\w+)\(([^()]*)\)(?:\.(\w+))?")


class TemplateError(CrossarcError):
    """A feature model that cannot be understood; says where, what and which names are valid."""


@dataclass(frozen=True)
class FeatureModel:
    """A compiled feature model.

    `addresses` has a row (kind, parent, place) for each address: kinds 0 to 4 are the bases, those behind them the
    steps, which start at the parent. `slots` has a row (kind, address, other): kinds are the state's attributes, the
    functions of two addresses, then the attributes of tokens, those that the model looks at and no others.
    `templates` has a row of slots for each template, filled up with -1.
    """

    name: str
    text: str
    names: dict[str, str]
    terms: tuple[tuple[str, ...], ...]
    attributes: tuple[str, ...]
    addresses: NDArray[np.int32] = field(repr=False)
    slots: NDArray[np.int32] = field(repr=False)
    templates: NDArray[np.int32] = field(repr=False)

    @property
    def has_label_sets(self) -> bool:
        """Whether a term is a set of the labels of dependents."""
        return self.looks_at("left_labels", "right_labels")

    def looks_at(self, *attributes: str) -> bool:
        """Whether a term is one of some attributes of the parser's state."""
        return bool(np.isin(self.slots[:, 0], [STATE_ATTRIBUTES.index(name) for name in attributes]).any())


def load_model(name: str) -> FeatureModel:
    """A model by name, or one from a TOML file."""
    return parse_model(model_text(name), name, model_text)


def model_text(name: str) -> str:
    """The text of a model by name, or of a TOML file."""
    if name.endswith(".toml"):
        return toml_text(name)
    return feature_models()[name].read_text(encoding="utf-8")


def models_in(folder: Traversable) -> dict[str, Traversable]:
    """Return the feature models of a folder by name."""
    found = sorted(folder.iterdir(), key=lambda entry: entry.name)
    return {entry.name.removesuffix(".toml"): entry for entry in found if entry.name.endswith(".toml")}


@cache
def feature_models() -> Registry[Traversable]:
    """Return the files of all feature models by name: those of crossarc, and those of other packages."""
    return Registry("feature model", "feature_models", models_in(files("crossarc.features") / "models"))


def parse_model(text: str, name: str = "<model>", read: Callable[[str], str] | None = None) -> FeatureModel:
    """Compile a model from its text; a template that is wrong is refused with its line.

    A model that extends another has its addresses and templates, and more. `read` gives the text of the other by its
    name. Without it `extends` is refused: what a trained model holds must not make crossarc read other files.
    """
    addresses, templates = entries_of(text, name, read)
    compiler = Compiler(addresses)
    for template in templates:
        try:
            compiler.add(template)
        except TemplateError as error:
            raise TemplateError(f"{name}:{line_of(text, template)}: template {template!r}: {error}") from None
    if not compiler.templates:
        raise TemplateError(f'{name}: there are no templates; write templates = ["stack[0].form", ...]')
    return compiler.model(name, text)


def entries_of(text: str, name: str, read: Callable[[str], str] | None) -> tuple[dict[str, str], list[str]]:
    """The named addresses and the templates of a model, after those of the models that it extends."""
    addresses: dict[str, str] = {}
    templates: list[str] = []
    seen: list[str] = []
    while True:
        seen.append(name)
        data = parse_toml(text, name, TemplateError)
        groups = data.get("templates", {})
        groups = groups if isinstance(groups, dict) else {"templates": groups}
        for group, lines in groups.items():
            templates_checked(lines, group, name)
        names = data.get("addresses", {})
        if not isinstance(names, dict) or not all(isinstance(each, str) for each in names.values()):
            raise TemplateError(f'{name}: addresses are a table of names, such as s0 = "stack[0]"')
        addresses = {**names, **addresses}
        templates = [*(each for group in groups.values() for each in group), *templates]
        if "extends" not in data:
            return addresses, templates
        base = data["extends"]
        if read is None:
            raise TemplateError(f"{name}: extends = {base!r}: a model must stand on its own here")
        if not isinstance(base, str):
            raise TemplateError(f"{name}: extends = {base!r}: write the name of one feature model in quotes")
        if base in seen:
            raise TemplateError(f"{name}: extends = {base!r}: feature models extend each other in a circle")
        name, text = base, read(base)


def templates_checked(lines: Any, group: str, name: str) -> list[str]:
    """Return the templates of a group; `TemplateError` for anything but a list of strings."""
    if not isinstance(lines, list) or not all(isinstance(each, str) for each in lines):
        raise TemplateError(f"{name}: {group} = {SHORT.repr(lines)}: write a list of templates in quotes")
    return lines


def fit_model(model: FeatureModel, corpus: Corpus) -> FeatureModel:
    """The model as a treebank needs it: every lookup costs time, so columns that the treebank lacks are left out.

    `feats[*]` becomes the most frequent features by name, the same in all terms of a template, if there are so many
    combinations of them that the whole column says too little. An attribute that is the same for all words gives way to
    another or is left out, and of templates that then say the same one remains.
    """
    templates = fitted_templates(model.terms, model.attributes, corpus)
    if not templates:
        raise TemplateError(f"{model.name}: all templates look at columns where all words of the treebank are the same")
    return with_templates(model, templates)


def fitted_templates(all_terms: Iterable[tuple[str, ...]], attributes: Iterable[str], corpus: Corpus) -> Iterable[str]:
    """Templates, given by their terms and the attributes in them, as a treebank needs them."""
    features = commonest_features(corpus, MOST_FEATURES)
    if len(corpus["feats"]) > WORDS_A_COMBINATION * len(corpus.strings["feats"]):
        features = []
    chosen = choose_attributes(corpus, [*attributes, *(EACH.replace("*", name) for name in features)])
    templates: dict[str, None] = {}
    for terms in all_terms:
        starred = any(term.endswith(EACH) for term in terms)
        for name in features if starred else ("",):
            kept: list[tuple[str, str]] = []
            for term in terms:
                path, _, attribute = term.rpartition(".")
                if attribute == EACH:
                    attribute = EACH.replace("*", name)
                choice = chosen.get(attribute, attribute)
                if choice is not None:
                    kept.append((path, choice))
            needed = [
                (path, attribute)
                for path, attribute in dict.fromkeys(kept)
                if not any(path == other and implies(stronger, attribute) for other, stronger in kept)
            ]
            joined = " + ".join(".".join(filter(None, term)) for term in needed)
            if joined:
                templates[joined] = None
    return templates


def choose_templates(model: FeatureModel, places: Iterable[int]) -> FeatureModel:
    """The model with some of its templates only, in this order."""
    return with_templates(model, [" + ".join(model.terms[place]) for place in places])


def with_templates(model: FeatureModel, templates: Iterable[str]) -> FeatureModel:
    """The model with other templates over the same addresses."""
    lines = ["templates = [", *(f'  "{template}",' for template in templates), "]", "[addresses]"]
    lines += [f'{name} = "{address}"' for name, address in model.names.items()]
    return parse_model("\n".join(lines) + "\n", model.name)


def line_of(text: str, template: str) -> int:
    """The line of a template."""
    return next((number for number, line in enumerate(text.split("\n"), 1) if f'"{template}"' in line), 1)


def in_range(digits: str, least: int, most: int) -> bool:
    """Whether digits are a number within bounds; `int` itself refuses thousands of them."""
    return len(digits) <= 4 and least <= int(digits) <= most


def terms_of(template: str) -> tuple[str, ...]:
    """The terms that a template joins."""
    terms = tuple(term.strip() for term in template.split("+"))
    if len(terms) > WIDEST:
        raise TemplateError(f"it joins {len(terms)} terms; {WIDEST} are the most")
    return terms


class Compiler:
    """Gives numbers to addresses and terms as templates name them."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names
        self.addresses: dict[tuple[int, int, int], int] = {}
        self.slots: dict[tuple[int, int, int], int] = {}
        self.attributes: dict[str, int] = {}
        self.templates: dict[tuple[int, ...], tuple[str, ...]] = {}

    def add(self, template: str) -> None:
        """Compile one template; one that says the same as an earlier one counts once."""
        terms = terms_of(template)
        slots = tuple(self.term(term) for term in terms)
        self.templates.setdefault(tuple(sorted(slots)), terms)

    def term(self, text: str) -> int:
        """The slot of an attribute of an address, or of a function of two."""
        match = FUNCTION.fullmatch(text)
        if match:
            return self.function(match[1], match[2], match[3])
        path, _, attribute = text.rpartition(".")
        if attribute in STATE_ATTRIBUTES and path:
            kind = STATE_ATTRIBUTES.index(attribute)
        else:
            try:
                check_attribute(attribute if path else text, STATE_ATTRIBUTES)
            except CrossarcError as error:
                raise TemplateError(str(error)) from None
            number = self.attributes.setdefault(attribute, len(self.attributes))
            kind = len(STATE_ATTRIBUTES) + len(FUNCTIONS) + number
        return self.number(self.slots, (kind, self.address(path), -1))

    def function(self, name: str, arguments: str, attribute: str | None) -> int:
        """The slot of distance(a, b), linked(a, b), arc(a, b).deprel, last() or tree(a, b)."""
        if name not in FUNCTIONS or (attribute is not None) != (name == "arc") or attribute not in (None, "deprel"):
            known = ("distance(a, b)", "linked(a, b)", "arc(a, b).deprel", "last()", "tree(a, b)")
            raise TemplateError(str(UnknownName("function", name, known)))
        ends = [self.address(each) for each in map(str.strip, arguments.split(",")) if each]
        if len(ends) != FUNCTIONS[name]:
            counts = {0: "no address", 2: "two addresses"}
            raise TemplateError(f"{name} takes {counts[FUNCTIONS[name]]}, not {len(ends)}")
        if name == "tree":
            self.attributes.setdefault(TREE_HEAD, len(self.attributes))
        kind = len(STATE_ATTRIBUTES) + list(FUNCTIONS).index(name)
        return self.number(self.slots, (kind, ends[0], ends[1]) if ends else (kind, -1, -1))

    def address(self, text: str) -> int:
        """The number of an address, its steps compiled one after the other."""
        parts = text.split(".")
        parts = [*self.names.get(parts[0], parts[0]).split("."), *parts[1:]]
        match = BASE.fullmatch(parts[0])
        if match is None or match[1] not in BASES:
            valid = [*self.names, *(f"{base}[0]" for base in BASES)]
            raise TemplateError(str(UnknownName("address", parts[0], valid)))
        if not in_range(match[2], 0, FURTHEST):
            raise TemplateError(f"{parts[0]}: places go from 0, the nearest, to {FURTHEST}")
        number = self.number(self.addresses, (BASES.index(match[1]), -1, int(match[2])))
        for part in parts[1:]:
            step = STEP.fullmatch(part)
            if step is None or step[1] not in STEPS or (step[2] is not None) != (step[1] in INDEXED_STEPS):
                raise TemplateError(str(UnknownName("step", part, ("head", "left[1]", "right[1]", *STEPS[3:]))))
            if step[1] == TREE_HEAD:
                self.attributes.setdefault(TREE_HEAD, len(self.attributes))
            place = step[2] or "1"
            if not in_range(place, 1, DEEPEST):
                raise TemplateError(f"{part}: places go from 1, the outermost, to {DEEPEST}")
            number = self.number(self.addresses, (len(BASES) + STEPS.index(step[1]), number, int(place) - 1))
        return number

    @staticmethod
    def number(table: dict[tuple[int, int, int], int], row: tuple[int, int, int]) -> int:
        """The number of a row, which is added if it is new."""
        return table.setdefault(row, len(table))

    def model(self, name: str, text: str) -> FeatureModel:
        """The tables of all that was added."""
        rows = [[*slots, *[-1] * (WIDEST - len(slots))] for slots in self.templates]
        return FeatureModel(
            name,
            text,
            self.names,
            tuple(self.templates.values()),
            tuple(self.attributes),
            np.array(list(self.addresses), dtype=np.int32).reshape(-1, 3),
            np.array(list(self.slots), dtype=np.int32).reshape(-1, 3),
            np.array(rows, dtype=np.int32).reshape(-1, WIDEST),
        )
