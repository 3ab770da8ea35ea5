"""Conversion of sentences from one format to another, with counts of losses."""

from __future__ import annotations

from collections import Counter

from crossarc.errors import TreebankError
from crossarc.treebank.arguments import argument_columns
from crossarc.treebank.formats import Format, get_format
from crossarc.treebank.graph import Graph, format_deps
from crossarc.treebank.sentence import Sentence

Rows = list[list[str]]


def convert(sentence: Sentence, target: str | Format, losses: Counter[str] | None = None) -> Sentence:
    """The sentence in another format; `losses` counts the data that this format has no place for.

    >>> losses = Counter()
    >>> tree = Sentence.from_columns(metadata={"sent_id": "1"}, forms=["", "Rain"], heads=[-1, 0], deprels=["", "root"])
    >>> print(str(convert(tree, "conllx", losses)).strip().expandtabs(1), dict(losses))
    1 Rain _ _ _ _ 0 root _ _ {'comments': 1}
    """
    form = get_format(target) if isinstance(target, str) else target
    lost: Counter[str] = Counter()
    if form == sentence.format:
        return sentence
    rows = WRITERS[form.name](sentence, lost)
    note_losses(sentence, form, lost)
    comments = carried_comments(sentence, form, lost)
    newline = "\r\n" if b"\r\n" in sentence.raw else "\n"
    lines = [*comments, *("\t".join(row) for row in rows), "", ""]
    if losses is not None:
        losses.update({what: count for what, count in lost.items() if count})
    return Sentence(newline.join(lines).encode(), form, source=sentence.source, line=sentence.line)


def with_predicted(sentence: Sentence) -> Sentence:
    """The sentence of a CoNLL-2009 file with its predicted lemmas, tags and features in the place of the gold ones."""
    if sentence.format.name != "conll09":
        raise TreebankError(f"{sentence.format.title} has no predicted columns; CoNLL-2009 has")
    lemmas, tags, feats = map(sentence.column, ("plemma", "ppos", "pfeat"))
    return sentence.replace(lemmas=lemmas, xpos=tags, feats=feats)


def describe_losses(losses: Counter[str], target: Format) -> str:
    """The losses of a conversion, in one line."""
    parts = ", ".join(f"{count:,} {what}" for what, count in losses.items())
    return f"{target.title} cannot carry: {parts}"


# Columns of each format that no other has a place for.
OWN_COLUMNS = {
    "conllu": ("misc",),
    "conllx": ("phead", "pdeprel"),
    "conll09": ("plemma", "ppos", "pfeat", "phead", "pdeprel", "pred"),
    "sdp": ("frame",),
}


def note_losses(sentence: Sentence, target: Format, lost: Counter[str]) -> None:
    """Count the data that the target format cannot hold."""
    for column in OWN_COLUMNS[sentence.format.name]:
        lost[f"values of {column.upper()}"] += sum(value != "_" for value in sentence.column(column)[1:])
    if target.name != "conllu":
        lost["multiword ranges"] += len(sentence.ranges)
        lost["empty nodes"] += len(sentence.empty_nodes)
    if target.name in ("conll09", "sdp"):
        both = zip(sentence.upos, sentence.xpos, strict=True)
        lost["UPOS tags beside XPOS"] += sum(upos not in ("", "_", xpos) and xpos != "_" for upos, xpos in both)
    if target.name == "sdp":
        lost["values of FEATS"] += sum(value != "_" for value in sentence.feats[1:])
        if sentence.has_graph:
            lost["arcs of the tree"] += sum(head >= 0 for head in sentence.heads.tolist()[1:])


def carried_comments(sentence: Sentence, target: Format, lost: Counter[str]) -> list[str]:
    """The comments for the target: CoNLL-X and CoNLL-2009 have none, SDP the id alone."""
    comments = list(sentence.comments)
    if target.name == "conllu":
        if sentence.format.name == "sdp":
            comments = [comment for comment in comments if not comment.startswith("#SDP ")]
            return [f"# sent_id = {comment[1:]}" if comment[1:] == sentence.id else comment for comment in comments]
        return comments
    if target.name == "sdp" and sentence.id:
        lost["comments"] += len(comments) - 1
        return [f"#{sentence.id}"]
    lost["comments"] += len(comments)
    return []


def tag(sentence: Sentence, word: int) -> str:
    """The tag for formats with one tag column: XPOS, or UPOS if there is no XPOS."""
    return sentence.xpos[word] if sentence.xpos[word] != "_" else sentence.upos[word]


def basics(sentence: Sentence) -> list[tuple[str, str, str, str]]:
    """Head and label of each word as strings, with its features and lemma."""
    heads = ["_" if head < 0 else str(head) for head in sentence.heads.tolist()]
    return list(zip(heads, sentence.deprels, sentence.feats, sentence.lemmas, strict=True))


def tree_rows(sentence: Sentence, ninth: list[str]) -> Rows:
    """The rows of CoNLL-U and CoNLL-X, with a given ninth column and an empty tenth."""
    forms, upos, xpos = sentence.forms, sentence.upos, sentence.xpos
    rows = [
        [str(word), forms[word], lemma, upos[word], xpos[word], feats, head, deprel, ninth[word], "_"]
        for word, (head, deprel, feats, lemma) in enumerate(basics(sentence))
    ]
    return rows[1:]


def to_conllu(sentence: Sentence, lost: Counter[str]) -> Rows:
    """CoNLL-U: everything but the columns that only the source has."""
    nothing = ["_"] * (len(sentence) + 1)
    return tree_rows(sentence, format_deps(sentence.graph, sentence.node_ids) if sentence.has_graph else nothing)


def to_conllx(sentence: Sentence, lost: Counter[str]) -> Rows:
    """CoNLL-X: the tree, and no graph."""
    if sentence.has_graph:
        lost["arcs of the graph"] += len(sentence.graph)
    return tree_rows(sentence, ["_"] * (len(sentence) + 1))


def to_conll09(sentence: Sentence, lost: Counter[str]) -> Rows:
    """CoNLL-2009: the tree, and the graph as predicates with arguments; predicates get their lemma as sense."""
    graph = sentence.graph if sentence.has_graph else None
    predicates, cells = argument_cells(sentence, graph, lost)
    if graph is not None:
        lost["arcs from the root of the graph"] += int((graph.heads == 0).sum())
    rows = []
    for word, (head, deprel, feats, lemma) in enumerate(basics(sentence)):
        pos = tag(sentence, word)
        sense = ["Y", lemma] if word in predicates else ["_", "_"]
        twice = [each for value in (lemma, pos, feats, head, deprel) for each in (value, value)]  # gold and predicted
        rows.append([str(word), sentence.forms[word], *twice, *sense, *cells[word]])
    return rows[1:]


def to_sdp(sentence: Sentence, lost: Counter[str]) -> Rows:
    """SDP 2015: the graph; a sentence without one gives its tree as a graph."""
    graph = sentence.graph if sentence.has_graph else tree_as_graph(sentence)
    predicates, cells = argument_cells(sentence, graph, lost)
    tops = {dependent for head, dependent, _ in graph if head == 0}
    lost["labels of arcs from the root"] += sum(head == 0 and label.lower() != "root" for head, _, label in graph)
    rows = []
    for word in range(1, len(sentence) + 1):
        marks = ["+" if word in chosen else "-" for chosen in (tops, predicates)]
        basic = [str(word), sentence.forms[word], sentence.lemmas[word], tag(sentence, word)]
        rows.append([*basic, *marks, "_", *cells[word]])
    return rows


def tree_as_graph(sentence: Sentence) -> Graph:
    """The tree's arcs as a graph."""
    heads = sentence.heads.tolist()
    arcs = [(heads[word], word, sentence.deprels[word]) for word in range(1, len(sentence) + 1) if heads[word] >= 0]
    return Graph.from_arcs([str(word) for word in range(len(sentence) + 1)], arcs)


def argument_cells(sentence: Sentence, graph: Graph | None, lost: Counter[str]) -> tuple[list[int], Rows]:
    """The predicates (words that are heads) and for each word its label under each of them."""
    arcs = []
    for head, dependent, label in graph or ():
        ends = graph.nodes[head], graph.nodes[dependent]  # type: ignore[union-attr]
        if all(end.isdigit() for end in ends):
            arcs.append((int(ends[0]), int(ends[1]), label))
        else:
            lost["arcs to or from empty nodes"] += 1
    predicates, cells, second = argument_columns(arcs, len(sentence))
    lost["second arcs between the same words"] += len(second)
    return predicates, cells


WRITERS = {"conllu": to_conllu, "conllx": to_conllx, "conll09": to_conll09, "sdp": to_sdp}
