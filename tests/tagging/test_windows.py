"""Long texts in windows, and long sentences that are cut: the same tokens, offsets and comments."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossarc.errors import CrossarcError
from crossarc.tagging import Tokenizer, text_of
from crossarc.tagging import windows as long_texts
from crossarc.tagging.windows import Window, windows
from crossarc.treebank import read, read_string

WORDS = ["Owls", "see", "mice", "e.g.", "3.50", "can't", "(so)", "“why", "x@y.zz", "我喜歡", "a/b"]
GAPS = [" ", " ", " ", ". ", "! ", ", ", "\n", "  ", ".\n\n", ".\r\n", "; "]
TEXTS = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(GAPS)), min_size=1, max_size=60).map(
    lambda pairs: "".join(word + gap for word, gap in pairs)
)


@pytest.fixture(scope="module")
def learned(example):
    return Tokenizer(epochs=8).fit(read(example))


@pytest.fixture(scope="module", params=["rules", "learned"])
def tokenizer(request, learned):
    return Tokenizer("rules") if request.param == "rules" else learned


def small_windows(monkeypatch, size, around, longest=10_000):
    """Let tokenizers work with windows of another size; return the sizes of all texts that they look at."""
    seen = []

    def smaller(blocks, find, name):
        def noted(text, begin):
            seen.append(len(text))
            return find(text, begin)

        return windows(blocks, noted, size=size, around=around, longest=longest, name=name)

    monkeypatch.setattr("crossarc.tagging.tokenizer_model.windows", smaller)
    return seen


@given(TEXTS, st.integers(1, 40), st.sampled_from([150, 400]))
def test_a_text_in_windows_and_blocks_has_the_tokens_of_the_whole(learned, text, block, size):
    blocks = [text[begin : begin + block] for begin in range(0, len(text), block)]
    for tokenizer in (Tokenizer("rules"), learned):
        whole = tokenizer.tokenize(text, document="d")
        with pytest.MonkeyPatch.context() as patch:
            small_windows(patch, size, 140)
            assert list(tokenizer.stream(blocks, document="d")) == whole
            assert tokenizer.tokenize(text, document="d") == whole


@given(st.lists(st.text("ab \n\r\t.", max_size=9), max_size=30), st.integers(1, 20))
def test_windows_are_the_text(blocks, size):
    tokenizer = Tokenizer("rules")
    found = list(windows(blocks, tokenizer.model.find_sentences, size=size, around=size // 2, longest=3 * size))
    assert "".join(window.text for window in found) == "".join(blocks)
    assert [each.offset for each in found] == [sum(len(w.text) for w in found[:k]) for k in range(len(found))]
    assert all(isinstance(each, Window) and not each.text[:1].isspace() for each in found[1:])


@given(st.text("ab é\u0301\n\t.,(", max_size=300), st.integers(1, 6), st.integers(1, 30))
def test_cut_sentences_keep_all_else(learned, text, most, block):
    for kind in (Tokenizer("rules", max_sentence_words=most), Tokenizer.around(learned.model)):
        kind.max_sentence_words = most
        free = Tokenizer("rules") if kind.kind == "rules" else learned
        found, whole = kind.tokenize(text, document="d"), free.tokenize(text, document="d")
        assert text_of(found) == text
        assert all(len(sentence) <= max(most, 3) for sentence in found)
        rows = [[token.misc for one in each for token in one.rows] for each in (found, whole)]
        assert rows[0] == rows[1]
        assert [one.id for one in found] == [str(number) for number in range(1, len(found) + 1)]
        for comment in ("# newdoc", "# newpar"):
            counts = [sum(c.startswith(comment) for one in each for c in one.comments) for each in (found, whole)]
            assert counts[0] == counts[1]
        for one in found:
            begin, end = (int(token.misc.rpartition("=")[2].split(":")[k]) for k, token in enumerate(ends_of(one)))
            assert one.text == text[begin:end].replace("\n", " ").replace("\t", " ")
        assert sum(kind.model.cuts) == len(found) - len(whole)
        assert bool(kind.notes()) == (len(found) > len(whole))
        blocks = [text[begin : begin + block] for begin in range(0, len(text), block)]
        assert list(kind.stream(blocks, document="d")) == found


def ends_of(sentence):
    """The first and the last token of a sentence."""
    tokens = [token for token in sentence.rows if "TokenRange" in token.misc]
    return tokens[0], tokens[-1]


def test_sentences_are_cut_where_they_end_most_likely(example):
    text = "one two three four, five six seven eight; nine ten eleven twelve thirteen"
    found = Tokenizer("rules", max_sentence_words=10).tokenize(text)
    assert [one.text for one in found] == [
        "one two three four, five six seven eight;",
        "nine ten eleven twelve thirteen",
    ]
    tokenizer = Tokenizer(epochs=8, max_sentence_words=12).fit(read(example))
    model = tokenizer.model.boundaries

    class Unsure:
        """The same model, which ends no sentence but the last, however sure it is."""

        rules = False

        def decide(self, characters, begin=0):
            decisions, sureness = model.decide(characters, begin)
            decisions[:-1] = np.minimum(decisions[:-1], 1)
            return decisions, sureness

    text = "We will not go there today. They will not wait for us there either I think"
    tokenizer.model_ = replace(tokenizer.model, boundaries=Unsure())
    assert [one.text for one in tokenizer.tokenize(text)] == [text[:27], text[28:]]


def test_texts_without_ends_are_looked_at_in_parts(tokenizer, monkeypatch):
    """What a tokenizer sees at a time does not grow with the text, whatever the text is."""
    for text in ("(" * 4000, "abcdefghij" * 400, "owl " * 1000, "a\u0301" * 2000, "Yes. " * 800):
        largest = []
        for times in (1, 5):
            with monkeypatch.context() as patch:
                seen = small_windows(patch, 200, 50, 800)
                assert text_of(tokenizer.tokenize(text * times)) == text * times
                largest.append(max(seen))
                assert sum(seen) < 8 * len(text) * times
        assert largest[0] == largest[1] < 2000


def test_a_sentence_is_cut_behind_a_token_and_not_inside_if_possible(monkeypatch):
    small_windows(monkeypatch, 100, 20, 400)
    tokenizer = Tokenizer("rules")
    found = tokenizer.tokenize("owl " * 50 + "x" * 1000 + "\n\n\n" + "Yes.")
    assert text_of(found).startswith("owl owl")
    assert [one.comments[-1] for one in found][-1] == "# text = Yes."
    assert found[-1].comments[0] == "# newpar"
    assert sum("# newpar" in one.comments for one in found) == 2
    assert {form for one in found for form in one.forms[1:] if "x" not in form} == {"owl", "Yes", "."}


def test_refusals():
    with pytest.raises(CrossarcError, match="name a number of words, 1 or more"):
        Tokenizer("rules", max_sentence_words=0)


def test_sentences_of_a_treebank_are_not_cut():
    long = "# text = " + " ".join(["owl"] * 900) + "\n" + "".join(f"{k}\towl" + "\t_" * 8 + "\n" for k in range(1, 901))
    (sentence,) = read_string(long + "\n")
    (found,) = Tokenizer("rules").tokenize(text_of([sentence]))
    assert len(found) == 900
    assert long_texts.WINDOW < long_texts.LONGEST
