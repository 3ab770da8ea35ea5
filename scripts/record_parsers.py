"""Record the models and output of every kind of parser on small treebanks, as hashes, to find the effects of a change.

    python scripts/record_parsers.py record FOLDER tests/recorded/parsers.json    # before
    python scripts/record_parsers.py compare FOLDER tests/recorded/parsers.json   # after; exit code 1 if any differs

FOLDER has `tr_imst` and `da_ddt_graph`. The hash of a model covers its arrays, but not their names. Other hashes are
those of the parsed development set with one and two threads, of its two best trees with all probabilities, and of the
model after a training that was interrupted and resumed.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import crossarc
from crossarc import Parser, Pipeline, read
from crossarc.components import read_model
from crossarc.parsers import PRESETS
from crossarc.treebank import write

SIZES = {"train": 160, "dev": 30}
NETWORK = {
    "epochs": 8,
    "rate": 0.01,
    "hidden": 24,
    "lexical_size": 24,
    "tag_size": 16,
    "arc_size": 24,
    "label_size": 16,
}
# Each preset is run by itself, and with these settings, which lead to other models, searches or files.
VARIANTS: dict[str, list[dict[str, Any]]] = {
    "arc-hybrid": [
        {"fast": True},
        {"beam": 3},
        {"learner": "mira"},
        {"learner": "liblinear"},
        {"learner": "libsvm", "features": "compact"},  # it takes a minute with the usual features
        {"transform": "path", "cap": 5},
        {"features": "compact"},
    ],
    "planar-label": [{"reconstruction": "score"}, {"root_links": "none"}],
    "mst": [{"labels": "joint"}, {"lengths": True}, {"learner": "perceptron"}, {"transform": "head"}],
    "mst-bottom-up": [{"child_labels": True}],
    "mst-undirected": [{"method": "kkt"}, {"combine": "max", "directed_training": True}],
    "carreras-npa": [{"labels": "joint"}, {"starts": ["mst", "mst-undirected", "planar"]}],
    "neural": [
        {"ensemble": 2},
        {"loss": "trees", "labels": "joint"},
        {"predict": ["upos", "xpos", "feats", "lemma"], "features": "neural-forms"},
        {"transform": "head"},
    ],
    "dag-covington": [{"use_tree": True}, {"cycles": "allow", "learner": "maxent", "beam": 2}],
    "dag-mst": [{"use_tree": True}],
    "neural-graph": [{"use_tree": True}],
}
RESUMED = ("arc-eager", "mst-undirected-lep", "carreras-npa", "neural", "dag-covington", "dag-mst", "neural-graph")
PIPELINES: dict[str, dict[str, Any]] = {"neural": {}, "arc-hybrid": {"jackknife": 3, "graph": "dag-covington"}}


def settings_of(preset: str) -> dict[str, Any]:
    """Return settings that make training short."""
    return {"epochs": 2} | (NETWORK if PRESETS[preset].method == "networks" else {})


def cases() -> Iterator[tuple[str, str, dict[str, Any], bool]]:
    """Yield the name of each case, its preset, its settings, and whether it is a pipeline."""
    for preset in PRESETS:
        for variant in ({}, *VARIANTS.get(preset, [])):
            text = ", ".join(f"{name}={value}" for name, value in variant.items())
            settings = {**settings_of(preset), **variant}
            if variant.get("learner") in ("liblinear", "libsvm"):
                settings.pop("epochs")
            yield f"{preset}{': ' if text else ''}{text}", preset, settings, False
    for preset, settings in PIPELINES.items():
        yield f"pipeline {preset}", preset, {**settings_of(preset), **settings}, True


def digest(data: bytes) -> str:
    """Return a short hash."""
    return hashlib.sha256(data).hexdigest()[:16]


def hash_of_arrays(path: Path) -> str:
    """Return the hash of the arrays of a model file, without their names and order."""
    _, arrays = read_model(path)
    each = (
        f"{array.dtype} {array.shape} ".encode() + np.ascontiguousarray(array).tobytes() for array in arrays.values()
    )
    return digest("".join(sorted(map(digest, each))).encode())


def output(parser: Parser | Pipeline, dev: list[Any], **options: Any) -> str:
    """Return the hash of the parsed sentences."""
    out = io.BytesIO()
    write(parser.parse(dev, **options), out)  # type: ignore[arg-type]
    return digest(out.getvalue())


def analyses(parser: Parser | Pipeline, dev: list[Any]) -> str:
    """Return the hash of the two best trees and their scores."""
    parts: list[bytes] = []
    try:
        for found in parser.parse(dev, scores=True, k=2):
            parts.append(found.marginals.tobytes())
            for tree in found.trees:
                arrays = (tree.heads, tree.head_probabilities, tree.label_probabilities)
                parts += [np.ascontiguousarray(each).tobytes() for each in arrays]
                parts.append(repr((list(tree.deprels), tree.score, tree.probability)).encode())
    except crossarc.CrossarcError:
        return "refused"
    return digest(b"".join(parts))


class InterruptedTrainingError(Exception):
    """A training that ends after its first epoch."""


def interrupt(epoch: Any) -> None:
    """End a training once the first epoch is in the checkpoint."""
    if epoch.number == 2:
        raise InterruptedTrainingError


def recorded(name: str, preset: str, settings: dict[str, Any], is_pipeline: bool, data: Path) -> dict[str, str]:
    """Train, save, load and parse one case; return its hashes."""
    make = Pipeline if is_pipeline else Parser
    parser = make(preset, **settings)
    graphs = (parser.graph or parser.parser) if isinstance(parser, Pipeline) else parser
    crossing = graphs.gives_graphs or graphs.settings.transform != "none"
    treebank = data / ("da_ddt_graph" if crossing else "tr_imst")
    train, dev = (list(islice(read(treebank / f"{part}.conllu"), size)) for part, size in SIZES.items())
    found = {}
    with TemporaryDirectory() as folder:
        path, checkpoint = Path(folder) / "model", Path(folder) / "checkpoint"
        parser.fit(train, dev).save(path)
        found["arrays"] = hash_of_arrays(path)
        loaded = crossarc.load(path)
        for threads in (1, 2):
            found[f"output {threads}"] = output(loaded, dev, threads=threads)
        if isinstance(parser, Pipeline):
            out = io.BytesIO()
            write(loaded.stream([" ".join(map(" ".join, (sentence.forms[1:] for sentence in dev)))]), out)  # type: ignore[union-attr]
            found["text"] = digest(out.getvalue())
        elif not parser.gives_graphs:
            found["analyses"] = analyses(loaded, dev)
        else:
            found["trees"] = output(loaded, dev, with_tree=True)
        if name in RESUMED:
            with suppress(InterruptedTrainingError):
                make(preset, **settings).fit(train, dev, checkpoint=checkpoint, on_epoch=interrupt)
            make(preset, **settings).fit(train, dev, checkpoint=checkpoint, resume=True).save(path)
            found["resumed"] = hash_of_arrays(path)
    return found


def main() -> int:
    """Record or compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["record", "compare"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("file", type=Path)
    parser.add_argument("--only", default="", help="a regular expression: the cases that are run")
    args = parser.parse_args()
    known = json.loads(args.file.read_text()) if args.what == "compare" else {}
    found, wrong = {}, 0
    for case in cases():
        name = case[0]
        if not re.search(args.only, name):
            continue
        found[name] = recorded(*case, args.folder)
        if args.what == "compare" and found[name] != known.get(name):
            wrong += 1
            there = known.get(name, {})
            print(f"{name}: other {', '.join(each for each in found[name] if found[name][each] != there.get(each))}")
    if args.what == "record":
        args.file.write_text(json.dumps(found, indent=1) + "\n")
    print(f"{len(found)} cases, {wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
