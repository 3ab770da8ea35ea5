"""Pages of sentences: escaped, streamed, with something to filter by."""

from collections.abc import Iterator
from html.parser import HTMLParser

import pytest

from crossarc.draw import to_html
from crossarc.errors import AlignmentError
from draw.sketches import CROSSING, EVERY, ONE, TWO_ROOTS, sketch

VOID = {"meta", "input"}


class Balance(HTMLParser):
    """Counts tags and checks that each is closed in its turn."""

    def __init__(self):
        super().__init__()
        self.open = []
        self.seen = []

    def handle_starttag(self, tag, attributes):
        self.seen.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_startendtag(self, tag, attributes):
        self.seen.append((tag, dict(attributes)))


def parsed(page):
    reader = Balance()
    reader.feed(page)
    assert not reader.open
    return reader.seen


def test_page_is_whole_and_needs_nothing_else():
    page = "".join(to_html(EVERY.values(), title="Owls & <others>"))
    assert "<title>Owls &amp; &lt;others&gt;</title>" in page
    seen = parsed(page)
    assert [tag for tag, _ in seen].count("article") == len(EVERY)
    assert not [attributes for _, attributes in seen if "src" in attributes or "href" in attributes]
    assert page.count("<style>") == 1
    assert sum("data-crossing" in attributes for _, attributes in seen) == 2


def test_words_cannot_become_markup():
    sentence = sketch('<script>alert("1")<\u2215script>/X/0/<b>', '"><img>')
    page = "".join(to_html([sentence]))
    tags = [tag for tag, _ in parsed(page)]
    assert tags.count("script") == 1
    assert "img" not in tags
    assert tags.count("b") == 1  # the id


def test_sentences_are_drawn_as_they_come():
    taken = []

    def source():
        for number in range(1000):
            taken.append(number)
            yield ONE

    pieces = to_html(source())
    assert isinstance(pieces, Iterator)
    next(pieces)
    next(pieces)
    assert len(taken) == 1


def test_comparison_marks_the_sentences_that_differ():
    other = sketch("Stop/VERB/0/root !/PUNCT/3/punct Go/VERB/0/root")
    page = "".join(to_html([TWO_ROOTS, ONE], system=[other, ONE]))
    assert sum("data-differs" in attributes for _, attributes in parsed(page)) == 1
    assert "1 missed, 1 wrong" in page
    assert "no difference" in page
    assert 'name="differing"' in page
    assert 'name="differing"' not in "".join(to_html([ONE]))


def test_files_of_different_length_are_refused():
    with pytest.raises(AlignmentError, match="the system's file ends after 1 sentences"):
        list(to_html([CROSSING, ONE], system=[CROSSING]))
