"""`crossarc train --pipeline`: tokenizer, tagger and parser for text, in one model file."""

from __future__ import annotations

import os
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from crossarc.cli.console import say
from crossarc.cli.progress import TrainingView, steps_shown
from crossarc.cli.train import announce_checkpoint, validated
from crossarc.errors import CrossarcError

if TYPE_CHECKING:
    from crossarc.components import Epoch, Progress
    from crossarc.pipeline import Pipeline
    from crossarc.tagging.tagger_training import Steps
    from crossarc.treebank import Sentence

# The fast one leaves out small weights: a fifth faster and as accurate, by docs/results/pipelines.md.
ACCURATE: dict[str, Any] = {"parser": "neural"}
FAST: dict[str, Any] = {"parser": "arc-hybrid", "prune": 0.01}
STAGES = {
    "tokenizer": "learning to split text into sentences and tokens",
    "tagger": "learning tags and lemmas",
    "jackknife": "predicting the tags of the training data, fold by fold",
}
STEPS = ("tagger", "jackknife")  # stages whose steps are not epochs
SPLITTING = ("Tokens", "Sentences", "Words")  # these are all right if the tokens are given
ATTACHMENT = ("UAS", "LAS")
SHOWN = (*SPLITTING, "UPOS", "UFeats", "Lemmas", *ATTACHMENT)
COLUMNS = {"UPOS": "upos", "UFeats": "feats", "Lemmas": "lemma"}  # a metric is shown only if its column is filled


def train_pipeline(
    train: list[str],
    dev: str | None,
    output: str,
    options: dict[str, Any],
    resume: bool,
    on_error: str,
) -> Pipeline:
    """Validate, train, save and print a summary."""
    from crossarc.components.modelfile import check_model_path
    from crossarc.pipeline import Pipeline
    from crossarc.pipeline.stages import stage_files

    check_model_path(output)
    settings = dict(options)
    if "parser" not in settings:  # together with --parser, --fast chooses the search of that parser
        settings = {**(FAST if settings.pop("fast", False) else ACCURATE), **settings}
    pipeline = Pipeline(str(settings.pop("parser")), **settings)
    if "jackknife" in options and pipeline.predicts_tags and pipeline.graph is None:
        name = pipeline.parser.settings.parser
        raise CrossarcError(f"jackknife is for pipelines with a linear tagger; {name} gives tags itself: leave it out")
    check = pipeline.parser.target
    sentences = [sentence for path in train for sentence in validated(path, on_error, check)]
    held_out = validated(dev, on_error, check) if dev is not None else None
    if held_out is not None and not held_out:
        raise CrossarcError(f"{dev}: the development set has no sentence; leave --dev out, or give another file")
    if pipeline.graph is None and not pipeline.parser.gives_graphs:
        offer_graphs(sentences)
    checkpoint = f"{output}.checkpoint"
    files = [*stage_files(checkpoint).values()]
    announce_checkpoint(next(filter(os.path.exists, reversed(files)), files[0]), resume)
    view = StagesView(pipeline, sum(map(len, sentences)))
    try:
        with view.stack:
            pipeline.fit(
                sentences,
                held_out,
                checkpoint=checkpoint,
                resume=resume,
                on_stage=view.on_stage,
                on_step=view.on_step,
                on_epoch=view.on_epoch,
                on_progress=view.on_progress,
            )
        pipeline.save(output)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(view.farewell(output, checkpoint, any(map(os.path.exists, files)))) from None
    summarise(pipeline, held_out, output)
    return pipeline


def offer_graphs(sentences: list[Sentence]) -> None:
    """Print that a treebank has graphs that trees do not hold, and which option learns them too."""
    from crossarc.parsers.recommendation import recommend_graph
    from crossarc.structure import summarise as summarise_structure

    if not any(sentence.has_graph for sentence in sentences):
        return
    name, reason = recommend_graph(summarise_structure(sentences))
    if name:
        say(f"the treebank has graphs: {reason}; --graph {name} learns them too")


class StagesView:
    """Shows which part of a pipeline is trained, and how far it is."""

    def __init__(self, pipeline: Pipeline, words: int) -> None:
        self.pipeline, self.words = pipeline, words
        self.stack = ExitStack()
        self.stage = ""
        self.epochs: TrainingView | None = None  # once there are epochs
        self.steps: Steps = lambda done, of: None

    def on_stage(self, name: str) -> None:
        """Print what is learned next; show the steps before its epochs."""
        self.stack.close()
        self.stage, self.epochs = name, None
        parser = self.pipeline.parsers.get(name)
        say(f"{name} {parser.settings.parser}" if parser is not None else f"{name}: {STAGES[name]}")
        self.steps = self.stack.enter_context(steps_shown(name)) if name in STEPS else lambda done, of: None

    def view(self) -> TrainingView:
        """Return what shows the epochs of the stage."""
        if self.epochs is None:
            self.stack.close()
            from crossarc.tagging import Tagger

            # A tagger is new in each training, and part of the pipeline at its end.
            learner: Any = self.pipeline.components.get(self.stage) or Tagger(**self.pipeline.tagger_settings)
            settings = getattr(learner, "settings", learner)
            view = TrainingView(settings.epochs, self.words, getattr(settings, "augment", False))
            self.epochs = self.stack.enter_context(view)
        return self.epochs

    def on_step(self, done: int, of: int) -> None:
        """Show how many steps of a stage are done."""
        self.steps(done, of)

    def on_epoch(self, epoch: Epoch) -> None:
        """Show an epoch of what is trained now."""
        self.view().on_epoch(epoch)

    def on_progress(self, progress: Progress) -> None:
        """Show how far the epoch is."""
        self.view().on_progress(progress)

    def farewell(self, output: str, checkpoint: str, kept: bool) -> str:
        """The message after an interrupt."""
        where = f"interrupted in stage {self.stage}" if self.stage else "interrupted"
        if self.epochs is not None and self.epochs.running:
            where += f", epoch {self.epochs.running}"
        if not kept:
            return f"{where}; no file was changed"
        saved = f"what was learned before is saved in {checkpoint}.*, and --resume continues from there"
        return f"{where}; {saved}; {output} was not written"


def summarise(pipeline: Pipeline, dev: list[Sentence] | None, output: str) -> None:
    """Print the scores on the development set, from its tokens and from its text, and the model file."""
    from crossarc.parsers.columns import filled_columns_of
    from crossarc.treebank.corpus import Corpus

    best = pipeline.parser.manifest_["development"]
    if dev is not None:
        if best:
            say(f"best: epoch {best['epoch']}")
        filled = filled_columns_of(Corpus.of(dev), list(COLUMNS.values()))
        shown = [name for name in SHOWN if filled.get(COLUMNS.get(name, ""), True)]
        if pipeline.parser.gives_graphs:
            shown = [name for name in shown if name not in ATTACHMENT]
        say(aligned("development set", {name: name for name in shown}))
        for given, what in ((True, "from its tokens"), (False, "from its text")):
            scores = pipeline.evaluate(dev, given_tokens=given)
            cells = {name: "" if given and name in SPLITTING else f"{scores[name].f1:.2f}" for name in shown}
            say(aligned(what, cells))
        say("(as in the CoNLL 2018 shared task: labels up to the colon, universal features)")
    say(f"Saved {output} ({os.path.getsize(output) / 1e6:.1f} MB)")


def aligned(title: str, cells: dict[str, str]) -> str:
    """A row of a small table; the titles of columns are the names of cells."""
    return f"{title:16}" + " ".join(f"{text:>{max(6, len(name))}}" for name, text in cells.items())
