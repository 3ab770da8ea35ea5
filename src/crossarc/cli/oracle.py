"""`crossarc oracle`: the derivation of a tree or a graph, move by move, as in the papers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from crossarc.cli.arguments import From, Markdown
from crossarc.cli.console import Table, counted, print_tables
from crossarc.errors import CrossarcError

if TYPE_CHECKING:
    from crossarc.transitions import Configuration
    from crossarc.transitions.system import TransitionSystem
    from crossarc.treebank import Sentence

SHOWN = 5  # nodes shown of a stack, list or buffer; three dots stand for the rest
# What a system remembers besides the buffer, as `TransitionSystem.memory` says.
COLUMNS = {"stack": ["Stack"], "two stacks": ["Active stack", "Other stack"], "lists": ["List 1", "List 2"]}


def oracle(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A treebank with trees or graphs; - is standard input.")],
    parser: Annotated[str, typer.Option("--parser", metavar="NAME", help="A transition system or a preset.")],
    sentence: Annotated[
        list[str] | None,
        typer.Option("--sentence", metavar="ID|N|N-M", help="Only these sentences, by id or number; may be repeated."),
    ] = None,
    source: From = None,
    markdown: Markdown = False,
) -> None:
    """Print how a transition system builds the trees or graphs of a file: each move and its result.

    \b
    $ crossarc oracle train.conllu --parser arc-hybrid --sentence 1
    s1
    Move         Stack         Buffer        Arc
                 [ROOT]        [She, left]
    SHIFT        [ROOT, She]   [left]
    LEFT-ARC     [ROOT]        [left]        left -nsubj-> She
    ...

    dag-standard, dag-eager and dag-covington build the graph in DEPS or the SDP columns, as it is. The first two build
    projective graphs only; crossarc transform encode-graphs makes graphs projective, and removes empty nodes.

    \b
    $ crossarc oracle graphs.conllu --parser dag-standard --sentence 7
    s7
    Move           Stack                        Buffer   Arc
    ...
    SHIFT          [ROOT, stop, hiding, keys]   []
    RIGHT-ATTACH   [ROOT, stop, hiding]         [keys]   hiding -obj-> keys
    RIGHT-REDUCE   [ROOT, stop]                 [keys]   stop -xcomp-> hiding
    ...
    """
    print_tables(derivations(file, parser, sentence or (), source), markdown=markdown)


def derivations(file: str, parser: str, names: Sequence[str] = (), source: str | None = None) -> Iterator[Table]:
    """The derivations of the selected sentences, one table each."""
    from crossarc.cli.draw import Selection
    from crossarc.transitions import GRAPH_SYSTEMS
    from crossarc.treebank import read

    is_graph_system = parser in GRAPH_SYSTEMS
    if not is_graph_system:
        check_system(parser)
    selection = Selection(names)
    for number, each in enumerate(read(file, source), 1):
        if selection.takes(number, each.id):
            table = graph_derivation_table if is_graph_system else derivation_table
            yield table(as_learned(each, parser), parser, f"{each.id or number}")
        if selection.is_complete(number):
            return
    selection.check(file)


def as_learned(sentence: Sentence, parser: str) -> Sentence:
    """The sentence as a preset learns it: a pseudo-projective one lifts arcs that cross, and marks their labels."""
    from crossarc.parsers.presets import PRESETS
    from crossarc.transforms import PseudoProjective

    encoding = PRESETS[parser].settings.get("transform", "none") if parser in PRESETS else "none"
    if encoding == "none" or not sentence.is_tree:
        return sentence
    heads, labels = PseudoProjective(encoding).lift(sentence.heads, sentence.deprels)
    return sentence.replace(heads=heads, deprels=labels)


def check_system(parser: str) -> tuple[str, bool]:
    """The system of a parser, and whether it builds all root links, which depends on the reconstruction."""
    from crossarc.errors import UnknownName
    from crossarc.parsers.presets import PRESETS, preset_names
    from crossarc.transitions import GRAPH_SYSTEMS, SYSTEMS

    if parser in SYSTEMS:
        return parser, False
    if parser in preset_names("moves"):
        settings = PRESETS[parser].settings
        return settings["system"], settings.get("reconstruction") == "naive"
    raise UnknownName("transition system", parser, {*SYSTEMS, *GRAPH_SYSTEMS, *preset_names("moves")})


def derivation_table(sentence: Sentence, parser: str, title: str) -> Table:
    """One row per move: the move, the next configuration, and the new arc."""
    from crossarc.draw.characters import printable
    from crossarc.errors import StructureError
    from crossarc.transitions import Configuration, get_system

    name, all_links = check_system(parser)
    heads = sentence.heads
    system = get_system(name, single_root=bool((heads == 0).sum() == 1), root_links="all" if all_links else "uncrossed")
    try:
        configuration = Configuration(system, heads)
    except StructureError as error:
        raise CrossarcError(f"{sentence.source}:{sentence.line}: sentence {sentence.id!r}: {error}") from None
    words = ["ROOT", *(printable(form) for form in sentence.forms[1:])]
    labels = ["", *(printable(label) for label in sentence.deprels[1:])]
    table = Table(title, ["Move", *columns_of(configuration), "Arc"])
    table.rows.append(["", *cells_of(configuration, words), ""])
    while not configuration.is_final():
        before = configuration.heads
        links = len(configuration.links)
        move = configuration.oracle()
        configuration.apply(move)
        arc = ""
        if len(configuration.links) > links:
            left, right, _ = configuration.links[-1]
            word = left if heads[left] == right else right
            arc = f"{words[left]} -{labels[word]}- {words[right]}"
        for word, (old, new) in enumerate(zip(before, configuration.heads, strict=True)):
            if old != new:
                arc = arc_text(words, labels, new, word, bool(heads[word] == new))
        table.rows.append([system.moves[move], *cells_of(configuration, words), arc])
    table.note = outcome(configuration, words, labels, len(table.rows) - 1)
    return table


def graph_derivation_table(sentence: Sentence, parser: str, title: str) -> Table:
    """One row per move of a system that builds graphs: the move, the next configuration, and the new arc."""
    from crossarc.draw.characters import printable
    from crossarc.transitions import Configuration

    arcs, names, system = graph_task(sentence, parser)
    configuration = Configuration(system, arcs=arcs, n=len(sentence))
    words = ["ROOT", *(printable(form) for form in sentence.forms[1:])]
    labels = [*(printable(name) for name in names), "?"]  # the last for arcs that are not in the graph
    table = Table(title, ["Move", *columns_of(configuration), "Arc"])
    table.rows.append(["", *cells_of(configuration, words), ""])
    while not configuration.is_final():
        move = configuration.oracle()
        label = configuration.gold_label(move)
        pair = configuration.arc_of(move)
        configuration.apply(move, label if label >= 0 else len(names))
        arc = f"{words[pair[0]]} -{labels[label]}-> {words[pair[1]]}" if pair else ""
        table.rows.append([system.moves[move], *cells_of(configuration, words), arc])
    made = set(configuration.arcs)
    configuration.finish(len(names))
    added = [f"{words[head]} -?-> {words[word]}" for head, word, _ in configuration.arcs[len(made) :]]
    moves = counted(len(table.rows) - 1, "move") + (f", then {'; '.join(added)}" if added else "")
    missing = len(set(arcs) - made)
    others = len(configuration.arcs) - (len(arcs) - missing)
    faults = [f"{counted(missing, 'arc')} cannot be built"] if missing else []
    faults += [f"{counted(others, 'arc is', 'arcs are')} not in the graph"] if others else []
    table.note = f"{moves}: {', '.join(faults) or 'the graph is rebuilt'}"
    return table


def graph_task(sentence: Sentence, parser: str) -> tuple[list[tuple[int, int, int]], list[str], TransitionSystem]:
    """The arcs of a graph with numbers for labels, the labels, and a system with limits that let it build the graph."""
    from crossarc.structure import is_acyclic
    from crossarc.transitions import get_graph_system

    place = f"{sentence.source}:{sentence.line}: sentence {sentence.id!r}"
    if not sentence.has_graph:
        raise CrossarcError(f"{place} has no graph; choose a system for trees, for example arc-hybrid")
    if sentence.empty_nodes:
        raise CrossarcError(f"{place} has empty nodes; crossarc transform encode-graphs removes them")
    graph = sentence.graph
    names = list(dict.fromkeys(graph.labels))
    arcs = [(head, word, names.index(label)) for head, word, label in dict.fromkeys(graph)]
    system = get_graph_system(
        parser,
        single_root=sum(head == 0 for head, _, _ in arcs) == 1,
        most_heads=max(Counter(word for _, word, _ in arcs).values()),
        most_parallel=max(Counter((head, word) for head, word, _ in arcs).values()),
        allows_cycles=not is_acyclic(graph),
    )
    return arcs, names, system


def arc_text(words: Sequence[str], labels: Sequence[str], head: int, word: int, gold: bool) -> str:
    """An arc as text; an arc that is not in the gold tree has the label "?"."""
    return f"{words[head]} -{labels[word] if gold else '?'}-> {words[word]}"


def outcome(configuration: Configuration, words: Sequence[str], labels: Sequence[str], moves: int) -> str:
    """The arcs that are added after the last move, and whether the result is the tree."""
    before = configuration.heads
    configuration.finish()
    gold = configuration.gold
    wrong = sum(head != wanted for head, wanted in zip(configuration.heads, gold, strict=True))
    rest = ""
    if configuration.system.directed:
        added = [word for word in range(1, len(gold)) if before[word] < 0]
        rest = "; ".join(
            arc_text(words, labels, configuration.heads[word], word, gold[word] == configuration.heads[word])
            for word in added
        )
    ending = f"{counted(wrong, 'head')} cannot be built" if wrong else "the tree is rebuilt"
    return f"{counted(moves, 'move')}{f', then {rest}' if rest else ''}: {ending}"


def columns_of(configuration: Configuration) -> list[str]:
    """The names of the parts of a configuration."""
    return [*COLUMNS[configuration.system.memory], "Buffer"]


def cells_of(configuration: Configuration, words: Sequence[str]) -> list[str]:
    """The parts of a configuration as text."""
    memory = configuration.system.memory
    buffer = opening([words[node] for node in configuration.buffer])
    if memory == "lists":
        first = configuration.system.first_node
        end = configuration.buffer[0] if configuration.buffer else len(words)
        return [
            closing(words[first : configuration.left + 1]),
            opening(words[configuration.left + 1 if configuration.left >= first else first : end]),
            buffer,
        ]
    stack = closing([words[node] for node in configuration.stack])
    if memory == "two stacks":
        return [stack, closing([words[node] for node in configuration.stack2]), buffer]
    return [stack, buffer]


def opening(words: Sequence[str]) -> str:
    """The first words of a list."""
    return f"[{', '.join([*words[:SHOWN], *(['...'] if len(words) > SHOWN else [])])}]"


def closing(words: Sequence[str]) -> str:
    """The last words of a list, where the top of a stack is."""
    return f"[{', '.join([*(['...'] if len(words) > SHOWN else []), *words[-SHOWN:]])}]"
