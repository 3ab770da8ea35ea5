"""Treebank files as streams of sentences, and as arrays."""

from __future__ import annotations

import io
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from crossarc.errors import TreebankError, UnknownName
from crossarc.treebank.corpus import ArrayReader, Corpus
from crossarc.treebank.formats import Format, format_of_content, format_of_path, get_format
from crossarc.treebank.sentence import Scanner, Sentence
from crossarc.treebank.streams import Source, blocks, chain, limits, name_of
from crossarc.treebank.validation import (
    CHECKS,
    ROOTS,
    Check,
    Finding,
    GraphRule,
    Roots,
    inspect_sentence,
    inspect_syntax,
    repair,
)

log = logging.getLogger(__name__)

OnError = Literal["fail", "skip", "fix"]
Report = Callable[[Finding], None]
POLICIES = ("fail", "skip", "fix")


def read(
    source: Source,
    format: str | Format | None = None,
    *,
    on_error: OnError = "fail",
    check: Check = "syntax",
    roots: Roots = "any",
    report: Report | None = None,
    largest: int | None = None,
) -> Iterator[Sentence]:
    """The sentences of a file, one at a time.

    `source` is a path, "-" for standard input, a file object or an iterable of lines; gzip and zstd are recognised by
    their content, the format by name, extension or content. `check` says what is checked: "syntax" (only whether the
    sentence can be read), "tree" (also whether the heads form a tree, with one root if `roots` is "one"), "graph" (also
    whether there is a graph that can be read), or "all" (tree, graph and the form of the fields). For a sentence with a
    fault, "fail" raises `TreebankError`, "skip" leaves it out, and "fix" repairs it, or leaves it out if that is
    impossible. `report` receives each finding; without it, findings are logged. A sentence of more than `largest`
    bytes (4 MB) is always refused.

    >>> import io
    >>> [sentence.forms[1:] for sentence in read(io.StringIO("1\\tHi\\thi\\tINTJ\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n"))]
    [('Hi',)]
    """
    check_policy(on_error)
    if check not in CHECKS:
        raise UnknownName("check", check, CHECKS)
    if roots not in ROOTS:
        raise UnknownName("rule for roots", roots, ROOTS)
    given = get_format(format) if isinstance(format, str) else format
    rules = Rules(on_error, check, roots, report or log_finding)
    return stream(source, given, rules, largest)


def check_policy(on_error: object) -> None:
    """Refuse unknown policies for errors."""
    if on_error not in POLICIES:
        raise UnknownName("policy for errors", on_error, POLICIES)


def read_string(text: str, format: str | Format | None = None) -> list[Sentence]:
    """The sentences of a text in a treebank format."""
    return list(read(io.BytesIO(text.encode()), format))


def read_arrays(
    source: Source,
    format: str | Format | None = None,
    *,
    on_error: OnError = "fail",
    report: Report | None = None,
    largest: int | None = None,
) -> Corpus:
    """A whole treebank as flat integer arrays, without a Python object per sentence."""
    check_policy(on_error)
    name = name_of(source)
    rules = Rules(on_error, "syntax", "any", report or log_finding)
    given, data = opened(source, get_format(format) if isinstance(format, str) else format)

    def repaired(raw: bytes, line: int) -> bytes | None:
        findings = inspect_syntax(raw, given, source=name, line=line)
        sentence = rules.handle(findings, raw, given, name, line)
        return None if sentence is None else sentence.raw

    reader = ArrayReader(given, repaired, name, limits.sentence if largest is None else largest)
    for block in data:
        reader.feed(block)
    reader.feed(b"", final=True)
    return reader.corpus()


def validate(
    source: Source,
    format: str | Format | None = None,
    *,
    roots: Roots = "one",
    graph: bool = False,
    acyclic: bool = False,
    largest: int | None = None,
) -> Iterator[Finding | Sentence]:
    """The good sentences of a source, and the findings in the others, in the order of the file.

    `graph` checks the arcs of graphs too, see `arc_faults`, and `acyclic` also that they form no cycle. Sentences with
    a graph then need no tree. With one for `roots` trees have one root, and graphs too if they are checked.
    """
    if roots not in ROOTS:
        raise UnknownName("rule for roots", roots, ROOTS)
    findings: list[Finding] = []
    rule: GraphRule | None = "acyclic" if acyclic else "any" if graph else None
    rules = Rules("skip", "all", roots, findings.append, rule)
    given = get_format(format) if isinstance(format, str) else format
    for sentence in stream(source, given, rules, largest):
        yield from (finding.with_action("") for finding in findings)
        findings.clear()
        yield sentence
    yield from (finding.with_action("") for finding in findings)


def opened(source: Source, given: Format | None) -> tuple[Format, Iterator[bytes]]:
    """The blocks of a source and their format."""
    data = blocks(source)
    first = next(data, b"")
    return given or format_of_path(name_of(source)) or format_of_content(first), chain(first, data)


def stream(source: Source, given: Format | None, rules: Rules, largest: int | None = None) -> Iterator[Sentence]:
    """Each sentence of a source that is good or was repaired."""
    name = name_of(source)
    format_, data = opened(source, given)
    parsed_is_good = rules.check == "syntax" and not format_.extra
    for found in scan(data, Scanner(format_, name, limits.sentence if largest is None else largest)):
        for item in found:
            if isinstance(item, tuple):
                findings = inspect_syntax(item[0], format_, source=name, line=item[1])
                sentence = rules.handle(findings, item[0], format_, name, item[1])
            else:
                sentence = item if parsed_is_good else rules.checked(item)
            if sentence is not None:
                yield sentence


def scan(data: Iterator[bytes], scanner: Scanner) -> Iterator[list[Sentence | tuple[bytes, int]]]:
    """The sentences in each block; blocks grow with an unfinished sentence, so that no byte is scanned often."""
    pending: list[bytes] = []
    size = 0
    for block in data:
        pending.append(block)
        size += len(block)
        if size >= scanner.pending:
            yield scanner.feed(b"".join(pending))
            pending, size = [], 0
    yield scanner.feed(b"".join(pending), final=True)


@dataclass(frozen=True)
class Rules:
    """The checks of a sentence, and what happens if one fails."""

    on_error: OnError
    check: Check
    roots: Roots
    report: Report
    graph: GraphRule | None = None

    def checked(self, sentence: Sentence) -> Sentence | None:
        """The sentence if it is good, else the result of `handle`."""
        findings = inspect_sentence(sentence, self.check, roots=self.roots, graph=self.graph)
        if not findings:
            return sentence
        return self.handle(findings, sentence.raw, sentence.format, sentence.source, sentence.line)

    def handle(self, findings: list[Finding], raw: bytes, format_: Format, name: str, line: int) -> Sentence | None:
        """Raise the first finding, or report all of them and return the repaired sentence, or None to leave it out."""
        if self.on_error == "fail":
            more = f" ({len(findings) - 1} more in this sentence)" if len(findings) > 1 else ""
            raise TreebankError(f"{findings[0]}{more}")
        fixed = None
        if self.on_error == "fix":
            fixed = repair(raw, format_, source=name, line=line, check=self.check, roots=self.roots)
        for finding in findings:
            self.report(finding.with_action("left out" if fixed is None else "fixed"))
        return fixed


def log_finding(finding: Finding) -> None:
    """Log a finding, if the caller takes no reports."""
    log.warning("%s", finding)
