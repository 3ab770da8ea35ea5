"""`crossarc parse`: trees for text and for treebank files."""

from __future__ import annotations

import errno
import os
import re
import shlex
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from crossarc.cli.arguments import OnError, Output, check_output, check_policy, check_stdin
from crossarc.cli.console import counted, describe, say, tracked
from crossarc.cli.documents import input_kind, output_kind, parsed_documents, write_output
from crossarc.errors import CrossarcError, TreebankError

if TYPE_CHECKING:
    from crossarc.parsers import Parser
    from crossarc.pipeline import Pipeline
    from crossarc.tagging import Tokenizer
    from crossarc.treebank import Finding, Sentence

Item = TypeVar("Item")
MOST_THREADS = 4  # by default: reading and writing limit the use of more
SHOWN = 10  # findings that are printed one by one
BUNDLED = "en"  # the model for --text, if none is named


@dataclass
class Run:
    """The summary of a run: the number of sentences, words and too long sentences, the time, and what was left out."""

    sentences: int = 0
    words: int = 0
    long: int = 0
    limit: int = 0
    beyond: str = ""  # what is done with longer sentences
    seconds: float = 0.0
    notes: list[str] = field(default_factory=list)
    findings: Counter[str] = field(default_factory=Counter)  # by the action taken
    rejected: Counter[str] = field(default_factory=Counter)  # files and documents that could not be read

    @property
    def speed(self) -> float:
        """Words per second."""
        return self.words / max(self.seconds, 1e-9)


def parse(
    model: Annotated[
        str | None,
        typer.Argument(
            metavar="MODEL",
            help="A file of crossarc train, or en, which comes with crossarc.",
            show_default=False,
        ),
    ] = None,
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILE",
            help="Files of text, JSON lines or trees; - is standard input; .gz and .zst work too.",
            show_default=False,
        ),
    ] = None,
    text: Annotated[
        str | None,
        typer.Option("--text", metavar="TEXT", help="Parse this text; the model is en if none is named."),
    ] = None,
    output: Output = "-",
    source: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="FORMAT",
            help="text, jsonl, conllu, conllx, conll09 or sdp; default: by extension or content.",
        ),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="FORMAT",
            help="conllu, conllx, conll09, sdp, jsonl, or a drawing as txt, svg or html; default: by the extension of "
            "the output, and for --text on a terminal a drawing.",
        ),
    ] = None,
    threads: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="The number of threads; default: one per core, up to 4.")
    ] = None,
    beam: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="The width of the beam; default: as in training.")
    ] = None,
    scores: Annotated[
        bool,
        typer.Option(
            "--scores",
            help="Write the score and probability of each tree as comments, and the probabilities of heads and labels "
            "to MISC (HeadProb, LabelProb).",
        ),
    ] = False,
    k: Annotated[
        int | None,
        typer.Option(
            "--k", metavar="N", min=1, help="Write the N best trees of each sentence, the best first, with comments."
        ),
    ] = None,
    constraints: Annotated[
        bool,
        typer.Option(
            "--constraints",
            help="Respect the constraints in MISC: Head=3 (the head), NotHead=1,5 (not the head), Deprel=obj.",
        ),
    ] = False,
    keep_tags: Annotated[
        bool,
        typer.Option("--keep-tags", help="Pipelines: keep the tags and lemmas that the input has."),
    ] = False,
    with_tree: Annotated[
        bool,
        typer.Option("--with-tree", help="Parsers of graphs: also write the best tree inside the graph."),
    ] = False,
    on_error: OnError = "fail",
) -> None:
    """Parse text, or the sentences of treebank files.

    Text needs a pipeline: the model en, or one of crossarc train --pipeline. Its sentences get tags, lemmas and trees.
    JSON lines have a document on each line, with a field "text"; all other fields are kept. In treebank files, tokens
    and sentences stay as they are; a parser gives new HEAD and DEPREL, a parser of graphs new DEPS, a pipeline new tags
    too. The result is the same for any number of threads. A sentence, document or file that cannot be read stops the
    run, and no output is written, unless --on-error is skip or fix. If files or documents were left out, the exit code
    is 3.

    \b
    $ crossarc parse --text "She bought a coat yesterday that fits her well."
    # 1  She bought a coat yesterday that fits her well.
      ┌►────  1 She       PRON  nsubj
    ●─┼─────  2 bought    VERB  root
      │   ┌►  3 a         DET   det
      ├►╥─┴─  4 coat      NOUN  obj
      ├►╫───  5 yesterday NOUN  obl:unmarked
      │ ║ ┌►  6 that      PRON  nsubj
      │ ╚►┼─  7 fits      VERB  acl:relcl
      │   ├►  8 her       PRON  obj
      │   └►  9 well      ADV   advmod
      └►──── 10 .         PUNCT punct
    \b
    $ zcat news.txt.gz | crossarc parse en - --from text --to jsonl > news.jsonl
    \b
    $ crossarc parse danish.crossarc raw.conllu.gz -o parsed.conllu
    parsed.conllu: 536 sentences, 9,941 words, 49,519 tokens/s
    \b
    $ crossarc parse danish.crossarc raw.conllu --scores --k 2
    # sent_id = 7-tree2
    # tree_rank = 2 of 2
    # tree_score = 8.4410
    # tree_probability = 0.1502
    1  Hun  hun  PRON  _  _  2  nsubj  _  HeadProb=0.9713|LabelProb=0.9960
    ...
    """
    files = files or []
    if text is not None and files:
        raise CrossarcError("--text is the input: leave the files out")
    if text is None and not files:
        raise CrossarcError(f'there is nothing to parse: name files after the model, or give --text "..."{hint(model)}')
    check_stdin(*files)
    output_kind(output, to, drawn=text is not None)
    check_output(output, model or BUNDLED, *files)
    run = Parsing(
        model or BUNDLED,
        threads=threads or default_threads(),
        beam=beam,
        scores=scores,
        k=k,
        constraints=constraints,
        keep_tags=keep_tags,
        with_tree=with_tree,
        on_error=on_error,
    ).run(files, text, output, source, to)
    report(run, output)
    if run.rejected:
        raise typer.Exit(3)


def hint(model: str | None) -> str:
    """The remedy if a model is given without files."""
    if model is None:
        return ""
    if is_text(model):
        return f"; this parses the text: crossarc parse --text {shlex.quote(model)}"
    if input_kind(model, None) == "trees":
        return ""
    return f"; crossarc parse {BUNDLED} {model} parses the file with the model that comes with crossarc"


def is_text(name: str) -> bool:
    """Whether a name of a file or model is probably a text."""
    return not os.path.exists(name) and bool(re.search(r"\s", name.strip()))


def check_input(path: str) -> None:
    """Refuse a file that cannot be opened; a pipe must not be opened twice."""
    if path == "-" or (os.access(path, os.R_OK) and not os.path.isdir(path)):
        return
    if is_text(path):
        remedy = f"to parse this text: crossarc parse --text {shlex.quote(path)}"
        raise CrossarcError(f"{path}: there is no such file; {remedy}")
    why = errno.EISDIR if os.path.isdir(path) else errno.EACCES if os.path.exists(path) else errno.ENOENT
    raise OSError(why, os.strerror(why), path)


def report(run: Run, output: str) -> None:
    """Print what was parsed, and warnings about it."""
    if run.long:
        say(f"crossarc: {counted(run.long, 'sentence')} of more than {run.limit:,} words: {run.beyond}")
    for note in run.notes:
        say(f"crossarc: {note}")
    if run.findings:
        actions = ", ".join(f"{count:,} {action}" for action, count in run.findings.items())
        say(f"crossarc: {counted(run.findings.total(), 'finding')} in the input: {actions}")
    for what, count in run.rejected.items():
        say(f"crossarc: {counted(count, what)} could not be read")
    if output != "-":
        figures = f"{counted(run.sentences, 'sentence')}, {counted(run.words, 'word')}, {run.speed:,.0f} tokens/s"
        say(f"{output}: {figures}")


def default_threads() -> int:
    """One thread per core that this process may use, up to four."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(MOST_THREADS, cores)


class Parsing:
    """A model, and how it parses files."""

    def __init__(
        self,
        model: str,
        *,
        threads: int = 1,
        beam: int | None = None,
        scores: bool = False,
        k: int | None = None,
        constraints: bool = False,
        keep_tags: bool = False,
        with_tree: bool = False,
        on_error: str = "fail",
    ) -> None:
        from crossarc.parsers import marked_constraints
        from crossarc.pipeline import Pipeline, load

        check_policy(on_error)
        loaded = load(model)
        self.pipeline: Pipeline | None = loaded if isinstance(loaded, Pipeline) else None
        self.parser: Parser = loaded.parser if isinstance(loaded, Pipeline) else loaded
        self.model, self.threads, self.scores, self.k, self.on_error = model, threads, scores, k, on_error
        self.keep_tags = keep_tags
        self.options: dict[str, Any] = {
            "beam": beam,
            "constraints": marked_constraints if constraints else None,
            "with_tree": with_tree,
        }
        # What the parser of a pipeline is asked for on its own.
        self.by_parser = scores or k is not None or constraints or beam is not None or with_tree
        if beam is not None:
            self.parser.model.with_beam(beam)  # parsers that score arcs refuse it before any file is read
            if beam > 1 and getattr(self.parser.settings, "beam", 1) == 1:
                say("crossarc: the model was trained for greedy search; a beam will probably not help")
        if with_tree and not self.parser.gives_graphs:
            raise CrossarcError(f"--with-tree: {self.parser.settings.parser} gives trees anyway; leave it out")
        if keep_tags and self.pipeline is None:
            raise CrossarcError(f"--keep-tags: {model} is a parser and changes no tags; leave it out")
        self.result = Run(limit=self.parser.model.long_sentence, beyond=self.parser.model.long_note)
        self.begin = time.perf_counter()
        self.prints = False

    def run(self, files: list[str], text: str | None, output: str, source: str | None, to: str | None) -> Run:
        """Parse files or a text as a stream and write the trees or graphs."""
        kind = output_kind(output, to, drawn=text is not None)
        self.prints = output == "-" and sys.stdout.isatty()  # trees on a terminal would disturb a bar
        files = [path for path in files if self.is_there(path)]
        if text is not None:
            outputs: Iterable[Any] = self.parsed_text([text], "")
        elif kind == "jsonl" and any(input_kind(path, source) == "jsonl" for path in files):
            if self.k is not None:
                raise CrossarcError("--k: a document on a line has one tree for each sentence; write CoNLL-U")
            outputs = (document for path in files for document in self.parsed_file(path, source, whole=True))
        else:
            outputs = (sentence for path in files for sentence in self.parsed_file(path, source))
        write_output(outputs, output, kind)
        self.result.seconds = time.perf_counter() - self.begin
        self.result.notes = (self.pipeline or self.parser.model).notes()
        return self.result

    def parsed_file(self, path: str, source: str | None, *, whole: bool = False) -> Iterator[Any]:
        """Yield the sentences of a file, or whole documents with their sentences."""
        from crossarc.treebank import read
        from crossarc.treebank.json_lines import read_json_documents
        from crossarc.treebank.streams import text_blocks

        kind = input_kind(path, source)
        with tracked(path, quiet=self.prints, note=self.note) as file:
            if kind == "text":
                blocks = self.readable(text_blocks(file), path)
                yield from self.parsed_text(blocks, "" if path == "-" else os.path.basename(path))
            elif kind == "jsonl":
                documents = self.readable(read_json_documents(file, on_error="skip", report=self.skipped), path)
                first = self.result.sentences + 1
                yield from parsed_documents(documents, self.tokenizer(path), self.parsed, whole=whole, first=first)
            else:
                # `finding` raises the error, with a remedy.
                policy = "skip" if self.on_error == "fail" else self.on_error
                sentences = read(file, source, on_error=policy, report=self.finding)  # type: ignore[arg-type]
                yield from self.parsed(self.readable(sentences, path), "standard input" if path == "-" else path)

    def is_there(self, path: str) -> bool:
        """Whether a file can be opened; all files are looked at before the first is parsed."""
        try:
            check_input(path)
        except (CrossarcError, OSError) as error:
            if self.on_error == "fail":
                raise
            self.reject("file", f"{describe(error)}; the file was left out")
            return False
        return True

    def readable(self, items: Iterator[Item], path: str) -> Iterator[Item]:
        """Yield what is read from a file up to an error; refuse the error, or count the file."""
        some = False
        try:
            for item in items:
                yield item
                some = True
        except (OSError, TreebankError) as error:
            if self.on_error == "fail":
                raise
            self.reject("file", f"{describe(error)}; the {'rest of the ' if some else ''}file was left out")

    def parsed_text(self, blocks: Iterable[str], document: str) -> Iterator[Sentence]:
        """Yield the sentences of a text; their numbers go on through all texts."""
        name, first = document or "the text", self.result.sentences + 1
        return self.parsed(self.tokenizer(name).stream(blocks, document=document, first=first), name)

    def tokenizer(self, name: str) -> Tokenizer:
        """The tokenizer of the pipeline; `name` is what the text is called in messages."""
        if self.pipeline is None:
            raise CrossarcError(
                f"{name}: this looks like plain text, which must be split into words first, and {self.model} is a "
                "parser alone; take a pipeline: the model en, or one of crossarc train --pipeline"
            )
        return self.pipeline.tokenizer

    def parsed(self, sentences: Iterable[Sentence], name: str) -> Iterator[Sentence]:
        """Yield sentences whose tokens are known with their trees; `name` is what the input is called in warnings."""
        from crossarc.parsers.columns import describe_missing

        def warn(columns: list[str]) -> None:
            say(f"crossarc: {describe_missing(name, columns)}")

        analysed = self.scores or self.k is not None
        options: dict[str, Any] = {**self.options, "on_missing": warn}
        if analysed:
            options |= {"scores": True, "k": self.k}
        if self.pipeline is not None:
            own = options if self.by_parser else {}
            found: Iterable[Any] = self.pipeline.parse(sentences, threads=self.threads, keep_tags=self.keep_tags, **own)
        else:
            found = self.parser.parse(sentences, threads=self.threads, **options)
        if not analysed:
            yield from map(self.counted, found)
            return
        for analysis in found:
            self.counted(analysis.best.sentence)
            yield from analysis.annotated(probabilities=self.scores)

    def counted(self, sentence: Sentence) -> Sentence:
        """Count a sentence."""
        self.result.sentences += 1
        self.result.words += len(sentence)
        self.result.long += 0 < self.result.limit < len(sentence)
        return sentence

    def note(self) -> str:
        """The text next to the bar."""
        return f"{self.result.words / max(time.perf_counter() - self.begin, 1e-9):,.0f} tokens/s"

    def finding(self, finding: Finding) -> None:
        """Refuse a bad sentence, or count it."""
        from crossarc.treebank.validation import PLAIN_TEXT

        if self.on_error == "fail":
            choice = "--on-error skip leaves such sentences out, fix repairs them if possible"
            if self.pipeline is not None and PLAIN_TEXT in finding.what:
                choice = "--from text parses it as text, --from jsonl as JSON lines"
            raise TreebankError(f"{finding.with_action('')}; {choice}")
        self.noted(str(finding), finding.action)

    def skipped(self, message: str) -> None:
        """Refuse a line that is not a document, or count it."""
        if self.on_error == "fail":
            raise TreebankError(f"{message.removesuffix('; left out')}; --on-error skip leaves such lines out")
        self.reject("document", message)

    def reject(self, what: str, message: str) -> None:
        """Count a file or a document that cannot be read, and print the first messages."""
        self.result.rejected[what] += 1
        if self.result.rejected[what] <= SHOWN:
            say(f"crossarc: {message}")

    def noted(self, message: str, action: str) -> None:
        """Count what was wrong, and print the first messages."""
        self.result.findings[action] += 1
        if self.result.findings.total() <= SHOWN:
            say(f"crossarc: {message}")
