"""Text in, trees out: a tokenizer, a tagger and parsers as one model."""

from __future__ import annotations

import copy
import os
import reprlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any, Literal, Self, cast, overload

from crossarc.components.component import Arrays, part, prefixed
from crossarc.components.description import Count, Description, Held, check_manifest, reading
from crossarc.components.modelfile import Manifest
from crossarc.components.stored import Stored
from crossarc.components.streams import in_batches, in_order
from crossarc.components.training import Epoch, Progress
from crossarc.core.checked import checked_name
from crossarc.errors import CrossarcError, ModelError, UnknownName
from crossarc.parsers import Parser
from crossarc.parsers.columns import filled_columns_of
from crossarc.parsers.parser import Data, checked_sentences, only_sentences
from crossarc.parsers.provenance import digest
from crossarc.pipeline.roles import ROLES, TAGS, Member, Role, gives_tags, passed, tagging_parser
from crossarc.pipeline.stages import Stages, Treebank
from crossarc.tagging import Sentences, Tagger, Tokenizer
from crossarc.tagging.tokenizer_model import MOST_WORDS
from crossarc.treebank.corpus import Corpus
from crossarc.treebank.reading import OnError, Report, read
from crossarc.treebank.sentence import Sentence
from crossarc.treebank.token_lists import sentences_of_tokens

if TYPE_CHECKING:
    from crossarc.evaluation.tokenization import Tokenization
    from crossarc.parsers.analysis import Analysis
    from crossarc.tagging.tagger_training import Steps

BATCH_CHARACTERS = 80_000  # of texts that are parsed together
Stage = Callable[[str], None]


class PipelineDescription(Description):
    """The manifest of a pipeline."""

    kind: Literal["pipeline"]
    jackknife: Count
    components: dict[Literal["tokenizer", "tagger", "parser", "graph"], Held]


class Pipeline(Stored):
    """Turns text into sentences with tags and trees.

    `parser` is any preset, with its settings. A parser that can predict tags itself, such as `neural`, gives tags
    and trees by one network, from forms alone. For all others a linear tagger gives the tags, and the parser learns
    from tags that were predicted in so many folds (`jackknife`, 0 for gold tags), since predicted tags are what it will
    see. `graph` is a preset of graphs that is trained in addition to the parser. Sentences of text with more than
    `max_sentence_words` words are cut where they end most likely.

    `components` are the tokenizer, the tagger, the parser and the parser of graphs, as far as there are such.
    """

    shared_ = ()
    components: dict[str, Member]
    tokenizer = Role[Tokenizer]()
    tagger = Role["Tagger | None"]()
    parser = Role[Parser]()
    graph = Role["Parser | None"]()
    checkpoint_: Stages | None = None

    def __init__(
        self,
        parser: str = "neural",
        *,
        jackknife: int = 10,
        graph: str | None = None,
        tagger: Mapping[str, Any] | None = None,
        max_sentence_words: int = MOST_WORDS,
        **settings: Any,
    ) -> None:
        if not isinstance(jackknife, int) or jackknife < 0 or jackknife == 1:
            raise CrossarcError(f"jackknife = {jackknife!r}: name the number of folds, 2 or more, or 0 for gold tags")
        seed = settings.get("seed", 1)
        self.jackknife = jackknife
        self.tagger_settings = {"seed": seed, **checked_tagger(tagger or {})}
        self.components = {"tokenizer": Tokenizer(seed=seed, max_sentence_words=max_sentence_words)}
        self.parser = tagging_parser(parser, settings)
        self.graph = Parser(graph, seed=seed) if graph is not None else None
        if self.graph is not None and not self.graph.gives_graphs:
            raise CrossarcError(f"graph = {graph!r} gives trees; name a preset of graphs, such as dag-covington")

    def __repr__(self) -> str:
        return f"<Pipeline with {self.parser!r}>"

    def fit(
        self,
        train: Data,
        dev: Data | None = None,
        *,
        checkpoint: str | os.PathLike[str] | None = None,
        resume: bool = False,
        on_error: OnError = "fail",
        on_finding: Report | None = None,
        on_stage: Stage = lambda name: None,
        on_step: Steps = lambda done, of: None,
        on_epoch: Callable[[Epoch], None] = lambda epoch: None,
        on_progress: Callable[[Progress], None] = lambda progress: None,
    ) -> Pipeline:
        """Learn from a treebank with text, tags and trees; with `dev` the best epochs are kept.

        `on_stage` is called with the name of the next stage: tokenizer, tagger, jackknife, parser or graph. `on_epoch`
        and `on_progress` tell how far its epochs are, and `on_step` how many steps are done, and how many there are,
        where there are no epochs: in the preparation of the tagger, and in jackknife.

        Each stage saves its training state to a file whose name is `checkpoint` and then the name of the stage, such as
        `my.checkpoint.tokenizer`; `save` deletes them. With `resume` training goes on in the stage where it was
        interrupted, and gives the same model as without the interruption.
        """
        sentences = checked_sentences(train, self.parser.target, on_error, on_finding)
        held_out = checked_sentences(dev, self.parser.target, on_error, on_finding) if dev is not None else None
        if not sentences:
            raise CrossarcError("there is no sentence to learn from")
        gold = sentences, held_out
        watchers: dict[str, Any] = {"on_epoch": on_epoch, "on_progress": on_progress}
        stages = Stages(checkpoint, resume, lambda: self.signature(*gold), on_stage, **watchers)
        fresh = copy.copy(self)  # a training that fails leaves all components as they were
        stages.learned("tokenizer", fresh.tokenizer, gold)
        predicted = gold  # with the tags that a parser will see
        fresh.tagger = None
        has_tags = any(filled_columns_of(Corpus.of(sentences), TAGS).values())
        if has_tags and not all(map(gives_tags, fresh.parsers.values())):
            fresh.tagger = Tagger(**self.tagger_settings)
            stages.learned("tagger", fresh.tagger, gold, on_step=on_step)
            predicted = fresh.jackknifed(gold, fresh.tagger, stages, on_step)
            if fresh.predicts_tags:  # it was for the training data of the parser of graphs
                fresh.tagger = None
        *_, last = fresh.parsers
        for role, parser in fresh.parsers.items():
            stages.learned(role, parser, gold if gives_tags(parser) else predicted, role == last)
        self.components, self.origin_, self.checkpoint_ = fresh.components, None, stages
        return self

    def jackknifed(self, gold: Treebank, tagger: Tagger, stages: Stages, on_step: Steps) -> Treebank:
        """Return a treebank with tags as a tagger predicts them for sentences that it has not seen."""
        sentences, held_out = gold
        folds = min(self.jackknife, len(sentences))
        if folds < 2:
            return gold
        from crossarc.tagging import jackknife_tags  # which parsing does not need

        stages.on_stage("jackknife")
        tagged = jackknife_tags(
            sentences,
            folds=folds,
            report=lambda fold: on_step(fold, folds),
            **stages.where("jackknife"),
            **self.tagger_settings,
        )
        return tagged, tagger.tag(held_out) if held_out is not None else None

    def signature(self, train: list[Sentence], dev: list[Sentence] | None) -> dict[str, Any]:
        """Return the signature of the checkpoint of a training."""
        settings = {"jackknife": self.jackknife, "max_sentence_words": self.tokenizer.max_sentence_words}
        parts = {"tagger": self.tagger_settings} | {
            role: each.settings.model_dump() for role, each in self.parsers.items()
        }
        settings |= {f"{role}.{name}": value for role, own in parts.items() for name, value in own.items()}
        return {"settings": settings, "train": digest(train), "dev": digest(dev or ())}

    @property
    def predicts_tags(self) -> bool:
        """Whether the parser gives tags itself."""
        return gives_tags(self.parser)

    def __call__(self, text: str, *, document: str = "") -> Sentences:
        """Return the sentences of a text with tags and trees; `text_of` gives the text back.

        >>> import crossarc
        >>> nlp = crossarc.load("en")
        >>> [sentence.forms[1:] for sentence in nlp("It works. Try it!")]
        [('It', 'works', '.'), ('Try', 'it', '!')]
        """
        return self.parse_texts([text], [checked_name("document", document)])[0]

    def pipe(self, texts: Iterable[str], *, threads: int = 1) -> Iterator[Sentences]:
        """Yield the sentences of each text, in order; threads work on several batches of texts at once."""
        return in_order(self.parse_texts, text_batches(texts), threads)

    def stream(self, blocks: Iterable[str], *, threads: int = 1, document: str = "") -> Iterator[Sentence]:
        """Yield the sentences of one long text that comes in blocks, as from a file; memory does not grow with it."""
        return in_batches(self.parse_batch, self.tokenizer.stream(blocks, document=document), threads)

    def parse(
        self, sentences: Data, *, threads: int = 1, keep_tags: bool = False, **options: Any
    ) -> Iterator[Sentence] | Iterator[Analysis]:
        """Yield sentences whose tokens are given, with new tags and trees; `keep_tags` keeps tags that are there.

        The other options are those of `Parser.parse`, such as `scores`, `k` and `constraints`.
        """
        stream = only_sentences(read(sentences) if isinstance(sentences, str | os.PathLike) else sentences)
        if not any(option is not None and option is not False for option in options.values()):
            return in_batches(lambda batch: self.parse_batch(batch, keep_tags), stream, threads)
        place = self.annotators.index(self.parser)
        before, after = self.annotators[:place], self.annotators[place + 1 :]
        if before:
            stream = in_batches(lambda batch: passed(batch, before, keep_tags), stream, threads)
        found = self.parser.parse(stream, threads=threads, keep_tags=keep_tags, **options)
        return self.passed_on(found, after, threads) if after else found

    def passed_on(
        self, found: Iterator[Sentence] | Iterator[Analysis], after: list[Tagger | Parser], threads: int
    ) -> Iterator[Sentence] | Iterator[Analysis]:
        """Yield parsed sentences, or analyses, with what the components after the parser give."""
        waiting: deque[Sentence | Analysis] = deque()

        def sentences() -> Iterator[Sentence]:
            for each in found:
                waiting.append(each)
                source = each if isinstance(each, Sentence) else each.best.source
                assert source is not None
                yield source

        for sentence in in_batches(lambda batch: passed(batch, after), sentences(), threads):
            each = waiting.popleft()
            yield sentence if isinstance(each, Sentence) else each.of(sentence)

    @overload
    def parse_tokens(self, tokens: Sequence[str]) -> Sentence: ...  # type: ignore[overload-overlap]
    @overload
    def parse_tokens(self, tokens: Sequence[Sequence[str]]) -> list[Sentence]: ...
    def parse_tokens(self, tokens: Sequence[str] | Sequence[Sequence[str]]) -> Sentence | list[Sentence]:
        """Return the sentence of a list of tokens with tags and a tree, or the sentences of a list of such lists."""
        sentences, is_one = sentences_of_tokens(tokens)
        parsed = self.parse_batch(sentences)
        return parsed[0] if is_one else parsed

    def parse_texts(self, texts: list[str], documents: Iterable[str] = repeat("")) -> list[Sentences]:
        """Return the sentences of each text, parsed together."""
        for text in texts:
            check_text(text)
        found = [Sentences() for _ in texts]
        owners: deque[Sentences] = deque()  # of the sentences that are parsed now

        def tokenized() -> Iterator[Sentence]:
            for text, name, own in zip(texts, documents, found, strict=False):
                own.spaces = text
                for sentence in self.tokenizer.stream([text], document=name):
                    own.spaces = ""
                    owners.append(own)
                    yield sentence

        for parsed in in_batches(self.parse_batch, tokenized(), 1):
            owners.popleft().append(parsed)
        return found

    def parse_batch(self, sentences: list[Sentence], keep_tags: bool = False) -> list[Sentence]:
        """Return sentences with tags, trees, and graphs if there is a parser of these."""
        return passed(sentences, self.annotators, keep_tags) if sentences else []

    def notes(self) -> list[str]:
        """Return remarks about the input parsed so far."""
        return [note for each in self.components.values() for note in each.model.notes()]

    def reset_notes(self) -> None:
        """Forget what was counted so far."""
        for each in self.components.values():
            each.model.reset_notes()

    def evaluate(self, gold: Data, *, given_tokens: bool = False) -> Tokenization:
        """Parse the text of a treebank, or its tokens, and score the result as in the CoNLL 2018 shared task."""
        sentences = checked_sentences(gold, self.parser.target, "fail", None)
        from crossarc.evaluation.tokenization import evaluate_tokenization
        from crossarc.tagging.training_text import raw_text

        parsed = self.parse(sentences) if given_tokens else self(raw_text(sentences))
        return evaluate_tokenization(sentences, cast("Iterable[Sentence]", parsed))

    def stored_parts(self) -> tuple[Manifest, Arrays]:
        """Return the manifest and the arrays of its model file."""
        manifest: Manifest = {"kind": "pipeline", "jackknife": self.jackknife, "components": {}}
        arrays: Arrays = {}
        for role, each in self.components.items():
            manifest["components"][role], own = each.stored_parts()
            arrays |= prefixed(own, f"{role}.")
        return manifest, arrays

    @classmethod
    def from_parts(cls, manifest: Manifest, arrays: Arrays, name: str) -> Pipeline:
        """Return the pipeline of a model file; `name` is that of the file in messages."""
        if manifest.get("kind") == "parser":
            raise ModelError(f"{name}: this is a parser, not a pipeline; crossarc.load reads both")
        pipeline = cls.__new__(cls)
        with reading(f"{name}: the file holds no pipeline that crossarc can use"):
            check_manifest(manifest, PipelineDescription)
            stored = manifest["components"]
            pipeline.components = {
                role: kind.from_parts(stored[role], part(arrays, f"{role}."), name)
                for role, kind in ROLES.items()
                if role in stored
            }
            if not {"tokenizer", "parser"} <= set(pipeline.components):
                raise ValueError(f"it has {', '.join(stored)}")
            pipeline.jackknife = manifest["jackknife"]
            pipeline.tagger_settings = {"seed": pipeline.parser.settings.seed}
            if pipeline.graph is not None and not pipeline.graph.gives_graphs:
                raise ValueError("the parser of graphs gives trees")
        return pipeline

    def __copy__(self) -> Self:
        twin = super().__copy__()
        twin.components = {role: copy.copy(each) for role, each in self.components.items()}
        return twin

    @property
    def parsers(self) -> dict[str, Parser]:
        """The parser of trees or graphs, and the additional parser of graphs, if there is one."""
        return {role: each for role, each in self.components.items() if isinstance(each, Parser)}

    @property
    def annotators(self) -> list[Tagger | Parser]:
        """The components that sentences pass through, in order: all but the tokenizer."""
        return [each for each in self.components.values() if not isinstance(each, Tokenizer)]


def checked_tagger(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the settings of a linear tagger; refuse anything else."""
    known = ("epochs", "seed", "cut", "cost")
    if not isinstance(settings, Mapping):
        raise CrossarcError(f"tagger = {settings!r}: give a table of settings, such as {{ epochs = 8 }}")
    for name in settings:
        if name not in known:
            raise UnknownName("setting of the tagger", name, known)
    try:
        Tagger(**settings)
    except CrossarcError as error:
        raise CrossarcError(f"tagger: {error}") from None
    return settings


def check_text(text: object) -> None:
    """Refuse anything but text."""
    if not isinstance(text, str):
        raise CrossarcError(f"a pipeline takes text, not {reprlib.repr(text)}; parse takes sentences")


def text_batches(texts: Iterable[str]) -> Iterator[list[str]]:
    """Yield texts in lists of some thousand characters."""
    if isinstance(texts, str):
        raise CrossarcError("pipe takes several texts; call the pipeline itself with one text")
    batch: list[str] = []
    characters = 0
    for text in texts:
        check_text(text)
        if batch and characters + len(text) > BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
        batch.append(text)
        characters += len(text) + 1
    if batch:
        yield batch
