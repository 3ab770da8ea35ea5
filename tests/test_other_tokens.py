"""The code of docs/other-tokens.md runs with spaCy, where that is installed."""

import textwrap
from pathlib import Path

import pytest

import crossarc
from crossarc import Parser, Sentence, read

PAGE = (Path(__file__).parents[1] / "docs" / "other-tokens.md").read_text(encoding="utf-8")
WORDS = ["Tom", "sings", ".", "Rain", "fell", "softly", "."]


def code_of(section):
    """The indented Python of a section of the page."""
    text = PAGE.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    return textwrap.dedent("\n".join(line for line in text.split("\n") if line.startswith("    ") or not line))


@pytest.fixture(scope="module")
def bare(example):
    """A parser that needs no tags."""
    trees = [Sentence.from_columns(forms=each.forms, heads=each.heads, deprels=each.deprels) for each in read(example)]
    return Parser("swap").fit(trees)


@pytest.mark.filterwarnings("ignore")
def test_spacy(bare, monkeypatch, capsys, example):
    pytest.importorskip("spacy")
    monkeypatch.setattr(crossarc, "load", lambda name: bare, raising=False)
    names = {}
    exec(compile(code_of("spaCy"), "other-tokens.md", "exec"), names)
    assert "('Tom', 'nsubj', 'sings')" in capsys.readouterr().out
    doc = names["doc"]
    assert [token.text for token in doc] == WORDS
    assert [token.dep_ for token in doc if token.head == token] == ["ROOT", "ROOT"]
    spaced = names["english"]("Tom  sings\n\n. \n")
    assert [token.text for token in spaced if token.dep_] == WORDS[:3]
    tagged = [names["tagged_sentence"](list(span)) for span in doc.sents]
    assert [sentence.text for sentence in tagged] == ["Tom sings.", "Rain fell softly."]
    gold = list(read(example))[:5]
    again = names["to_doc"](doc.vocab, gold)
    heads = [[token.head.i - span.start + 1 if token.head != token else 0 for token in span] for span in again.sents]
    assert heads == [sentence.heads[1:].tolist() for sentence in gold]
    assert again.text.startswith(gold[0].text)
