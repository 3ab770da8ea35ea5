"""`crossarc transform`: trees and graphs as a parser learns them, and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from crossarc.cli.arguments import Files, From, Output, check_output, check_treebank_name
from crossarc.cli.console import counted, say, tracked
from crossarc.errors import TreebankError

if TYPE_CHECKING:
    from crossarc.transforms import GraphTransform, PseudoProjective
    from crossarc.treebank import Sentence

TREE_DIRECTIONS = ("projectivize", "deprojectivize")
GRAPH_DIRECTIONS = ("encode-graphs", "decode-graphs")
DIRECTIONS = TREE_DIRECTIONS + GRAPH_DIRECTIONS
# What the counters of a transform of graphs mean, in the order of the report.
COUNTS = {
    "arcs_reversed": "arcs reversed to break cycles",
    "arcs_dropped": "arcs dropped",
    "null_arcs": "null arcs for words without a head",
    "arcs_lifted": "arcs lifted",
    "lifted_to_root": "of these to node 0",
    "empty_nodes_lost": "empty nodes lost",
    "empty_arcs_lost": "arcs of empty nodes lost",
}


def transform(
    direction: Annotated[
        str,
        typer.Argument(
            metavar="DIRECTION",
            help="projectivize or deprojectivize for trees (HEAD), encode-graphs or decode-graphs for graphs (DEPS).",
        ),
    ],
    files: Files,
    output: Output = "-",
    encoding: Annotated[
        str,
        typer.Option(metavar="NAME", help="What labels mark: head (label↑label of the head), path (↑, ↓) or headpath."),
    ] = "head",
    cap: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, help="Keep the N most frequent new labels; the others become plain."),
    ] = None,
    prefer: Annotated[
        str, typer.Option(metavar="NAME", help="Put edges back to the first place, or to a non-projective one.")
    ] = "first",
    crossings: Annotated[bool, typer.Option("--crossings", help="Graphs: leave arcs that cross.")] = False,
    cycles: Annotated[bool, typer.Option("--cycles", help="Graphs: leave cycles.")] = False,
    full_labels: Annotated[bool, typer.Option("--full-labels", help="Graphs: leave lemmas in labels.")] = False,
    reversal: Annotated[
        str, typer.Option(metavar="RULE", help="Graphs: the arc that breaks a cycle, by default or as in the paper.")
    ] = "default",
    lifting: Annotated[
        str,
        typer.Option(
            metavar="ORDER", help="Graphs: lift arcs to node 0 last (root-last), or the shortest first (shortest)."
        ),
    ] = "root-last",
    numbers: Annotated[
        int, typer.Option(metavar="N", min=1, help="Graphs: the greatest number in marks of lifted arcs; 1 for none.")
    ] = 1,
    empty: Annotated[
        str, typer.Option(metavar="NAME", help="Graphs: collapse empty nodes into labels, or keep them.")
    ] = "collapse",
    source: From = None,
    on_error: Annotated[
        str, typer.Option(metavar="POLICY", help="What to do with sentences that cannot be used: fail, skip or fix.")
    ] = "fail",
) -> None:
    """Make trees or graphs simpler, with marked labels, for parsers that build only such ones; and restore them.

    Trees become projective. Graphs become projective and acyclic, without empty nodes and without lemmas in labels. The
    options for graphs must be the same in both directions.

    \b
    $ crossarc transform projectivize train.conllu -o train-projective.conllu
    train-projective.conllu: 12,544 sentences, 357 edges lifted in 288 trees
    back again: 99.98% of 204,577 edges are right, and 90.96% of 354
    non-projective ones
    $ crossarc transform deprojectivize parsed.conllu -o final.conllu
    $ crossarc transform encode-graphs train.conllu -o train-encoded.conllu
    train-encoded.conllu: 12,544 sentences, 9,117 graphs changed
      arcs reversed to break cycles: 2,276
      arcs dropped: 3
      null arcs for words without a head: 2
      arcs lifted: 9,580
      of these to node 0: 50
      empty nodes lost: 8
      arcs of empty nodes lost: 8
    back again: labelled precision 98.88, recall 98.87 of 215,933 arcs
    $ crossarc transform decode-graphs parsed.conllu -o final.conllu
    """
    from crossarc.errors import UnknownName
    from crossarc.transforms import GraphTransform, PseudoProjective

    if direction not in DIRECTIONS:
        raise UnknownName("direction", direction, DIRECTIONS)
    check_treebank_name(output)
    check_output(output, *files)
    if direction in GRAPH_DIRECTIONS:
        graphs = GraphTransform(
            projective=not crossings,
            acyclic=not cycles,
            lemmas=not full_labels,
            reversal=reversal,  # type: ignore[arg-type]
            empty=empty,  # type: ignore[arg-type]
            lifting=lifting,  # type: ignore[arg-type]
            numbers=numbers,
        )
        report = transform_graphs(direction, files, output, graphs, source, on_error)
        if output != "-":
            say(f"{output}: {report}")
        return
    rewrite = PseudoProjective(encoding, cap=cap, prefer=prefer)
    tally = transform_files(direction, files, output, rewrite, source, on_error)
    if output != "-":
        say(f"{output}: {describe(direction, tally)}")


@dataclass
class Tally:
    """The number of sentences, of changed trees, of moved edges, and of marked edges that stayed.

    Where trees are made projective, also the number of edges and how many are right after the way back, of all and of
    non-projective ones.
    """

    sentences: int = 0
    trees: int = 0
    edges: int = 0
    stayed: int = 0
    words: int = 0
    words_back: int = 0
    non_projective: int = 0
    non_projective_back: int = 0


def describe(direction: str, tally: Tally) -> str:
    """The summary of a run in one line, or two where trees are made projective."""
    done = "lifted" if direction == "projectivize" else "put back"
    stayed = f", {tally.stayed:,} found no place" if tally.stayed else ""
    moved = f"{counted(tally.edges, 'edge')} {done} in {counted(tally.trees, 'tree')}"
    line = f"{counted(tally.sentences, 'sentence')}, {moved}{stayed}"
    if direction == "deprojectivize":
        return line
    share = 100 * tally.words_back / max(1, tally.words)
    line += f"\nback again: {share:.2f}% of {counted(tally.words, 'edge')} are right"
    if tally.non_projective:
        share = 100 * tally.non_projective_back / tally.non_projective
        line += f", and {share:.2f}% of {tally.non_projective:,} non-projective ones"
    return line


def transform_files(
    direction: str, files: list[str], output: str, rewrite: PseudoProjective, source: str | None, on_error: str
) -> Tally:
    """Write the sentences of all files with new heads and labels; everything else stays, byte for byte."""
    from crossarc.structure import non_projective_edges
    from crossarc.treebank import read, write

    change = rewrite.encode if direction == "projectivize" else rewrite.decode
    tally = Tally()

    def changed(sentence: Sentence) -> Sentence:
        heads, labels = change(sentence.heads, sentence.deprels)
        edges = int((heads != sentence.heads).sum())
        relabelled = sum(new != old for new, old in zip(labels[1:], sentence.deprels[1:], strict=True))
        tally.sentences += 1
        tally.trees += edges > 0
        tally.edges += edges
        if direction == "deprojectivize":
            tally.stayed += rewrite.count_marks(sentence.deprels) - edges
        else:
            right = rewrite.decode(heads, labels)[0] == sentence.heads
            crossing = non_projective_edges(sentence.heads)
            tally.words += len(right) - 1
            tally.words_back += int(right[1:].sum())
            tally.non_projective += len(crossing)
            tally.non_projective_back += int(right[crossing].sum())
        return sentence.replace(heads=heads, deprels=labels) if edges or relabelled else sentence

    def sentences() -> Iterator[Sentence]:
        for path in files:
            with tracked(path, quiet=output == "-") as file:
                yield from read(file, source, on_error=on_error, check="tree")  # type: ignore[arg-type]

    found: Iterable[Sentence] = sentences()
    if direction == "projectivize" and rewrite.cap is not None:  # what is kept is known only after the last sentence
        found = list(found)
        rewrite.fit((sentence.heads, sentence.deprels) for sentence in found)
    write(map(changed, found), output)
    return tally


@dataclass
class GraphTally:
    """The number of sentences and changed graphs; of arcs before, after the way back, and in both."""

    sentences: int = 0
    changed: int = 0
    gold: int = 0
    found: int = 0
    right: int = 0


def transform_graphs(
    direction: str, files: list[str], output: str, rewrite: GraphTransform, source: str | None, on_error: str
) -> str:
    """Write the sentences of all files with other graphs; return the report."""
    from crossarc.treebank import read, write
    from crossarc.treebank.empty_nodes import numbered_arcs, with_arcs

    tally = GraphTally()

    def encoded(sentence: Sentence) -> Sentence:
        arcs = rewrite.encode(sentence)
        gold, found = named_arcs(sentence), named_arcs(rewrite.decode(sentence, arcs))
        tally.gold += len(gold)
        tally.found += len(found)
        tally.right += len(gold & found)
        if rewrite.empty == "collapse":
            return with_arcs(sentence, arcs)
        kept = [arc for arc in numbered_arcs(sentence) if max(arc[:2]) > len(sentence)]
        return with_arcs(sentence, arcs + kept, [token.id for token in sentence.empty_nodes])

    def decoded(sentence: Sentence) -> Sentence:
        if sentence.empty_nodes and rewrite.empty == "collapse":
            raise TreebankError(
                f"{sentence.source}:{sentence.line}: sentence {sentence.id!r} has empty nodes, which encode-graphs "
                "writes into labels: this file is not encoded; leave decode-graphs out"
            )
        return rewrite.decode(sentence, [arc for arc in numbered_arcs(sentence) if max(arc[:2]) <= len(sentence)])

    def changed(sentence: Sentence) -> Sentence:
        new = encoded(sentence) if direction == "encode-graphs" else decoded(sentence)
        tally.sentences += 1
        tally.changed += named_arcs(new) != named_arcs(sentence)
        return new

    def sentences() -> Iterator[Sentence]:
        for path in files:
            with tracked(path, quiet=output == "-") as file:
                yield from read(file, source, on_error=on_error, check="syntax")  # type: ignore[arg-type]

    write(map(changed, sentences()), output)
    line = f"{counted(tally.sentences, 'sentence')}, {counted(tally.changed, 'graph')} changed"
    if direction == "decode-graphs":
        return line
    counts = [f"{text}: {rewrite.losses[name]:,}" for name, text in COUNTS.items() if rewrite.losses[name]]
    line += "".join("\n  " + count for count in counts)
    precision, recall = (100 * tally.right / max(1, total) for total in (tally.found, tally.gold))
    return (
        f"{line}\nback again: labelled precision {precision:.2f}, recall {recall:.2f} of {counted(tally.gold, 'arc')}"
    )


def named_arcs(sentence: Sentence) -> set[tuple[str, str, str]]:
    """The arcs of a sentence between the ids of nodes."""
    nodes = sentence.graph.nodes
    return {(nodes[head], nodes[dependent], label) for head, dependent, label in sentence.graph}
