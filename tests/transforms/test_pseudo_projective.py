"""The pseudo-projective transform: what it makes is projective, and most of it comes back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossarc.errors import CrossarcError, StructureError, UnknownName
from crossarc.structure import describe_fault, is_projective, non_projective_edges
from crossarc.transforms import ENCODINGS, PseudoProjective
from crossarc.transforms.lifting import lift, reattach
from crossarc.transforms.pseudo_projective import PREFERENCES, escape, split
from crossarc.treebank import read
from helpers import trees

texts = st.text(st.sampled_from("ab↑↓⇡012:"), max_size=5)


@st.composite
def labelled(draw, **options):
    heads = draw(trees(**options))
    return heads, ["", *(draw(st.sampled_from(["a", "b", "c↑", "⇡1", "d↓", "⇡2"])) for _ in heads[1:])]


def lifted_naively(heads):
    """The definition, each step from scratch."""
    heads = list(heads)
    passed = [False] * len(heads)
    while (non_projective := non_projective_edges(heads)).size:
        word = min(non_projective.tolist(), key=lambda word: abs(heads[word] - word))
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
    passed = lifted_naively(heads)[1]
    parts = [ENCODINGS[encoding].split(label) for label in marked]
    assert [part.own for part in parts] == labels
    for word in range(1, len(heads)):
        target = labels[heads[word]] if "head" in encoding else ""
        assert parts[word].target == (None if lifted[word] == heads[word] else target)
        assert parts[word].passed == (passed[word] and "path" in encoding)
    if is_projective(heads):
        assert lifted.tolist() == heads
        assert marked == [escape(label, path="path" in encoding) for label in labels]


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(tree=labelled(max_size=20))
def test_decode_gives_a_tree(encoding, tree):
    heads, labels = tree
    back, plain = PseudoProjective(encoding).decode(*PseudoProjective(encoding).encode(heads, labels))
    assert describe_fault(back) == ""
    assert plain == labels
    if is_projective(heads):
        assert back.tolist() == heads


def restored_naively(encoding, heads, labels, crossing):
    """The rules of the three encodings, each step from scratch."""
    parts = [ENCODINGS[encoding].split(label) for label in labels]
    heads, depths = list(heads), [0] * len(heads)

    def levels(top, leave_out, follow):
        level = [top]
        while level := [
            word
            for head in level
            for word in range(1, len(heads))
            if heads[word] == head and word != leave_out and follow(word)
        ]:
            yield level

    def crosses(head, word):
        after = [*heads[:word], head, *heads[word + 1 :]]
        return crossing and word in non_projective_edges(after)

    order = [word for level in levels(0, None, lambda word: True) for word in level]
    for word in order:
        target = parts[word].target
        if target is None:
            continue
        everywhere = list(levels(heads[word], word, lambda _: True))
        marked = list(levels(heads[word], word, lambda each: parts[each].passed)) if "path" in encoding else []
        if "head" in encoding:
            fit = [each for level in everywhere for each in level if parts[each].own == target]
            ranked = sorted(fit, key=lambda each: not crosses(each, word))
            marked = [[each for each in level if parts[each].own == target] for level in marked]
        else:
            ranked = []
        depths = {each: depth for depth, level in enumerate(marked) for each in level}
        on_path = sorted(depths, key=lambda each: (not crosses(each, word), -depths[each], each))
        heads[word] = [*on_path, *ranked, heads[word]][0]
    return heads


@pytest.mark.parametrize("prefer", PREFERENCES)
@pytest.mark.parametrize("encoding", ENCODINGS)
@given(tree=labelled(max_size=15), data=st.data())
def test_decode(encoding, prefer, tree, data):
    """What the rules say, for encoded trees and for trees that a parser marked anywhere."""
    transform = PseudoProjective(encoding, prefer=prefer)
    heads, labels = transform.encode(*tree)
    if data.draw(st.booleans()):
        heads = tree[0]
        marks = ["", "", "↓", "↑", "↑a", "↑b", "↑↓", "↑a↓"]
        labels = ["", *(data.draw(st.sampled_from("ab")) + data.draw(st.sampled_from(marks)) for _ in heads[1:])]
    expected = restored_naively(encoding, heads, labels, prefer == "non-projective")
    assert transform.decode(heads, labels)[0].tolist() == expected


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(heads=trees(max_size=20))
def test_one_lift_comes_back_if_labels_differ(encoding, heads):
    """With labels that are all different the search cannot go wrong, so long as the head stayed below."""
    labels = [str(word) for word in range(len(heads))]
    transform = PseudoProjective(encoding)
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
        if not set(label) & set("↑↓⇡"):
            assert plain[word] == label


@given(texts, texts)
def test_marks_are_unambiguous(own, target):
    assert split(escape(own)) == (own, None)
    assert split(f"{escape(own)}↑{escape(target)}") == (own, target)
    for encoding in (ENCODINGS["path"], ENCODINGS["headpath"]):
        own_mark, target_mark = escape(own, path=True), escape(target, path=True)
        assert encoding.split(own_mark) == (own, None, False)
        assert encoding.split(f"{own_mark}↓") == (own, None, True)
        assert encoding.split(f"{own_mark}↑{target_mark}") == (own, target, False)
        assert encoding.split(f"{own_mark}↑{target_mark}↓") == (own, target, True)
    # Labels with both arrows are as before in an encoding that has only one.
    assert ENCODINGS["head"].split(escape("a↓")) == ("a↓", None, False)
    assert escape("a↓") == "a↓"


# "What did you try to mend?": the first word belongs to the last verb, two heads below the root.
QUESTION = [-1, 6, 4, 4, 0, 6, 4]
QUESTION_LABELS = ["", "obj", "aux", "nsubj", "root", "mark", "xcomp"]
# Two lifts from one word: "what" belongs to "mend", which is below "hope", which is below "did".
DEEP = [-1, 5, 0, 2, 2, 4]
DEEP_LABELS = ["", "obj", "root", "nsubj", "ccomp", "xcomp"]


@pytest.mark.parametrize(
    ("encoding", "question", "deep"),
    [
        ("head", ["obj↑xcomp", "xcomp"], ["obj↑xcomp", "ccomp", "xcomp"]),
        ("path", ["obj↑", "xcomp↓"], ["obj↑", "ccomp↓", "xcomp↓"]),
        ("headpath", ["obj↑xcomp", "xcomp↓"], ["obj↑xcomp", "ccomp↓", "xcomp↓"]),
    ],
)
def test_marks(encoding, question, deep):
    transform = PseudoProjective(encoding)
    lifted, marked = transform.encode(QUESTION, QUESTION_LABELS)
    assert lifted.tolist() == [-1, 4, 4, 4, 0, 6, 4]
    assert [marked[1], marked[6]] == question
    assert [marked[word] for word in (2, 3, 4, 5)] == ["aux", "nsubj", "root", "mark"]
    lifted, marked = transform.encode(DEEP, DEEP_LABELS)
    assert lifted.tolist() == [-1, 2, 0, 2, 2, 4]
    assert [marked[word] for word in (1, 4, 5)] == deep
    for heads, labels in ((QUESTION, QUESTION_LABELS), (DEEP, DEEP_LABELS)):
        back, plain = transform.decode(*transform.encode(heads, labels))
        assert (back.tolist(), plain) == (heads, labels)
        assert [transform.plain(label) for label in transform.encode(heads, labels)[1]] == labels


@pytest.mark.parametrize(("encoding", "both"), [("head", "acl↑obj"), ("path", "acl↑↓"), ("headpath", "acl↑obj↓")])
def test_one_edge_lifted_and_on_a_path(encoding, both):
    """Word 5 is lifted from word 2, and word 3, its dependent, is lifted from it."""
    heads, labels = [-1, 0, 1, 5, 1, 2], ["", "root", "obj", "advmod", "obl", "acl"]
    lifted, marked = PseudoProjective(encoding).encode(heads, labels)
    assert lifted.tolist() == [-1, 0, 1, 2, 1, 1]
    assert marked[5] == both
    assert PseudoProjective(encoding).is_new(both)
    back, plain = PseudoProjective(encoding).decode(lifted, marked)
    assert (back.tolist(), plain) == (heads, labels)


def check_places(encoding, places):
    """The first word was lifted to the second one and goes back to a place; the others stay where they are."""
    heads = [2, 0, 2, 3, 4, 2]
    for labels, head in places:
        back, plain = PseudoProjective(encoding).decode([-1, *heads], ["", *labels.split()])
        assert back.tolist() == [-1, head, *heads[1:]], labels
        assert plain[1] == "d", labels


def test_path_marks_lead_down():
    """Path goes to the deepest word that marks lead to without a gap, of equally deep ones to the left."""
    check_places("path", [("d↑ root x↓ y↓ z u↓", 4), ("d↑ root x↓ y z↓ u↓", 3), ("d↑ root x y↓ z↓ u↓", 6)])
    # Nothing is marked, or only the word itself: the edge stays, and the mark goes.
    check_places("path", [("d↑ root x y z u", 2), ("d↑↓ root x y z u", 2)])
    # The label behind a mark says nothing here.
    check_places("path", [("d↑u root x↓ y z u", 3)])


def test_head_and_path_marks():
    """HeadPath goes to the deepest word of the label that marks lead to, else to where Head goes."""
    check_places("headpath", [("d↑x root x↓ x↓ x x↓", 4), ("d↑x root x↓ y↓ x x↓", 3), ("d↑x root y↓ x↓ x x↓", 4)])
    check_places("headpath", [("d↑x root y x↓ z x", 6), ("d↑x root y x↓ z u↓", 4), ("d↑x root y↓ y↓ z u↓", 2)])


@pytest.mark.parametrize(("encoding", "marks"), [("head", ("↑x", "", "")), ("path", ("↑", "↓", "↓"))])
def test_non_projective_places_preferred(encoding, marks):
    """The first place is next to the word; from the second one, the edge passes over the root."""
    heads, labels = [-1, 3, 3, 0, 3], ["", "d" + marks[0], "x" + marks[1], "root", "x" + marks[2]]
    assert PseudoProjective(encoding).decode(heads, labels)[0].tolist() == [-1, 2, 3, 0, 3]
    preferring = PseudoProjective(encoding, prefer="non-projective")
    assert preferring.decode(heads, labels)[0].tolist() == [-1, 4, 3, 0, 3]
    # Where no place is non-projective, the choice is as without the preference.
    heads, labels = heads[:4], labels[:4]
    assert preferring.decode(heads, labels)[0].tolist() == [-1, 2, 3, 0]


def test_cap():
    """The most frequent new labels of any kind stay; other labels become plain, and their edges stay lifted."""
    many = [(QUESTION, QUESTION_LABELS)] * 3 + [(DEEP, DEEP_LABELS)] * 2
    expected = {  # obj↑xcomp and xcomp↓ are in all five trees, ccomp↓ is in two
        0: ["obj", "ccomp", "xcomp"],
        1: ["obj↑xcomp", "ccomp", "xcomp"],
        2: ["obj↑xcomp", "ccomp", "xcomp↓"],
        3: ["obj↑xcomp", "ccomp↓", "xcomp↓"],
        None: ["obj↑xcomp", "ccomp↓", "xcomp↓"],
    }
    for cap, labels in expected.items():
        transform = PseudoProjective("headpath", cap=cap).fit(many)
        lifted, marked = transform.encode(DEEP, DEEP_LABELS)
        assert lifted.tolist() == [-1, 2, 0, 2, 2, 4]
        assert [marked[word] for word in (1, 4, 5)] == labels
        assert (transform.decode(lifted, marked)[0].tolist() == DEEP) == (cap != 0)
    # Escaped labels are not new, and labels that become plain stay escaped.
    heads, labels = QUESTION, ["", "a↓", "b↑", "⇡", "root", "mark", "x↓"]
    lifted, marked = PseudoProjective("path", cap=0).fit([(heads, labels)]).encode(heads, labels)
    assert marked == ["", "a⇡2", "b⇡1", "⇡0", "root", "mark", "x⇡2"]
    assert PseudoProjective("path").decode(lifted, marked)[1] == labels


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
    with pytest.raises(UnknownName, match="no preference 'crossing'"):
        PseudoProjective(prefer="crossing")
    with pytest.raises(CrossarcError, match="cap = -1"):
        PseudoProjective(cap=-1)
    with pytest.raises(CrossarcError, match="cap = 5 has no labels to keep yet: fit it"):
        PseudoProjective(cap=5).encode(QUESTION, QUESTION_LABELS)
    with pytest.raises(StructureError, match="as many flags, not 1"):
        reattach([-1, 0], [0, 0], [0, 0], passed=[True])
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


@pytest.mark.parametrize(("encoding", "share"), [("head", 0.75), ("path", 0.65), ("headpath", 0.85)])
def test_treebanks(treebanks, encoding, share):
    """Real trees become projective, keep their labels, and most of their non-projective edges come back.

    Where a head has several words of one label below it, the search may find the wrong one: the Head encoding can do
    no better. Path marks do not say which of several lifted edges they belong to.
    """
    transform = PseudoProjective(encoding)
    edges = found = 0
    for path in treebanks:
        if path.name != "dev.conllu":
            continue
        for sentence in read(path, on_error="skip", check="tree"):
            lifted, marked = transform.encode(sentence.heads, sentence.deprels)
            assert is_projective(lifted)
            back, plain = transform.decode(lifted, marked)
            assert plain[1:] == list(sentence.deprels)[1:]
            non_projective = non_projective_edges(sentence.heads)
            edges += len(non_projective)
            found += int((back[non_projective] == sentence.heads[non_projective]).sum())
    assert found >= share * edges
