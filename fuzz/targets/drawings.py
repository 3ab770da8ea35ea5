"""Sentences with odd texts, as SVG, HTML and terminal text: well-formed XML, no controls, one line a word."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from random import Random
from xml.etree import ElementTree

from crossarc.draw import diff_svg, diff_text, to_html, to_svg, to_text
from crossarc.errors import CrossarcError
from crossarc.treebank import Sentence
from fuzz import samples

CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
# A directional isolate is only around whole texts, so that each is closed on its line.
UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066\u2067\ud800-\udfff]")
COLOURS = re.compile("\x1b\\[[0-9;]*m")


@dataclass(frozen=True)
class Drawn:
    """Two analyses of the same words, or one twice, and how they are drawn."""

    seed: int
    words: int
    width: int | None
    color: bool
    theme: str
    labels: bool
    columns: tuple[str, ...]


def prepare(folder: Path) -> None:
    """Nothing is needed."""


def make(seed: int, context: None) -> Drawn:
    """Choices of all options; the sentences follow from the seed."""
    rng = Random(seed)
    return Drawn(
        seed,
        words=rng.choice((0, 1, 2, 3, 5, 8, 12)),
        width=rng.choice((None, 1, 20, 80, 300)),
        color=rng.random() < 0.3,
        theme=rng.choice(("auto", "light", "dark", "auto", "x")),
        labels=rng.random() < 0.8,
        columns=rng.choice((("upos",), (), ("upos", "feats"), ("upos",), ("form", "nothing"))),
    )


def check(given: Drawn, context: None) -> str:
    """Draw it in all ways."""
    rng = Random(-given.seed)
    try:
        gold = samples.sentence(rng, given.words)
        heads = samples.tree(rng, given.words)
        system = gold.replace(heads=heads, deprels=["", *(samples.odd_text(rng, 2) for _ in heads[1:])])
    except CrossarcError as error:
        check_message(error)
        return "sentence refused"
    try:
        draw(given, gold, system)
    except CrossarcError as error:
        check_message(error)
        return "refused"
    return "drawn"


def draw(given: Drawn, gold: Sentence, system: Sentence) -> None:
    """Draw both sentences and their difference and check what comes out."""
    for text in (
        to_text(gold, color=given.color, width=given.width, columns=given.columns),
        diff_text(gold, system, color=given.color, width=given.width, columns=given.columns),
    ):
        check_text(COLOURS.sub("", text) if given.color else text, given.words)
    width = None if given.width is None else 10 * given.width
    options = {"width": width, "labels": given.labels, "tags": given.columns, "theme": given.theme}
    check_xml(to_svg(gold, **options))  # type: ignore[arg-type]
    check_xml(diff_svg(gold, system, **options))  # type: ignore[arg-type]
    page = "".join(to_html([gold], system=[system], title=gold.id, **options))  # type: ignore[arg-type]
    assert not CONTROLS.search(page), f"the page has {CONTROLS.search(page)}"
    for drawing in re.findall("<svg.*?</svg>", page, re.DOTALL):
        ElementTree.fromstring(drawing)
    assert page.count("<article") == page.count("</article>") == 1, "a text ends or begins an article"


def check_text(text: str, words: int) -> None:
    """A line a word, without controls; isolates are closed."""
    lines = text.split("\n") if words else []
    assert len(lines) == words, f"{len(lines)} lines for {words} words"
    for line in lines:
        assert not UNSAFE.search(line), f"{line!r} has {UNSAFE.search(line)}"
        assert "\t" not in line, f"{line!r} has a tab"
        assert line.count("\u2068") == line.count("\u2069"), f"{line!r} leaves an isolate open"


def check_xml(text: str) -> None:
    """One well-formed element without anything that a reader could run, and without controls."""
    root = ElementTree.fromstring(text)
    assert root.tag == "{http://www.w3.org/2000/svg}svg", root.tag
    assert not CONTROLS.search(text), f"the drawing has {CONTROLS.search(text)}"
    names = {element.tag.partition("}")[2] for element in root.iter()}
    assert names <= {"svg", "title", "style", "rect", "g", "path", "text", "tspan", "circle", "line"}, names


def check_message(error: CrossarcError) -> None:
    """An error has one line."""
    message = str(error)
    assert message, "an error without a message"
    assert message.splitlines() == [message], f"the message {message!r} has not one line"
