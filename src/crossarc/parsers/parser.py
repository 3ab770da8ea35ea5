"""The parser for users: train it, parse with it, save it, load it."""

from __future__ import annotations

import logging
import os
import reprlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack, overload

from crossarc.components.checkpoint import Checkpoint
from crossarc.components.component import Arrays
from crossarc.components.description import check_manifest, reading
from crossarc.components.learner import checkpoint_at
from crossarc.components.stored import Stored
from crossarc.components.streams import in_batches
from crossarc.components.training import Epoch, Progress, run_epochs
from crossarc.core.checked import checked_count
from crossarc.errors import CrossarcError, ModelError
from crossarc.parsers.analysis import Analysis, Request, Scales
from crossarc.parsers.calibration import sample_of
from crossarc.parsers.columns import describe_missing, filled_columns, watched
from crossarc.parsers.constraints import Source
from crossarc.parsers.description import Provenance
from crossarc.parsers.inner_trees import InnerTrees
from crossarc.parsers.model import Model, Wish
from crossarc.parsers.presets import make_settings
from crossarc.parsers.provenance import describe_data, digest, signature_of
from crossarc.parsers.registry import stored_model, trainer_of
from crossarc.treebank.corpus import Corpus
from crossarc.treebank.reading import OnError, Report, Rules, check_policy, log_finding, read
from crossarc.treebank.sentence import Sentence
from crossarc.treebank.token_lists import Tokens, sentences_of_tokens
from crossarc.treebank.validation import Check

if TYPE_CHECKING:
    from crossarc.evaluation import Attachment, GraphScores
    from crossarc.parsers.scorers import ArcScorer

log = logging.getLogger(__name__)

Missing = Callable[[list[str]], None]  # called with the names of empty columns
Data = str | os.PathLike[str] | Iterable[Sentence] | Sentence


class ParseOptions(TypedDict, total=False):
    """The options of `Parser.parse`, whatever it yields."""

    threads: int
    beam: int | None
    constraints: Source | None
    on_missing: Missing | None
    with_tree: bool
    keep_tags: bool


class Parser(Stored):
    """A dependency parser.

    It can be copied, pickled and sent to other processes; see `Stored`. The scales of its probabilities are found by a
    sample of the development set when they are needed first: for probabilities, or to save the parser.

    >>> from importlib.resources import files
    >>> path = str(files("crossarc") / "data" / "example.conllu")
    >>> parser = Parser("arc-hybrid", epochs=3).fit(path)
    >>> sentence = next(parser.parse(read(path)))
    >>> len(sentence.heads) == len(sentence) + 1
    True
    """

    shared_ = ("model_", "sample_")
    model_: Model | None = None
    sample_: list[Sentence] | None = None  # the data by which the scales will be found
    checkpoint_: Checkpoint | None = None

    def __init__(self, parser: str = "arc-hybrid", **settings: Any) -> None:
        self.settings = make_settings(parser, **settings)
        self.manifest_: dict[str, Any] = {}

    @classmethod
    def around(cls, scorer: ArcScorer, decoder: str = "mst", *, single_root: bool = True) -> Parser:
        """Return a parser that decodes the scores of any scorer, by the decoder `mst` or `eisner`.

        It parses, analyses and evaluates as others do; there is nothing to fit or to save. `calibrate` makes its
        probabilities fit.

        >>> import numpy as np
        >>> class Chain:
        ...     labels = ["root", "next"]
        ...     def arc_scores(self, sentences):
        ...         return [np.eye(len(sentence) + 1, k=-1) for sentence in sentences]
        ...     def label_scores(self, sentences, heads):
        ...         return [np.stack([tree == 0, tree > 0], axis=1) for tree in heads]
        >>> sentence = Sentence.from_columns(forms=["", "one", "two", "three"])
        >>> next(Parser.around(Chain()).parse(sentence)).heads.tolist()
        [-1, 0, 1, 2]
        """
        from crossarc.parsers.scorers import ScorerModel

        parser = cls.__new__(cls)
        parser.model_ = ScorerModel(scorer, decoder, single_root=single_root)
        parser.settings = parser.model_.settings
        parser.manifest_ = {"data": {"columns": {}, "sentences": 0}, "development": None}
        return parser

    @property
    def scorer(self) -> ArcScorer | None:
        """The scorer that it is a parser around; None for parsers that learn."""
        return getattr(self.model_, "scorer", None) if self.settings.family == "scorer" else None

    def calibrate(self, dev: Data) -> Parser:
        """Find the scales under which probabilities fit best with what is right in a treebank."""
        return self.fit_scales(checked_sentences(dev, "tree", "fail", None))

    def fit_scales(self, gold: list[Sentence]) -> Parser:
        """Find the scales by sentences whose trees were checked."""
        self.manifest_["confidence"] = asdict(self.model.fitted_scales(gold))
        self.origin_ = self.sample_ = None
        self.model.reset_notes()
        return self

    def __repr__(self) -> str:
        if self.model_ is None:
            return f"<Parser {self.settings.parser}, not trained>"
        if self.scorer is not None:
            return f"<Parser around {type(self.scorer).__name__}, {self.settings.system}>"
        best = self.manifest_["development"]
        scores = f", dev {self.measures[0]} {best['las']:.2f}" if best else ""
        return f"<Parser {self.settings.parser}, trained on {self.manifest_['data']['sentences']:,} sentences{scores}>"

    def fit(
        self,
        train: Data,
        dev: Data | None = None,
        *,
        init: str | os.PathLike[str] | Parser | None = None,
        directed: str | os.PathLike[str] | Parser | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        resume: bool = False,
        on_error: OnError = "fail",
        on_finding: Report | None = None,
        on_epoch: Callable[[Epoch], None] = lambda epoch: None,
        on_progress: Callable[[Progress], None] = lambda progress: None,
    ) -> Parser:
        """Learn from a treebank; with `dev` the epoch that scores best on it is kept.

        `init` is a trained parser of the same kind whose weights are the first; its labels and words are kept and those
        of the treebank join them. `directed` is a trained `mst` that enhances the trees of an undirected parser;
        without it, one is trained too. The model file has both. After each epoch the training state is saved to the
        file `checkpoint`, which `save` deletes; with `resume` training goes on from the state in that file, if there is
        one, and gives the same model as without the interruption.
        """
        if self.scorer is not None:
            raise CrossarcError("a parser around a scorer learns nothing; train the scorer")
        sentences = self.targets_of(train, on_error, on_finding)
        held_out = self.targets_of(dev, on_error, on_finding) if dev is not None else []
        if not sentences:
            raise CrossarcError("there is no sentence to learn from")
        if dev is not None and not held_out:
            raise CrossarcError("the development set has no sentence; leave dev out, or give another")
        before = load(init) if isinstance(init, str | os.PathLike) else init
        if before is not None:
            self.settings.check_start(before.settings)
        helper = load(directed) if isinstance(directed, str | os.PathLike) else directed
        if helper is not None:
            self.settings.check_directed(helper.settings)
            if before is not None:
                raise CrossarcError("the model to start from has a directed model of its own: leave one of the two out")
        start = before.model if before is not None else None
        directed_model = helper.model if helper is not None else None
        data = describe_data(sentences)
        file = checkpoint_at(
            checkpoint,
            resume,
            lambda: signature_of(self.settings, data["sha256"], digest(held_out), start, directed_model),
        )
        corpus = Corpus.of(sentences)
        development = Corpus.of(held_out) if held_out else None
        epochs: list[Epoch] = []

        def note(epoch: Epoch) -> None:
            if epoch.scores is not None and len(epoch.scores) < len(self.measures):
                raise ModelError(f"{checkpoint}: an epoch has no {self.measures[-1]}; train without resuming")
            epochs.append(epoch)
            on_epoch(epoch)

        trainer = trainer_of(corpus, self.settings, start, directed_model)
        model: Model = run_epochs(trainer, development, note, on_progress, file, stored_model)
        scored = [epoch for epoch in epochs if epoch.las is not None]
        best = max(scored, key=lambda epoch: (epoch.las or 0.0, -epoch.number)) if scored else None
        if development is not None and best is not None:
            tuned = model.tuned(development)
            if tuned is not model:
                model, best = tuned, replace(best, scores=tuned.score(development))
        covered = model.coverage(corpus)
        manifest = {
            "data": {**data, "columns": filled_columns(corpus, model.features)},
            "coverage": {"trees": 100 - covered.outside_percent, "arcs": 100 - covered.lost_percent},
            "development": {"epoch": best.number, "las": best.las, "uas": best.uas} if best else None,
            "init": before.manifest_["data"] if before is not None else None,
            **model.learned_of(sentences),
        }
        model.reset_notes()
        sample = sample_of(held_out) if held_out and model.has_alternatives else None
        # All at once, so that a training that fails leaves the parser as it was.
        self.model_, self.manifest_, self.sample_, self.origin_, self.checkpoint_ = model, manifest, sample, None, file
        return self

    def targets_of(self, data: Data, on_error: OnError, on_finding: Report | None) -> list[Sentence]:
        """Return the sentences whose trees, or graphs, can be learned from."""
        return checked_sentences(data, self.target, on_error, on_finding)

    @property
    def target(self) -> Literal["tree", "graph"]:
        """The kind of its output."""
        return "graph" if self.settings.gives_graphs else "tree"

    @property
    def gives_graphs(self) -> bool:
        """Whether it parses into graphs, not trees."""
        return self.settings.gives_graphs

    @property
    def measures(self) -> tuple[str, str]:
        """The names of the two scores on a development set: LAS and UAS, or F of labelled and unlabelled arcs."""
        return ("LF", "UF") if self.gives_graphs else ("LAS", "UAS")

    @property
    def model(self) -> Model:
        """The trained model; an error if there is none yet."""
        if self.model_ is None:
            raise CrossarcError("this parser is not trained yet; call fit, or load a model with crossarc.load")
        return self.model_

    @overload
    def parse(self, sentences: Data, **options: Unpack[ParseOptions]) -> Iterator[Sentence]: ...
    @overload
    def parse(
        self, sentences: Data, *, scores: Literal[True], k: int | None = None, **options: Unpack[ParseOptions]
    ) -> Iterator[Analysis]: ...
    @overload
    def parse(
        self, sentences: Data, *, scores: bool = False, k: int, **options: Unpack[ParseOptions]
    ) -> Iterator[Analysis]: ...
    def parse(
        self,
        sentences: Data,
        *,
        threads: int = 1,
        beam: int | None = None,
        scores: bool = False,
        k: int | None = None,
        constraints: Source | None = None,
        on_missing: Missing | None = None,
        with_tree: bool = False,
        keep_tags: bool = False,
    ) -> Iterator[Sentence] | Iterator[Analysis]:
        """Sentences with new HEAD and DEPREL, all else as it was, in the same order; lazily.

        Parsers of graphs write DEPS, or the SDP columns; `with_tree` also writes the best tree inside the graph.
        `beam` is how many derivations are followed, if not as many as in training. If columns that the model learned
        from are empty in the input, `on_missing` is called with their names; by default a warning is logged. With
        `keep_tags` a parser that gives tags too leaves those that are there.

        With `scores` or `k` each sentence comes as an `Analysis`: its k best trees, by default one, with their scores,
        and how likely each arc and label is. `constraints` is a function that gives the `Constraints` on the tree of a
        sentence, or None, such as `marked_constraints`; what cannot be satisfied is an error.
        """
        checked_count("threads", threads)
        if k is not None:
            checked_count("k", k)
        model, name = self.model, "the input"
        if beam is not None:
            checked_count("beam", beam)
            model.with_beam(beam)  # a model without a beam refuses it here
        if isinstance(sentences, str | os.PathLike):
            name, sentences = os.fspath(sentences), read(sentences)

        def warn(columns: list[str]) -> None:
            log.warning("%s", describe_missing(name, columns))

        stream = watched(only_sentences(sentences), self.columns, on_missing or warn)
        analysed = scores or k is not None
        found = self.scales if analysed or constraints is not None else model.usual_scales  # which take time to find
        request = Request(found, k or 1, beam, keep_tags=keep_tags)
        wish = Wish(request, analysed, constraints, self.inner_trees if with_tree else None)
        return in_batches(model.worker(wish), stream, threads)

    @overload
    def parse_tokens(  # type: ignore[overload-overlap]  # a string is an iterable of strings too
        self, tokens: list[str], **options: Unpack[ParseOptions]
    ) -> Sentence: ...
    @overload
    def parse_tokens(self, tokens: Iterable[Iterable[str]], **options: Unpack[ParseOptions]) -> list[Sentence]: ...
    def parse_tokens(self, tokens: Tokens, **options: Unpack[ParseOptions]) -> Sentence | list[Sentence]:
        """Parse words that another tool has split.

        A list of strings gives a sentence, a list of such lists a list of sentences. The options are those of `parse`.

        >>> words = [["She", "left"], ["So", "did", "he"]]
        >>> parser = Parser("arc-hybrid", epochs=1).fit([Sentence.from_columns(forms=["", "Go"], heads=[-1, 0])])
        >>> parser.parse_tokens(words[0])
        <Sentence 1: She left>
        >>> [len(sentence.roots) for sentence in parser.parse_tokens(words)]
        [1, 1]
        """
        sentences, is_one = sentences_of_tokens(tokens)
        parsed = list(self.parse(sentences, **options))
        return parsed[0] if is_one else parsed

    @property
    def inner_trees(self) -> InnerTrees:
        """The data about trees inside graphs: from training, if it had trees."""
        found = self.manifest_.get("trees")
        return InnerTrees.from_dict(found) if found else InnerTrees(self.model.single_root)

    @property
    def scales(self) -> Scales:
        """The scales that make probabilities from the scores of the model, found by a development set."""
        sample = self.sample_
        if sample is not None:
            self.fit_scales(sample)
        found = self.manifest_.get("confidence")
        return Scales(**found) if found else self.model.usual_scales

    @property
    def columns(self) -> dict[str, float]:
        """The columns that the model looks at besides forms, with the share of its training words that had them."""
        found: dict[str, float] = self.manifest_["data"]["columns"]
        return found

    def evaluate(self, gold: Data, threads: int = 1) -> Attachment | GraphScores:
        """Score the parser on a treebank: its trees, or its graphs if it gives those."""
        from crossarc.evaluation import evaluate, evaluate_graphs

        sentences = self.targets_of(gold, "fail", None)
        return (evaluate_graphs if self.gives_graphs else evaluate)(sentences, self.parse(sentences, threads=threads))

    def stored_parts(self) -> tuple[dict[str, Any], Arrays]:
        """Return the manifest and the arrays of its model file."""
        manifest, arrays = self.model.to_arrays()
        _ = self.scales  # which the manifest has once they are found
        return {**self.manifest_, **manifest}, arrays

    @classmethod
    def from_parts(cls, manifest: dict[str, Any], arrays: Arrays, name: str) -> Parser:
        """Return the parser of a model file; `name` is that of the file in messages."""
        if manifest.get("kind") == "checkpoint":
            raise ModelError(f"{name}: this is the checkpoint of a training that did not end; resume it first")
        if manifest.get("kind") == "pipeline":
            raise ModelError(f"{name}: this is a pipeline, not a parser; crossarc.load reads it")
        parser = cls.__new__(cls)
        with reading(f"{name}: the file holds no parser that crossarc can use"):
            own = {key: manifest[key] for key in Provenance.model_fields if key in manifest}
            check_manifest(own, Provenance)
            parser.model_ = stored_model({key: manifest[key] for key in manifest if key not in own}, arrays)
            parser.manifest_ = own
        parser.settings = parser.model_.settings
        return parser

    @property
    def has_parts(self) -> bool:
        """Whether it has learned something; a parser around a scorer has not."""
        return self.model_ is not None and self.scorer is None


def load(path: str | os.PathLike[str], *, mapped: bool = False) -> Parser:
    """Return the parser of a model file; `mapped` is as in `Parser.open`."""
    return Parser.open(path, mapped=mapped)


def only_sentences(data: Iterable[Sentence] | Sentence) -> Iterator[Sentence]:
    """Yield the sentences of an iterable, or a single sentence; refuse other items, such as strings."""
    for item in [data] if isinstance(data, Sentence) else data:
        if not isinstance(item, Sentence):
            raise CrossarcError(
                f"a parser takes the path of a file or sentences, not {reprlib.repr(item)}; "
                "crossarc.read and Sentence.from_columns make them"
            )
        yield item


def checked_sentences(data: Data, check: Check, on_error: OnError, on_finding: Report | None) -> list[Sentence]:
    """The sentences of a file, or those given, whose trees or graphs are as they should be."""
    if isinstance(data, str | os.PathLike):
        return list(read(data, check=check, on_error=on_error, report=on_finding))
    check_policy(on_error)
    rules = Rules(on_error, check, "any", on_finding or log_finding)
    checked = (rules.checked(sentence) for sentence in only_sentences(data))
    return [sentence for sentence in checked if sentence is not None]
