"""The pseudo-projective transform: what it makes is projective, and most of it comes back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossarc.errors import StructureError, UnknownName
from crossarc.structure import describe_fault, is_projective, non_projective_edges
from crossarc.transforms import ENCODINGS, PseudoProjective
from crossarc.transforms.lifting import lift, reattach
from crossarc.transforms.pseudo_projective import escape, split
from crossarc.treebank import read
from helpers import trees

texts = st.text(st.sampled_from("ab↑⇡01:"), max_size=5)


@st.composite
def labelled(draw, **options):
    heads = draw(trees(**options))
    return heads, ["", *(draw(st.sampled_from(["a", "b", "c↑", "⇡1"])) for _ in heads[1:])]


def lifted_naively(heads):
    """The definition, each step from scratch."""
    heads = list(heads)
    passed = [False] * len(heads)
    while (crooked := non_projective_edges(heads)).size:
        word = min(crooked.tolist(), key=lambda word: abs(heads[word] - word))
        passed[heads[word]] = True
        heads[word] = heads[heads[word]]
    return heads, passed


@given(trees(max_size=25))
def test_lifting(heads):
    found, passed = lift(heads)
    assert (found.tolist(), passed.tolist()) == lifted_naively(heads)
    assert is_projective(found)


@given(st.lists(trees(), max_size=5))
def test_many_trees(many):
    starts = np.cumsum([0, *map(len, many)])
    flat = np.array([head for heads in many for head in heads], dtype=np.int32)
    found, passed = lift(flat, starts)
    labels = np.arange(len(flat)) % 3
    targets = np.where(flat > 0, (flat + 1) % 3, -1)
    back = reattach(flat, labels, targets, starts)
    for heads, begin, end in zip(many, starts[:-1], starts[1:], strict=True):
        assert found[begin:end].tolist() == lift(heads)[0].tolist()
        assert passed[begin:end].tolist() == lift(heads)[1].tolist()
        assert back[begin:end].tolist() == reattach(heads, labels[begin:end], targets[begin:end]).tolist()


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(tree=labelled(max_size=20))
def test_encode(encoding, tree):
    heads, labels = tree
    lifted, marked = PseudoProjective(encoding).encode(heads, labels)
    assert is_projective(lifted)
    assert [split(label)[0] for label in marked] == labels
    for word in range(1, len(heads)):
        wanted = split(marked[word])[1]
        assert wanted == (None if lifted[word] == heads[word] else labels[heads[word]])
    if is_projective(heads):
        assert lifted.tolist() == heads
        assert marked == [escape(label) for label in labels]


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(tree=labelled(max_size=20))
def test_decode_gives_a_tree(encoding, tree):
    heads, labels = tree
    back, plain = PseudoProjective(encoding).decode(*PseudoProjective(encoding).encode(heads, labels))
    assert describe_fault(back) == ""
    assert plain == labels
    if is_projective(heads):
        assert back.tolist() == heads


@given(trees(max_size=20))
def test_one_lift_comes_back_if_labels_differ(heads):
    """With labels that are all different the search cannot go wrong, so long as the head stayed below."""
    labels = [str(word) for word in range(len(heads))]
    transform = PseudoProjective()
    lifted, marked = transform.encode(heads, labels)
    if (lifted != heads).sum() == 1:
        back, plain = transform.decode(lifted, marked)
        assert (back.tolist(), plain) == (heads, labels)


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(heads=trees(max_size=15), data=st.data())
def test_decode_of_any_labels(encoding, heads, data):
    """A parser may put marks anywhere."""
    labels = ["", *(data.draw(texts) for _ in heads[1:])]
    back, plain = PseudoProjective(encoding).decode(heads, labels)
    assert describe_fault(back) == ""
    for word, label in enumerate(labels):
        if word and "↑" not in label:
            assert back[word] == heads[word]
        if not set(label) & set("↑⇡"):
            assert plain[word] == label


@given(texts, texts)
def test_marks_are_unambiguous(own, target):
    assert split(escape(own)) == (own, None)
    assert split(f"{escape(own)}↑{escape(target)}") == (own, target)


def test_search_is_breadth_first():
    """Two words below the head are labelled x: the one nearer to it is found first, of equally near ones the left."""
    transform = PseudoProjective()
    #        0        1       2    3    4    5
    heads = [-1, 2, 0, 2, 3, 2]
    labels = ["", "d↑x", "root", "y", "x", "x"]
    assert transform.decode(heads, labels)[0].tolist() == [-1, 5, 0, 2, 3, 2]
    assert transform.decode([-1, 2, 0, 2, 2], ["", "d↑x", "root", "x", "x"])[0].tolist() == [-1, 3, 0, 2, 2]
    # Nothing fits: the edge stays. Nor does a word go below itself, or stay because its head would fit.
    assert transform.decode([-1, 2, 0], ["", "d↑x", "root"])[0].tolist() == [-1, 2, 0]
    assert transform.decode([-1, 0, 1], ["", "d↑x", "x"])[0].tolist() == [-1, 0, 1]
    assert transform.decode([-1, 0, 1, 1], ["", "x", "d↑x", "x"])[0].tolist() == [-1, 0, 3, 1]


def test_marks_are_undone_top_down():
    """The upper of two marked edges moves first, and the search for the lower one sees it in its place."""
    heads = [-1, 0, 1, 1, 2]
    labels = ["", "root", "a↑b", "b", "c↑a"]
    assert PseudoProjective().decode(heads, labels)[0].tolist() == [-1, 0, 3, 1, 2]
    labels = ["", "root", "a↑b", "b", "c"]
    assert PseudoProjective().decode([-1, 0, 1, 1, 1], labels)[0].tolist() == [-1, 0, 3, 1, 1]


def test_faults():
    with pytest.raises(UnknownName, match="no pseudo-projective encoding 'haed'; did you mean 'head'"):
        PseudoProjective("haed")
    for method in (PseudoProjective().encode, PseudoProjective().decode):
        with pytest.raises(StructureError, match="cycle 1 -> 2 -> 1"):
            method([-1, 2, 1], ["", "a", "b↑a"])
        with pytest.raises(StructureError, match="3 heads have 2 labels"):
            method([-1, 2, 0], ["", "a"])
    with pytest.raises(StructureError, match=r"sentence 1: .*cycle"):
        lift([-1, 0, -1, 2, 1], [0, 2, 5])
    for starts in ([0, 2], [0, 2, 2, 5], [1, 5], [], [0, 6]):
        with pytest.raises(StructureError, match=r"starts must go|no entry for node 0"):
            lift([-1, 0, -1, 2, 0], starts)
    with pytest.raises(StructureError, match="as many labels and targets"):
        reattach([-1, 0], [0], [0, 0])


def test_small_and_long():
    assert [len(part) for part in PseudoProjective().encode([-1], [""])] == [1, 1]
    n = 5000
    generator = np.random.default_rng(0)
    heads = np.array([-1, *(word - 1 for word in range(1, n + 1))], dtype=np.int32)
    heads[200::50] = [generator.integers(0, word - 1) for word in range(200, n + 1, 50)]
    labels = ["", *(f"l{word % 40}" for word in range(1, n + 1))]
    lifted, marked = PseudoProjective().encode(heads, labels)
    assert is_projective(lifted)
    assert describe_fault(PseudoProjective().decode(lifted, marked)[0]) == ""


def test_treebanks(treebanks):
    """Real trees become projective, keep their labels, and most of their non-projective edges come back.

    Where a head has several words of one label below it, the search may find the wrong one: the Head encoding can do
    no better.
    """
    transform = PseudoProjective()
    edges = found = 0
    for path in treebanks:
        if path.name != "dev.conllu":
            continue
        for sentence in read(path, on_error="skip", check="tree"):
            lifted, marked = transform.encode(sentence.heads, sentence.deprels)
            assert is_projective(lifted)
            back, plain = transform.decode(lifted, marked)
            assert plain[1:] == list(sentence.deprels)[1:]
            crooked = non_projective_edges(sentence.heads)
            edges += len(crooked)
            found += int((back[crooked] == sentence.heads[crooked]).sum())
    assert found >= 0.75 * edges
