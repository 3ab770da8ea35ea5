"""Faults of sentences: finding, reporting and repairing them.

The native parser only tells good sentences from bad ones. This module looks at the bad ones again, line by line, and
finds all their faults.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from crossarc.treebank.formats import CONLLU, Format
from crossarc.treebank.graph import deps_fault
from crossarc.treebank.graph_validation import arc_faults
from crossarc.treebank.sentence import Sentence

Check = Literal["syntax", "tree", "graph", "all"]
CHECKS = ("syntax", "tree", "graph", "all")
TREES = ("tree", "all")  # the checks that want a tree
Roots = Literal["one", "any"]
ROOTS = ("one", "any")
MOST_FAULTS = 1_000  # of each kind of check in a sentence; the others are not looked for
GraphRule = Literal["any", "acyclic"]

# Codes of findings and what to do about each.
REMEDIES = {
    "columns": "give every token line its columns, with one tab between them",
    "id": "number the words 1, 2, 3 ... without gaps",
    "range": "put a range a-b in front of word a, with a < b, no overlap, and all its words behind it",
    "empty-node": "number the empty nodes behind word k as k.1, k.2 ...",
    "head": "write the number of a word, 0 for a root, or _ for none",
    "missing-head": "give the word a head, or 0",
    "head-range": "name a word of this sentence, or 0",
    "self-loop": "give the word another head",
    "cycle": "give one of these words a head outside the cycle",
    "no-root": "give one word the head 0",
    "several-roots": "keep one root and attach the others, or allow them with --roots any",
    "several-graph-roots": "keep one of them and give the others another head, or allow them with --roots any",
    "utf8": "save the file as UTF-8",
    "comment": "move the comment above the first token",
    "no-words": "remove the lines, or add the words they belong to",
    "deps": "write head:label|head:label with the ids of words or empty nodes, or _",
    "empty-field": "write _ for a value that is not there",
    "blank-line": "let an empty line hold nothing at all",
    "arguments": "mark tops and predicates with + and -, and give each predicate an argument column",
    "no-graph": "give the words their heads in DEPS",
    "duplicate-arc": "write each arc once",
    "unreachable": "give one of them a head that can be reached",
    "graph-cycle": "remove one of these arcs, or allow cycles",
    "size": "split the sentence: two gigabytes are too much for one",
}


@dataclass(frozen=True)
class Finding:
    """One fault of a treebank: its place, what it is and what to do; `action` tells what was done."""

    source: str
    line: int
    sentence: str
    code: str
    what: str
    action: str = ""

    @property
    def remedy(self) -> str:
        """The remedy."""
        return REMEDIES[self.code]

    def with_action(self, action: str) -> Finding:
        """The finding with a note of what was done."""
        return dataclasses.replace(self, action=action)

    def __str__(self) -> str:
        name = f"sentence {self.sentence!r}: " if self.sentence else ""
        end = f"; {self.action}" if self.action else f"; {self.remedy}"
        return f"{self.source or '<input>'}:{self.line}: {name}{self.what}{end}"


def inspect_syntax(raw: bytes, format: Format, *, source: str = "", line: int = 1) -> list[Finding]:
    """All faults that keep bytes from being a sentence of a format."""
    lines = raw.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    name = next((comment_id(text) for text in lines if comment_id(text)), "")
    faults = [*islice(utf8_faults(lines), MOST_FAULTS), *islice(line_faults(lines, format), MOST_FAULTS)]
    return [Finding(source, line + place, name, code, what) for place, code, what in sorted(faults)]


Fault = tuple[int, str, str]  # line from the sentence's first, code, what

SENT_ID = re.compile(rb"#\s*sent_id\s*=\s*(.*?)\s*$")


def comment_id(text: bytes) -> str:
    """The sentence id that a comment gives."""
    match = SENT_ID.match(text)
    return match[1].decode(errors="replace") if match else ""


def utf8_faults(lines: list[bytes]) -> Iterator[Fault]:
    """Lines that are not UTF-8."""
    for place, text in enumerate(lines):
        try:
            text.decode()
        except UnicodeDecodeError as error:
            yield place, "utf8", f"byte 0x{text[error.start]:02x} at column {error.start + 1} is not UTF-8"


def line_faults(lines: list[bytes], format: Format) -> Iterator[Fault]:
    """Faults of columns, ids, heads and comments."""
    width = len(format.columns)
    head = format.index("head")
    ids = Ids(format.ranges)
    rows = 0
    last = 0
    for place, line in enumerate(lines):
        text = line.removesuffix(b"\r")
        if not text.strip(b" \t\r"):
            continue
        if text.startswith(b"#"):
            if rows:
                yield place, "comment", "a comment stands below the first token"
            continue
        rows += 1
        last = place
        fields = text.split(b"\t", width - 1 if format.open_end else -1)
        if rows == 1 and format.extra and len(fields) > width:
            width = len(fields)
        if len(fields) != width:
            yield place, "columns", columns_fault(text, len(fields), width, format)
            ids.resync(fields[0])
            continue
        fault = ids.fault(fields[0].decode(errors="replace"))
        if fault:
            yield place, *fault
        if head >= 0 and fields[0].isdigit() and fields[head] != b"_" and not NUMBER.fullmatch(fields[head]):
            yield place, "head", f"the head {fields[head].decode(errors='replace')!r} is not a number"
    if ids.range_end > ids.word:
        yield last, "range", f"the sentence ends with word {ids.word}, before the range that ends with {ids.range_end}"
    if ids.word == 0:
        yield last, "no-words", "there are lines, but no word" if rows else "a comment stands alone, without a sentence"


PLAIN_TEXT = "this looks like plain text"  # in the message about it


def columns_fault(text: bytes, found: int, width: int, format: Format) -> str:
    """The fault in the number of columns, with a guess at the reason."""
    what = f"{found} column{'s' * (found != 1)} instead of {width}"
    if found == 1 and len(text.split()) >= len(format.columns) - 1:
        return f"{what}: they are separated by blanks, not by tabs"
    if found == 1 and not text[:1].isdigit():
        return f"{what}: {PLAIN_TEXT}, which must be split into words first, one a line"
    if found >= 14 and format.name != "conll09":
        return f"{what}: this looks like CoNLL-2009 (--from conll09)"
    return what


NUMBER = re.compile(rb"0|[1-9][0-9]{0,8}")
ID = re.compile(r"(0|[1-9][0-9]{0,8})(?:([-.])(0|[1-9][0-9]{0,8}))?")


class Ids:
    """The ids of a sentence read so far, which show the faults of the next one."""

    def __init__(self, ranges: bool) -> None:
        self.ranges = ranges
        self.word = self.empty = self.range_end = 0

    def resync(self, text: bytes) -> None:
        """Continue after a line that could not be split, so that it is reported only once."""
        if NUMBER.fullmatch(text.strip()):
            self.word = int(text)

    def fault(self, text: str) -> tuple[str, str] | None:
        """Code and description of what is wrong with an id, None if it is right."""
        match = ID.fullmatch(text)
        if match is None or (match[2] and not self.ranges):
            return "id", f"the id {text!r} is not a number"
        first, mark, second = int(match[1]), match[2], int(match[3] or 0)
        if mark == "-":
            wrong = first != self.word + 1 or second <= first or first <= self.range_end
            self.range_end = max(self.range_end, second)
            return ("range", f"the range {text} is out of place behind word {self.word}") if wrong else None
        if mark == ".":
            wrong = first != self.word or second != self.empty + 1
            expected = f"{self.word}.{self.empty + 1}"
            self.empty = second
            return ("empty-node", f"the empty node {text} stands where {expected} should") if wrong else None
        expected, self.word, self.empty = str(self.word + 1), first, 0
        return ("id", f"word {text} stands where word {expected} should") if text != expected else None


def inspect_sentence(
    sentence: Sentence, check: Check, *, roots: Roots = "any", graph: GraphRule | None = None
) -> list[Finding]:
    """The faults of a sentence that can be read: those of its tree or its graph, or "all" of them.

    With a rule for graphs, reachability and duplicates are checked too, and a sentence with a graph needs no heads.
    """
    faults: list[Fault] = []
    if check in TREES and not sentence.is_tree and sentence.format.index("head") >= 0:
        without_tree = graph is not None and sentence.has_graph and (sentence.heads == -1).all()
        faults += [] if without_tree else islice(tree_faults(sentence), MOST_FAULTS)
    found = sentence.roots
    if roots == "one" and check in TREES and sentence.is_tree and len(found) > 1:
        what = f"there are {len(found)} roots: words {', '.join(map(str, found[:10]))}"
        faults.append((sentence[found[1]].line, "several-roots", what))
    if check in ("graph", "all") or sentence.format.extra:  # such a format consists of argument columns
        faults += islice(graph_faults(sentence), MOST_FAULTS)
    if check == "graph" and not sentence.has_graph:
        faults.append((sentence[1].line, "no-graph", "the sentence has no graph"))
    if graph is not None:
        faults += arc_faults(sentence, acyclic=graph == "acyclic", one_root=roots == "one")
    if check == "all":
        faults += islice(form_faults(sentence), MOST_FAULTS)
    return [Finding(sentence.source, line, sentence.id, code, what) for line, code, what in sorted(faults)]


def tree_faults(sentence: Sentence) -> Iterator[Fault]:
    """Why the heads do not form a tree."""
    n = len(sentence)
    heads = sentence.heads.tolist()
    if all(head == -1 for head in heads):
        yield sentence[1].line, "missing-head", "no word has a head"
        return
    for word in range(1, n + 1):
        if heads[word] == -1:
            yield sentence[word].line, "missing-head", f"word {word} has no head"
        elif heads[word] > n:
            yield sentence[word].line, "head-range", f"word {word} has the head {heads[word]}, but there are {n} words"
        elif heads[word] == word:
            yield sentence[word].line, "self-loop", f"word {word} is its own head"
    for cycle in cycles_of(heads):
        if len(cycle) > 1:
            yield sentence[cycle[0]].line, "cycle", describe_cycle(cycle)
    if not sentence.roots:
        yield sentence[1].line, "no-root", "no word has the head 0"


def cycles_of(heads: list[int]) -> Iterator[list[int]]:
    """The cycles among heads, each from head to dependent, starting at its smallest word."""
    seen_by = [0] * len(heads)
    for start in range(1, len(heads)):
        word = start
        while 0 < word < len(heads) and not seen_by[word]:
            seen_by[word] = start
            word = heads[word]
        if not 0 < word < len(heads) or seen_by[word] != start:
            continue
        cycle = [word]
        while heads[cycle[-1]] != word:
            cycle.append(heads[cycle[-1]])
        cycle.reverse()
        smallest = cycle.index(min(cycle))
        yield cycle[smallest:] + cycle[:smallest]


def describe_cycle(cycle: list[int]) -> str:
    """A cycle as text."""
    return f"heads form a cycle {' -> '.join(map(str, [*cycle, cycle[0]]))}"


def graph_faults(sentence: Sentence) -> Iterator[Fault]:
    """DEPS that do not parse, and argument columns that do not fit the predicates."""
    if sentence.format.index("deps") >= 0:
        if all(deps == "_" for deps in sentence.deps[1:]) and not sentence.empty_nodes:
            return
        nodes = set(sentence.node_ids)
        for token in sentence.rows:
            fault = deps_fault(token.deps, nodes)
            if fault:
                yield token.line, "deps", f"token {token.id}: {fault}"
    elif sentence.format.extra:
        flags = sentence.column("pred" if sentence.format.name == "sdp" else "fillpred")
        marks = {*sentence.column("top")[1:], *flags[1:]} if sentence.format.name == "sdp" else set()
        if marks - {"+", "-"}:
            wrong = sorted(marks - {"+", "-"})[0]
            yield sentence[1].line, "arguments", f"TOP and PRED are '+' or '-', but there is {wrong!r}"
            return
        predicates = sum(flag in ("+", "Y") for flag in flags)
        columns = len(sentence.arguments[0])
        if predicates != columns:
            yield sentence[1].line, "arguments", f"{predicates} predicates, but {columns} argument columns"


def form_faults(sentence: Sentence) -> Iterator[Fault]:
    """Empty fields, too many columns, and lines that look empty but are not."""
    width = len(sentence.format.columns)
    for place, line in enumerate(sentence.raw.split(b"\n")):
        text = line.removesuffix(b"\r")
        if text and not text.strip(b" \t\r"):
            yield sentence.line + place, "blank-line", "a line of white space stands for an empty line"
        if not text.strip(b" \t\r") or text.startswith((b"#", b"\xef\xbb\xbf#")):
            continue
        fields = text.split(b"\t")
        if b"" in fields:
            yield sentence.line + place, "empty-field", f"column {fields.index(b'') + 1} is empty"
        if sentence.format.open_end and len(fields) > width:
            what = f"{len(fields)} columns instead of {width}: there are tabs in the last"
            yield sentence.line + place, "columns", what


def repair(
    raw: bytes, format: Format, *, source: str = "", line: int = 1, check: Check = "syntax", roots: Roots = "any"
) -> Sentence | None:
    """The repaired sentence, None if it cannot be repaired.

    Repaired are: bytes that are not UTF-8 (replaced by U+FFFD), missing columns, blanks for tabs, heads that are not
    numbers, misplaced comments, empty fields; and, if a tree is wanted, missing and impossible heads, cycles and roots
    (words are attached to the root). Ids out of order are not repaired: it is unknown which word they mean.
    """
    text = repaired_lines(raw, format)
    if inspect_syntax(text, format):
        return None
    sentence = Sentence(text, format, source=source, line=line)
    if check == "syntax":
        return sentence
    if format.index("head") >= 0 and check in TREES:
        sentence = repaired_tree(sentence, roots)
    if check in ("graph", "all"):
        sentence = repaired_deps(sentence)
    return None if inspect_sentence(sentence, check, roots=roots) else sentence


def repaired_lines(raw: bytes, format: Format) -> bytes:
    """The lines with UTF-8, columns, heads and comments repaired."""
    newline = "\r\n" if b"\r\n" in raw else "\n"
    lines = raw.removeprefix(b"\xef\xbb\xbf").decode(errors="replace").replace("\r\n", "\n").split("\n")
    comments = [line for line in lines if line.startswith("#")]
    tokens = [line for line in lines if line.strip() and not line.startswith("#")]
    width = max([len(format.columns), *(line.count("\t") + 1 for line in tokens if format.extra)])
    head = format.index("head")
    fixed = []
    for line in tokens:
        fields = line.split("\t", width - 1 if format.open_end else -1)
        if len(fields) != width and len(line.split()) == width:
            fields = line.split()
        fields += ["_"] * (width - len(fields))
        fields = [field.replace("\t", " ") or "_" for field in fields]
        if head >= 0 and not NUMBER.fullmatch(fields[head].encode()):
            fields[head] = "_"
        fixed.append("\t".join(fields))
    return (newline.join([*comments, *fixed]) + newline * 2).encode()


def repaired_tree(sentence: Sentence, roots: Roots) -> Sentence:
    """The sentence with heads that form a tree: words without a possible head, or in a cycle, go under the root."""
    n = len(sentence)
    old = sentence.heads.tolist()
    heads = [head if 0 <= head <= n and head != word else -1 for word, head in enumerate(old)]
    for cycle in cycles_of(heads):
        heads[cycle[0]] = -1
    root = next((word for word in range(1, n + 1) if heads[word] == 0), 0)
    if not root:
        root = next(word for word in range(1, n + 1) if heads[word] == -1)
        heads[root] = 0
    for word in range(1, n + 1):
        if heads[word] == -1 or (roots == "one" and heads[word] == 0 and word != root):
            heads[word] = root
    heads[0] = -1
    deprels = list(sentence.deprels)
    for word in range(1, n + 1):
        # A word that is no longer a root must not keep the label.
        if old[word] != heads[word] and word != root and deprels[word].lower() == "root":
            deprels[word] = "dep"
    return sentence.replace(heads=heads, deprels=deprels)


def repaired_deps(sentence: Sentence) -> Sentence:
    """The sentence without the DEPS that do not parse."""
    if sentence.format != CONLLU:
        return sentence
    nodes = set(sentence.node_ids)
    return sentence.replace(deps=["_" if deps_fault(deps, nodes) else deps for deps in sentence.deps])
