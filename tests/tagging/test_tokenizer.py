"""The tokenizer: text comes back byte for byte, both kinds, training, storing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossarc.errors import CrossarcError, ModelError
from crossarc.tagging import Tokenizer, text_of
from crossarc.tagging.spacing import escape, unescape
from crossarc.tagging.tokenizer_model import TokenizerModel
from crossarc.tagging.training_text import raw_text
from crossarc.treebank import read_string, write

SPACED = """Anna can't come. | She's ill, I think. | Did you call Mr. Brown? | No! | He lives in St. Ives, doesn't he? |
It costs $3.50, e.g. at www.shop.example. | "Why?" | Ask her: anna@post.example | We won't go. | They can't pay 1,200. |
You shouldn't wait. | Bob (her son) isn't here. | Dr. Grey won't say. | I hadn't met Mrs. Lee. | Don't! | Really? | Yes.
"""
CLITIC = ("n't", "'s")


def sentence(text):
    """A small sentence in CoNLL-U: punctuation apart, clitics as multiword tokens."""
    rows, word = [], 0
    for chunk in text.split():
        tokens = [chunk]
        if len(chunk) > 1 and chunk[0] in '"($':
            tokens = [chunk[0], chunk[1:]]
        core = tokens.pop()
        tail = []
        while len(core) > 1 and core[-1] in '.,?!:")' and core not in ("Mr.", "St.", "e.g.", "Dr.", "Mrs."):
            tail.insert(0, core[-1])
            core = core[:-1]
        tokens += [core, *tail]
        for k, token in enumerate(tokens):
            misc = "_" if k + 1 == len(tokens) else "SpaceAfter=No"
            clitic = next((each for each in CLITIC if token.lower().endswith(each) and len(token) > len(each)), None)
            if clitic:
                words = [token[: -len(clitic)], token[-len(clitic) :]]
                rows.append(f"{word + 1}-{word + 2}\t{token}" + "\t_" * 7 + f"\t{misc}")
                rows += [f"{word + 1 + i}\t{each}" + "\t_" * 8 for i, each in enumerate(words)]
                word += 2
            else:
                word += 1
                rows.append(f"{word}\t{token}" + "\t_" * 7 + f"\t{misc}")
    return f"# text = {text}\n" + "\n".join(rows) + "\n\n"


def treebank():
    return read_string("".join(sentence(" ".join(text.split())) for text in SPACED.split("|")))


@pytest.fixture(scope="module")
def learned():
    return Tokenizer(epochs=20).fit(treebank())


@pytest.fixture(scope="module", params=["rules", "learned"])
def tokenizer(request, learned):
    return Tokenizer("rules") if request.param == "rules" else learned


ODD = [
    "",
    " ",
    " \t\r\n\u00a0 ",
    "a",
    "\n\n a \n\n\n b.\n",
    "one\ttwo\u00a0three\u2003four",
    "CRLF here.\r\n\r\nNext one.\rOld Mac.",
    "👩‍👩‍👧‍👦 👍🏽🇩🇪🇫🇷❤️",
    "e\u0301a\u0300 \u0301 \u200d\u200d",
    "\u202eשלום, עולם!\u202c مرحبا بالعالم؟ نعم۔",
    "a\0b \0 \x01\x7f\x85\u2028x\u2029",
    "lone \ud800 and \udfff\ud800x. \\ud800 | \\s",
    "a|b \\ \\p = _ _x_ #",
    "...!?!?(((\"'[]]]}{",
    "# text = no comment\n1\t_\n",
    "我喜歡音樂。你呢？很好！",
    "สวัสดีครับ नमस्ते। संसार",
    "\ufeffBOM and zero\u200bwidth",
    "x" * 1_000_000,
    "a.b/" * 5_000,
    ")" * 10_000,
    "http://" + ")" * 10_000,
    "a'" * 5_000 + "@." * 5_000,
    "e" + "\u0301" * 10_000,
    "\U0001f468\u200d" * 5_000,
    " \n" * 5_000 + "." * 5_000,
]


def check(tokenizer, text):
    """Everything that holds for every text."""
    sentences = tokenizer.tokenize(text)
    assert text_of(sentences) == text
    place = 0
    for one in sentences:
        ranges = [token for token in one.rows if token.misc != "_"]
        assert ranges
        for token in ranges:
            begin, _, end = token.misc.rpartition("TokenRange=")[2].partition(":")
            assert place <= int(begin) < int(end)
            assert text[place : int(begin)].strip() == ""
            surface = text[int(begin) : int(end)]
            assert surface.encode("utf-8", "replace").decode() == token.form.replace("\ufffd", "?") or (
                token.form == surface
            )
            place = int(end)
        assert "\n" not in one.text
    assert text[place:].strip() == ""
    assert bool(sentences) == bool(text.strip())


@pytest.mark.parametrize("text", ODD, ids=[ascii(text[:20]) for text in ODD])
def test_odd_texts_come_back(tokenizer, text):
    check(tokenizer, text)


LETTERS = "aAzZéß019.,:;!?'\"()[]-_/@#|\\ \t\n\r\0\u00a0\u0301\u200d👩🇩我。ش؟\ud800\u2028\x85"
STRINGS = ["\r\n", "\n\n", "  ", "Mr.", "can't", "http://a.b", "x@y.zz", "1,000.5", "\\s", "SpaceAfter=No"]
PIECES = st.sampled_from([*LETTERS, *STRINGS])


@given(st.lists(PIECES, max_size=40).map("".join) | st.text(st.characters(), max_size=60))
def test_any_text_comes_back(learned, text):
    check(Tokenizer("rules"), text)
    check(learned, text)


@given(st.text(st.characters(), max_size=40))
def test_escapes(text):
    value = escape(text)
    assert unescape(value) == text
    assert not set(value) & set(" \t\n\r|")
    value.encode()


def test_sentences_survive_a_file(tmp_path, tokenizer):
    text = " Tabs\there. \r\n\r\nOdd\u00a0spaces | \\ and \0 \ud800.  End\n"
    sentences = tokenizer.tokenize(text, document="my text")
    write(sentences, tmp_path / "out.conllu")
    again = read_string((tmp_path / "out.conllu").read_text(encoding="utf-8"))
    assert again == sentences
    assert text_of(again) == text
    assert again[0].comments[:2] == ("# newdoc id = my text", "# newpar")
    assert [one.id for one in again] == [str(k + 1) for k in range(len(again))]


def test_misc_and_paragraphs():
    first, second, third = Tokenizer("rules").tokenize("  Hi there,\tyou. All good?\n\nBye.\n")
    assert first.misc[1:] == (
        "SpacesBefore=\\s\\s|TokenRange=2:4",
        "SpaceAfter=No|TokenRange=5:10",
        "SpacesAfter=\\t|TokenRange=10:11",
        "SpaceAfter=No|TokenRange=12:15",
        "TokenRange=15:16",
    )
    assert first.comments == ("# newdoc", "# newpar", "# sent_id = 1", "# text = Hi there, you.")
    assert second.comments == ("# sent_id = 2", "# text = All good?")
    assert third.comments == ("# newpar", "# sent_id = 3", "# text = Bye.")
    assert third.misc[-1] == "SpacesAfter=\\n|TokenRange=31:32"


def test_it_learns(learned):
    gold = treebank()
    scores = learned.evaluate(gold)
    assert scores["Tokens"].f1 > 95
    assert scores["Words"].f1 > 95
    assert scores["Sentences"].f1 > 85


def test_multiword_tokens_are_split_as_in_the_treebank(learned):
    (one,) = learned.tokenize("Sue wouldn't COME.")
    assert one.forms[1:] == ("Sue", "would", "n't", "COME", ".")
    (range_,) = one.ranges
    assert (range_.id, range_.form, range_.misc) == ("2-3", "wouldn't", "TokenRange=4:12")
    assert one.misc[2:4] == ("_", "_")


def test_same_seed_same_arrays(learned):
    _, again = Tokenizer(epochs=20).fit(treebank()).model.to_arrays()
    _, arrays = learned.model.to_arrays()
    assert list(arrays) == list(again)
    for name, array in arrays.items():
        assert array.dtype == again[name].dtype
        assert array.tobytes() == again[name].tobytes()
    _, other = Tokenizer(epochs=20, seed=2).fit(treebank()).model.to_arrays()
    assert any(array.tobytes() != other[name].tobytes() for name, array in arrays.items())


def test_stored_tokenizers_do_the_same(tokenizer):
    again = Tokenizer.from_parts(*tokenizer.stored_parts(), "here")
    assert again.kind == tokenizer.kind
    for text in (SPACED, *ODD[:18]):
        assert again.tokenize(text) == tokenizer.tokenize(text)


def test_rules_are_followed_if_the_treebank_agrees():
    rows = "".join(
        f"{k}\t{form}" + "\t_" * 7 + "\tSpaceAfter=No\n" for k, form in enumerate(("a", "@", "b.example"), 1)
    )
    split = read_string((rows + "\n") * 5)
    assert not Tokenizer(epochs=1).fit(split).model.boundaries.rules
    assert Tokenizer(epochs=1).fit(split[:4]).model.boundaries.rules, "four addresses are too few to say"


def test_damaged_arrays_are_refused(learned):
    manifest, arrays = learned.stored_parts()
    for name, array in arrays.items():
        with pytest.raises((ValueError, LookupError)):
            TokenizerModel.from_arrays(manifest, {key: value for key, value in arrays.items() if key != name})
        if name.rpartition(".")[2] != "keys" and len(array):
            with pytest.raises((ValueError, LookupError)):
                TokenizerModel.from_arrays(manifest, {**arrays, name: array[:0]})
    for name, bad in (
        ("boundaries.words", np.ones(8, dtype=np.uint64)),
        ("boundaries.quiet", np.zeros((3, 3), dtype=np.uint8)),
        ("boundaries.quiet", np.zeros((128, 128), dtype=np.int64)),
        ("boundaries.words", arrays["boundaries.words"].astype(np.int32)),
    ):
        with pytest.raises((ValueError, LookupError)):
            TokenizerModel.from_arrays(manifest, {**arrays, name: bad})


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "tagger"},
        {"boundaries": {}},
        {"boundaries": 3},
        {"boundaries": {"spaces": 1, "rules": True}},
        {"max_sentence_words": 0},
        {"max_sentence_words": "many"},
    ],
)
def test_damaged_manifests_are_refused(learned, change):
    manifest, arrays = learned.stored_parts()
    with pytest.raises(ModelError, match="here: the file holds no tokenizer"):
        Tokenizer.from_parts({**manifest, **change}, arrays, "here")


def test_errors_say_what_to_do():
    with pytest.raises(CrossarcError, match="call fit first"):
        Tokenizer().tokenize("x")
    with pytest.raises(CrossarcError, match="rules do not learn"):
        Tokenizer("rules").fit(treebank())
    with pytest.raises(CrossarcError, match="epochs = 0: write a whole number from 1 on"):
        Tokenizer(epochs=0)
    with pytest.raises(CrossarcError, match="at least one sentence"):
        Tokenizer().fit([])
    with pytest.raises(CrossarcError, match="kind of tokenizer"):
        Tokenizer("magic")


def test_the_development_set_chooses_the_epoch():
    gold = treebank()
    tokenizer = Tokenizer(epochs=3).fit(gold, dev=gold)
    assert tokenizer.evaluate(gold)["Tokens"].f1 > 90


def test_text_of_gold_sentences():
    gold = treebank()
    assert text_of(gold).split() == raw_text(gold).split()
