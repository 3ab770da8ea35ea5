"""Tokens and sentences by rules."""

import time

import pytest

from crossarc.tagging import Tokenizer

TOKENS = {
    "Visit https://a.example/b_(c)?d=1&e=2, now.": ["Visit", "https://a.example/b_(c)?d=1&e=2", ",", "now", "."],
    "See www.site.org/x. Or shop.com!": ["See", "www.site.org/x", ".", "Or", "shop.com", "!"],
    "Mail ann.lee+x@post.example.org.": ["Mail", "ann.lee+x@post.example.org", "."],
    "1,000.50 3:30 10/11/2012 5kg 20%": ["1,000.50", "3:30", "10/11/2012", "5kg", "20", "%"],
    "the U.S. and e.g. Dr. J. Poe": ["the", "U.S.", "and", "e.g.", "Dr.", "J.", "Poe"],
    "#thisIs @someone :-) :D ;) <3": ["#thisIs", "@someone", ":-)", ":D", ";)", "<3"],
    "don't l’homme mother-in-law A&B": ["don't", "l’homme", "mother-in-law", "A&B"],
    "“Quoted” (and—dashed)...": ["“", "Quoted", "”", "(", "and", "—", "dashed", ")", "..."],
    "👩‍👩‍👧‍👦👍🏽🇩🇪❤️": ["👩‍👩‍👧‍👦", "👍🏽", "🇩🇪", "❤️"],
    "cafe\u0301 नमस्ते": ["cafe\u0301", "नमस्ते"],
    "你好。": ["你", "好", "。"],
    "note:a end.Next": ["note", ":", "a", "end", ".", "Next"],
    "¿Qué? ¡No!": ["¿", "Qué", "?", "¡", "No", "!"],
}
SENTENCES = {
    "One. Two! Three? Four": ["One.", "Two!", "Three?", "Four"],
    "He said “Go.” Then he left.": ["He said “Go.”", "Then he left."],
    "It is (really.) Yes.": ["It is (really.)", "Yes."],
    "Mr. Poe of the U.S. Army met J. Doe.": ["Mr. Poe of the U.S. Army met J. Doe."],
    "He lives in the U.S. They do not.": ["He lives in the U.S.", "They do not."],
    "Pens, ink, etc. All gone.": ["Pens, ink, etc.", "All gone."],
    "Version 2.5 is out... and it works.": ["Version 2.5 is out... and it works."],
    "A title\n\nA text.": ["A title", "A text."],
    "A line\nthat is wrapped.": ["A line that is wrapped."],
    "我喜歡。你呢？": ["我喜歡。", "你呢？"],
    "नमस्ते। संसार": ["नमस्ते।", "संसार"],
}


@pytest.mark.parametrize("text", TOKENS)
def test_tokens(text):
    assert [form for one in Tokenizer("rules").tokenize(text) for form in one.forms[1:]] == TOKENS[text]


@pytest.mark.parametrize("text", SENTENCES)
def test_sentences(text):
    assert [one.text for one in Tokenizer("rules").tokenize(text)] == SENTENCES[text]


@pytest.mark.parametrize("piece", ["a.b/", ")", "a'", "@.", "1,", "e\u0301", "http://a.b)", "-a", "a.", "_-", ":D"])
def test_time_is_linear(piece):
    tokenizer = Tokenizer("rules")

    def seconds(size):
        """The shortest of three times: a busy machine makes some longer."""
        found = []
        for _ in range(3):
            begin = time.process_time()
            tokenizer.find_spans(piece * (size // len(piece)))
            found.append(time.process_time() - begin)
        return min(found)

    assert seconds(32_000) < 30 * max(seconds(4_000), 0.01), "eight times the text must not take 64 times as long"
