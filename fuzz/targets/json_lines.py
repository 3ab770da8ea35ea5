"""JSON lines and dicts of sentences, damaged: documents and sentences come back the same, or are refused."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from crossarc.errors import CrossarcError
from crossarc.treebank import Sentence
from crossarc.treebank.json_lines import read_json_documents, write_json_lines
from fuzz.samples import FLOATS, odd_text, sentence
from fuzz.treebanks import PACKINGS, check_message, damaged, packed

ODD_VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    10**30,
    1.5,
    "",
    "_",
    "1-2",
    "8.1",
    [],
    {},
    [[]],
    [1],
    {"a": 1},
    "a\nb",
    "a\tb",
    [[1, 2, 3]],
)


@dataclass(frozen=True)
class Lines:
    """A file, and the dict of a sentence."""

    data: bytes
    policy: str
    plain: Any


def prepare(folder: Path) -> None:
    """Nothing is needed."""


def make(seed: int, context: None) -> Lines:
    """Return a file of documents, and a dict that is nearly a sentence."""
    rng = Random(seed)
    lines = b"".join(line(rng) for _ in range(rng.randint(0, 4)))
    data = packed(rng, damaged(rng, lines), rng.choice(PACKINGS))
    plain = plain_sentence(rng)
    for _ in range(rng.choice((0, 1, 1, 2))):
        spoil(rng, plain)
    return Lines(data, rng.choice(("fail", "skip")), plain)


def plain_sentence(rng: Random) -> Any:
    """The dict of a sentence."""
    while True:
        try:
            return sentence(rng, rng.randint(1, 4)).to_dict()
        except CrossarcError:  # a label that DEPS cannot have
            continue


def line(rng: Random) -> bytes:
    """A document on a line."""
    document: dict[str, Any] = {"text": odd_text(rng, 8)}
    for _ in range(rng.randint(0, 3)):
        document[odd_text(rng)] = value(rng)
    text = json.dumps(document, ensure_ascii=rng.random() < 0.5)
    return text.encode(errors="surrogatepass") + rng.choice((b"\n", b"\r\n", b"\n\n"))


def value(rng: Random, depth: int = 0) -> Any:
    """A value of a field."""
    kind = rng.randrange(6 if depth < 3 else 4)
    if kind == 0:
        return odd_text(rng)
    if kind == 1:
        return rng.choice(FLOATS)
    if kind in (2, 3):
        return rng.choice((None, True, False, rng.randint(-(10**20), 10**20)))
    if kind == 4:
        return [value(rng, depth + 1) for _ in range(rng.randint(0, 3))]
    return {odd_text(rng): value(rng, depth + 1) for _ in range(rng.randint(0, 3))}


def spoil(rng: Random, plain: Any) -> None:
    """Put something odd into a dict of a sentence."""
    tokens = plain.get("tokens")
    places = [plain, *(tokens if isinstance(tokens, list) else ())]
    place = rng.choice([each for each in places if isinstance(each, dict)])
    if place:
        place[rng.choice(sorted(place))] = rng.choice(ODD_VALUES)


def check(given: Lines, context: None) -> str:
    """Read the file and the dict."""
    outcome = check_sentence(given.plain)
    try:
        said: list[str] = []
        found = list(read_json_documents(io.BytesIO(given.data), on_error=given.policy, report=said.append))  # type: ignore[arg-type]
    except CrossarcError as error:
        check_message(error)
        return f"refused, {outcome}"
    assert all("\n" not in each for each in said), "a message has several lines"
    out = io.BytesIO()
    write_json_lines(found, out)
    again = list(read_json_documents(io.BytesIO(out.getvalue())))
    assert again == found, "documents that were written read otherwise"
    return f"read, {outcome}"


def check_sentence(plain: Any) -> str:
    """A dict is a sentence that comes back, or is refused."""
    try:
        found = Sentence.from_dict(plain)
    except CrossarcError as error:
        check_message(error)
        return "no sentence"
    dictionary = found.to_dict()
    assert json.loads(json.dumps(dictionary)) == dictionary
    assert Sentence.from_dict(dictionary) == found, "the dict of a sentence gives another one"
    return "sentence"
