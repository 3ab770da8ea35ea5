"""Running text with known boundaries from a treebank, for training and scoring tokenizers.

The spacing of a sentence comes from its `# text` if that fits the tokens, otherwise from SpacesAfter and SpaceAfter. A
treebank that has none of these, or only tokens with spaces between them, is given usual spacing.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from crossarc.tagging.boundaries import SENTENCE_END, TOKEN_END
from crossarc.tagging.characters import SPACE, classes_table, code_points
from crossarc.tagging.made_up import CLITICS, attached_spaces, dense_spaces, is_dense
from crossarc.tagging.spacing import space_after, surface_tokens, values_of
from crossarc.treebank import Sentence

NO_SPACING = "the treebank does not say where spaces are"
MADE_UP = "punctuation is attached as usual, and scripts without spaces have none"
PARAGRAPH = "\n\n"
DOCUMENT_SENTENCES = 12  # that a training document has at most
# How often sentences of a training document are each on a line, and how often its lines are wrapped.
LINES, WRAPPED = 0.1, 0.1


@dataclass(frozen=True)
class SentenceText:
    """A sentence as text: its tokens, the white space behind each, and whether a paragraph begins with it."""

    tokens: tuple[str, ...]
    spaces: tuple[str, ...]
    words: tuple[tuple[str, ...], ...]
    paragraph: bool
    document: bool


def sentence_texts(sentences: Iterable[Sentence]) -> list[SentenceText]:
    """Return the sentences of a treebank as texts; if it does not say where spaces are, their spacing is made up."""
    sentences = list(sentences)
    texts = [sentence_text(sentence) for sentence in sentences]
    return usual_spacing(texts) if lacks_spacing(sentences) else texts


def lacks_spacing(sentences: Iterable[Sentence]) -> bool:
    """Whether a treebank does not say where spaces are.

    A `# text` of tokens with one space between them says nothing, if it has punctuation that is usually attached.
    """
    sentences = list(sentences)
    if any(b"SpaceAfter=No" in sentence.raw or b"SpacesAfter" in sentence.raw for sentence in sentences):
        return False
    given = [sentence for sentence in sentences if "text" in sentence.metadata]
    if not given:
        return True
    texts = list(map(sentence_text, given))
    if any(" ".join(text.tokens).strip() != one.metadata["text"] for text, one in zip(texts, given, strict=True)):
        return False
    return any("" in text.spaces for text in usual_spacing(texts))


def usual_spacing(texts: Sequence[SentenceText]) -> list[SentenceText]:
    """Return sentences with the spaces that such tokens usually have between them."""
    if is_dense(token for text in texts[:1000] for token in text.tokens):
        return [replace(text, spaces=(*dense_spaces(text.tokens), "")) for text in texts]
    clitics = any(token.lower() == CLITICS[0] for text in texts for token in text.tokens)
    return [replace(text, spaces=(*attached_spaces(text.tokens, clitics), " ")) for text in texts]


def sentence_text(sentence: Sentence) -> SentenceText:
    """Return one sentence as a text."""
    tokens = surface_tokens(sentence)
    forms = [form for form, _, _ in tokens]
    written = [space_after(misc) for _, misc, _ in tokens]
    if "text" in sentence.metadata and not any("SpacesAfter" in values_of(misc) for _, misc, _ in tokens):
        found = spaces_in(sentence.metadata["text"], forms)
        if found is not None:
            written[:-1] = found[:-1]
    metadata = sentence.metadata
    document = any(key.split(" ")[0] == "newdoc" for key in metadata)
    paragraph = document or any(key.split(" ")[0] == "newpar" for key in metadata)
    return SentenceText(tuple(forms), tuple(written), tuple(words for _, _, words in tokens), paragraph, document)


def spaces_in(text: str, forms: Sequence[str]) -> list[str] | None:
    """Return the white space behind each form in a text, None if the text does not consist of the forms.

    >>> spaces_in("Well, no.", ["Well", ",", "no", "."])
    ['', ' ', '', '']
    """
    place = 0
    spaces = []
    for form in forms:
        if not text.startswith(form, place):
            return None
        begin = place = place + len(form)
        while place < len(text) and text[place].isspace():
            place += 1
        spaces.append(text[begin:place])
    return spaces if place == len(text) else None


def raw_text(sentences: Iterable[Sentence]) -> str:
    """Return the text of a treebank, with a blank line before each document and paragraph.

    >>> from crossarc.treebank import read_string
    >>> rows = "# newpar\\n# text = Go!\\n1\\tGo" + 8 * "\\t_" + "\\n2\\t!" + 8 * "\\t_" + "\\n\\n"
    >>> raw_text(read_string(rows + rows))
    'Go!\\n\\nGo!\\n'
    """
    pieces: list[str] = []
    for text in sentence_texts(sentences):
        if text.paragraph and pieces:
            pieces[-1] = PARAGRAPH
        for token, space in zip(text.tokens, text.spaces, strict=True):
            pieces += (token, space)
    if pieces:
        pieces[-1] = "\n"
    return "".join(pieces)


@dataclass(frozen=True, eq=False)
class LabelledText:
    """A text and the decision behind each of its characters."""

    text: str
    decisions: NDArray[np.uint8]


def documents_of(texts: Sequence[SentenceText], size: int = DOCUMENT_SENTENCES) -> list[list[SentenceText]]:
    """Return the sentences cut into documents of several sentences, in order."""
    documents: list[list[SentenceText]] = []
    for text in texts:
        if not documents or text.document or len(documents[-1]) >= size:
            documents.append([])
        documents[-1].append(text)
    return documents


def labelled_text(documents: Sequence[Sequence[SentenceText]], randomness: random.Random | None = None) -> LabelledText:
    """Return documents as one text with its decisions, a blank line between documents.

    With `randomness`, the sentences of some documents are each on a line, and the lines of others are wrapped, so that
    a model does not rely on line ends.
    """
    pieces: list[str] = []
    places: list[int] = []
    decisions: list[int] = []
    place = 0
    for document in documents:
        chance = randomness.random() if randomness else 1.0
        lines, wrapped = chance < LINES, LINES <= chance < LINES + WRAPPED
        width = randomness.randint(55, 105) if randomness and wrapped else 0
        line_begin = place
        for number, text in enumerate(document):
            if number + 1 == len(document):
                behind = PARAGRAPH
            elif document[number + 1].paragraph:
                behind = "\n" if lines else PARAGRAPH
            else:
                behind = "\n" if lines else text.spaces[-1]
            last = len(text.tokens) - 1
            for k, token in enumerate(text.tokens):
                space = text.spaces[k] if k < last else behind
                place += len(token)
                if wrapped and space == " " and place - line_begin >= width:
                    space = "\n"
                    line_begin = place
                places.append(place - 1)
                decisions.append(TOKEN_END if k < last else SENTENCE_END)
                place += len(space)
                pieces += (token, space)
    result = np.zeros(place, dtype=np.uint8)
    result[places] = decisions
    return LabelledText("".join(pieces), result)


def has_spaces(texts: Iterable[SentenceText]) -> bool:
    """Whether there are tokens with white space inside, and not only by accident."""
    tokens = spaced = 0
    for text in texts:
        tokens += len(text.tokens)
        spaced += sum(bool((classes_table[code_points(token)] == SPACE).any()) for token in text.tokens if " " in token)
    return spaced >= 5 and spaced * 2000 >= tokens
