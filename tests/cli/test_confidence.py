"""`crossarc parse --scores --k N --constraints`: what is written, and that it is a treebank file still."""

import pytest

from crossarc.parsers import Parser
from crossarc.treebank import read, write


@pytest.fixture(scope="module", params=["arc-eager-pp", "mst"])
def model(request, example, tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "m.crossarc"
    Parser(request.param, epochs=2).fit(example).save(path)
    return path


def test_scores_and_k_best_trees_make_a_valid_file(crossarc, example, model, tmp_path):
    plain, scored, several = (tmp_path / f"{name}.conllu" for name in ("plain", "scored", "several"))
    crossarc("parse", model, example, "-o", plain)
    assert crossarc("parse", model, example, "-o", scored, "--scores")[0] == 0
    code, err = crossarc("parse", model, example, "-o", several, "--k", 3, "--threads", 2)
    assert (code, "several.conllu: 40 sentences, 318 words" in err) == (0, True)
    for before, after in zip(read(plain), read(scored), strict=True):
        assert after.heads.tolist() == before.heads.tolist()
        assert after.deprels == before.deprels
        assert after.comments[: len(before.comments)] == before.comments
        assert [comment.split(" = ")[0] for comment in after.comments[len(before.comments) :]] == [
            "# tree_score",
            "# tree_probability",
        ]
        for old, new in zip(before.misc[1:], after.misc[1:], strict=True):
            kept, head, label = new.rsplit("|", 2) if old != "_" else ("_", *new.split("|"))
            assert kept == old
            assert 0 <= float(head.removeprefix("HeadProb=")) <= 1
            assert 0 <= float(label.removeprefix("LabelProb=")) <= 1
    assert crossarc("validate", several)[0] == 0
    assert crossarc("validate", scored)[0] == 0
    trees = list(read(several))
    assert 100 < len(trees) <= 120
    first = [tree for tree in trees if "tree_rank" not in tree.metadata or tree.metadata["tree_rank"][0] == "1"]
    assert [tree.heads.tolist() for tree in first] == [tree.heads.tolist() for tree in read(plain)]
    assert trees[1].id == f"{trees[0].id}-tree2"
    assert trees[1].metadata["tree_rank"].startswith("2 of ")
    assert trees[0].misc == first[0].misc
    assert "HeadProb" not in "".join(trees[0].misc)


def test_constraints_from_the_input(crossarc, example, model, tmp_path):
    marked, parsed = tmp_path / "marked.conllu", tmp_path / "parsed.conllu"
    sentence = next(iter(read(example)))
    misc = list(sentence.misc)
    misc[1], misc[3] = "Head=3|Deprel=amod", "NotHead=4"
    write([sentence.replace(misc=misc)], marked)
    assert crossarc("parse", model, marked, "-o", parsed, "--constraints")[0] == 0
    (found,) = read(parsed)
    assert (found.heads[1], found.deprels[1], found.heads[3] != 4) == (3, "amod", True)
    assert found.misc == tuple(misc)
    crossarc("parse", model, marked, "-o", parsed, "--constraints", "--scores")
    (found,) = read(parsed)
    assert found.heads[1] == 3
    assert found.misc[1] == "Head=3|Deprel=amod|HeadProb=1.0000|LabelProb=1.0000"
    crossarc("parse", model, marked, "-o", parsed)
    (found,) = read(parsed)
    assert found.deprels[1] != "amod"
    misc[3] = "Head=1"
    write([sentence.replace(misc=misc)], marked)
    code, err = crossarc("parse", model, marked, "-o", parsed, "--constraints")
    assert code == 2
    assert f"sentence '{sentence.id}': required 3 -> 1, required 1 -> 3 leave no tree" in err
