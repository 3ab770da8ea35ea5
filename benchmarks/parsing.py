"""The speed and accuracy of parsers, compared with the PyPI package ufal.udpipe on the same data in one run.

    python benchmarks/parsing.py TREEBANK [--parsers NAME ...] [--epochs 10] [--no-peers]

NAME is a preset, with optional settings ("mst labels=joint").
TREEBANK is a folder with train.conllu, dev.conllu and test.conllu, or the name of such a folder in the folder given by
the environment variable CROSSARC_DATA. Prints a Markdown table with ratios to UDPipe. UDPipe takes from ten minutes to
an hour to train, so its model is kept in a folder (--cache); the parsers of crossarc are trained each time.

Every step runs in its own process and reports its peak memory. Tokens/s are per CPU second of one thread, the best of
several rounds in which all parsers take turns, without start-up and loading. "Arrays" is from sentences in memory to
heads and labels (UDPipe: its own sentence objects), "files" from a CoNLL-U file to a CoNLL-U file. "Two threads" is
wall-clock time, from sentences to sentences, so it needs two idle cores; the time to load is CPU time. Both learn
from gold tags, and crossarc scores both on all tokens.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from shared import udpipe_sentences

import crossarc
from crossarc.experiments.resources import Stopwatch, peak_memory, single_threaded
from crossarc.parsers.presets import preset_names
from crossarc.treebank import read, write
from crossarc.treebank.corpus import Corpus

PARSERS = ["arc-hybrid", "planar", "two-planar", "covington"]
UDPIPE = "UDPipe"
# Its projective parser with the dynamic oracle. Structured prediction, which takes far longer to train, is left out.
UDPIPE_OPTIONS = (
    "iterations={iterations};embedding_upostag=20;embedding_feats=20;embedding_xpostag=0;embedding_form=50;"
    "embedding_lemma=0;embedding_deprel=20;learning_rate=0.01;learning_rate_final=0.001;l2=0.5;hidden_layer=200;"
    "batch_size=10;transition_system=projective;transition_oracle=dynamic;structured_interval=0;use_gold_tags=1"
)
Figures = dict[str, Any]


def crossarc_train(train: str, dev: str | None, model: str, settings: dict[str, Any]) -> Figures:
    watch = Stopwatch()
    parser = crossarc.Parser(**settings).fit(train, dev)
    used = {"cpu_seconds": watch.cpu, "seconds": watch.clock, "peak_memory": peak_memory()}
    parser.save(model)
    return used


def crossarc_arrays(gold: str, model: str) -> Figures:
    corpus = Corpus.of(list(read(gold)))
    loading = Stopwatch()
    parser = crossarc.load(model)
    seconds = loading.cpu
    parser.model.parse(corpus)  # the first run reads the pages of the model into memory
    watch = Stopwatch()
    parser.model.parse(corpus)
    return {"load_seconds": seconds, "arrays": watch.cpu}


def crossarc_files(gold: str, model: str, output: str) -> Figures:
    parser = crossarc.load(model)
    watch = Stopwatch()
    write(parser.parse(read(gold)), output)
    return {"files": watch.cpu, "peak_memory": peak_memory()}


def crossarc_threads(gold: str, model: str, words: int) -> Figures:
    """The best times of one thread and of two threads; all parsers run alternately."""
    parser = crossarc.load(model)
    sentences = list(read(gold))
    sentences *= 1 + words // sum(map(len, sentences))
    best = {1: float("inf"), 2: float("inf")}
    for threads in (1, 2) * 2:
        begin = time.perf_counter()
        for _ in parser.parse(sentences, threads=threads):
            pass
        best[threads] = min(best[threads], time.perf_counter() - begin)
    return {"threads": best[1] / best[2]}


def udpipe_train(train: str, model: str, options: str) -> Figures:
    from ufal import udpipe

    watch = Stopwatch()
    error = udpipe.ProcessingError()
    made = udpipe.Trainer.train(
        "morphodita_parsito", udpipe_sentences(train), udpipe.Sentences(), "none", "none", options, error
    )
    if error.occurred():
        raise SystemExit(error.message)
    used = {"cpu_seconds": watch.cpu, "seconds": watch.clock, "peak_memory": peak_memory()}
    Path(model).write_bytes(made.encode("utf-8", "surrogateescape") if isinstance(made, str) else made)
    return used


def udpipe_arrays(gold: str, model: str) -> Figures:
    from ufal import udpipe

    sentences = udpipe_sentences(gold)
    loading = Stopwatch()
    parser = udpipe.Model.load(model)
    seconds = loading.cpu
    watch = Stopwatch()
    for sentence in sentences:
        parser.parse(sentence, udpipe.Model.DEFAULT)
    return {"load_seconds": seconds, "arrays": watch.cpu}


def udpipe_files(gold: str, model: str, output: str) -> Figures:
    from ufal import udpipe

    parser = udpipe.Model.load(model)
    watch = Stopwatch()
    writer = udpipe.OutputFormat.newConlluOutputFormat()
    with open(output, "w", encoding="utf-8") as file:
        for sentence in udpipe_sentences(gold):
            parser.parse(sentence, udpipe.Model.DEFAULT)
            file.write(writer.writeSentence(sentence))
    return {"files": watch.cpu, "peak_memory": peak_memory()}


STEPS = {
    step.__name__: step
    for step in (
        crossarc_train,
        crossarc_arrays,
        crossarc_files,
        crossarc_threads,
        udpipe_train,
        udpipe_arrays,
        udpipe_files,
    )
}


def in_process(step: str, **arguments: Any) -> Figures:
    """Run a step in its own process."""
    command = [sys.executable, __file__, "--step", step, json.dumps(arguments)]
    run = subprocess.run(command, stdout=subprocess.PIPE, env=single_threaded(), check=False, text=True)
    if run.returncode:
        raise SystemExit(f"{step} ended with exit code {run.returncode}")
    figures: Figures = json.loads(run.stdout)
    return figures


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def udpipe_model(train: str, treebank: str, cache: Path, iterations: int) -> tuple[str, Figures]:
    """The model of UDPipe and the figures of its training, from the cache or new."""
    options = UDPIPE_OPTIONS.format(iterations=iterations)
    key = hashlib.sha256(options.encode() + Path(train).read_bytes()).hexdigest()[:12]
    model = cache / f"udpipe-{treebank}-{key}.model"
    notes = model.with_suffix(".json")
    if not (model.exists() and notes.exists()):
        cache.mkdir(parents=True, exist_ok=True)
        say(f"training UDPipe, {iterations} iterations: once, then {model} is used")
        part = str(model) + ".part"
        notes.write_text(json.dumps(in_process("udpipe_train", train=train, model=part, options=options)))
        os.replace(part, model)
    return str(model), json.loads(notes.read_text())


def row(name: str, figures: Figures, base: Figures | None, words: int) -> list[str]:
    def ratio(value: float) -> str:
        return f"{value:.1f}x" if base is not None else ""

    training = figures["training"]
    seconds = training["cpu_seconds"]
    return [
        name,
        f"{figures['las']:.2f}",
        f"{figures['uas']:.2f}",
        f"{words / figures['arrays']:,.0f}",
        ratio(base["arrays"] / figures["arrays"] if base else 0),
        f"{words / figures['files']:,.0f}",
        ratio(base["files"] / figures["files"] if base else 0),
        f"{figures['threads']:.2f}x" if "threads" in figures else "",
        f"{seconds:,.0f}",
        ratio(base["training"]["cpu_seconds"] / seconds if base else 0),
        *(f"{used['peak_memory'] / 1e6:,.0f}" if used["peak_memory"] else "" for used in (training, figures)),
        f"{figures['bytes'] / 1e6:.1f}",
        f"{1000 * figures['load_seconds']:.1f}",
    ]


COLUMNS = [
    "parser",
    "LAS",
    "UAS",
    "tokens/s, arrays",
    "to UDPipe",
    "tokens/s, files",
    "to UDPipe",
    "two threads",
    "training, CPU s",
    "times faster",
    "peak MB, training",
    "peak MB, parsing",
    "model, MB",
    "load, ms",
]


def choices(names: list[str], epochs: int, seed: int) -> dict[str, dict[str, Any]]:
    """The settings of each parser of the table; transition parsers with fast search too."""
    chosen: dict[str, dict[str, Any]] = {}
    for name in names:
        preset, *options = name.split()
        chosen[name] = {"parser": preset, "epochs": epochs, "seed": seed, **dict(each.split("=") for each in options)}
        if preset in preset_names("moves") and "fast" not in chosen[name]:
            chosen[f"{name}, fast"] = {**chosen[name], "fast": True}
    return chosen


def measure(arguments: argparse.Namespace, files: dict[str, str], folder: Path) -> dict[str, Figures]:
    """All figures of all parsers."""
    gold = files[arguments.score]
    table: dict[str, Figures] = {}
    models: dict[str, tuple[str, str]] = {}
    if arguments.peers:
        try:
            import ufal.udpipe  # noqa: F401
        except ImportError:
            say("without peers: ufal.udpipe is not installed (pip install '.[bench]')")
        else:
            model, training = udpipe_model(files["train"], arguments.name, arguments.cache, arguments.iterations)
            models[UDPIPE], table[UDPIPE] = ("udpipe", model), {"training": training}
    for name, settings in choices(arguments.parsers, arguments.epochs, arguments.seed).items():
        say(f"training {name}")
        model = str(folder / f"{len(models)}.crossarc")
        training = in_process("crossarc_train", train=files["train"], dev=files["dev"], model=model, settings=settings)
        models[name], table[name] = ("crossarc", model), {"training": training}
    best: dict[str, Figures] = {name: {} for name in models}
    for number in range(arguments.rounds):
        for name, (kind, model) in models.items():
            say(f"round {number + 1} of {arguments.rounds}: {name}")
            output = str(folder / f"{kind}.conllu")
            found = in_process(f"{kind}_files", gold=gold, model=model, output=output)
            found |= in_process(f"{kind}_arrays", gold=gold, model=model)
            best[name] = {key: min(value, best[name].get(key, value)) for key, value in found.items()}
            if number == 0:
                scores = crossarc.evaluate(gold, output)
                table[name] |= {"las": scores.las, "uas": scores.uas, "bytes": Path(model).stat().st_size}
                if kind == "crossarc":
                    table[name] |= in_process("crossarc_threads", gold=gold, model=model, words=arguments.words)
    return {name: table[name] | best[name] for name in models}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("treebank", help="a folder with train.conllu, dev.conllu and test.conllu")
    parser.add_argument("--parsers", nargs="+", default=PARSERS, metavar="NAME")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--score", choices=("dev", "test"), default="test")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--words", type=int, default=200_000, help="the number of words to parse with one and two threads"
    )
    parser.add_argument("--peers", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--iterations", type=int, default=10, help="of UDPipe's training")
    parser.add_argument("--cache", type=Path, default=Path(__file__).parent / ".cache", metavar="FOLDER")
    arguments = parser.parse_args()
    folder = Path(arguments.treebank)
    if not folder.is_dir():
        folder = Path(os.environ.get("CROSSARC_DATA", "../shared/data")) / arguments.treebank
    files = {part: str(folder / f"{part}.conllu") for part in ("train", "dev", "test")}
    if missing := [path for path in files.values() if not os.path.exists(path)]:
        parser.error(f"there is no {missing[0]}")
    arguments.name = folder.resolve().name
    words = sum(len(sentence) for sentence in read(files[arguments.score]))
    with tempfile.TemporaryDirectory() as temporary:
        table = measure(arguments, files, Path(temporary))
    base = table.get(UDPIPE)
    print(
        f"{arguments.name}: scored on {arguments.score}, {words:,} words; {arguments.epochs} epochs"
        + (f", UDPipe {arguments.iterations} iterations" if base else "")
        + ", gold tags\n"
    )
    print("| " + " | ".join(COLUMNS) + " |\n|---|" + "---:|" * (len(COLUMNS) - 1))
    for name, figures in table.items():
        print("| " + " | ".join(row(name, figures, base, words)) + " |")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--step"]:
        print(json.dumps(STEPS[sys.argv[2]](**json.loads(sys.argv[3]))))
    else:
        main()
