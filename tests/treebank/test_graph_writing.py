"""Graphs for many sentences at once are what `replace` gives one by one, in CoNLL-U and in SDP."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossarc.core.strings import StringTable
from crossarc.errors import StructureError, TreebankError
from crossarc.treebank import Corpus, Graph, Sentence, convert, read, read_string
from crossarc.treebank.formats import FORMATS
from crossarc.treebank.text_writing import write_graphs
from helpers import sentences

LABELS = ["obj", "née", "a", "x" * 40, "obj:to", "a"]


def graphs_for(plain, seed=1, density=2):
    """Random arcs for each sentence, parallel and repeated ones too: starts, heads, dependents, labels."""
    random = np.random.default_rng(seed)
    counts = [int(random.integers(0, density * len(sentence) + 1)) for sentence in plain]
    starts = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    heads = [random.integers(0, len(sentence) + 1, count) for sentence, count in zip(plain, counts, strict=True)]
    dependents = [random.integers(1, len(sentence) + 1, count) for sentence, count in zip(plain, counts, strict=True)]
    labels = random.integers(0, len(list(StringTable(LABELS))), starts[-1])
    return starts, *(np.concatenate([*each]).astype(np.int32) for each in (heads, dependents, [labels]))


def twin(sentence, heads, dependents, labels, names):
    """The sentence by `replace`: numbers of words become places among the nodes."""
    nodes = sentence.node_ids
    place = [nodes.index(str(word)) for word in range(len(sentence) + 1)]
    arcs = [(place[h], place[d], names[label]) for h, d, label in zip(heads, dependents, labels, strict=True)]
    return sentence.replace(graph=Graph.from_arcs(nodes, arcs))


def same_table(one, other):
    """Whether all that is read from two sentences is the same, field by field."""
    assert bytes(one) == bytes(other)
    assert one.heads.tolist() == other.heads.tolist()
    for mine, theirs in zip(one.rows, other.rows, strict=True):
        assert [mine[column] for column in one.format.columns] == [theirs[column] for column in one.format.columns]
        assert (mine.line, mine.is_range, mine.is_empty) == (theirs.line, theirs.is_range, theirs.is_empty)


def check(plain, arcs):
    names = StringTable(LABELS)
    starts, heads, dependents, labels = arcs
    written = write_graphs(plain, starts, heads, dependents, labels, names)
    for i, (sentence, got) in enumerate(zip(plain, written, strict=True)):
        part = slice(starts[i], starts[i + 1])
        expected = twin(sentence, heads[part], dependents[part], labels[part], list(names))
        same_table(got, expected)
        assert got.graph == expected.graph
        assert (got.source, got.line) == (sentence.source, sentence.line)


ODD = (
    b"\xef\xbb\xbf# a\n0.1\tz\t_\t_\t_\t_\t_\t_\t2:x\t_\n1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_\n"
    b"1\ta\t_\t_\t_\t_\t2\tdep\t0:root|2:y\tA=b\tc\n2\tb\t_\t_\t_\t_\t_\t_\t0.1:x\t_\r\n2.1\tc\t_\t_\t_\t_\t_\t_\t1:y\t_\n\n"
)


@pytest.mark.parametrize("seed", range(5))
def test_written_graphs_are_replaced_graphs(example, seed):
    plain = [*read(example), Sentence(b"# none\r\n1\tA\t_\t_\t_\t_\t0\troot\t_\t_\r\n\r\n"), Sentence(ODD)]
    check(plain, graphs_for(plain, seed))


@given(st.lists(sentences(max_size=6), min_size=1, max_size=3), st.integers(0, 1000))
def test_generated_sentences(plain, seed):
    check(plain, graphs_for(plain, seed, density=4))


def written_again(path):
    """The sentences of a file without empty nodes, and the same with their own graphs written again."""
    plain = [sentence for sentence in read(path) if not sentence.empty_nodes]
    graphs = Corpus.of(plain).graphs
    rng = np.random.default_rng(0)
    order = np.concatenate(
        [np.zeros(0, int)]
        + [a + rng.permutation(b - a) for a, b in zip(graphs.starts, graphs.starts[1:], strict=False)]
    )
    arrays = [each[order] for each in (graphs.heads, graphs.dependents, graphs.labels - graphs.strings.reserved)]
    return plain, write_graphs(plain, graphs.starts, *arrays, graphs.strings)


def test_real_graphs_are_written_as_they_were(treebanks, example):
    """Byte for byte, except for words whose entries are not in order in the file."""
    for path in [example, *(path for path in treebanks if path.name == "test.conllu")]:
        for sentence, got in zip(*written_again(path), strict=True):
            assert bytes(got) == bytes(sentence.replace(graph=sentence.graph)), (path, sentence.id)


def test_empty_nodes_keep_their_rows_and_lose_their_arcs():
    (got,) = write_graphs(
        [Sentence(ODD)], np.array([0, 1]), *(np.array([k], np.int32) for k in (1, 2, 0)), StringTable(["dep"])
    )
    assert [row.deps for row in got.rows] == ["_", "_", "_", "1:dep", "_"]
    assert (got.heads.tolist(), got.deprels) == ([-1, 2, -1], ("", "dep", "_"))


def test_long_sentences_and_none():
    rows = "".join(f"{i}\tw\t_\t_\t_\t_\t_\t_\t_\t_\n" for i in range(1, 20_001))
    sentence = Sentence(rows.encode() + b"\n")
    starts, heads, dependents, labels = graphs_for([sentence], density=3)
    names = StringTable(LABELS)
    (got,) = write_graphs([sentence], starts, heads, dependents, labels, names)
    strings = list(names)
    expected = zip(heads.tolist(), dependents.tolist(), [strings[label] for label in labels], strict=True)
    assert sorted(got.graph) == sorted(expected)
    assert write_graphs([], starts, heads, dependents, labels, names) == []
    none = np.zeros(0, np.int32)
    assert bytes(write_graphs([sentence], np.array([0, 0]), none, none, none, names)[0]) == bytes(sentence)


def arrays(*arcs):
    """Starts, heads, dependents and labels of one sentence."""
    return np.array([0, len(arcs)]), *np.array(arcs, np.int32).reshape(-1, 3).T.copy()


def two_words(form="conllu"):
    sentence = Sentence.from_columns(forms=["", "so", "so"], heads=[-1, 2, 0], deprels=["", "dep", "root"])
    return convert(sentence, form)


@pytest.mark.parametrize("form", ["conllu", "sdp"])
@pytest.mark.parametrize("arc", [(3, 1, 0), (-1, 1, 0), (1, 0, 0), (1, 3, 0), (1, 2, 1), (1, 2, -1)])
def test_arcs_that_are_none_are_refused(form, arc):
    with pytest.raises(ValueError, match=r"sentence 0 (leaves it|has the label)"):
        write_graphs([two_words(form)], *arrays((0, 1, 0), arc), StringTable(["x"]))


def test_starts_and_formats_are_checked():
    plain, names = [two_words(), two_words()], StringTable(["x"])
    _, *arcs = arrays((0, 1, 0), (1, 2, 0))
    for starts in ([0, 1], [0, 1, 3], [1, 1, 2]):
        with pytest.raises(ValueError, match="2 sentences need 3 starts"):
            write_graphs(plain, np.array(starts), *arcs, names)
    with pytest.raises(ValueError, match="must not decrease"):
        write_graphs(plain, np.array([0, 2, 1]), *arcs, names)
    with pytest.raises(ValueError, match="sentence 1 is in SDP"):
        write_graphs([two_words(), two_words("sdp")], np.array([0, 1, 2]), *arcs, names)
    for form in ("conllx", "conll09"):
        with pytest.raises(TreebankError, match="convert the sentence to CoNLL-U"):
            write_graphs([two_words(form)], np.array([0, 2]), *arcs, names)


@pytest.mark.parametrize(
    ("label", "form", "what"),
    [
        ("a\tb", "conllu", "a tab"),
        ("a\rb", "sdp", "a line end"),
        ("a|b", "conllu", "separates"),
        ("", "conllu", "is empty"),
        ("_", "sdp", "means that there is no arc"),
    ],
)
def test_labels_that_are_no_fields_are_refused(label, form, what):
    sentence = two_words(form)
    with pytest.raises(TreebankError, match=what):
        write_graphs([sentence], *arrays((0, 1, 0)), StringTable([label]))
    with pytest.raises(TreebankError, match=what):
        sentence.replace(graph=Graph.from_arcs("012", [(1, 2, label)]))


# SDP


def sdp(text):
    """Sentences of SDP from lines with blanks for tabs; "/" ends a sentence."""
    lines = ["" if line.strip() == "/" else "\t".join(line.split()) for line in text.strip().splitlines()]
    return read_string("\n".join(lines) + "\n\n", "sdp")


SMALL = """
    #20001
    1 Birds bird N - - _ ARG1 ARG1
    2 want want V + + v1 _ _
    3 to to T - - _ _ _
    4 sing sing V - + v2 ARG2 _
    /
    #20002
    1 Rain rain N + - _
    /
    #20003
    1 Hm hm I - - _
    2 no no I - - _
"""


@given(st.integers(0, 500), st.integers(1, 6))
def test_sdp_graphs_are_read_as_they_were_written(seed, words):
    rng = np.random.default_rng(seed)
    sentence = convert(
        Sentence.from_columns(forms=["", *["w"] * words], heads=[-1, *[0] * words], deprels=["", *["r"] * words]),
        "sdp",
    )
    pairs = {(int(rng.integers(0, words + 1)), int(rng.integers(1, words + 1))) for _ in range(words)}
    arcs = [(h, d, "root" if not h else f"ARG{rng.integers(1, 4)}") for h, d in sorted(pairs)]
    graph = Graph.from_arcs(sentence.node_ids, arcs)
    got = sentence.replace(graph=graph)
    assert got.graph == graph
    heads = {head for head, _ in pairs}
    assert got.column("pred")[1:] == tuple("+" if word in heads else "-" for word in range(1, words + 1))
    assert bytes(got.replace(graph=got.graph)) == bytes(got)
    names = StringTable(sorted({arc[2] for arc in arcs}))
    labels = [names[arc[2]] - names.reserved for arc in arcs]
    (written,) = write_graphs(
        [sentence], *arrays(*((h, d, k) for (h, d, _), k in zip(arcs, labels, strict=True))), names
    )
    assert bytes(written) == bytes(got)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_canonical_sdp_stays_as_it_is(newline):
    for sentence in sdp(SMALL):
        raw = bytes(sentence).replace(b"\n", newline.encode())
        again = Sentence(raw, "sdp")
        assert bytes(again.replace(graph=again.graph)) == raw


def test_sdp_columns_grow_and_shrink():
    first, rain, _ = sdp(SMALL)
    got = first.replace(graph=Graph.from_arcs("01234", [(0, 4, "top"), (4, 1, "ARG1")]), comments=["#7"])
    assert bytes(got) == (
        b"#7\n1\tBirds\tbird\tN\t-\t-\t_\tARG1\n2\twant\twant\tV\t-\t-\tv1\t_\n"
        b"3\tto\tto\tT\t-\t-\t_\t_\n4\tsing\tsing\tV\t+\t+\tv2\t_\n\n"
    )
    assert list(got.graph) == [(4, 1, "ARG1"), (0, 4, "root")]
    bare = got.replace(graph=Graph.from_arcs("01234", []))
    assert (bare.arguments[0], bare.graph.labels) == ((), ())
    assert list(rain.replace(graph=Graph.from_arcs("01", [(1, 1, "self")])).graph) == [(1, 1, "self")]


def test_what_sdp_cannot_hold_is_refused():
    first = sdp(SMALL)[0]
    twice = Graph.from_arcs("01234", [(2, 1, "ARG1"), (2, 1, "ARG2")])
    with pytest.raises(TreebankError, match=r"one arc from word 2 to word 1, .*'ARG1' and 'ARG2'; keep one"):
        first.replace(graph=twice)
    with pytest.raises(StructureError, match="other nodes"):
        first.replace(graph=Graph.from_arcs("0123", []))


def test_converted_treebanks_go_round(example):
    """Each graph of the example in SDP, taken out and put in again."""
    for sentence in read(example):
        form = convert(sentence, FORMATS["sdp"])
        assert bytes(form.replace(graph=form.graph)) == bytes(form)
