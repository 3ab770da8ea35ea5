"""Trees and graphs as terminal text: drawings compared line by line, and any sentence at all."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossarc.draw import to_text
from crossarc.draw.characters import terminal_width
from crossarc.draw.picture import Node, Picture
from crossarc.draw.terminal import text_of
from crossarc.errors import UnknownName
from draw.sketches import BROKEN, CHINESE, CROSSING, EMPTY_NODE, EVERY, HEBREW, ONE, SECOND_HEADS, TWO_ROOTS, sketch
from helpers import sentences, tree

DRAWINGS = [
    (
        CROSSING,
        """
      ┌► 1 A      DET  det
  ┌►╥─┴─ 2 talk   NOUN nsubj
●─┼─╫─── 3 starts VERB root
  └►╫─── 4 now    ADV  advmod
    ║ ┌► 5 on     ADP  case
    ╚►┴─ 6 owls   NOUN nmod
""",
    ),
    (
        TWO_ROOTS,
        """
●─┬─ 1 Stop VERB  root
  └► 2 !    PUNCT punct
●─── 3 Go   VERB  root
""",
    ),
    (
        SECOND_HEADS,
        """
  ┌►── 1 Birds NOUN  nsubj ◄┐ nsubj ← 4
●─┼─── 2 sing  VERB  root   ┆
  │ ┌► 3 and   CCONJ cc     ┆
  └►┴─ 4 fly   VERB  conj  ┄┘ root ← 0
""",
    ),
    (
        EMPTY_NODE,
        """
  ┌►── 1   I     PRON nsubj
●─┼─── 2   drink VERB root   ┄┄┄┄┄┐
  ├►── 3   tea   NOUN obj         ┆
  └►┬─ 4   you   PRON conj   ◄┐   ┆ nsubj ← 4.1
    │  4.1 drink VERB        ┄┴┄┬◄┘ conj ← 2
    └► 5   milk  NOUN orphan ┄┄◄┘   obj ← 4.1
""",
    ),
    (
        HEBREW,
        """
  ┌► 1 \u2068הינשוף\u2069 NOUN nsubj
●─┼─ 2 \u2068ישן\u2069    VERB root
  └► 3 \u2068היום\u2069   ADV  advmod
""",
    ),
    (
        CHINESE,
        """
  ┌► 1 小鸟 NOUN nsubj
  ├► 2 在   AUX  aux
●─┼─ 3 唱歌 VERB root
  ├► 4 🎵   SYM  dep
  └► 5 cafe\u0301 X    dep
""",
    ),
    (
        BROKEN,
        """
  ╔═══┬►── 1 a X x
  ║ ┌►┴─╥─ 2 b X y
  ╚►┴───╫─ 3 c X z
?───────╫─ 4 d X
↺───────╫─ 5 e X self
●───────╫─ 6 f X root
        ╚► 7 g X far
""",
    ),
    (ONE, "\n●─ 1 Hush INTJ root\n"),
]


@pytest.mark.parametrize(("sentence", "drawing"), DRAWINGS, ids=[str(number) for number in range(len(DRAWINGS))])
def test_drawing(sentence, drawing):
    assert to_text(sentence) == drawing[1:-1]


@pytest.mark.parametrize("sentence", EVERY.values(), ids=EVERY)
def test_colour_adds_nothing_but_colour(sentence):
    painted = to_text(sentence, color=True)
    assert "\x1b[" in painted
    assert re.sub("\x1b\\[[0-9;]*m", "", painted) == to_text(sentence)


@given(sentences(), st.none() | st.integers(20, 120))
def test_any_sentence_has_one_clean_line_a_word(sentence, width):
    lines = to_text(sentence, width=width).split("\n")
    assert len(lines) == len(sentence)
    for line in lines:
        assert line == line.rstrip()
        controls = [c for c in line if unicodedata.category(c) == "Cc" or c in "\u202a\u202b\u202c\u202d\u202e"]
        assert not controls
        assert line.count("\u2068") == line.count("\u2069")


@given(sentences(max_size=8))
def test_columns_stand_below_each_other(sentence):
    plain = sentence.replace(
        upos=["", *["TAG"] * len(sentence)], graph=type(sentence.graph).from_arcs(sentence.graph.nodes, [])
    )
    places = {terminal_width(line.partition(" TAG ")[0]) for line in to_text(plain).split("\n")}
    assert len(places) == 1


def test_narrow_terminals_lose_the_least_first():
    assert "┆" in to_text(EMPTY_NODE, width=47)
    narrow = to_text(EMPTY_NODE, width=41)
    assert "┆" not in narrow
    assert "nsubj ← 4.1" in narrow
    assert "PRON" in narrow
    assert "PRON" not in to_text(EMPTY_NODE, width=33)
    word = sketch("extraordinarily/ADV/2/advmod long/ADJ/0/root")
    assert to_text(word, width=22) == "  ┌► 1 extraor… advmod\n●─┴─ 2 long     root"


def test_deep_and_long_sentences_stay_narrow():
    n = 300
    chain = tree([-1, *range(n)])
    lines = to_text(chain, width=80).split("\n")
    assert len(lines) == n
    assert max(map(terminal_width, lines)) <= 30
    flat = tree([-1, 0, *[1] * (n - 1)])
    assert max(map(terminal_width, to_text(flat).split("\n"))) <= 30


def test_columns_are_those_asked_for():
    sentence = CROSSING.replace(lemmas=["", "a", "talk", "start", "now", "on", "owl"])
    assert to_text(sentence, columns=("lemma", "upos")).split("\n")[2] == "●─┼─╫─── 3 starts start VERB root"
    assert to_text(sentence, columns=()).split("\n")[2] == "●─┼─╫─── 3 starts root"
    with pytest.raises(UnknownName, match="did you mean 'lemma'"):
        to_text(sentence, columns=("lema",))


def test_nothing_to_draw():
    assert text_of(Picture("", "", (Node("0", ""),), ()), width=40) == ""


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("owl", 3),
        ("", 0),
        ("鳥", 2),
        ("ｗ", 2),
        ("e\u0301", 1),
        ("a\u200bb", 2),
        ("🦉", 2),
        ("❤\ufe0f", 2),
        ("👍🏽", 2),
        ("👩\u200d🚀", 2),
        ("می\u200cرود", 5),
        ("क्\u200dष", 2),
        ("한", 2),
        ("\u1112\u1161\u11ab", 2),
    ],
)
def test_terminal_width(text, width):
    assert terminal_width(text) == width
