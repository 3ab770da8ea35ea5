import copy
import pickle

import numpy as np
import pytest
from hypothesis import given

from crossarc.errors import StructureError, TreebankError, UnknownName
from crossarc.treebank import Graph, Sentence, read_string
from helpers import arcs_of, sentences, tree

TEXT = """\
# newpar
# sent_id = gap-1
# text = Can't wait, Ana tea and Bo coffee
1-2\tCan't\t_\t_\t_\t_\t_\t_\t_\t_
1\tCa\tcan\tAUX\tMD\t_\t3\taux\t3:aux\t_
2\tn't\tnot\tPART\tRB\tPolarity=Neg\t3\tadvmod\t3:advmod\t_
3\twait\twait\tVERB\tVB\tVerbForm=Inf\t0\troot\t0:root\tSpaceAfter=No
3.1\tdrinks\tdrink\tVERB\t_\t_\t_\t_\t0:root|3:parataxis\t_
4\tAna\tAna\tPROPN\tNNP\t_\t3\tparataxis\t3.1:nsubj\t_

"""


@pytest.fixture
def sentence():
    return read_string(TEXT)[0]


def test_columns_have_an_entry_for_the_root(sentence):
    assert sentence.forms == ("", "Ca", "n't", "wait", "Ana")
    assert sentence.upos == ("", "AUX", "PART", "VERB", "PROPN")
    assert sentence.heads.tolist() == [-1, 3, 3, 0, 3]
    assert sentence.heads.dtype == np.int32
    assert not sentence.heads.flags.writeable
    assert len(sentence) == 4
    assert sentence.lemmas[1] == "can"
    assert sentence.xpos[2] == "RB"
    assert sentence.feats[2] == "Polarity=Neg"
    assert sentence.deprels[4] == "parataxis"
    assert sentence.deps[3] == "0:root"
    assert sentence.misc[3] == "SpaceAfter=No"


def test_comments_and_metadata(sentence):
    assert sentence.comments == ("# newpar", "# sent_id = gap-1", "# text = Can't wait, Ana tea and Bo coffee")
    assert sentence.metadata == {"newpar": "", "sent_id": "gap-1", "text": "Can't wait, Ana tea and Bo coffee"}
    assert sentence.id == "gap-1"


def test_text_is_rebuilt_without_the_comment(sentence):
    assert sentence.replace(comments=[]).text == "Can't waitAna"


def test_ranges_and_empty_nodes(sentence):
    assert [token.id for token in sentence.rows] == ["1-2", "1", "2", "3", "3.1", "4"]
    assert [token.form for token in sentence.ranges] == ["Can't"]
    assert [token.form for token in sentence.empty_nodes] == ["drinks"]
    assert sentence.rows[0].is_range
    assert sentence.rows[4].is_empty
    assert sentence.rows[1].is_word
    assert sentence.rows[4].head == -1


def test_indexing(sentence):
    assert sentence[1].form == "Ca"
    assert sentence[-1].form == "Ana"
    assert sentence["3.1"].lemma == "drink"
    assert sentence["1-2"].form == "Can't"
    assert [token.form for token in sentence[2:4]] == ["n't", "wait"]
    assert [token.form for token in sentence[:]] == [token.form for token in sentence]
    assert sentence[3].line == 7
    for key in (0, 5, -5):
        with pytest.raises(IndexError, match="numbered 1 to 4"):
            sentence[key]
    with pytest.raises(KeyError, match="'9'"):
        sentence["9"]


def test_graph_counts_empty_nodes_by_place(sentence):
    graph = sentence.graph
    assert graph.nodes == ("0", "1", "2", "3", "3.1", "4")
    assert list(graph) == arcs_of("3-1 aux, 3-2 advmod, 0-3 root, 0-4 root, 3-4 parataxis, 4-5 nsubj")
    assert sentence.has_graph
    assert not tree([-1, 0]).has_graph


def test_replace_keeps_everything_else(sentence):
    changed = sentence.replace(heads=[-1, 2, 3, 0, 3], deprels=["", "x", "advmod", "root", "parataxis"])
    assert str(changed) == TEXT.replace("3\taux\t3:aux", "2\tx\t3:aux")
    assert sentence.replace() == sentence
    assert str(sentence) == TEXT


def test_replace_graph(sentence):
    graph = Graph.from_arcs(sentence.node_ids, [(4, 5, "nsubj"), (0, 4, "root")])
    changed = sentence.replace(graph=graph)
    assert changed.graph == graph
    assert [token.deps for token in changed.rows] == ["_", "_", "_", "_", "0:root", "3.1:nsubj"]


def test_replace_keeps_windows_line_ends(sentence):
    raw = TEXT.replace("\n", "\r\n").encode()
    changed = Sentence(raw).replace(comments=["# a", "# b"], upos=["", "A", "B", "C", "D"])
    assert b"\n" not in changed.raw.replace(b"\r\n", b"")
    assert changed.comments == ("# a", "# b")
    assert changed.upos[1:] == ("A", "B", "C", "D")


@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        ({"heads": [-1, 0]}, TreebankError, "need 5"),
        ({"heads": [-1, 3, 3, 0, 9]}, TreebankError, "word 4 has head 9"),
        ({"forms": ["", "a\tb", "c", "d", "e"]}, TreebankError, "neither tabs nor line ends"),
        ({"forms": ["", 1, "c", "d", "e"]}, TypeError, "a string is needed"),
        ({"comments": ["no comment"]}, TreebankError, "begins with '#'"),
        ({"shape": []}, TypeError, "no column 'shape'"),
        ({"graph": Graph.from_arcs(["0", "1"], [])}, StructureError, "other nodes"),
    ],
)
def test_replace_refuses(sentence, columns, error, message):
    with pytest.raises(error, match=message):
        sentence.replace(**columns)


def test_columns_begin_with_the_root():
    with pytest.raises(TreebankError, match=r"forms\[0\] stands for the dummy root"):
        Sentence.from_columns(forms=["She", "left"], heads=[2, 0])
    with pytest.raises(TreebankError, match=r"heads\[0\] stands for the dummy root"):
        Sentence.from_columns(forms=["", "left"], heads=[0, 0])


def test_equality_ignores_line_ends_and_origin(sentence):
    other = Sentence(TEXT.replace("\n", "\r\n").encode(), source="elsewhere", line=7)
    assert sentence == other
    assert hash(sentence) == hash(other)
    assert sentence != sentence.replace(comments=[])
    assert sentence != "text"


def test_copies(sentence):
    for twin in (copy.copy(sentence), copy.deepcopy(sentence), pickle.loads(pickle.dumps(sentence))):
        assert twin == sentence
        assert twin.line == sentence.line


def test_unknown_format():
    with pytest.raises(UnknownName, match="did you mean 'conllu'"):
        Sentence(b"", "conlu")


@pytest.mark.parametrize("heads", [[-1, 2, 1], [-1, 1], [-1, -1, 1], [-1, 5], [-1, 0, 3, 4, 2]])
def test_not_a_tree(heads):
    sentence = tree([-1] + [0] * (len(heads) - 1))
    raw = sentence.raw.decode().splitlines(keepends=True)
    lines = [
        line.replace("\t0\t", f"\t{'_' if head < 0 else head}\t") for line, head in zip(raw, heads[1:], strict=False)
    ]
    assert not Sentence("".join([*lines, "\n"]).encode()).is_tree


@given(sentences())
def test_any_text_survives(sentence):
    again = Sentence(sentence.raw)
    assert again == sentence
    assert again.is_tree
    assert sorted(again.graph) == sorted(sentence.graph)
    assert again.replace(forms=sentence.forms, heads=sentence.heads, graph=sentence.graph).raw == sentence.raw
