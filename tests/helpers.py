"""Generated trees and sentences, and checks that several tests make."""

import numpy as np
from hypothesis import strategies as st

from crossarc.parsers import load
from crossarc.treebank import Graph, Sentence, read


@st.composite
def trees(draw, min_size=1, max_size=12, single_root=False):
    """Heads of a random tree: words are attached one by one, in random order, to any that is attached already."""
    n = draw(st.integers(min_size, max_size))
    order = draw(st.permutations(range(1, n + 1)))
    heads = [-1] * (n + 1)
    for place, word in enumerate(order):
        choices = [0, *order[:place]] if not (single_root and place) else order[:place]
        heads[word] = draw(st.sampled_from(choices))
    return heads


def is_below(arcs, node, above):
    """Whether a path of arcs (head, dependent, label) leads from a node down to another, or both are the same."""
    seen, todo = set(), [above]
    while todo:
        at = todo.pop()
        if at == node:
            return True
        if at not in seen:
            seen.add(at)
            todo += [d for h, d, _ in arcs if h == at]
    return False


# Fields of any text but tabs and line ends, surrogates and the empty string.
fields = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\t\n\r"), min_size=1, max_size=8)
labels = st.sampled_from(["nsubj", "obj", "obl:agent", "punct", "dep", "[subj]", "ß"])


@st.composite
def sentences(draw, **options):
    """Sentences with any text in their columns, a tree and a graph."""
    heads = draw(trees(**options))
    n = len(heads) - 1
    column = st.lists(fields, min_size=n + 1, max_size=n + 1)
    label_column = st.lists(labels, min_size=n + 1, max_size=n + 1)
    arcs = draw(st.sets(st.tuples(st.integers(0, n), st.integers(1, n), labels), max_size=2 * n))
    return Sentence.from_columns(
        comments=["# sent_id = s", *("# " + text for text in draw(st.lists(fields, max_size=2)))],
        forms=["", *draw(column)[1:]],
        lemmas=draw(column),
        upos=draw(column),
        xpos=draw(column),
        feats=draw(column),
        misc=draw(column),
        heads=heads,
        deprels=draw(label_column),
        graph=Graph.from_arcs(map(str, range(n + 1)), arcs),
    )


def arcs_of(text):
    """Arcs (head, dependent, label) from text such as "0-2 root, 2-1 nsubj"."""
    found = []
    for entry in text.split(", "):
        ends, label = entry.split(" ")
        head, dependent = map(int, ends.split("-"))
        found.append((head, dependent, label))
    return found


def tree(heads, deprels=None, forms=None, **columns):
    """A sentence over a tree, for tests that care for little else."""
    n = len(heads) - 1
    return Sentence.from_columns(
        forms=forms or ["", *(f"w{i}" for i in range(1, n + 1))],
        heads=heads,
        deprels=deprels or ["", *("root" if head == 0 else "dep" for head in heads[1:])],
        **columns,
    )


def scrambled(example, size, seed):
    """The words of the treebank in no order that it has ever seen."""
    rng = np.random.default_rng(seed)
    words = [(s.forms[i], s.upos[i]) for s in read(example) for i in range(1, len(s) + 1)]
    chosen = [words[i] for i in rng.integers(len(words), size=size)]
    return Sentence.from_columns(
        forms=["", *(form for form, _ in chosen)],
        upos=["", *(tag for _, tag in chosen)],
        heads=[-1, *[0] * size],
        deprels=["", *["dep"] * size],
    )


def check_stored(parser, sentences, folder):
    """A model that comes from a file parses as before, has the same settings, and gives the same file again."""
    first, second = folder / "first.crossarc", folder / "second.crossarc"
    parser.save(first)
    again = load(first)
    assert list(again.parse(sentences)) == list(parser.parse(sentences))
    assert again.settings == parser.settings
    again.save(second)
    assert second.read_bytes() == first.read_bytes()
