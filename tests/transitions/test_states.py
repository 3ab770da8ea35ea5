"""What states remember: the list of arcs, with any number of heads, and sets of labels, with any number of labels."""

import random
import re

import numpy as np
import pytest

from crossarc.features import parse_model
from crossarc.features.attributes import Attributes
from crossarc.features.templates import model_text
from crossarc.parsers import Parser
from crossarc.transitions import SYSTEMS, Configuration, get_system
from crossarc.transitions.search import Greedy
from crossarc.transitions.system import Targets
from crossarc.transitions.training import instances
from crossarc.treebank import Corpus, read


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_move_makes_the_arc_that_the_system_says(name):
    system, generator = get_system(name), random.Random(3)
    for length in (1, 2, 5, 12) * 5:
        configuration = Configuration(system, [-1, 0, *range(1, length)])
        while not configuration.is_final():
            move, arcs = generator.choice(configuration.legal()), configuration.arcs
            arc = configuration.arc_of(move)
            assert (arc is not None) == system.labelled[move]
            configuration.apply(move, len(arcs))
            assert configuration.arcs == (arcs if arc is None else [*arcs, (*arc, len(arcs))])
        if system.directed:
            configuration.finish(root_label=99)
            found = {dependent: (head, label) for head, dependent, label in configuration.arcs}
            assert len(configuration.arcs) == len(found) == length
            rows = zip(configuration.heads[1:], configuration.labels[1:], strict=True)
            assert [found[word] for word in range(1, length + 1)] == list(rows)
        else:
            assert all(left < right for left, right, _ in configuration.arcs)
            assert configuration.links == configuration.arcs


def test_words_may_have_several_heads_and_arcs_several_labels():
    """The list grows beyond one arc a word, and copies have all of it."""
    n = 6
    configuration = Configuration(get_system("covington"), [-1, 0, *range(1, n)])
    pairs = [(head, word) for word in range(1, n + 1) for head in range(n + 1) if head != word]
    expected = [(head, word, label) for label in range(4) for head, word in pairs]
    for arc in expected:
        configuration.add_head(*arc)
    copy = configuration.copy()
    configuration.add_head(1, 2, 7)
    assert copy.arcs == expected
    assert configuration.arcs == [*expected, (1, 2, 7)]
    for node in range(n + 1):
        assert copy.arcs_with(node) == [arc for arc in reversed(expected) if node in arc[:2]]
    with pytest.raises(ValueError, match="from 1 to 7"):
        configuration.add_head(1, 7)


def keys_after(labels_of_word):
    """The keys of `buffer[0].left_labels` in all states of the oracle, for trees whose first word has some label."""
    system = get_system("planar")
    model = parse_model('templates = ["buffer[0].left_labels"]')
    kinds = 300
    arcs = [system.moves.index("LEFT-ARC"), system.moves.index("RIGHT-ARC")]
    rest = [move for move, labelled in enumerate(system.labelled) if not labelled]
    moves = [*rest, *(arc for arc in arcs for _ in range(kinds))]
    labels = [*(-1 for _ in rest), *range(kinds), *range(kinds)]
    search = Greedy(system, model, moves, labels, 1)
    result = []
    for label in labels_of_word:
        heads, starts = np.array([-1, 2, 0], dtype=np.int32), np.array([0, 3], dtype=np.int64)
        named = np.array([-1, label, 0], dtype=np.int32)
        keys, _, _ = instances(search, np.zeros((3, 1), dtype=np.int32), Targets(heads, named, starts))
        result.append(tuple(keys[:, 0].tolist()))
    return result


def test_sets_of_labels_do_not_fold():
    """Each label is one of its own, however many there are."""
    found = keys_after(range(300))
    assert len(set(found)) == 300


@pytest.mark.parametrize("name", ["two-planar", "two-planar-label"])
def test_states_with_many_labels_are_copied_whole(example, name):
    """A beam, which copies states, finds what greedy search does."""
    sentences = [
        sentence.replace(
            heads=sentence.heads,
            deprels=[f"{label}:{len(form)}" for label, form in zip(sentence.deprels, sentence.forms, strict=True)],
        )
        for sentence in read(example)
    ]
    model = Parser(name, epochs=4).fit(sentences).model
    assert len(model.labels) > 64
    corpus = Corpus.of(sentences)
    heads, labels = corpus["head"].copy(), corpus["deprel"].copy()
    how = (len(model.labels), name.endswith("-label"))
    model.beam_search(1).parse(model.scorer, model.attributes.encode(corpus), corpus.starts, heads, labels, *how)
    assert heads.tolist() == model.parse(corpus)[0].tolist()
    assert Parser(name, epochs=4, beam=4).fit(sentences).evaluate(sentences).uas > 80


@pytest.mark.parametrize("size", ["", "-compact"])
@pytest.mark.parametrize("name", ["planar", "two-planar", "covington"])
def test_siblings_of_undirected_models_are_there(example, name, size):
    """Each that a model names is a word in some state of the oracle, and heads are looked for on both sides."""
    text = model_text(f"{name}-undirected{size}")
    assert all(f'"s0.{term}"' in text for term in ("left[1].form", "right[1].form", "right[1].xpos")) or not size
    siblings = sorted(set(re.findall(r"\w\d\.sibling_\w+", text)))
    assert siblings
    if name == "planar":
        # Known to be empty: no word links with what is below the top of the stack before the top is gone.
        siblings = [sibling for sibling in siblings if not sibling.startswith("s0.")]
    templates = ", ".join(f'"{address}.form"' for address in [*siblings, "b0"])
    addresses = text[text.index("[addresses]") : text.index("[templates]")]
    model = parse_model(f"templates = [{templates}]\n{addresses}")
    system, corpus = get_system(f"{name}-undirected"), Corpus.of(list(read(example)))
    labels = [0 if labelled else -1 for labelled in system.labelled]
    search = Greedy(system, model, list(range(len(labels))), labels, 1)
    tokens = Attributes.fit(corpus, model.attributes).encode(corpus)
    named = np.zeros(len(tokens), dtype=np.int32)
    keys, _, _ = instances(search, tokens, Targets(corpus["head"], named, corpus.starts))
    assert all(len(np.unique(column)) > 1 for column in keys.T)
