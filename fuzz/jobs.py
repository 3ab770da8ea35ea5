"""Commands that write files: what they are run on, and what they must leave behind."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import crossarc

EXAMPLE = Path(crossarc.__file__).parent / "data" / "example.conllu"
NETWORK = ("--set", "hidden=16", "--set", "lexical_size=8", "--set", "tag_size=8", "--set", "arc_size=8")
TEXT = "She bought a coat yesterday that fits her well. Nobody knew why!\n\n"
EXPERIMENT = """
title = "Small"
parsers = ["arc-hybrid", "swap", "mst"]
treebanks = ["small"]
settings = { epochs = 2 }
"""


@dataclass(frozen=True)
class Job:
    """A command, in a folder with what `prepare` puts there; it writes one file there, `output`."""

    name: str
    arguments: tuple[str, ...]
    output: str = "out.crossarc"

    @property
    def command(self) -> list[str]:
        """The command as a process runs it."""
        return [sys.executable, "-m", "crossarc", *self.arguments]


def training(name: str, epochs: int, *options: str) -> Job:
    """The training of a kind of model, which continues what an earlier run began."""
    files = ("--train", "in.conllu", "--dev", "in.conllu", "-o", "out.crossarc", "--resume")
    return Job(f"train {name}", ("train", *files, "--epochs", str(epochs), *options))


JOBS = (
    training("arc-hybrid", 30, "--parser", "arc-hybrid"),
    training("fast swap", 30, "--parser", "swap", "--fast"),
    training("covington, beam", 8, "--parser", "covington", "--beam", "4"),
    training("mst", 8, "--parser", "mst"),
    training("carreras", 3, "--parser", "carreras"),
    training("dag-covington", 15, "--parser", "dag-covington"),
    training("dag-mst", 6, "--parser", "dag-mst"),
    training("neural", 6, "--parser", "neural", *NETWORK),
    training("pipeline", 6, "--pipeline", "--fast", "--jackknife", "2"),
    Job("parse text", ("parse", "en", "in.txt", "-o", "out.conllu"), "out.conllu"),
    Job("parse, gzip", ("parse", "en", "in.conllu", "-o", "out.conllu.gz"), "out.conllu.gz"),
    Job("parse, JSON lines", ("parse", "en", "in.txt", "--to", "jsonl", "-o", "out.jsonl"), "out.jsonl"),
    Job("convert", ("convert", "in.conllu", "-o", "out.conllx"), "out.conllx"),
    Job("draw", ("draw", "in.conllu", "-o", "out.html"), "out.html"),
    Job(
        "jackknife",
        ("jackknife", "in.conllu", "--parser", "arc-hybrid:epochs=3", "-o", "out.conllu"),
        "out.conllu",
    ),
    Job(
        "experiment",
        ("experiment", "small.toml", "--data", ".", "--jobs", "2", "-o", "out.md"),
        "out.md",
    ),
)


def jobs_named(names: list[str]) -> list[Job]:
    """The jobs whose names begin with one of some texts, or all."""
    return [job for job in JOBS if not names or any(job.name.startswith(name) for name in names)]


def prepare(folder: Path) -> None:
    """Put into a folder what the commands read."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(EXAMPLE, folder / "in.conllu")
    (folder / "in.txt").write_text(TEXT * 300)
    (folder / "small.toml").write_text(EXPERIMENT)
    (folder / "small").mkdir()
    for part in ("train", "dev", "test"):
        shutil.copy(EXAMPLE, folder / "small" / f"{part}.conllu")


def run(job: Job, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a job to its end."""
    return subprocess.run(job.command, cwd=folder, capture_output=True, text=True, check=False)


def files_of(folder: Path) -> set[str]:
    """The names of all files in a folder but those of the cache of experiments."""
    names = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return {str(name) for name in names if ".cache" not in name.parts or name.suffix == ".part"}


def result(job: Job, folder: Path) -> bytes | None:
    """What is at the place of the output; a page of an experiment without its times, which differ."""
    output = folder / job.output
    if not output.exists():
        return None
    data = output.read_bytes()
    if job.name == "experiment":
        return b"\n".join(line for line in data.splitlines() if line.startswith((b"#", b"title")))
    return data
