"""`crossarc validate`: find errors in a treebank."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

import typer

from crossarc.cli.arguments import Files, From, Json, check_output, check_stdin, check_treebank_name
from crossarc.cli.console import counted, print_json, say, tracked
from crossarc.errors import CrossarcError

if TYPE_CHECKING:
    from crossarc.treebank import Finding


@dataclass
class Verdict:
    """The result for a file: counts of all findings, and the findings up to a limit."""

    good: int = 0
    codes: Counter[str] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)


def validate(
    files: Files,
    source: From = None,
    roots: Annotated[
        str | None,
        typer.Option(
            metavar="one|any",
            help="Whether several roots are allowed, with --graph also in graphs; default: one, with --graph any.",
        ),
    ] = None,
    graph: Annotated[
        bool, typer.Option("--graph", help="Check the arcs of graphs too; sentences with a graph need no tree.")
    ] = False,
    acyclic: Annotated[
        bool, typer.Option("--acyclic", help="Report cycles of graphs, which are allowed otherwise; implies --graph.")
    ] = False,
    limit: Annotated[int, typer.Option(metavar="N", min=0, help="Print at most N findings per file.")] = 50,
    fix: Annotated[
        str | None,
        typer.Option(
            "--fix", metavar="FILE", help="Write the good sentences, and those that can be repaired, to this file."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Check ids, heads, cycles, roots, ranges, empty nodes, columns, UTF-8 and DEPS; exit code 1 if there are findings.

    \b
    $ crossarc validate train.conllu
    train.conllu:812: sentence 's31': heads form a cycle 3 -> 7 -> 3; give one of
    these words a head outside the cycle
    train.conllu: 4,507 good sentences, 1 finding (1 cycle)

    With --graph each arc must be there once, and a path from node 0 must lead to each node (not in SDP and CoNLL-2009).

    \b
    $ crossarc validate train.conllu --graph
    train.conllu:57: sentence 's4': no path from node 0 leads to nodes 6, 7; give
    one of them a head that can be reached
    train.conllu: 4,507 good sentences, 1 finding (1 unreachable)
    """
    if fix and (graph or acyclic):
        raise CrossarcError("--fix does not repair the arcs of graphs; leave out --graph and --acyclic")
    check_stdin(*files, "-" if fix else None)
    if fix:
        check_treebank_name(fix)
        check_output(fix, *files)
    if fix == "-" and json:
        raise CrossarcError("--fix - and --json both write to standard output; give one of them a file")
    roots = roots or ("any" if graph or acyclic else "one")
    verdicts = {path: validate_file(path, source, roots, limit, graph=graph, acyclic=acyclic) for path in files}
    if json:
        print_json({path: to_dict(verdict) for path, verdict in verdicts.items()})
    else:
        for path, verdict in verdicts.items():
            print_verdict(path, verdict, stderr=fix == "-")
    if fix:
        kept, left_out = fix_files(files, source, roots, fix)
        say(f"{fix}: {counted(kept, 'sentence')} written, {left_out:,} left out")
    if any(verdict.codes for verdict in verdicts.values()):
        raise typer.Exit(1)


def validate_file(
    path: str, source: str | None, roots: str, limit: int, *, graph: bool = False, acyclic: bool = False
) -> Verdict:
    """Check every sentence of a file."""
    from crossarc.treebank import Finding
    from crossarc.treebank import validate as findings_of

    verdict = Verdict()
    with tracked(path) as file:
        for item in findings_of(file, source, roots=roots, graph=graph, acyclic=acyclic):  # type: ignore[arg-type]
            if not isinstance(item, Finding):
                verdict.good += 1
                continue
            verdict.codes[item.code] += 1
            if len(verdict.findings) < limit:
                verdict.findings.append(item)
    return verdict


def fix_files(files: list[str], source: str | None, roots: str, output: str) -> tuple[int, int]:
    """Write good and repaired sentences; return how many were written and how many left out."""
    from itertools import chain

    from crossarc.treebank import read, write

    left_out: set[tuple[str, str, int]] = set()

    def count(finding: Finding) -> None:
        if finding.action == "left out":
            left_out.add((finding.source, finding.sentence, finding.line if not finding.sentence else 0))

    sentences = chain.from_iterable(
        read(path, source, on_error="fix", check="all", roots=roots, report=count)  # type: ignore[arg-type]
        for path in files
    )
    return write(sentences, output), len(left_out)


def print_verdict(path: str, verdict: Verdict, stderr: bool) -> None:
    """Print the findings, one per line, and a summary."""
    for finding in verdict.findings:
        say(finding, stderr=stderr)
    total = verdict.codes.total()
    if total > len(verdict.findings):
        say(f"{path}: {counted(total - len(verdict.findings), 'finding')} more (--limit shows more)", stderr=stderr)
    kinds = ", ".join(f"{count:,} {code}" for code, count in verdict.codes.most_common())
    good = counted(verdict.good, "good sentence")
    say(f"{path}: {good}, {counted(total, 'finding')}{kinds and f' ({kinds})'}", stderr=stderr)


def to_dict(verdict: Verdict) -> dict[str, object]:
    """The verdict for JSON."""
    findings = [
        {"line": each.line, "sentence": each.sentence, "code": each.code, "what": each.what, "remedy": each.remedy}
        for each in verdict.findings
    ]
    return {"good_sentences": verdict.good, "codes": dict(verdict.codes), "findings": findings}
