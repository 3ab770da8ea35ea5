"""A head of one's own, in one file outside of crossarc: learned, written, stored, and missed where it is unknown."""

import doctest
import importlib.util
from pathlib import Path

import pytest

import crossarc
from crossarc import CrossarcError, Parser, Pipeline, Sentence, read
from crossarc.components import read_model
from crossarc.errors import ModelError
from crossarc.parsers.networks.heads import known_heads, made_heads
from crossarc.parsers.networks.tags import Tags
from crossarc.treebank.corpus import Corpus

FILE = Path(__file__).resolve().parents[2] / "examples" / "clauses.py"
SMALL = {"hidden": 24, "lexical_size": 24, "tag_size": 8, "arc_size": 16, "label_size": 16}
TREE = """\
1\tI\t_\t_\t_\t_\t2\tnsubj\t_\t_
2\tknow\t_\t_\t_\t_\t0\troot\t_\t_
3\tshe\t_\t_\t_\t_\t4\tnsubj\t_\t_
4\tleft\t_\t_\t_\t_\t2\tccomp\t_\tSpaceAfter=No
5\t.\t_\t_\t_\t_\t2\tpunct\t_\t_

"""


@pytest.fixture(scope="module")
def clauses():
    """The example, whose head is known until the end of these tests."""
    spec = importlib.util.spec_from_file_location("clauses", FILE)
    module = importlib.util.module_from_spec(spec)
    before = dict(known_heads().things)
    spec.loader.exec_module(module)
    yield module
    known_heads().things.clear()
    known_heads().things.update(before)


@pytest.fixture(scope="module")
def sentences(example):
    return list(read(example))


def make(**options):
    return Parser("neural", **{**SMALL, "features": "neural-forms", "predict": ["clauses"], **options})


@pytest.fixture(scope="module")
def trained(clauses, sentences):
    return make(epochs=20, predict=["upos", "clauses"]).fit(sentences)


def marks(sentences):
    """Whether each word ends a clause."""
    return ["ClauseEnd=Yes" in misc for sentence in sentences for misc in sentence.misc[1:]]


def test_what_it_learns(clauses):
    (ends,) = clauses.ClauseEnds().gold(Corpus.of([Sentence(TREE.encode())]))
    assert ends.tolist() == [-1, 0, 0, 0, 1, 1]
    assert doctest.testmod(clauses).failed == 0


def test_it_is_learned_beside_trees_and_tags(clauses, trained, sentences):
    gold = clauses.ClauseEnds().gold(Corpus.of(sentences))[0]
    found = list(trained.parse(sentences))
    right = [mark == (end == 1) for mark, end in zip(marks(found), gold[gold >= 0].tolist(), strict=True)]
    assert sum(right) > 0.95 * len(right)
    assert trained.evaluate(sentences).uas > 80
    tags, expected = ([tag for one in each for tag in one.upos[1:]] for each in (found, sentences))
    assert sum(one == two for one, two in zip(tags, expected, strict=True)) > 0.8 * len(tags)
    assert marks(analysis.best.sentence for analysis in trained.parse(sentences, scores=True)) == marks(found)


def test_what_else_is_in_the_column_stays(trained):
    (found,) = trained.parse([Sentence(TREE.encode())])
    assert found.misc[4].startswith("SpaceAfter=No")
    assert next(trained.parse([found])) == found


def test_it_is_stored(trained, sentences, tmp_path):
    trained.save(tmp_path / "m")
    again = crossarc.load(tmp_path / "m")
    assert [bytes(each) for each in again.parse(sentences)] == [bytes(each) for each in trained.parse(sentences)]
    _, arrays = read_model(tmp_path / "m")
    names = {name for name in arrays if name.startswith(("head.", "network.head.", "network.tags."))}
    assert names == {
        f"network.{head}.outputs.0.{kind}" for head in ("head.clauses", "tags") for kind in ("bias", "weight")
    }


def test_training_resumes_and_goes_on(clauses, trained, sentences, tmp_path):
    def stop(epoch):
        if epoch.number == 2:
            raise KeyboardInterrupt

    make(epochs=3).fit(sentences).save(tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        make(epochs=3).fit(sentences, checkpoint=tmp_path / "c", on_epoch=stop)
    make(epochs=3).fit(sentences, checkpoint=tmp_path / "c", resume=True).save(tmp_path / "resumed")
    assert (tmp_path / "whole").read_bytes() == (tmp_path / "resumed").read_bytes()
    more = make(epochs=1, predict=["upos", "clauses"], rate=1e-9).fit(sentences, init=trained)
    assert marks(more.parse(sentences)) == marks(trained.parse(sentences))


def test_a_pipeline_has_it(clauses, sentences):
    nlp = Pipeline("neural", **SMALL, epochs=1, predict=["upos", "clauses"]).fit(sentences[:20])
    assert list(nlp.components) == ["tokenizer", "parser"]
    assert next(nlp.parse(sentences)).upos[1] != "_"
    alone = Pipeline("neural", **SMALL, epochs=1, predict=["clauses"], tagger={"epochs": 1}, jackknife=0)
    assert list(alone.fit(sentences[:20]).components) == ["tokenizer", "tagger", "parser"]


def test_it_is_refused_where_it_is_unknown(clauses, trained, tmp_path):
    trained.save(tmp_path / "m")
    del known_heads().things["clauses"]
    try:
        with pytest.raises(ModelError, match="no predicted head 'clauses'"):
            crossarc.load(tmp_path / "m")
        with pytest.raises(CrossarcError, match="no predicted head 'clauses'"):
            make()
    finally:
        crossarc.register("clauses", head=clauses.ClauseEnds)


def test_what_is_no_head_and_columns_of_two_heads_are_refused(clauses):
    with pytest.raises(CrossarcError, match="must be a subclass of WordHead"):
        crossarc.register("x", head=int)
    with pytest.raises(CrossarcError, match="there is a predicted head 'upos' already"):
        crossarc.register("upos", head=clauses.ClauseEnds)
    crossarc.register("commas", head=type("Commas", (clauses.ClauseEnds,), {}))
    with pytest.raises(CrossarcError, match="one head for each column"):
        make(predict=["clauses", "commas"])


@pytest.mark.usefixtures("clauses")
def test_a_head_built_on_tags_has_arrays_of_its_own():
    crossarc.register("more", head=type("More", (Tags,), {}))
    heads = made_heads(["upos", "more", "lemma"], lambda key, head, names: (head, names))
    assert heads == {"tags": (Tags, ["upos", "lemma"]), "head.more": (known_heads()["more"], ["more"])}
