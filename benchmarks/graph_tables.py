"""Parsers of graphs compared, as Markdown tables: the analogue of Tables 1 and 2 of Sagae and Tsujii (2008).

    python benchmarks/graph_tables.py FOLDER... [--kinds danish|enhanced] [--rows NAME ...] [--acyclic] [--part dev]
                                      [--seeds 1 2 3] [--predicted-tags 10] [--unlabelled]

Each FOLDER has train, dev and test files, as CoNLL-U or SDP (train.conllu, train.sdp ...). Each row is trained on the
training part, the best epoch is chosen by the development set, and the test part is scored; `--part dev` scores the
development set, for choices. `--acyclic` leaves out sentences whose graphs have cycles, as the paper does.
`--predicted-tags N` replaces tags and lemmas by those of a tagger, in the training part by taggers of N folds. With
several seeds each row is trained with each of them, and figures are means, also of the ends of intervals.
`--unlabelled` adds the unlabelled F of each kind of arcs. Results are kept in a cache, so that an interrupted run goes
on; `--anew` forgets them. Times are CPU times of one thread.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from crossarc.evaluation import evaluate_enhanced, evaluate_graphs
from crossarc.parsers import Parser
from crossarc.structure import is_acyclic
from crossarc.tagging import Tagger, jackknife_tags
from crossarc.transforms import TreeOnly
from crossarc.treebank import Sentence, read
from crossarc.treebank.empty_nodes import numbered_arcs, with_arcs


@dataclass(frozen=True)
class Row:
    """A parser with its settings, and how it parses."""

    parser: str
    settings: dict[str, Any] = field(default_factory=dict)
    tree_only: bool = False
    trees: str = ""  # a parser of trees that parses the development and test parts first
    passes: int = 1  # epochs of such a parser, for each of --epochs
    ways: tuple[tuple[str, dict[str, Any]], ...] = (("", {}),)  # settings of parsing alone, with a name for each


PAPER = {"features": "dag-sagae", "learner": "maxent", "lifting": "shortest"}
PAPER_UPOS = {**PAPER, "features": "dag-sagae-upos"}  # tags like those of the paper, where XPOS is the morphology
BEAMS = tuple(
    (f", beam {beam}, by {compare}" if beam > 1 else ", greedy", {"beam": beam, "compare": compare})
    for beam, compare in ((1, "sum"), (16, "sum"), (16, "mean"), (150, "sum"), (150, "mean"))
)
ROWS = {
    "dag-standard, maximum entropy, features of the paper": Row("dag-standard", PAPER, ways=BEAMS),
    "the same, tree only": Row("dag-standard", PAPER, tree_only=True, ways=(BEAMS[0], BEAMS[3])),
    "dag-standard, maximum entropy, features of the paper with UPOS": Row("dag-standard", PAPER_UPOS, ways=BEAMS),
    "the same with UPOS, tree only": Row("dag-standard", PAPER_UPOS, tree_only=True, ways=(BEAMS[0], BEAMS[3])),
    "dag-standard, maximum entropy": Row("dag-standard", {"learner": "maxent"}, ways=(BEAMS[0], BEAMS[1], BEAMS[3])),
    "dag-standard": Row("dag-standard"),
    "dag-standard, tree only": Row("dag-standard", tree_only=True),
    "dag-standard, beam 16, global training": Row("dag-standard", {"beam": 16}),
    "dag-eager": Row("dag-eager"),
    "dag-eager, maximum entropy": Row("dag-eager", {"learner": "maxent"}, ways=(BEAMS[0], BEAMS[1], BEAMS[3])),
    "dag-eager, beam 16, global training": Row("dag-eager", {"beam": 16}),
    "dag-covington": Row("dag-covington"),
    "dag-covington, maximum entropy": Row("dag-covington", {"learner": "maxent"}, ways=BEAMS[:4]),
    "dag-covington, tree only": Row("dag-covington", tree_only=True),
    "dag-covington, cycles allowed": Row("dag-covington", {"cycles": "allow"}),
    "dag-mst": Row("dag-mst"),
    "dag-mst, from trees of carreras-npa": Row("dag-mst", {"use_tree": True}, trees="carreras-npa"),
    "neural-graph": Row("neural-graph", passes=2),
}


def read_part(folder: Path, part: str, acyclic: bool) -> list[Sentence]:
    """The sentences of a part that have graphs."""
    path = next(path for path in sorted(folder.iterdir()) if path.name.split(".")[0] == part)
    sentences = [sentence for sentence in read(path) if sentence.has_graph]
    return [sentence for sentence in sentences if is_acyclic(sentence.graph)] if acyclic else sentences


def with_predicted_tags(parts: dict[str, list[Sentence]], folds: int) -> dict[str, list[Sentence]]:
    """The parts with the tags and lemmas of taggers that have not seen the sentences."""
    tagger = Tagger().fit(parts["train"], parts["dev"])
    tagged = {name: tagger.tag(sentences) for name, sentences in parts.items() if name != "train"}
    return {**tagged, "train": jackknife_tags(parts["train"], folds=folds)}


def as_trees(sentences: list[Sentence], tree: TreeOnly) -> list[Sentence]:
    """The sentences with one head of each word as their graphs."""
    return [with_arcs(sentence, tree.encode(sentence), []) for sentence in sentences]


def with_trees(sentences: list[Sentence], parser: Parser) -> list[Sentence]:
    """The sentences with the trees of a parser, and with their own graphs."""
    parsed = parser.parse(sentences)
    return [old.replace(heads=new.heads, deprels=new.deprels) for old, new in zip(sentences, parsed, strict=True)]


def measure(
    row: Row, parts: dict[str, list[Sentence]], kinds: str | None, part: str, epochs: int, seed: int
) -> Iterator[dict[str, Any]]:
    """Train a row and yield its scores for each way of parsing."""
    tree = TreeOnly("head" if kinds == "danish" else "closest") if row.tree_only else None
    train, dev, gold = (parts[name] for name in ("train", "dev", part))
    settings = {**row.settings, "epochs": row.passes * epochs, "seed": seed}
    if tree is not None:
        train, dev = as_trees(train, tree), as_trees(dev, tree)
        settings |= {"lemmas": False, "empty": "keep"}
    begin = time.process_time()
    helper = Parser(row.trees, epochs=epochs, seed=seed).fit(train, dev) if row.trees else None
    if helper is not None:
        dev = with_trees(dev, helper)
    parser = Parser(row.parser, **settings).fit(train, dev)
    training = time.process_time() - begin
    for name, way in row.ways:
        if way:
            parser.model_ = replace(parser.model, settings=parser.settings.model_copy(update=way))  # type: ignore[type-var]
        begin = time.process_time()
        parsed = list(parser.parse(gold if helper is None else with_trees(gold, helper)))
        if tree is not None:
            parsed = [tree.decode(old, numbered_arcs(new)) for old, new in zip(gold, parsed, strict=True)]
        seconds = time.process_time() - begin
        scores = evaluate_graphs(gold, parsed, kinds=kinds, intervals=True)
        figures = {
            "name": name,
            "scores": scores.to_dict(),
            "tokens/s": sum(map(len, gold)) / seconds,
            "parsing": seconds,
            "training": training,
        }
        if gold[0].format.name == "conllu":
            figures["ELAS"] = evaluate_enhanced(gold, parsed).elas.f1
        yield figures


def copied(parts: dict[str, list[Sentence]], part: str, kinds: str | None) -> dict[str, Any]:
    """The scores of gold trees taken for graphs."""
    gold = parts[part]
    tree = TreeOnly("head")
    scores = evaluate_graphs(gold, as_trees(gold, tree), kinds=kinds, intervals=True)
    figures = {"name": "", "scores": scores.to_dict(), "tokens/s": 0.0, "parsing": 0.0, "training": 0.0}
    return {**figures, "ELAS": evaluate_enhanced(gold, as_trees(gold, tree)).elas.f1}


def main() -> None:
    """Print a table for each treebank."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folders", nargs="+", type=Path)
    options.add_argument("--kinds", choices=("danish", "enhanced"))
    options.add_argument("--rows", nargs="+", choices=ROWS, default=list(ROWS))
    options.add_argument("--acyclic", action="store_true")
    options.add_argument("--unlabelled", action="store_true")
    options.add_argument("--predicted-tags", type=int, default=0, help="folds of the training part; 0: gold tags")
    options.add_argument("--part", default="test", choices=("dev", "test"))
    options.add_argument("--epochs", type=int, default=10)
    options.add_argument("--seeds", nargs="+", type=int, default=[1])
    options.add_argument("--cache", type=Path, default=Path(".cache"))
    options.add_argument("--anew", action="store_true")
    chosen = options.parse_args()
    chosen.cache.mkdir(parents=True, exist_ok=True)
    for folder in chosen.folders:
        print(f"**{folder.name}{', without cyclic graphs' if chosen.acyclic else ''}**\n", flush=True)
        print_table(folder, chosen)


def print_table(folder: Path, chosen: argparse.Namespace) -> None:
    """Print the table of a treebank."""
    parts: dict[str, list[Sentence]] = {}
    kind = f"{'-acyclic' if chosen.acyclic else ''}{f'-tags{chosen.predicted_tags}' if chosen.predicted_tags else ''}"
    kept = chosen.cache / f"graphs-{folder.name}-{chosen.part}{kind}.json"
    cache: dict[str, list[dict[str, Any]]] = {}
    if kept.exists() and not chosen.anew:
        cache = json.loads(kept.read_text())
    header = None
    for name in ["gold trees", *chosen.rows]:
        runs = []
        for seed in chosen.seeds if name in ROWS else [1]:
            key = name if seed == 1 else f"{name}, seed {seed}"
            if key not in cache:
                if not parts:
                    parts = {each: read_part(folder, each, chosen.acyclic) for each in {"train", "dev", chosen.part}}
                    if chosen.predicted_tags:
                        parts = with_predicted_tags(parts, chosen.predicted_tags)
                if name in ROWS:
                    how = (chosen.kinds, chosen.part, chosen.epochs, seed)
                    cache[key] = list(measure(ROWS[name], parts, *how))
                elif parts[chosen.part][0].format.index("head") >= 0:
                    cache[key] = [copied(parts, chosen.part, chosen.kinds)]
                else:
                    continue
                kept.write_text(json.dumps(cache))
            runs.append(cache[key])
        for ways in zip(*runs, strict=True):
            figures = mean_of(ways) if len(ways) > 1 else ways[0]
            cells = cells_of(figures, chosen.unlabelled)
            if len(chosen.seeds) > 1:
                cells["LF of each seed"] = ", ".join(f"{way['scores']['labelled']['f1']:.2f}" for way in ways)
            if header is None:
                header = list(cells)
                print(f"| parser | {' | '.join(header)} |\n|---|{'---:|' * len(header)}")
            print(f"| {name}{figures['name']} | {' | '.join(cells.values())} |", flush=True)
    print()


def mean_of(values: Sequence[Any]) -> Any:
    """Return the means of figures that have the same structure; values that are not numbers are left out."""
    if all(isinstance(value, dict) for value in values):
        return {
            key: mean_of([value[key] for value in values]) for key in values[0] if all(key in value for value in values)
        }
    if all(isinstance(value, list | tuple) for value in values):
        return [mean_of(each) for each in zip(*values, strict=True)]
    if any(isinstance(value, str) for value in values):
        return values[0]
    return sum(values) / len(values) if all(isinstance(value, int | float) for value in values) else None


def cells_of(figures: dict[str, Any], unlabelled: bool) -> dict[str, str]:
    """The cells of a row by their titles."""
    scores = figures["scores"]
    cells = {}
    for letter, kind in (("L", "labelled"), ("U", "unlabelled")):
        for measure_, title in (("precision", "P"), ("recall", "R"), ("f1", "F")):
            cells[letter + title] = f"{scores[kind][measure_]:.2f}"
    if "ELAS" in figures:
        cells["ELAS"] = f"{figures['ELAS']:.2f}"
    for name, classes in scores["classes"].items():
        for kind, letter in (("labelled", ""), ("unlabelled", "U"))[: 1 + unlabelled]:
            score, intervals = classes[kind], classes[f"{kind}_intervals"] or {}
            text = "" if score["f1"] is None else f"{score['f1']:.1f}"
            low_high = intervals.get("f1") if name != "primary" else None
            text += f" [{low_high[0]:.1f}, {low_high[1]:.1f}]" if low_high else ""
            cells[f"{name} {letter}F ({score['gold']:,.0f})"] = text
    cells["tokens/s"] = f"{figures['tokens/s']:,.0f}" if figures["tokens/s"] else ""
    cells["training, CPU s"] = f"{figures['training']:.0f}" if figures["training"] else ""
    return cells


if __name__ == "__main__":
    main()
