"""The figures of a treebank."""

import doctest
import json

import pytest

from crossarc import structure
from crossarc.structure import Graphs, Summary, summarise, summary
from crossarc.treebank import Sentence, read_string


def sentence(heads, **columns):
    heads = [-1, *heads]
    return Sentence.from_columns(forms=["", *(f"w{d}" for d in range(1, len(heads)))], heads=heads, **columns)


PROJECTIVE = [2, 0, 2]
PLANAR = [3, 0, 2]
TWO_PLANAR = [3, 4, 0, 3]
OTHER = [4, 5, 6, 0, 4, 4]
SEVERAL_ROOTS = [0, 1, 0]

GRAPHS = """\
1-2	du	_	_	_	_	_	_	_	_
1	de	de	ADP	P	_	3	case	3:case	_
2	le	le	DET	D	_	3	det	3:det	_
3	pain	pain	NOUN	N	_	0	root	0:root|3.1:obj	_
3.1	mange	manger	VERB	V	_	_	_	3:acl	_

1	Ann	Ann	PROPN	N	_	2	nsubj	2:nsubj|4:nsubj	_
2	wants	want	VERB	V	_	0	root	0:root	_
3	to	to	PART	T	_	4	mark	4:mark	_
4	sing	sing	VERB	V	_	2	xcomp	2:xcomp	_

1	Go	go	VERB	V	_	0	root	0:root	_
2	now	now	ADV	A	_	1	advmod	1:advmod:soon|1:other	_

"""


def test_classes():
    trees = [PROJECTIVE] * 4 + [PLANAR, TWO_PLANAR, TWO_PLANAR, OTHER, SEVERAL_ROOTS]
    found = summarise(map(sentence, trees))
    assert found.sentences == found.trees == 9
    assert found.words == found.tree_words == sum(map(len, trees))
    assert found.unusable == 0
    assert found.several_roots == 1
    assert (found.projective, found.planar, found.two_planar) == (5, 6, 8)
    assert found.partition == {"projective": 5, "planar": 1, "two_planar": 2, "other": 1}
    padded = [[-1, *tree] for tree in trees]
    assert found.well_nested == sum(map(structure.is_well_nested, padded))
    assert found.gap_degree_at_most_1 == sum(structure.gap_degree(heads) <= 1 for heads in padded)
    assert found.gap_degree_max == max(map(structure.gap_degree, padded))
    assert found.edge_degree_max == max(map(structure.edge_degree, padded))
    assert found.planes_max == 3
    assert found.non_projective_edges == sum(len(structure.non_projective_edges(heads)) for heads in padded)
    assert found.crossing_pairs == sum(len(structure.crossing_pairs(heads)) for heads in padded)
    assert found.depth_max == max(structure.depths(heads).max() for heads in padded)
    lengths = [abs(head - d) for tree in trees for d, head in enumerate(tree, start=1) if head]
    assert found.dependency_length_mean == pytest.approx(sum(lengths) / len(lengths))
    assert found.dependency_length_max == max(lengths)
    assert found.sentence_length_max == 6
    assert found.graphs == Graphs()


def test_sentences_without_a_tree_count_apart():
    cyclic = "1\ta\t_\t_\t_\t_\t2\tx\t_\t_\n2\tb\t_\t_\t_\t_\t1\tx\t_\t_\n\n"
    headless = "1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    good = "1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n"
    found = summarise(read_string(cyclic + headless + good, "conllu"))
    assert (found.sentences, found.words) == (3, 4)
    assert (found.unusable, found.trees, found.tree_words) == (2, 1, 1)
    assert found.share(found.projective) == 100
    assert (found.labels, found.upos, found.xpos) == (2, 1, 0)
    assert found.dependency_length_max == 0


def test_graphs():
    found = summarise(read_string(GRAPHS, "conllu"))
    assert (found.ranges, found.empty_nodes) == (1, 1)
    graphs = found.graphs
    assert graphs.sentences == 3
    assert graphs.differing == 2  # the third has two labels for one arc, no other arc
    assert graphs.nodes == 10
    assert graphs.arcs == 12
    assert graphs.arcs_per_node == pytest.approx(1.2)
    assert graphs.multi_headed == graphs.reentrancies == 2
    assert graphs.multi_headed_percent == pytest.approx(20)
    assert graphs.cyclic == 1
    assert graphs.projective == 2
    assert found.labels == 7


def test_graph_that_cannot_be_read():
    broken = "1\ta\t_\t_\t_\t_\t0\troot\t7:x\t_\n\n"
    graphs = summarise(read_string(broken, "conllu")).graphs
    assert (graphs.sentences, graphs.unusable) == (0, 1)


def test_nothing():
    found = summarise([])
    assert found == Summary()
    assert found.share(0) == found.non_projective_percent == 0
    json.dumps(found.to_dict())


def test_chunks_do_not_matter(monkeypatch):
    sentences = [sentence(tree) for tree in [PROJECTIVE, TWO_PLANAR, OTHER] * 20]
    sentences += read_string(GRAPHS, "conllu")
    whole = summarise(sentences)
    monkeypatch.setattr(summary, "CHUNK_WORDS", 7)
    assert summarise(iter(sentences)) == whole


def test_memory_is_that_of_a_chunk(monkeypatch):
    monkeypatch.setattr(summary, "CHUNK_WORDS", 40)
    made = []

    def stream():
        for _ in range(100):
            made.append(1)
            yield sentence(PROJECTIVE)

    seen = 0
    for chunk in summary.chunked(stream()):
        assert len(chunk) == 10  # three words and node 0 each
        seen += len(chunk)
        assert len(made) == seen
    assert seen == 100


def test_dictionary_is_json():
    data = json.loads(json.dumps(summarise(map(sentence, [PROJECTIVE, TWO_PLANAR])).to_dict()))
    assert data["sentences"] == 2
    assert data["percent"]["projective"] == 50
    assert data["partition_percent"] == {"projective": 50, "planar": 0, "two_planar": 50, "other": 0}
    assert data["graphs"]["percent"]["multi_headed"] == 0
    assert sum(data["partition"].values()) == data["trees"]


def test_sentence_knows_whether_it_is_projective():
    assert sentence(PROJECTIVE).is_projective
    assert not sentence(PLANAR).is_projective


def test_examples_run():
    result = doctest.testmod(summary)
    assert result.attempted
    assert not result.failed
