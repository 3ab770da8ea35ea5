"""Whole commands as processes, with damaged files and odd names: an exit code, lines for people, no traceback."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from random import Random

import crossarc
from crossarc.treebank import Sentence
from fuzz.treebanks import CONTROLS, PACKINGS, damaged, packed, treebank

NAMES = (
    "a.conllu",
    "b.conllu.gz",
    "c.sdp",
    "d.conllx",
    "e",
    "f.txt",
    "g.jsonl",
    "h\x1b[31m\u202e.conllu",
    "-",
    "no.conllu",
    "m.toml",
)
OUTPUTS = (
    "-",
    "out.conllu",
    "out.sdp.gz",
    "out.jsonl",
    "out.svg",
    "out.html",
    "out.txt",
    "out.xyz",
    "no/out.conllu",
    "a.conllu",
    ".",
    "m",
)
COMMANDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "validate": (("FILE", "FILE"), ("--graph", "--acyclic", "--json", "--fix OUT", "--from sdp", "--limit 0")),
    "convert": (
        ("FILE",),
        ("-o OUT", "--to conllx", "--from conll09", "--on-error skip", "--on-error nope", "--predicted"),
    ),
    "stats": (("FILE",), ("--json", "--markdown", "--from conllu", "--plot OUT")),
    "evaluate": (("FILE", "FILE"), ("--by label", "--json", "--no-punct", "--by nope")),
    "compare": (("FILE", "FILE", "FILE"), ("--json", "--markdown", "--shuffles 10", "--metric nope")),
    "draw": (("FILE",), ("-o OUT", "--crossing", "--columns feats,deps", "--width 30", "--sentence 1")),
    "oracle": (("FILE", "--parser", "PARSER"), ("--markdown", "--sentence 1")),
    "transform": (("DIRECTION", "FILE"), ("-o OUT", "--encoding path", "--on-error fix")),
    "parse": (
        ("MODEL", "FILE"),
        ("-o OUT", "--scores", "--k 2", "--on-error skip", "--from text", "--to jsonl", "--threads 2"),
    ),
    "info": (("FILE",), ("--json",)),
    "train": (
        ("--train", "FILE", "-o", "OUT"),
        ("--config m.toml", "--epochs 1", "--dev FILE", "--on-error fix", "--parser PARSER"),
    ),
    "jackknife": (("FILE",), ("-o OUT", "--tags", "--folds 2", "--epochs 1")),
    "experiment": (("m.toml",), ("--data .",)),
    "parsers": ((), ("--json", "--nope")),
}
PARSERS = ("arc-eager", "arc-eager-pp", "swap", "dag-covington", "mst", "nope", "two-planar-label")
DIRECTIONS = ("projectivize", "deprojectivize", "encode-graphs", "decode-graphs", "nope")


@dataclass(frozen=True)
class Run:
    """The arguments of a command, and the files in its folder."""

    arguments: tuple[str, ...]
    files: tuple[tuple[str, bytes], ...]
    given: bytes


def prepare(folder: Path) -> tuple[Path, bytes]:
    """Return a folder, and a small model."""
    trees = Sentence(b"1\tIt\tit\tPRON\t_\t_\t2\tnsubj\t_\t_\n2\tworks\twork\tVERB\t_\t_\t0\troot\t_\t_\n\n")
    path = folder / "small"
    crossarc.Parser("arc-eager", epochs=1).fit([trees] * 3).save(path)
    return folder / "run", path.read_bytes()


def make(seed: int, context: tuple[Path, bytes]) -> Run:
    """Return a command and its files."""
    rng = Random(seed)
    name = rng.choice(sorted(COMMANDS))
    needed, options = COMMANDS[name]
    words = [name, *needed]
    for option in rng.sample(options, rng.randint(0, min(2, len(options)))):
        words += option.split()
    choices = {
        "FILE": NAMES,
        "OUT": OUTPUTS,
        "MODEL": ("m", "m", "en", "a.conllu", "nope"),
        "PARSER": PARSERS,
        "DIRECTION": DIRECTIONS,
    }
    words = [rng.choice(choices[word]) if word in choices else word for word in words]
    if rng.random() < 0.02:
        words[rng.randrange(len(words))] = "--nope"
    files = []
    for file in NAMES:
        if file not in ("-", "no.conllu"):
            _, data = treebank(rng)
            data = {
                "f.txt": b"It works. Try it!\n",
                "g.jsonl": b'{"text": "It works."}\n',
                "m.toml": b"epochs = 1\n",
            }.get(file, data)
            packing = "gzip" if file.endswith(".gz") else rng.choice(PACKINGS) if rng.random() < 0.2 else "plain"
            files.append((file, packed(rng, damaged(rng, data) if rng.random() < 0.5 else data, packing)))
    _, model = context
    files.append(("m", model if rng.random() < 0.8 else damaged(rng, model)))
    return Run(tuple(words), tuple(files), treebank(rng)[1])


def check(given: Run, context: tuple[Path, bytes]) -> str:
    """Run the command in a folder of its own."""
    folder, _ = context
    folder.mkdir(exist_ok=True)
    for path in sorted(folder.iterdir()):
        path.unlink()
    for name, data in given.files:
        (folder / name).write_bytes(data)
    command = [sys.executable, "-m", "crossarc", *given.arguments]
    run = subprocess.run(command, cwd=folder, input=given.given, capture_output=True, check=False, timeout=120)
    said = run.stderr.decode()
    assert run.returncode in (0, 1, 2, 3), f"exit code {run.returncode}: {given.arguments}: {said[-300:]}"
    assert "Traceback" not in said, f"a traceback: {given.arguments}: {said[-600:]}"
    shown = CONTROLS.search(said.replace("\n", ""))
    assert shown is None or said.startswith("Usage"), f"a control {shown[0]!r} in {said[-300:]!r}"
    if run.returncode == 2:
        assert said.strip(), f"no message: {given.arguments}"
        last = said.strip().splitlines()[-1]
        assert last.startswith(("crossarc: ", "Error: ")), f"{given.arguments}: {last[:300]}"
    for name, data in given.files:
        if name in given.arguments[1:] and name != "m":
            assert (folder / name).read_bytes() == data, f"{name} was changed by {given.arguments}"
    left = [path.name for path in folder.iterdir() if path.name.endswith(".part")]
    assert not left, f"{left} were left"
    return f"{given.arguments[0]} {run.returncode}"
