"""Combined parsers: a directed model that sees the trees of two others, one directed and one undirected.

Sums of the two models' scores gain nothing: both look at the same features of an arc, and a sum of first-order scores
is a first-order score again (nor would dual decomposition find another tree than the best by the sum). Two trees tell
what no score of a single arc can: where they agree, and what else hangs there, which is the head's head, siblings and
dependents of either end. So a third model, stacked on the two (Nivre and McDonald 2008, Martins et al. 2008), scores
arcs by all that an `mst` looks at and by these guesses, and the best tree is found in the usual way.

While it learns, a sentence is guessed by models that have not learned from it: the treebank is cut into parts, and each
is parsed by models of the others.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crossarc.features.edges import EdgeModel, compile_edge_model, parse_edge_model, written_edge_model
from crossarc.features.templates import fitted_templates
from crossarc.treebank.corpus import Corpus

Ints = NDArray[np.int32]
FURTHEST = 20  # distances to a guessed head above this are not distinguished
# The guesses about a word. By the directed tree: where its head is, the tags of its head, of its nearest siblings and
# of its outermost dependents, how many dependents it has on either side; by the undirected tree: where its head is.
GUESSES = ("up", "up_tag", "left_tag", "right_tag", "first_tag", "last_tag", "valency", "other_up")
ENDS = "head.upos + dep.upos"
TEMPLATES = (
    # Whether the arc is one of the guesses: their offset from a word, joined with the distance of the arc, tells.
    *(f"{each} + distance" for each in ("dep.up", "head.up", "dep.other_up", "head.other_up", "dep.up + dep.other_up")),
    *(f"{each} + distance + {ENDS}" for each in ("dep.up", "dep.other_up")),
    "head.lemma + dep.upos + dep.lemma + dep.up + distance",
    *(f"{ENDS} + {end}.{each}" for end in ("dep", "head") for each in ("up", "up_tag", "valency")),
    *(f"{ENDS} + {end}.{each}" for end in ("dep", "head") for each in ("first_tag", "last_tag")),
    *(f"{ENDS} + {each}" for each in ("dep.left_tag", "dep.right_tag", "dep.left_tag + dep.right_tag", "dep.other_up")),
    *(f"{ENDS} + {end}.up + {end}.up_tag" for end in ("dep", "head")),
    "dep.up",
    "dep.up_tag",
    *(f"{ends} + head.up_tag" for ends in ("head.lemma + dep.upos", "head.upos + dep.lemma", "head.lemma + dep.lemma")),
    *(f"head.lemma + dep.upos + {each}" for each in ("head.valency", "dep.first_tag", "dep.last_tag")),
)  # fmt: skip


def stacked_features(below: EdgeModel, corpus: Corpus) -> EdgeModel:
    """The features of a model that sees guesses, as a treebank needs them: those of the models below, and more."""
    known = {*below.attributes, *GUESSES, "distance"}
    more = fitted_templates([tuple(each.split(" + ")) for each in TEMPLATES], ["upos", "lemma"], corpus)
    more = [each for each in more if known.issuperset(term.rpartition(".")[2] for term in each.split(" + "))]
    arcs = [*(" + ".join(each) for each in below.arc_terms), *more]
    labels = [" + ".join(each) for each in below.label_terms]
    data = {"distances": below.distances, "arcs": arcs, "labels": labels}
    return compile_edge_model(data, written_edge_model(data), *stacked_columns(below))


def stacked_columns(below: EdgeModel) -> tuple[str, tuple[str, ...]]:
    """Return the name of a model on top and its columns: those of the models below, and the guesses behind them."""
    return f"{below.name} on two trees", (*below.attributes, *GUESSES)


def read_stacked(text: str, below: EdgeModel) -> EdgeModel:
    """Return the compiled model of a text; `ValueError` if it looks at other columns."""
    name, columns = stacked_columns(below)
    model = parse_edge_model(text, name, columns)
    if model.attributes != columns:
        raise ValueError("the model on top looks at what the models below do not")
    return model


def with_guesses(tokens: Ints, below: EdgeModel, starts: NDArray[np.int64], tree: Ints, other: Ints) -> Ints:
    """The attributes of words with those that two trees give them, in the order of GUESSES.

    `tree` and `other` have the heads of all nodes within their sentences, which begin at `starts`.
    """
    nodes = len(tokens)
    begin = np.repeat(starts[:-1], np.diff(starts))
    place = np.arange(nodes) - begin
    word = place > 0
    names = list(below.attributes)
    tag = tokens[:, names.index(next((each for each in ("upos", "xpos", "suffix[2]") if each in names), names[0]))]
    head = np.where(word, begin + tree, 0)
    # Words by head and place: siblings are neighbours, the first and the last of a head its outermost dependents.
    order = np.lexsort((place, head))
    order = order[word[order]]
    same = head[order][1:] == head[order][:-1]
    result = np.full((nodes, len(GUESSES)), -1, dtype=np.int32)
    columns = dict(zip(GUESSES, result.T, strict=True))
    columns["up"][:] = offsets(tree, place)
    columns["other_up"][:] = offsets(other, place)
    columns["up_tag"][word] = tag[head[word]]
    columns["left_tag"][order[1:][same]] = tag[order[:-1][same]]
    columns["right_tag"][order[:-1][same]] = tag[order[1:][same]]
    on_left = order[order < head[order]]
    on_right = order[order > head[order]]
    columns["first_tag"][head[on_left][::-1]] = tag[on_left[::-1]]  # what is written last stays
    columns["last_tag"][head[on_right]] = tag[on_right]
    left, right = (np.minimum(np.bincount(head[each], minlength=nodes), 3) for each in (on_left, on_right))
    columns["valency"][:] = 4 * left + right
    return np.ascontiguousarray(np.hstack([tokens, result]))


def offsets(heads: Ints, place: NDArray[np.int64]) -> Ints:
    """Where the head of each word is, seen from the word, as numbers above 0; one of its own for the root's words."""
    found = np.clip(heads - place, -FURTHEST, FURTHEST) + FURTHEST + 1
    result: Ints = np.where(place == 0, -1, np.where(heads == 0, 0, found)).astype(np.int32)
    return result


def parts(sentences: int, folds: int) -> list[NDArray[np.int64]]:
    """The numbers of sentences in so many parts, neighbours together: they are often alike."""
    return [part for part in np.array_split(np.arange(sentences), folds) if len(part)]
