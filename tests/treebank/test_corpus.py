"""A corpus of sentences has what the sentences have, as arrays."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossarc.core.strings import UNKNOWN, StringTable
from crossarc.errors import TreebankError, UnknownName
from crossarc.treebank import Corpus, Graph, Sentence, convert, read, read_arrays, read_string
from crossarc.treebank.corpus import INTERNED
from helpers import arcs_of, sentences

GAPS = """\
# sent_id = gaps
0.1\tthere\t_\tADV\t_\t_\t_\t_\t3:advmod\t_
1-2\tCan't\t_\t_\t_\t_\t_\t_\t9:nothing\t_
1\tCa\tcan\tAUX\tMD\t_\t3\taux\t3:aux|0.1:x\t_
2\tn't\tnot\tPART\tRB\tPolarity=Neg\t3\tadvmod\t_\t_
3\twait\twait\tVERB\tVB\tVerbForm=Inf\t0\troot\t0:root\t_
3.1\tdrinks\tdrink\tVERB\t_\t_\t_\t_\t0:root|3:parataxis\t_
3.2\tthen\tthen\tADV\t_\t_\t_\t_\t3.1:advmod:now\t_
4\tAna\tAna\tPROPN\tNNP\t_\t3\tparataxis\t3.2:dep|3.1:nsubj\t_

1\tTea\ttea\tNOUN\tNN\t_\t0\troot\t_\t_

1\tNo\tno\tINTJ\tUH\t_\t0\troot\t0:root\t_

"""
MEANING = """\
#SDP 2015
#20001
1\tAna\tAna\tNNP\t-\t-\t_\tARG1\tARG1
2\twants\twant\tVBZ\t+\t+\tv:e-i\t_\t_
3\tto\tto\tTO\t-\t-\t_\t_\t_
4\tsleep\tsleep\tVB\t+\t+\tv:e\tARG2\t_

#20002
1\tRain\train\tNN\t-\t-\t_

"""


def by_place(sentence, corpus, i):
    """The graph of sentence i of a corpus, its nodes renumbered by their places."""
    graphs = corpus.graphs
    part = slice(graphs.starts[i], graphs.starts[i + 1])
    rows = [token for token in sentence.rows if not token.is_range]
    places = [0, *(place for place, token in enumerate(rows, 1) if token.is_word)]
    places += [place for place, token in enumerate(rows, 1) if token.is_empty]
    assert graphs.nodes[i] == len(places)
    dependents = graphs.dependents[part].tolist()
    assert dependents == sorted(dependents)
    arcs = zip(graphs.heads[part].tolist(), dependents, graphs.labels[part].tolist(), strict=True)
    return Graph.from_arcs(
        sentence.node_ids, [(places[h], places[d], graphs.strings.string(label)) for h, d, label in arcs]
    )


def check_graphs(found):
    corpus = Corpus.of(found)
    assert len(corpus.graphs.nodes) == len(corpus.graphs.starts) - 1 == len(found)
    for i, sentence in enumerate(found):
        graph = by_place(sentence, corpus, i)
        assert graph.nodes == sentence.graph.nodes
        assert list(graph) == list(sentence.graph)


def test_columns_are_those_of_the_file(example):
    corpus, arrays = Corpus.of(read(example)), read_arrays(example)
    assert (corpus.starts == arrays.starts).all()
    assert len(corpus) == len(arrays) == len(list(read(example)))
    for column in (*INTERNED, "head"):
        assert (corpus[column] == arrays[column]).all()
        assert corpus[column] is corpus[column]
        assert not corpus[column].flags.writeable
        assert not arrays[column].flags.writeable
    assert list(corpus.strings) == list(INTERNED)
    for column, table in corpus.strings.items():
        assert list(table) == list(arrays.strings[column])
    with pytest.raises(UnknownName, match="no column 'forms'; did you mean 'form'"):
        corpus["forms"]
    with pytest.raises(UnknownName, match="no column 'deps'"):
        corpus.strings["deps"]


@given(st.lists(sentences(max_size=6), max_size=4))
def test_columns_of_any_sentences(found):
    corpus = Corpus.of(found)
    assert np.diff(corpus.starts).tolist() == [len(sentence) + 1 for sentence in found]
    for name in INTERNED:
        strings = [corpus.strings[name].string(number) for number in corpus[name]]
        assert strings == [string for sentence in found for string in ("<root>", *sentence.column(name)[1:])]
    assert corpus["head"].tolist() == [head for sentence in found for head in sentence.heads.tolist()]
    check_graphs(found)


def test_arrays_outlive_the_corpus():
    array = Corpus.of(read_string(GAPS))["form"]
    other = read_arrays(iter(GAPS.splitlines()))["form"]
    assert array.tolist() == other.tolist() == [1, 2, 3, 4, 5, 1, 6, 1, 7]


def test_columns_that_a_format_lacks_are_unknown():
    corpus = Corpus.of(read_string(MEANING))
    assert corpus["deprel"].tolist() == [1, *[UNKNOWN] * 4, 1, UNKNOWN]
    assert corpus["head"].tolist() == [-1] * 7


def test_one_format():
    (sentence, *_) = read_string(GAPS)
    with pytest.raises(TreebankError, match="sentence 1 is CoNLL-X, those before are CoNLL-U"):
        Corpus.of([sentence, convert(sentence, "conllx")])
    with pytest.raises(TypeError):
        Corpus.of(["text"])


@pytest.mark.parametrize("ids", [[1, 2], [1, 2, 3], [1, -1, 2]])
def test_columns_that_do_not_fit_are_refused(ids):
    starts, table = np.array([0, 3]), StringTable(["a"])
    corpus = Corpus(starts, {"form": (table, np.array([1, 2, 2], np.int32))})
    assert corpus["form"].tolist() == [1, 2, 2]
    with pytest.raises(UnknownName, match="no column 'lemma'"):
        corpus["lemma"]
    with pytest.raises(ValueError, match="the column 'form' does not fit"):
        Corpus(starts, {"form": (table, np.array(ids, np.int32))})


def test_threads_see_one_table(example):
    """Ids mean nothing without their table, so that two threads must never get those of different ones."""
    found = list(read(example))
    for _ in range(20):
        corpus = Corpus.of(found * 5)
        with ThreadPoolExecutor(4) as pool:
            tables = list(pool.map(lambda _, corpus=corpus: (corpus.strings["form"], corpus["form"]), range(8)))
        assert len({(id(table), id(ids)) for table, ids in tables}) == 1


def test_empty_corpus():
    for corpus in (Corpus.of([]), read_arrays(iter(()))):
        assert len(corpus) == 0
        assert corpus.starts.tolist() == [0]
        assert corpus["form"].tolist() == corpus["head"].tolist() == []
    assert Corpus.of([]).graphs.starts.tolist() == [0]
    assert Corpus.of([]).graphs.heads.tolist() == []


def test_graphs_with_empty_nodes():
    graphs = Corpus.of(read_string(GAPS)).graphs
    assert graphs.nodes.tolist() == [8, 2, 2]
    assert graphs.starts.tolist() == [0, 9, 9, 10]
    labels = [graphs.strings.string(label) for label in graphs.labels]
    assert list(zip(graphs.heads.tolist(), graphs.dependents.tolist(), labels, strict=True)) == arcs_of(
        "3-1 aux, 5-1 x, 0-3 root, 7-4 dep, 6-4 nsubj, 3-5 advmod, 0-6 root, 3-6 parataxis, 6-7 advmod:now, 0-1 root"
    )
    for array in (graphs.starts, graphs.nodes, graphs.heads, graphs.dependents, graphs.labels):
        assert not array.flags.writeable
    check_graphs(read_string(GAPS))


def test_graphs_of_argument_columns():
    found = read_string(MEANING)
    graphs = Corpus.of(found).graphs
    labels = [graphs.strings.string(label) for label in graphs.labels]
    arcs = list(zip(graphs.heads.tolist(), graphs.dependents.tolist(), labels, strict=True))
    assert arcs == arcs_of("2-1 ARG1, 4-1 ARG1, 0-2 root, 0-4 root, 2-4 ARG2")
    assert graphs.starts.tolist() == [0, 5, 5]
    check_graphs(found)
    for name in ("conll09", "conllu", "conllx"):
        check_graphs([convert(sentence, name) for sentence in found])


def test_malformed_graphs_are_named():
    text = GAPS.replace("3.2:dep|3.1:nsubj", "3.3:dep")
    with pytest.raises(TreebankError, match=r"<input>:9: sentence 'gaps': token 4: DEPS names the head '3.3'"):
        _ = Corpus.of(read_string(text)).graphs
    wrong = Sentence(MEANING.split("\n\n")[0].replace("VB\t+\t+", "VB\t+\t-").encode() + b"\n\n", "sdp", source="f")
    with pytest.raises(TreebankError, match="f:1: sentence '20001': 1 predicates need as many argument columns, but"):
        _ = Corpus.of([wrong]).graphs


def test_arrays_of_a_stream_have_no_graphs(example):
    with pytest.raises(TreebankError, match=r"read without its graphs; Corpus.of\(read\(source\)\) has them"):
        _ = read_arrays(example).graphs


@pytest.mark.parametrize("name", ["da_ddt_graph", "en_ewt", "cs_cltt", "la_proiel_graph"])
def test_graphs_of_treebanks(treebanks, name):
    files = [path for path in treebanks if path.parent.name == name]
    if not files:
        pytest.skip(f"needs the treebank {name}")
    found = [sentence for path in files if path.stem != "train" for sentence in read(path)]
    assert any(len(sentence.graph) for sentence in found)
    check_graphs(found)
