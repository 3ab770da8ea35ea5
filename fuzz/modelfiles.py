"""Small models of every kind, damaged model files, and the use of what such a file holds."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

import crossarc
from crossarc import Sentence
from crossarc.components.modelfile import DTYPES, METADATA, model_bytes, unpack_model
from crossarc.core.checksum import checksum
from crossarc.errors import ModelError, TreebankError
from crossarc.parsers import Parser
from crossarc.pipeline import Pipeline
from crossarc.tagging import Tagger, Tokenizer, text_of
from crossarc.treebank import Graph

Manifest = dict[str, Any]
Arrays = dict[str, NDArray[Any]]
Learner = Parser | Pipeline | Tagger | Tokenizer

SIZES: dict[str, Any] = {"hidden": 4, "lexical_size": 4, "tag_size": 4, "arc_size": 4, "label_size": 4}
LINEAR: dict[str, Callable[[], Learner]] = {
    "arc-hybrid": lambda: Parser("arc-hybrid", epochs=1),
    "beam": lambda: Parser("arc-eager", epochs=1, beam=4, learner="mira"),
    "fast": lambda: Parser("arc-standard", epochs=1, fast=True),
    "swap": lambda: Parser("swap", epochs=1),
    "two-planar-label": lambda: Parser("two-planar-label", epochs=1),
    "covington": lambda: Parser("covington", epochs=1),
    "arc-eager-pp": lambda: Parser("arc-eager-pp", epochs=1),
    "dag-covington": lambda: Parser("dag-covington", epochs=1),
    "dag-eager": lambda: Parser("dag-eager", epochs=1),
    "dag-mst": lambda: Parser("dag-mst", epochs=1),
    "dag-mst-lengths": lambda: Parser("dag-mst", epochs=1, lengths=True, cycles="allow"),
    "mst": lambda: Parser("mst", epochs=1, lengths=True),
    "mst-joint": lambda: Parser("mst", epochs=1, labels="joint"),
    "eisner": lambda: Parser("eisner", epochs=1),
    "carreras-npa": lambda: Parser("carreras-npa", epochs=1),
    "carreras-guided": lambda: Parser("carreras-npa", epochs=1, labels="joint", starts=["mst", "arc-hybrid"]),
    "mst-undirected": lambda: Parser("mst-undirected-df", epochs=1, combine="product"),
    "mst-undirected-lep": lambda: Parser("mst-undirected-lep", epochs=1),
    "mst-combined": lambda: Parser("mst-combined", epochs=1, stack=2),
    "mst-bottom-up": lambda: Parser("mst-bottom-up", epochs=1, child_labels=True),
}
LARGE: dict[str, Callable[[], Learner]] = {
    "neural": lambda: Parser("neural", epochs=1, features="neural-forms", predict=["upos", "lemma", "feats"], **SIZES),
    "neural-joint": lambda: Parser("neural-projective", epochs=1, labels="joint", **SIZES),
    "ensemble": lambda: Parser("neural", epochs=1, ensemble=2, **SIZES),
    "hybrid": lambda: Parser("neural", epochs=1, guides=["mst", "arc-hybrid"], **SIZES),
    "neural-graph": lambda: Parser("neural-graph", epochs=1, **SIZES),
    "neural-graph-on-trees": lambda: Parser("neural-graph", epochs=1, use_tree=True, **SIZES),
    "pipeline": lambda: Pipeline("arc-hybrid", epochs=1, jackknife=0, graph="dag-mst", tagger={"epochs": 1}),
    "tagging-pipeline": lambda: Pipeline("neural", epochs=1, **SIZES),
    "tagger": lambda: Tagger(epochs=1),
    "tokenizer": lambda: Tokenizer(epochs=1),
}
TEXT = "Ann sees the cake. Bob can't sing,\tthough he'd like to!\n\nhttp://a.b Cleo sleeps"
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 100, 2**31 - 1, 2**31, 2**63, 10**40, 0.0, 0.5, 1.0, -0.5, 5e-324, 1e-30, 1e30),
    *(1.7976931348623157e308, -1.7976931348623157e308, "", "x", "_", "a\tb", "a\nb", "\r", "\x1b[31m", "|", "a|b", ":"),
    *("\ud800", "\u2028", "x" * 3000, [], [[]], {}, [None], ["x", "x"], {"x": 1}, "first", "none", "mst", "joint"),
)


@dataclass
class Models:
    """Models by kind, which are trained when they are first asked for."""

    folder: Path
    kinds: dict[str, Callable[[], Learner]]
    stored: dict[str, tuple[Manifest, Arrays]] = field(default_factory=dict)

    def of(self, kind: str) -> tuple[Manifest, Arrays]:
        """The manifest and the arrays of a model."""
        if kind not in self.stored:
            path = self.folder / f"{kind}.model"
            self.kinds[kind]().fit(self.treebank, self.treebank[:3]).save(path)
            self.stored[kind] = unpack_model(path.read_bytes(), kind)
        return self.stored[kind]

    @cached_property
    def treebank(self) -> list[Sentence]:
        """Sentences with tags, trees and graphs."""
        return sentences(14, 5)

    @cached_property
    def inputs(self) -> list[Sentence]:
        """What is parsed: sentences of all small lengths, also with words that training did not have."""
        return sentences(6, 9)


def sentences(count: int, seed: int) -> list[Sentence]:
    """Sentences with crossing arcs, several heads, cycles and prepositions in labels."""
    rng, found = Random(seed), []
    tags = {"Ann": "PROPN", "Bob": "PROPN", "sees": "VERB", "the": "DET", "cake": "NOUN", "of": "ADP", ".": "PUNCT"}
    names = {"VERB": "obj", "DET": "det", "NOUN": "nmod:of", "ADP": "case", "PUNCT": "punct", "PROPN": "nsubj"}
    for number in range(count):
        n = number % 7 + 1
        forms = [rng.choice([*tags]) + ("" if rng.random() < 0.9 else "s") for _ in range(n)]
        upos = [tags.get(form, "X") for form in forms]
        heads = [-1, *([0] * n)]
        order = rng.sample(range(1, n + 1), n)
        for place, word in enumerate(order[1:], 1):
            heads[word] = rng.choice(order[:place])
        labels = ["", *(names.get(tag, "dep") for tag in upos)]
        labels[order[0]] = "root"
        arcs = {(heads[word], word, labels[word]) for word in range(1, n + 1)}
        arcs |= {(rng.randint(1, n), rng.randint(1, n), "nsubj") for _ in range(n // 3)}
        graph = Graph.from_arcs(map(str, range(n + 1)), {arc for arc in arcs if arc[0] != arc[1]})
        columns: dict[str, Any] = {"lemmas": ["", *(form.lower() for form in forms)], "upos": ["", *upos]}
        columns["feats"] = ["", *(f"Case={tag[0]}" if tag != "X" else "_" for tag in upos)]
        found.append(Sentence.from_columns(forms=["", *forms], heads=heads, deprels=labels, graph=graph, **columns))
    return found


# ---- damage


def damaged(rng: Random, models: Models, kind: str) -> bytes:
    """The bytes of a model file with some damage and the right checksum."""
    manifest, arrays = models.of(kind)
    manifest, arrays = json.loads(json.dumps(manifest)), dict(arrays)
    manifest.pop("format_version")
    how = rng.random()
    if how < 0.05:
        return with_damaged_header(rng, model_bytes(manifest, arrays))
    other = models.of(rng.choice([*models.kinds]))
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        how = rng.random()
        if how < 0.4:
            damage_manifest(rng, manifest, other[0])
        elif how < 0.55:
            damage_features(rng, manifest)
        elif how < 0.65:
            great_numbers(rng, arrays)
        else:
            damage_array(rng, arrays, other[1])
    if rng.random() < 0.05:
        manifest["format_version"] = rng.choice((5, 7, None, "6"))
    return model_bytes(manifest, arrays)


def places(tree: Any, path: tuple[Any, ...] = ()) -> Iterable[tuple[Any, ...]]:
    """The places of all values in a manifest."""
    if path:
        yield path
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in items:
        yield from places(value, (*path, key))


def value_at(tree: Any, path: tuple[Any, ...]) -> Any:
    """The value at a place."""
    for key in path:
        tree = tree[key]
    return tree


def damage_manifest(rng: Random, manifest: Manifest, other: Manifest) -> None:
    """Replace, graft, delete or add one value."""
    found = [*places(manifest)]
    if not found:
        return
    path = rng.choice(found)
    inner, key, how = value_at(manifest, path[:-1]), path[-1], rng.random()
    if how < 0.6:
        inner[key] = deepcopy(rng.choice(VALUES))
    elif how < 0.75:
        theirs = [*places(other)]
        same = [place for place in theirs if place[-1] == key]
        graft = value_at(other, rng.choice(same if same and rng.random() < 0.7 else theirs))
        inner[key] = deepcopy(graft)
    elif how < 0.85:
        del inner[key]
    elif isinstance(inner, dict):
        inner[rng.choice(("more", "kind", "stages", "confidence", "trees", "features", ""))] = deepcopy(
            rng.choice(VALUES)
        )
    else:
        inner.insert(rng.randint(0, len(inner)), deepcopy(rng.choice((inner[key], *VALUES))))


TERMS = (
    *("head.form", "dep.upos", "head.upos + dep.upos", "stack[0].form", "buffer[0].upos", "between.upos", "distance"),
    *("direction", "dep.child[-1].lemma", "head.children", "sib.upos", "grand.upos", "feats[Case]", "feats[*]", "x"),
    *("tree_head", "last()", "tree(stack[0], buffer[0])", "arc(stack[0], buffer[0]).deprel", "stack[0].head_labels"),
    *("stack[99].form", "stack[0].left[3].right[3].head.head.form", "deprel", "lower", "suffix[9]", "dep[-4].form"),
)


def damage_features(rng: Random, manifest: Manifest) -> None:
    """Change the text of a feature model."""
    found = [path for path in places(manifest) if path[-1] in ("features", "stacked", "first", "second")]
    found = [path for path in found if isinstance(value_at(manifest, path), str) and "settings" not in path]
    if not found:
        return
    path = rng.choice(found)
    text, how = value_at(manifest, path), rng.random()
    quoted = text.split('"')
    if how < 0.5 and len(quoted) > 2:
        place = rng.randrange(1, len(quoted), 2)
        quoted[place] = rng.choice((rng.choice(TERMS), f"{quoted[place]} + {rng.choice(TERMS)}", quoted[place] * 7))
        text = '"'.join(quoted)
    elif how < 0.7 and len(quoted) > 2:
        place = rng.randrange(1, len(quoted), 2)
        more = "".join(f'", "{rng.choice(TERMS)} + {rng.choice(TERMS)}' for _ in range(rng.choice((1, 5, 200))))
        text = '"'.join([*quoted[:place], quoted[place] + more, *quoted[place + 1 :]])
    elif how < 0.8:
        ends = ("x = " + "[" * 3000, "y = 1" + "0" * 5000, "extends = 'mst'", "[a]\n[a]", "distances = 3", "\0")
        text += rng.choice(ends)
    elif text:
        begin = rng.randrange(len(text))
        text = text[:begin] + rng.choice(('"', "[", "]", "", "+", ".", "\n", "é")) + text[begin + rng.randint(0, 9) :]
    inner = value_at(manifest, path[:-1])
    inner[path[-1]] = text


def extremes(dtype: np.dtype[Any]) -> list[Any]:
    """The greatest and the smallest numbers of a type, and some usual ones."""
    if dtype.kind == "f":
        limits = np.finfo(dtype)
        usual = [each for each in (1e30, -1e30, 1e-30, 1.1e30, 60_000.0) if abs(each) < float(limits.max)]
        finite = [limits.max, limits.min, limits.tiny, limits.smallest_subnormal, 0.0, -0.0, 1.0, -1.0]
        return [*finite, *usual, np.nan, np.inf, -np.inf]
    bounds = np.iinfo(dtype)
    return [bounds.max, bounds.min, 0, 1, 2, *((-1,) if bounds.min else ()), bounds.max - 1, bounds.max // 2]


def great_numbers(rng: Random, arrays: Arrays) -> None:
    """Set all floats of a model, or of some arrays, to a great or small number that may just be allowed."""
    number = rng.choice((1e30, 1e-30, 65_504.0, 1000.0, 6e-8, 1e20, 9.9e29))
    part = rng.choice((0.3, 1.0))
    for name, array in arrays.items():
        if array.dtype.kind == "f" and rng.random() < part:
            sign = rng.choice((1, -1)) if "unit" not in name else 1
            arrays[name] = np.full_like(array, sign * min(number, float(np.finfo(array.dtype).max)))


def damage_array(rng: Random, arrays: Arrays, other: Arrays) -> None:
    """Change the numbers, the type or the shape of an array, drop it, or take one of another model."""
    if not arrays:
        return
    name, how = rng.choice([*arrays]), rng.random()
    array = arrays[name]
    if how < 0.55 and array.size:
        array = array.copy()
        for _ in range(rng.choice((1, 1, 2, 10))):
            place = rng.choice((0, -1, rng.randrange(array.size)))
            array.flat[place] = rng.choice(extremes(array.dtype))
        arrays[name] = array
    elif how < 0.65:
        raw = bytearray(array.tobytes())
        for _ in range(rng.randint(1, 8) if raw else 0):
            raw[rng.randrange(len(raw))] ^= 1 << rng.randrange(8)
        arrays[name] = np.frombuffer(bytes(raw), dtype=array.dtype).reshape(array.shape)
    elif how < 0.72:
        arrays[name] = array.reshape(-1)[: rng.randint(0, array.size)]
    elif how < 0.79:
        arrays[name] = rng.choice((array.reshape(-1), array[None], array.reshape(-1, 1), array.T, array[..., :1]))
    elif how < 0.86:
        with np.errstate(all="ignore"):
            arrays[name] = array.astype(rng.choice([*DTYPES.values()]))
    elif how < 0.9:
        del arrays[name]
    elif how < 0.95:
        same = [each for each in other if each.rpartition(".")[2] == name.rpartition(".")[2]]
        arrays[name] = other[rng.choice(same or [*other] or [name])] if other else array
    else:
        arrays[name] = np.concatenate([array.reshape(-1), array.reshape(-1)[: rng.randint(0, array.size)]])


def with_damaged_header(rng: Random, data: bytes) -> bytes:
    """The file with another header and the right checksum."""
    length = int.from_bytes(data[:8], "little")
    head, rest = bytearray(data[8 : 8 + length]), data[8 + length : -8]
    if rng.random() < 0.5:
        for _ in range(rng.randint(1, 3)):
            head[rng.randrange(len(head))] = rng.choice(b'0123456789-,:"[]{}e.\\ \x00\xff')
    else:
        header = json.loads(head)
        name = rng.choice([*header])
        if name == METADATA:
            header[name] = rng.choice((None, {}, {"crossarc": rng.choice(VALUES)}, {"crossarc": "[" * 5000}))
        elif rng.random() < 0.2:
            del header[name]
        else:
            key = rng.choice(("dtype", "shape", "data_offsets"))
            numbers = [rng.choice((0, 1, 2, 7, 2**31, 2**63, -1, 64)) for _ in range(rng.choice((0, 1, 2, 2, 40)))]
            header[name][key] = rng.choice(([*DTYPES], numbers, [numbers], VALUES))
            if key == "dtype":
                header[name][key] = rng.choice([*DTYPES, "BF16", None])
        text = json.dumps(header).encode()
        head = bytearray(text + b" " * (-(8 + len(text)) % 64))
    whole = len(head).to_bytes(8, "little") + bytes(head) + rest
    return whole + checksum(whole).to_bytes(8, "little")


# ---- use


def used(data: bytes, kind: str, models: Models) -> str:
    """Load the bytes of a model file and use what it holds; return the kind of outcome, or raise."""
    path = models.folder / "damaged.crossarc"
    path.write_bytes(data)
    opened: dict[str, Callable[[Path], Any]] = {"tagger": Tagger.open, "tokenizer": Tokenizer.open}
    try:
        found = opened.get(kind, crossarc.load)(path)
    except ModelError as error:
        message = str(error)
        assert message.startswith(f"{path}: "), message
        assert message.isprintable(), f"the message is not one line: {message!r}"
        assert len(message) < 1000, "the message is long"
        return "refused"
    try:
        return use(found, models)
    except TreebankError as error:  # labels of SDP can hold what separates the entries of DEPS
        parsers = found.parsers.values() if isinstance(found, Pipeline) else [found]
        assert any("|" in "".join(each.model.labels) for each in parsers), error
        assert "which separates the entries of DEPS" in str(error), error
        return "labels of SDP"


def use(found: Learner, models: Models) -> str:
    """Use what was loaded in all ways that it has."""
    if isinstance(found, Parser):
        return use_parser(found, models)
    if isinstance(found, Tagger):
        check_again(found.tag(models.inputs), models)
        return "tags"
    if isinstance(found, Tokenizer):
        tokens = found.tokenize(TEXT)
        assert text_of(tokens) == TEXT, "the text is not given back"
        return "tokens"
    parsed = found(TEXT)
    assert text_of(parsed) == TEXT, "the text is not given back"
    check_again(parsed, models)
    check_again(cast("Iterable[Sentence]", found.parse(models.inputs)), models)
    return "pipeline"


def use_parser(parser: Parser, models: Models) -> str:
    """Parse with a parser in all ways that it has."""
    quiet: dict[str, Any] = {"on_missing": lambda columns: None}
    parsed = list(parser.parse(models.inputs, **quiet))
    if parser.gives_graphs:
        check_again(parsed, models)
        for sentence in parser.parse(models.inputs, with_tree=True, **quiet):
            assert sentence.is_tree, "the tree in a graph is none"
        return "graphs"
    for sentence in parsed:
        assert sentence.is_tree, f"no tree: {sentence.heads.tolist()}"
    check_again(parsed, models)
    if not parser.model.has_alternatives:
        return "trees"
    for analysis, sentence in zip(parser.parse(models.inputs, k=3, **quiet), parsed, strict=True):
        assert len({(*tree.heads.tolist(), *tree.deprels) for tree in analysis.trees}) == len(analysis.trees)
        for tree in analysis.trees:
            assert tree.sentence.is_tree, f"no tree among the best: {tree.heads.tolist()}"
            for numbers in (tree.head_probabilities, tree.label_probabilities, np.array([tree.probability])):
                check_probabilities(numbers)
        check_probabilities(analysis.marginals)
        sums = analysis.marginals[1:].sum(axis=1)
        assert np.allclose(sums, 1, atol=1e-6), f"marginals of {len(sentence)} words add up to {sums}"
    return "trees and probabilities"


def check_probabilities(numbers: NDArray[Any]) -> None:
    """Raise unless all numbers are probabilities."""
    assert np.isfinite(numbers).all(), f"not finite: {numbers}"
    assert ((numbers >= 0) & (numbers <= 1 + 1e-9)).all(), f"no probabilities: {numbers}"


def check_again(parsed: Iterable[Sentence], models: Models) -> None:
    """Raise unless the text of sentences reads again as the same."""
    path, whole = models.folder / "parsed.conllu", list(parsed)
    crossarc.write(whole, path)
    again = list(crossarc.read(path))
    assert [str(sentence) for sentence in again] == [str(sentence) for sentence in whole], "the output reads as other"
