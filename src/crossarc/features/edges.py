"""Feature models of parsers that score arcs: templates over the ends of an arc, and over a finished tree for its label.

    arcs = ["head.form + dep.form", "head.upos + between.upos + dep.upos", "dep.xpos + dep[-1].xpos"]
    labels = ["head.lemma + dep.upos", "dep.form + sib[-1].upos", "grand.upos + head.upos + dep.upos"]

A model without templates for arcs scores them by their labels alone: such a parser chooses both together.

Every arc feature counts by direction, for all distances together and, unless `distances = false`, for each class of
distances on its own. So a feature has a row of sixteen weights, and one look at the row serves both arcs between two
words. A feature of one end alone is looked up once a word, and the key of one of both ends is the sum of two hashes,
each made once a word: a pair of words then needs one addition and one lookup a template.

A parser that attaches words round by round also sees the dependents that an end of an arc already has:

    arcs = ["head.upos + dep.child[-1].lemma", "head.child[1].upos + dep.upos", "dep.upos + dep.children"]

`child[-1]` is the leftmost of them, `child[1]` the rightmost and `children` their number; `sib` is the one of the head
that is nearest to `dep` between the two. A template with such a term counts only where there is that dependent. Their
labels are seen only by parsers that label arcs round by round:

    arcs = ["head.upos + dep.upos + dep.child[1].deprel", "head.upos + sib.deprel + dep.upos"]

A second-order parser scores pairs of arcs as well: two dependents of one head on the same side, of which `sib` is
nearer to the head, and an arc with the arc to its head from `grand`:

    siblings = ["head.upos + dep.upos + sib.upos", "dep.lemma + sib.lemma"]
    grandchildren = ["grand.upos + head.upos + dep.upos", "grand.lemma + dep.lemma"]

They also count where there is no such sibling (then `sib` is empty) or no such dependent (`dep`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossarc.core.checked import parse_toml
from crossarc.errors import SHORT, CrossarcError, UnknownName
from crossarc.features.attributes import check_attribute
from crossarc.features.templates import (
    WIDEST,
    TemplateError,
    fitted_templates,
    line_of,
    model_text,
    templates_checked,
    terms_of,
)
from crossarc.treebank.corpus import Corpus

ENDS = ("head", "dep")
# Other words that a label may look at: the head's head, the nearest siblings, the outermost dependents.
RELATIVES = ("grand", "sib", "child")
# The words of a pair of arcs: of two siblings, and of an arc with that to its head. The last may be missing.
TRIPLES = {"siblings": (*ENDS, "sib"), "grandchildren": ("grand", *ENDS)}
FURTHEST = 4  # words away from an end
ADDRESS = re.compile(r"(\w+)(?:\[(-?\d+)\])?")
# Which word is looked at from an end: itself or one near by, a dependent that it has already; or how many it has.
VIA = {"": 0, "child[-1]": 1, "child[1]": 2}
CHILDREN, VIA_NUMBER = "children", 3
SIBLING = "sib"
DEPREL, LABEL = "deprel", -2  # of dependents, and what tables have in the place of its attribute
DISTANCE = "distance"
DIRECTION = "direction"  # which all features count by: alone, nothing but that
MOST_TEMPLATES = 128  # of arcs, and of labels
MOST_BETWEEN = 4

Atom = tuple[int, int, int]  # an attribute, an offset, and which word is looked at
Side = tuple[Atom, ...]


@dataclass(frozen=True)
class EdgeModel:
    """A compiled feature model.

    `atoms` has a row (attribute, offset, via) for each thing that is looked at from a word, and `sides` the first atom
    of each bundle of them, and the end. `singles` has a row (end, side) for each template of one end, 0 for the head.
    `pairs` has a row (left side, right side, directions, kind, attribute) for each template of both: it is used for
    arcs to the right if bit 0 of the directions is set and to the left with bit 1; kind 1 joins an attribute of each
    word between, kind 2 the distance. `late_singles` and `late_pairs` are the same for templates that look at
    dependents, with the attribute of the sibling or -1 in the place of the kind. `labels` has WIDEST cells (address,
    offset, attribute) for each template. `siblings` and `grandchildren` have a row of three sides for each template,
    those of the words in `TRIPLES`.
    """

    name: str
    text: str
    arc_terms: tuple[tuple[str, ...], ...]
    label_terms: tuple[tuple[str, ...], ...]
    attributes: tuple[str, ...]
    distances: bool
    atoms: NDArray[np.int32] = field(repr=False)
    sides: NDArray[np.int32] = field(repr=False)
    singles: NDArray[np.int32] = field(repr=False)
    pairs: NDArray[np.int32] = field(repr=False)
    labels: NDArray[np.int32] = field(repr=False)
    late_singles: NDArray[np.int32] = field(repr=False)
    late_pairs: NDArray[np.int32] = field(repr=False)
    siblings: NDArray[np.int32] = field(repr=False)
    grandchildren: NDArray[np.int32] = field(repr=False)
    triple_terms: dict[str, tuple[tuple[str, ...], ...]]

    @property
    def templates(self) -> tuple[tuple[str, ...], ...]:
        """The terms of all templates."""
        return tuple(terms for part in self.terms.values() for terms in part)

    @property
    def terms(self) -> dict[str, tuple[tuple[str, ...], ...]]:
        """The terms of the templates of each part of the model that has some."""
        terms = {"arcs": self.arc_terms, **self.triple_terms, "labels": self.label_terms}
        return {part: terms[part] for part in terms if terms[part] or part not in TRIPLES}


def load_edge_model(name: str) -> EdgeModel:
    """A model that comes with crossarc, by name, or one from a TOML file."""
    return parse_edge_model(model_text(name), name)


def parse_edge_model(text: str, name: str = "<model>", columns: tuple[str, ...] = ()) -> EdgeModel:
    """Compile a model from its text; a template that is wrong is refused with its line.

    `columns` are the first attributes, in this order, and may be others than those of tokens.
    """
    data = parse_toml(text, name, TemplateError)
    return compile_edge_model(data, text, name, columns)


def compile_edge_model(data: dict[str, Any], text: str, name: str, columns: tuple[str, ...] = ()) -> EdgeModel:
    """Compile a model from its entries; `text` is what a model file keeps of them."""
    parts = ("arcs", *TRIPLES, "labels")
    for key in data:
        if key not in (*parts, "distances"):
            raise TemplateError(f"{name}: {UnknownName('part of a feature model of arcs', key, (*parts, 'distances'))}")
    if not isinstance(data.get("distances", True), bool):
        raise TemplateError(f"{name}: distances = {SHORT.repr(data['distances'])}: write true or false")
    compiler = EdgeCompiler(columns)
    if not data.get("labels"):
        raise TemplateError(f'{name}: there are no templates for labels; write labels = ["head.upos", ...]')
    for part in parts:
        for template in templates_checked(data.get(part, []), part, name):
            try:
                compiler.add(part, template)
            except CrossarcError as error:
                raise TemplateError(f"{name}:{line_of(text, template)}: template {template!r}: {error}") from None
    return compiler.model(name, text, data.get("distances", True))


def fit_edge_model(model: EdgeModel, corpus: Corpus) -> EdgeModel:
    """The model as a treebank needs it; see `crossarc.features.templates.fit_model`."""
    data: dict[str, Any] = {"distances": model.distances}
    for part, terms in model.terms.items():
        data[part] = list(fitted_templates(terms, model.attributes, corpus))
        if terms and not data[part]:
            raise TemplateError(f"{model.name}: all templates of {part} look at columns where all words are the same")
    return compile_edge_model(data, written_edge_model(data), model.name)


def written_edge_model(data: dict[str, Any]) -> str:
    """Return the text of a model with these entries."""
    lines = [f"distances = {str(data['distances']).lower()}"]
    for part in data:
        if part != "distances":
            lines += [f"{part} = [", *(f'  "{template}",' for template in data[part]), "]"]
    return "\n".join(lines) + "\n"


class EdgeCompiler:
    """Gives numbers to what templates name."""

    def __init__(self, columns: tuple[str, ...] = ()) -> None:
        self.attributes = {name: place for place, name in enumerate(columns)}
        self.sides: dict[Side, int] = {}
        self.singles: dict[tuple[int, int], None] = {}
        self.pairs: dict[tuple[int, int, int, int], int] = {}
        self.late_singles: dict[tuple[int, int], None] = {}
        self.late_pairs: dict[tuple[int, int, int, int], int] = {}
        self.labels: dict[tuple[tuple[int, int, int], ...], None] = {}
        self.arc_terms: dict[tuple[str, ...], None] = {}
        self.label_terms: dict[tuple[str, ...], None] = {}
        self.triples: dict[str, dict[tuple[int, ...], tuple[str, ...]]] = {part: {} for part in TRIPLES}

    def add(self, part: str, template: str) -> None:
        """Compile a template of a part of the model."""
        if part in TRIPLES:
            self.add_triple(part, template)
        elif part == "arcs":
            self.add_arc(template)
        else:
            self.add_label(template)

    def add_arc(self, template: str) -> None:
        """Compile a template of arcs."""
        terms = terms_of(template)
        ends: tuple[list[Atom], list[Atom]] = ([], [])
        kind, extra = 0, 0
        for term in terms:
            path, _, attribute = term.rpartition(".")
            if term == DIRECTION:
                continue
            if term == DISTANCE or path in ("between", SIBLING):
                if kind:
                    raise TemplateError("only one term can be the distance or look at the words between or at sib")
                kind = {"between": 1, SIBLING: 3}.get(path, 2)
                extra = self.attribute(attribute, path == SIBLING) if path else 0
                continue
            if attribute == CHILDREN:
                address, offset = parse_address(path, ENDS)
                if offset:
                    raise TemplateError(f"{term}: only head and dep have {CHILDREN}")
                ends[address].append((0, 0, VIA_NUMBER))
                continue
            end, _, child = path.partition(".")
            address, offset = parse_address(end, ENDS)
            if child not in VIA or (child and offset):
                raise TemplateError(f"{term}: the dependents of head and dep are child[-1] and child[1]")
            ends[address].append((self.attribute(attribute, bool(child)), offset, VIA[child]))
        self.arc_terms[terms] = None
        late = kind == 3 or any(via for atoms in ends for _, _, via in atoms)
        if late and kind in (1, 2):
            raise TemplateError("a term with dependents does not go with the distance or the words between")
        head, dep = (self.side(tuple(sorted(atoms))) for atoms in ends)
        if not kind and bool(ends[0]) != bool(ends[1]):
            singles = self.late_singles if late else self.singles
            singles[(0, head) if ends[0] else (1, dep)] = None
            return
        pairs = self.late_pairs if late else self.pairs
        # The head is on the left of arcs to the right, bit 0, and on the right of arcs to the left.
        for left, right, direction in ((head, dep, 1), (dep, head, 2)):
            row = (left, right, kind, extra)
            pairs[row] = pairs.get(row, 0) | direction

    def add_triple(self, part: str, template: str) -> None:
        """Compile a template of pairs of arcs."""
        known, terms = TRIPLES[part], terms_of(template)
        words: tuple[list[Atom], ...] = ([], [], [])
        for term in terms:
            if term == DIRECTION:
                continue
            path, _, attribute = term.rpartition(".")
            address, offset = parse_address(path, known)
            words[address].append((self.attribute(attribute), offset, 0))
        if not words[2] or not (words[0] or words[1]):
            raise TemplateError(f"a template of {part} looks at {known[2]} and at another word")
        sides = tuple(self.side(tuple(sorted(atoms))) for atoms in words)
        self.triples[part].setdefault(sides, terms)

    def add_label(self, template: str) -> None:
        """Compile a template of labels."""
        terms = terms_of(template)
        cells = []
        for term in terms:
            if term == DIRECTION:
                continue
            if term == DISTANCE:
                cells.append((len(ENDS) + len(RELATIVES), 0, 0))
                continue
            path, _, attribute = term.rpartition(".")
            address, offset = parse_address(path, (*ENDS, *RELATIVES))
            cells.append((address, offset, self.attribute(attribute)))
        self.label_terms[terms] = None
        self.labels[tuple(sorted(cells))] = None

    def attribute(self, name: str, dependent: bool = False) -> int:
        """The number of an attribute of words, or of the label of a dependent."""
        if name == DEPREL and dependent:
            return LABEL
        if name not in self.attributes:
            check_attribute(name)
        return self.attributes.setdefault(name, len(self.attributes))

    def side(self, atoms: Side) -> int:
        """The number of a bundle of things to look at."""
        return self.sides.setdefault(atoms, len(self.sides))

    def model(self, name: str, text: str, distances: bool) -> EdgeModel:
        """The tables of all that was added."""
        between = sum(kind == 1 for _, _, kind, _ in self.pairs)
        siblings = sum(kind == 3 for _, _, kind, _ in self.late_pairs)  # which have a key for each direction
        late = max(len(self.late_pairs) + siblings, len(self.late_singles), *map(len, self.triples.values()))
        if max(len(self.pairs), len(self.singles), len(self.labels), late) > MOST_TEMPLATES or between > MOST_BETWEEN:
            raise TemplateError(
                f"{name}: {len(self.pairs)} templates of both ends as seen from either, {len(self.singles)} of one "
                f"end, {late} with dependents or siblings, {len(self.labels)} of labels and {between} with words "
                f"between; {MOST_TEMPLATES} of a kind and {MOST_BETWEEN} with words between are the most"
            )
        bounds = np.cumsum([0, *map(len, self.sides)])
        pairs = [(left, right, self.pairs[left, right, kind, extra], kind, extra)
                 for left, right, kind, extra in self.pairs]  # fmt: skip
        # Those with the distance come behind the plain ones, and last those with words between: a key for each word.
        pairs.sort(key=lambda row: (0, 2, 1)[row[3]])
        labels = [[*cells, *[(-1, 0, 0)] * (WIDEST - len(cells))] for cells in self.labels]
        return EdgeModel(
            name,
            text,
            tuple(self.arc_terms),
            tuple(self.label_terms),
            tuple(self.attributes),
            distances,
            np.array([atom for side in self.sides for atom in side], dtype=np.int32).reshape(-1, 3),
            bounds.astype(np.int32),
            np.array(list(self.singles), dtype=np.int32).reshape(-1, 2),
            np.array(pairs, dtype=np.int32).reshape(-1, 5),
            np.array(labels, dtype=np.int32).reshape(-1, WIDEST, 3),
            np.array(list(self.late_singles), dtype=np.int32).reshape(-1, 2),
            np.array(
                [(*row[:2], bits, row[3] if row[2] else -1) for row, bits in self.late_pairs.items()], dtype=np.int32
            ).reshape(-1, 4),
            np.array(list(self.triples["siblings"]), dtype=np.int32).reshape(-1, 3),
            np.array(list(self.triples["grandchildren"]), dtype=np.int32).reshape(-1, 3),
            {part: tuple(self.triples[part].values()) for part in TRIPLES},
        )


def parse_address(text: str, known: tuple[str, ...]) -> tuple[int, int]:
    """The number of an address and its offset."""
    match = ADDRESS.fullmatch(text)
    if match is None or match[1] not in known:
        raise UnknownName(
            "address", text, [*known, "head[1]", "dep[-1]", *(["between", SIBLING] if known == ENDS else [])]
        )
    offset = int(match[2] or 0)
    if match[1] in ("sib", "child") and known not in TRIPLES.values():
        if offset not in (-1, 1):
            raise TemplateError(f"{text}: {match[1]}[-1] is the one on the left and {match[1]}[1] that on the right")
    elif abs(offset) > FURTHEST or (match[1] == "grand" and offset and known not in TRIPLES.values()):
        raise TemplateError(f"{text}: there are offsets of up to {FURTHEST} words; grand of labels takes none")
    return known.index(match[1]), offset
