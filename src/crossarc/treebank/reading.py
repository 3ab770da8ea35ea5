"""Treebank files as streams of sentences, and as arrays."""

from __future__ import annotations

import io
import logging
from collections.abc import Callable, Iterator
from typing import Literal

from crossarc.errors import TreebankError, UnknownName
from crossarc.treebank.corpus import Corpus
from crossarc.treebank.formats import Format, format_of_content, format_of_path, get_format
from crossarc.treebank.sentence import Scanner, Sentence
from crossarc.treebank.streams import Source, blocks, chain, name_of
from crossarc.treebank.validation import CHECKS, Check, Finding, inspect_sentence, inspect_syntax, repair

log = logging.getLogger(__name__)

OnError = Literal["fail", "skip", "fix"]
Report = Callable[[Finding], None]
POLICIES = ("fail", "skip", "fix")


def read(
    source: Source,
    format: str | Format | None = None,  # noqa: A002
    *,
    on_error: OnError = "fail",
    check: Check = "syntax",
    report: Report | None = None,
) -> Iterator[Sentence]:
    """The sentences of a file, one at a time.

    `source` is a path, "-" for standard input, a file object or an iterable of lines; gzip and zstd are recognised by
    their content, the format by name, extension or content. `check` says how much is looked at: "syntax" (what a sentence
    must have to be read at all), "tree" (and heads that form a tree), or "all" (what `validate` looks at).
    A sentence with a fault raises `TreebankError` ("fail"), is left out ("skip"), or is repaired and only left out if it
    cannot be ("fix"); `report` receives each finding, which otherwise is logged.

    >>> import io
    >>> [sentence.forms[1:] for sentence in read(io.StringIO("1\\tHi\\thi\\tINTJ\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n"))]
    [('Hi',)]
    """
    if on_error not in POLICIES:
        raise UnknownName("policy for errors", on_error, POLICIES)
    if check not in CHECKS:
        raise UnknownName("check", check, CHECKS)
    given = get_format(format) if isinstance(format, str) else format
    return stream(source, given, on_error, check, report or log_finding)


def read_string(text: str, format: str | Format | None = None) -> list[Sentence]:  # noqa: A002
    """The sentences of a text in a treebank format."""
    return list(read(io.BytesIO(text.encode()), format))


def read_arrays(
    source: Source,
    format: str | Format | None = None,  # noqa: A002
    *,
    on_error: OnError = "fail",
    report: Report | None = None,
) -> Corpus:
    """A whole treebank as flat integer arrays, without a Python object per sentence."""
    name = name_of(source)
    report = report or log_finding
    given, data = opened(source, get_format(format) if isinstance(format, str) else format)

    def mend(raw: bytes, line: int) -> bytes | None:
        sentence = settle_syntax(raw, given, name, line, on_error, report)
        return None if sentence is None else sentence.raw

    corpus = Corpus(given, mend)
    for block in data:
        corpus.feed(block)
    corpus.feed(b"", final=True)
    return corpus


def opened(source: Source, given: Format | None) -> tuple[Format, Iterator[bytes]]:
    """The blocks of a source and their format."""
    data = blocks(source)
    first = next(data, b"")
    return given or format_of_path(name_of(source)) or format_of_content(first), chain(first, data)


def stream(source: Source, given: Format | None, on_error: OnError, check: Check, report: Report) -> Iterator[Sentence]:
    """Read on and yield what is good or was made good."""
    name = name_of(source)
    format_, data = opened(source, given)
    scanner = Scanner(format_, name)
    for block, final in with_end(data, scanner):
        for item in scanner.feed(block, final):
            sentence: Sentence | None
            if isinstance(item, tuple):
                sentence = settle_syntax(item[0], format_, name, item[1], on_error, report)
            else:
                sentence = item
            if sentence is not None and check != "syntax":
                sentence = settle(sentence, on_error, check, report)
            if sentence is not None:
                yield sentence


def with_end(data: Iterator[bytes], scanner: Scanner) -> Iterator[tuple[bytes, bool]]:
    """Blocks and whether each is the last; they grow with a sentence that does not end, so that no byte is scanned often."""
    pending: list[bytes] = []
    size = 0
    for block in data:
        pending.append(block)
        size += len(block)
        if size >= scanner.pending:
            yield b"".join(pending), False
            pending, size = [], 0
    yield b"".join(pending), True


def settle_syntax(
    raw: bytes, format_: Format, name: str, line: int, on_error: OnError, report: Report
) -> Sentence | None:
    """What becomes of bytes that are no sentence."""
    findings = inspect_syntax(raw, format_, source=name, line=line)
    fixed = repair(raw, format_, source=name, line=line) if on_error == "fix" else None
    return outcome(findings, fixed, on_error, report)


def settle(sentence: Sentence, on_error: OnError, check: Check, report: Report) -> Sentence | None:
    """What becomes of a sentence that can be read but may not be what it should."""
    findings = inspect_sentence(sentence, check)
    if not findings:
        return sentence
    fixed = None
    if on_error == "fix":
        fixed = repair(sentence.raw, sentence.format, source=sentence.source, line=sentence.line, check=check)
    return outcome(findings, fixed, on_error, report)


def outcome(findings: list[Finding], fixed: Sentence | None, on_error: OnError, report: Report) -> Sentence | None:
    """Raise the first finding, or report each with what was done about it."""
    if on_error == "fail":
        more = f" ({len(findings) - 1} more in this sentence)" if len(findings) > 1 else ""
        raise TreebankError(f"{findings[0]}{more}")
    for finding in findings:
        report(finding.with_action("left out" if fixed is None else "fixed"))
    return fixed


def log_finding(finding: Finding) -> None:
    """Where findings go if nobody asks for them."""
    log.warning("%s", finding)
