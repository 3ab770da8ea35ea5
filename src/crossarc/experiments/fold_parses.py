"""The parses of a cross-validation as files: those of each fold, and all sentences in the order of the treebank."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from crossarc.experiments.folds import CrossValidation
from crossarc.experiments.jobs import extension_of
from crossarc.experiments.runner import Result
from crossarc.treebank import Sentence, read, write
from crossarc.treebank.folds import assign_folds


def write_parses(
    plan: CrossValidation,
    results: Sequence[Result],
    cache: str | os.PathLike[str],
    folder: str | os.PathLike[str],
) -> int:
    """Copy the parses of all jobs from the cache to a folder, join those of each parser, and return how many files.

    A parser named `mst` has its folds in `mst/fold-1.conllu` and so on, and all sentences in `mst.conllu`, so that they
    can be compared with the treebank. The parses of failed jobs are left out.
    """
    target, extension = Path(folder), extension_of(plan.file)
    count = 0
    for at, name in enumerate(file_names([candidate.name for candidate in plan.candidates])):
        group = results[at * plan.folds : (at + 1) * plan.folds]
        paths = [Path(cache) / result.job.parses_name for result in group]
        (target / name).mkdir(parents=True, exist_ok=True)
        for fold, (result, path) in enumerate(zip(group, paths, strict=True), 1):
            copy = target / name / f"fold-{fold}{extension}"
            copy.unlink(missing_ok=True)  # of an earlier run with other settings
            if not result.failed:
                shutil.copyfile(path, copy)
                count += 1
        whole = target / f"{name}{extension}"
        whole.unlink(missing_ok=True)
        if not any(result.failed for result in group):
            write(joined(paths, plan.seed), whole)
            count += 1
    return count


def joined(paths: Sequence[Path], seed: int) -> list[Sentence]:
    """The sentences of all folds in the order of the treebank."""
    parts = [list(read(path)) for path in paths]
    left = [iter(part) for part in parts]
    return [next(left[fold - 1]) for fold in assign_folds(sum(map(len, parts)), len(paths), seed)]


def file_names(names: Sequence[str]) -> list[str]:
    """A name for files for each parser: without characters that some systems refuse, and all different.

    >>> file_names(["eisner:transform=head,cap=30", "mst", "mst"])
    ['eisner-transform=head,cap=30', 'mst', 'mst-2']
    """
    found: list[str] = []
    for name in names:
        plain = re.sub(r"[^\w.=,-]+", "-", name).strip(".-") or "parser"
        number = 1
        while (chosen := plain if number == 1 else f"{plain}-{number}") in found:
            number += 1
        found.append(chosen)
    return found
