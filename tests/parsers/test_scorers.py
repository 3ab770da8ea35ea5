"""Parsers around scorers of any kind."""

import numpy as np
import pytest

from crossarc import decode, register
from crossarc.errors import CrossarcError, DecodeError, UnknownName
from crossarc.parsers import Constraints, Parser
from crossarc.structure import is_projective
from crossarc.treebank import Corpus, Sentence, read, read_arrays


class Tensor:
    """What a library of tensors gives: memory that others may read through DLPack."""

    def __init__(self, array):
        self.array = np.ascontiguousarray(array)

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class OnDevice(Tensor):
    def __dlpack__(self, **options):
        raise BufferError("not on the CPU")


class Arrayed:
    """What knows `__array__` only."""

    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        return self.array


class Random:
    """Scores that follow from the words, so that batches do not matter."""

    labels = ("root", "a", "b")

    def __init__(self, wrap=lambda array: array, padded=False):
        self.wrap, self.padded = wrap, padded

    def gather(self, arrays):
        if not self.padded:
            return [self.wrap(array) for array in arrays]
        size = [max(array.shape[axis] for array in arrays) for axis in range(2)]
        batch = np.full((len(arrays), *size), np.nan)
        for place, array in zip(batch, arrays, strict=True):
            place[: array.shape[0], : array.shape[1]] = array
        return self.wrap(batch)

    def arc_scores(self, sentences):
        return self.gather([scores_of(sentence) for sentence in sentences])

    def label_scores(self, sentences, heads):
        return self.gather([label_scores_of(*each) for each in zip(sentences, heads, strict=True)])


def scores_of(sentence):
    return np.random.default_rng(len(sentence.raw)).normal(size=(len(sentence) + 1,) * 2)


def label_scores_of(sentence, heads):
    scores = np.random.default_rng(len(sentence)).normal(size=(len(heads), 3))
    scores[:, 0] = np.where(heads == 0, 9, -9)
    return scores


@pytest.fixture(scope="module")
def sentences(example):
    return list(read(example))


@pytest.mark.parametrize("decoder", ["mst", "eisner"])
@pytest.mark.parametrize("single_root", [True, False])
def test_trees_are_those_of_the_decoder(sentences, decoder, single_root):
    parser = Parser.around(Random(), decoder, single_root=single_root)
    for sentence, parsed in zip(sentences, parser.parse(sentences), strict=True):
        expected = getattr(decode, decoder)(scores_of(sentence), single_root=single_root)
        assert parsed.heads.tolist() == expected.tolist()
        assert (np.array(parsed.deprels) == "root").tolist() == (parsed.heads == 0).tolist()
        assert decoder == "mst" or is_projective(parsed.heads)


@pytest.mark.parametrize("padded", [True, False])
@pytest.mark.parametrize("wrap", [Tensor, Arrayed, np.float32, lambda array: array.tolist()])
def test_scores_of_any_kind(sentences, wrap, padded):
    if padded and wrap is not Tensor:
        wrap = Arrayed
    expected = list(Parser.around(Random()).parse(sentences))
    assert [s.heads.tolist() for s in Parser.around(Random(wrap, padded)).parse(sentences)] == [
        s.heads.tolist() for s in expected
    ]


def test_threads_k_best_and_constraints(sentences):
    parser = Parser.around(Random())
    assert list(parser.parse(sentences, threads=3)) == list(parser.parse(sentences))
    for sentence, found in zip(sentences, parser.parse(sentences, k=3, scores=True), strict=True):
        trees, totals = decode.kbest(scores_of(sentence), 3)
        assert [tree.heads.tolist() for tree in found.trees] == trees[totals > -np.inf].tolist()
        assert found.best.score == pytest.approx(totals[0])
        assert found.marginals[1:].sum(axis=1) == pytest.approx(1)
        assert "HeadProb" in found.annotated()[0].misc[1]
    long = max(sentences, key=len)
    (bound,) = parser.parse(long, constraints=lambda _: Constraints({2: 5}, {(3, 1)}, {4: "b"}))
    assert bound.heads[2] == 5
    assert bound.heads[3] != 1
    assert bound.deprels[4] == "b"
    with pytest.raises(DecodeError, match=r"example.conllu:\d+: sentence"):
        next(parser.parse(long, constraints=lambda _: Constraints({1: 0, 2: 0})))


def test_evaluation_and_calibration(sentences):
    class Sure(Random):
        """Knows the right heads, and is too sure of them by far."""

        def arc_scores(self, some):
            gold = [np.eye(len(s) + 1)[s.heads] * 50 for s in some]
            return [np.where(scores_of(s) > 1.5, 60, each) for s, each in zip(some, gold, strict=True)]

    parser = Parser.around(Sure())
    assert 20 < parser.evaluate(sentences).uas < 100
    sure = np.mean([a.best.head_probabilities[1:].mean() for a in parser.parse(sentences, scores=True)])
    parser.calibrate(sentences)
    fair = np.mean([a.best.head_probabilities[1:].mean() for a in parser.parse(sentences, scores=True)])
    assert parser.scales.trees < 1
    assert fair < sure - 0.05
    assert parser.model.coverage(Corpus.of(sentences)).lost_percent == 0
    assert Parser.around(Sure(), "eisner").model.coverage(Corpus.of(sentences)).lost_percent > 0


def test_what_is_refused(sentences, example, tmp_path):
    with pytest.raises(UnknownName, match="no decoder 'msst'; did you mean 'mst'"):
        Parser.around(Random(), "msst")
    with pytest.raises(CrossarcError, match="dict scores no arcs: it must have labels"):
        Parser.around({})
    parser = Parser.around(Random())
    assert "around Random" in repr(parser)
    with pytest.raises(CrossarcError, match="learns nothing; train the scorer"):
        parser.fit(example)
    with pytest.raises(CrossarcError, match="nothing to save; save the scorer"):
        parser.save(tmp_path / "m")
    with pytest.raises(CrossarcError, match="read without its sentences"):
        parser.model.parse(read_arrays(example))
    with pytest.raises(CrossarcError, match="detach them and move them to the CPU"):
        list(Parser.around(Random(OnDevice)).parse(sentences))
    with pytest.raises(CrossarcError, match=r"arc_scores gave an array of the shape \(1,\) for sentence 0"):
        list(Parser.around(Random(lambda array: array[0, :1])).parse(sentences))
    with pytest.raises(CrossarcError, match="a beam of 3; parsers that score arcs find the best tree without one"):
        parser.parse(sentences, beam=3)
    few = Random()
    few.arc_scores = lambda some: [scores_of(some[0])]
    with pytest.raises(CrossarcError, match="arc_scores gave scores of 1 sentences for"):
        list(Parser.around(few).parse(sentences))
    bad = Random(lambda array: np.full_like(array, np.nan))
    with pytest.raises(DecodeError, match=r"NaN|nan"):
        list(Parser.around(bad).parse(sentences))


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ((), "must be a list of at least one name"),
        (None, "must be a list of at least one name"),
        ("root", "must be a list of at least one name"),
        (["root", 7], "the label 7 of a scorer is no string"),
        (["root", b"a"], "the label b'a' of a scorer is no string"),
        (["root", ""], "the label '' of a scorer is empty"),
        (["root", "a\tb"], "has a tab or a line end"),
        (["root", "a\nb"], "has a tab or a line end"),
        (["root", "\ud800"], "is no text in UTF-8"),
    ],
)
def test_labels_that_no_file_can_hold_are_refused(labels, words):
    scorer = Random()
    scorer.labels = labels
    with pytest.raises(CrossarcError, match=words) as caught:
        Parser.around(scorer)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["arc_scores", "label_scores"])
@pytest.mark.parametrize(
    ("given", "words"),
    [
        (None, "gave None, and no array"),
        (5, "gave 5, and no array"),
        ([None], "gave an array"),
        ("text", "gave scores of 4 sentences for 1|gave an array"),
        (np.array(5.0), "gave an array"),
        ([np.full((9, 9), "a")], "numbers of the shape"),
        ([np.full((9, 9), None)], "numbers of the shape"),
        ([np.full((9, 9), np.nan)], "NaN"),
    ],
)
def test_scores_that_are_none_are_refused(name, given, words):
    scorer = Random()
    setattr(scorer, name, lambda *arguments: given)
    with pytest.raises(CrossarcError, match=words):
        list(Parser.around(scorer).parse(Sentence.from_columns(forms=["", "a", "b"])))


def test_what_scorers_and_decoders_are_given_cannot_be_written(sentences):
    class Writer(Random):
        def arc_scores(self, some):
            found = super().arc_scores(some)
            some.clear()
            return found

        def label_scores(self, some, heads):
            found = super().label_scores(some, heads)
            for tree in heads:
                assert not tree.flags.writeable
                with pytest.raises(ValueError, match="read-only"):
                    tree[1] = 99
            heads.clear()
            some.clear()
            return found

    expected = [list(each) for each in Parser.around(Random()).parse(sentences)]
    assert [list(each) for each in Parser.around(Writer()).parse(sentences)] == expected
    register("own-writer", decoder=write_and_decode)
    assert [list(each) for each in Parser.around(Random(), "own-writer").parse(sentences)] == expected


KEPT = []


def write_and_decode(scores, *, single_root):
    """A decoder that tries to write to the scores, and writes to heads that it gave before."""
    with pytest.raises(ValueError, match="read-only"):
        scores[1] = 0
    for heads in KEPT:
        heads[:] = 99
    KEPT.append(decode.mst(scores, single_root=single_root))
    return KEPT[-1]


def test_tensors_of_pytorch(sentences):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    expected = [sentence.heads.tolist() for sentence in Parser.around(Random()).parse(sentences)]
    for padded in (True, False):
        parser = Parser.around(Random(torch.from_numpy, padded))
        assert [sentence.heads.tolist() for sentence in parser.parse(sentences)] == expected
    learning = Random(lambda array: torch.from_numpy(array).requires_grad_())
    with pytest.raises(CrossarcError, match="detach them"):
        list(Parser.around(learning).parse(sentences))


def test_one_word_and_none(sentences):
    word = Sentence.from_columns(forms=["", "Hi"])
    assert next(Parser.around(Random()).parse(word)).heads.tolist() == [-1, 0]
    assert list(Parser.around(Random()).parse([])) == []
