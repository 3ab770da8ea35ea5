"""The stages in which a pipeline learns, and the files from which an interrupted training goes on."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from crossarc.components.checkpoint import Checkpoint
from crossarc.errors import CrossarcError
from crossarc.parsers import Parser
from crossarc.tagging import Tagger, Tokenizer
from crossarc.treebank.sentence import Sentence

STAGES = ("tokenizer", "tagger", "jackknife", "parser", "graph")  # in their order
Treebank = tuple[list[Sentence], list[Sentence] | None]  # to learn from, and the development set
Learned = TypeVar("Learned", Tokenizer, Tagger, Parser)


def stage_files(checkpoint: str | os.PathLike[str]) -> dict[str, str]:
    """Return the files of the stages by their names."""
    return {name: f"{os.fspath(checkpoint)}.{name}" for name in STAGES}


class Stages:
    """Lets the components of a pipeline learn, one after the other.

    A stage has a file of its own: while it learns, the checkpoint of its component; later what it has learned, so that
    no stage learns twice. `signature` says what the training belongs to, and is called if there are files.
    """

    def __init__(
        self,
        checkpoint: str | os.PathLike[str] | None,
        resume: bool,
        signature: Callable[[], Mapping[str, Any]],
        on_stage: Callable[[str], None],
        **watchers: Callable[[Any], None],
    ) -> None:
        if resume and checkpoint is None:
            raise CrossarcError("there is nothing to resume from; name the file with checkpoint=")
        self.resume = resume
        self.files = stage_files(checkpoint) if checkpoint is not None else {}
        self.signature = signature() if checkpoint is not None else {}
        self.on_stage = on_stage
        self.watchers = watchers

    def where(self, name: str) -> dict[str, Any]:
        """Return the options that say where a stage keeps its training state."""
        return {"checkpoint": self.files.get(name), "resume": self.resume}

    def learned(self, name: str, learner: Learned, treebank: Treebank, last: bool = False, **options: Any) -> Learned:
        """Return a learner that has learned from a treebank, now or before an interruption."""
        file = Checkpoint(self.files[name], self.signature, resume=self.resume) if self.files else None
        found = file.finished() if file is not None else None
        if file is not None and found is not None:
            before = type(learner).from_parts(*found, file.path)
            vars(learner).update({name: value for name, value in vars(before).items() if name.endswith("_")})
            return learner
        self.on_stage(name)
        fit: Callable[..., Any] = learner.fit
        fit(*treebank, **self.where(name), **self.watchers, **options)
        if file is not None and not last:
            self.remove(*STAGES[STAGES.index(name) + 1 :])  # those of an older training
            file.finish(*learner.stored_parts())
        return learner

    def remove(self, *names: str) -> None:
        """Delete the files of some stages, or of all."""
        for name in names or STAGES:
            if name in self.files and os.path.exists(self.files[name]):
                os.remove(self.files[name])
