"""Settings, experiments and feature models in TOML, damaged: understood, or refused in one line that names the file."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from random import Random

from crossarc.core.checked import read_toml
from crossarc.errors import CrossarcError
from crossarc.experiments import read_experiment
from crossarc.features.edges import load_edge_model
from crossarc.features.inputs import load_input_model
from crossarc.features.templates import load_model
from crossarc.parsers import Parser
from crossarc.pipeline import Pipeline
from fuzz.treebanks import check_message, damaged

VALUES = (
    *(b"5", b"-1", b'"x"', b"[]", b"[[]]", b"{}", b"nan", b"inf", b"-inf", b"true", b"1e400", b"9" * 30, b"9" * 5000),
    *(
        b"1979-05-27",
        b"0x7f",
        b'["mst"]',
        b'"stack[0].form"',
        b"[5]",
        b"'''a\nb'''",
        b"[" * 2000,
        b"{ a = 1 }",
        b"\xff",
        b"0.5",
    ),
)
SETTINGS = b"""parser = "arc-hybrid"
epochs = 2
seed = 1
beam = 1
features = "compact"
learner = "perceptron"
"""
PIPELINE = b"""parser = "neural"
epochs = 2
jackknife = 5
max_sentence_words = 100
tagger = { epochs = 2, cut = 2, cost = 0.05, seed = 3 }
"""
EXPERIMENT = b"""title = "x"
treebanks = ["small"]
seeds = [1, 2]
columns = ["las"]
pairs = [["a", "b"]]
[parsers]
a = { parser = "swap", epochs = 2 }
b = { parser = "mst" }
[settings]
epochs = 3
"""


@dataclass(frozen=True)
class Toml:
    """A file, and what reads it."""

    kind: str
    data: bytes


Texts = list[tuple[str, bytes]]
READERS = {
    "settings": lambda path: Parser(**{"parser": "mst", **read_toml(path)}),
    "pipeline": lambda path: Pipeline(**read_toml(path)),
    "experiment": read_experiment,
    "templates": load_model,
    "edges": load_edge_model,
    "inputs": load_input_model,
}


def prepare(folder: Path) -> tuple[Texts, str]:
    """Return texts by what reads them, and the path of the file."""
    texts: Texts = [("settings", SETTINGS), ("pipeline", PIPELINE), ("experiment", EXPERIMENT)]
    for path in sorted((files("crossarc.features") / "models").iterdir(), key=lambda path: path.name):
        data = path.read_bytes()
        kind = "edges" if b"labels" in data else "inputs" if b"lexical" in data else "templates"
        texts.append((kind, data))
    return texts, str(folder / "mine.toml")


def make(seed: int, context: tuple[Texts, str]) -> Toml:
    """Return a damaged file."""
    rng = Random(seed)
    texts, _ = context
    kind, data = rng.choice(texts[:3] if rng.random() < 0.6 else texts)
    lines = data.split(b"\n")
    for _ in range(rng.choice((0, 1, 1, 2))):
        place = rng.randrange(len(lines))
        key, equals, _ = lines[place].partition(b"=")
        if equals:
            lines[place] = key + b"= " + rng.choice(VALUES)
    data = b"\n".join(lines)
    return Toml(
        kind if rng.random() < 0.9 else rng.choice(sorted(READERS)), damaged(rng, data) if rng.random() < 0.5 else data
    )


def check(given: Toml, context: tuple[Texts, str]) -> str:
    """Read the file."""
    _, path = context
    Path(path).write_bytes(given.data)
    try:
        READERS[given.kind](path)
    except CrossarcError as error:
        check_message(error, most=20_000)
        return f"{given.kind} refused"
    except TypeError as error:  # of arguments that Python itself refuses
        assert given.kind in ("settings", "pipeline")
        assert "unexpected keyword argument" in str(error) or "multiple values" in str(error), error
        return "no argument"
    return given.kind
