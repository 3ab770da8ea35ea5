"""`crossarc jackknife`: predicted trees for training data, each by a parser that has not seen its sentence."""

from functools import partial

import pytest

from crossarc import Parser
from crossarc.errors import CrossarcError
from crossarc.experiments import jackknife
from crossarc.tagging import jackknife_tags
from crossarc.treebank import read, write
from crossarc.treebank.folds import assign_folds
from graph_treebank import graph_treebank


def test_each_fold_is_parsed_by_a_parser_of_the_others(example):
    sentences = list(read(example))
    done: list[int] = []
    predicted = jackknife(sentences, "arc-hybrid", folds=3, seed=2, report=done.append, epochs=2)
    assert done == [1, 2, 3]
    numbers = assign_folds(len(sentences), 3, 2)
    pairs = list(zip(sentences, numbers, strict=True))
    for fold in done:
        parser = Parser("arc-hybrid", epochs=2, seed=2).fit([sentence for sentence, number in pairs if number != fold])
        expected = list(parser.parse([sentence for sentence, number in pairs if number == fold]))
        assert expected == [tree for tree, number in zip(predicted, numbers, strict=True) if number == fold]


def test_the_command_keeps_graphs(tmp_path, command):
    """Trees are new and graphs are not, so that a parser of graphs can learn from the file."""
    sentences = graph_treebank(30)
    write(sentences, tmp_path / "train.conllu")
    options = ("--parser", "arc-hybrid:epochs=1", "--folds", 2, "-o", tmp_path / "trees.conllu")
    code, err = command(tmp_path / "train.conllu", *options)
    assert code == 0
    assert f"{tmp_path / 'trees.conllu'}: 2 folds, LAS " in err
    predicted = list(read(tmp_path / "trees.conllu"))
    assert [sentence.graph for sentence in predicted] == [sentence.graph for sentence in sentences]
    assert predicted != sentences
    parser = Parser("dag-covington", use_tree=True, epochs=1).fit(predicted)
    assert all(sentence.has_graph for sentence in parser.parse(predicted))


@pytest.fixture
def command(crossarc):
    """Run the command; return its exit code and messages."""
    return partial(crossarc, "jackknife")


def test_the_command_predicts_tags(example, tmp_path, command):
    """The tags are those of taggers of the other folds; trees and graphs stay."""
    sentences = list(read(example))
    code, err = command(example, "--tags", "--folds", 3, "--epochs", 2, "--seed", 4, "-o", tmp_path / "tags.conllu")
    assert code == 0, err
    predicted = list(read(tmp_path / "tags.conllu"))
    assert predicted == jackknife_tags(sentences, 3, 4, epochs=2)
    assert [each.deps for each in predicted] == [each.deps for each in sentences]
    assert [each.heads.tolist() for each in predicted] == [each.heads.tolist() for each in sentences]
    for column in ("upos", "xpos", "feats", "lemmas"):
        assert [getattr(each, column) for each in predicted] != [getattr(each, column) for each in sentences]
    right = sum(
        ours == theirs
        for gold, found in zip(sentences, predicted, strict=True)
        for ours, theirs in zip(gold.upos[1:], found.upos[1:], strict=True)
    )
    share = 100 * right / sum(map(len, sentences))
    assert f"{tmp_path / 'tags.conllu'}: 3 folds, UPOS {share:.2f}, XPOS " in err
    assert ", FEATS " in err
    assert ", LEMMA " in err


def test_tags_need_no_trees_and_only_filled_columns_count(tmp_path, command):
    lines = "".join(f"1\tw{k}\t_\tX\t_\t_\t_\t_\t_\t_\n2\tv\t_\tY\t_\t_\t_\t_\t_\t_\n\n" for k in range(12))
    (tmp_path / "tags.conllu").write_text(lines)
    code, err = command(tmp_path / "tags.conllu", "--tags", "-o", tmp_path / "new.conllu")
    assert (code, err.splitlines()[1]) == (0, f"{tmp_path / 'new.conllu'}: 10 folds, UPOS 100.00")


def test_tags_and_trees_are_not_predicted_together(example, command):
    code, err = command(example, "--tags", "--parser", "mst")
    assert (code, "--tags predicts tags and --parser trees: leave one out" in err) == (2, True)


@pytest.mark.parametrize(
    ("parser", "folds", "message"),
    [("dag-covington", 2, "dag-covington gives graphs, not trees"), ("mst", 41, "41 folds of 40 sentences")],
)
def test_what_cannot_be_done_is_refused(example, parser, folds, message):
    with pytest.raises(CrossarcError, match=message):
        jackknife(list(read(example)), parser, folds=folds)
