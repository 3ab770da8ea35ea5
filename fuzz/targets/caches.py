"""Damaged files in the cache of experiments: a result is as it was written, or there is none and the job runs again."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import crossarc
from crossarc.experiments import Experiment, Result
from crossarc.experiments.jobs import Job
from crossarc.experiments.runner import keep_result, read_result
from crossarc.experiments.worker import work
from fuzz.modelfiles import damage_manifest, sentences


@dataclass(frozen=True)
class Cache:
    """A folder with the result of one job."""

    folder: Path
    result: Result
    data: bytes

    @property
    def job(self) -> Job:
        """The job."""
        return self.result.job


def prepare(folder: Path) -> Cache:
    """Run one small job."""
    treebank = folder / "data" / "small"
    treebank.mkdir(parents=True)
    for part in ("train", "dev", "test"):
        crossarc.write(sentences(8, len(part)), treebank / f"{part}.conllu")
    experiment = Experiment.model_validate(
        {"title": "t", "parsers": ["arc-hybrid"], "treebanks": ["small"], "settings": {"epochs": 1}}
    )
    (job,) = experiment.jobs(folder / "data")
    result = Result(job, json.loads(json.dumps(work(json.loads(job.order())))))
    keep_result(folder, result)
    return Cache(folder, result, (folder / job.file_name).read_bytes())


def make(seed: int, context: Cache) -> bytes:
    """The file with some bytes or some values changed."""
    rng = Random(seed)
    how = rng.random()
    if how < 0.1:
        return context.data[: rng.randrange(len(context.data))]
    if how < 0.5:
        data = bytearray(context.data)
        for _ in range(rng.randint(1, 4)):
            data[rng.randrange(len(data))] = rng.choice(b'0123456789.eE-+,:"[]{}\\ntfu\x00\xff')
        return bytes(data)
    if how < 0.52:
        return rng.choice((b"[" * 100_000, b"{}", b"null", b"[]", b'{"key": {}}', b"1" * 10_000, b""))
    told: dict[str, Any] = json.loads(context.data)
    for _ in range(rng.randint(1, 3)):
        damage_manifest(rng, told, json.loads(context.data))
    return json.dumps(told).encode(errors="surrogatepass")


def check(given: bytes, context: Cache) -> str:
    """The result is whole, or there is none."""
    (context.folder / context.job.file_name).write_bytes(given)
    found = read_result(context.folder, context.job)
    if found is None:
        return "runs again"
    assert found == context.result, "a damaged result was read"
    return "kept"
