"""The process of one job: train, save, load, parse, score.

It reads its job as a line of JSON and writes lines of JSON: one per epoch, and the result. Its standard input stays
open as long as the runner lives; when the runner ends in any way, the process ends too.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, Literal

from crossarc.errors import CrossarcError
from crossarc.experiments.jobs import RESULT_FORMAT, sha256
from crossarc.experiments.resources import Stopwatch, peak_memory
from crossarc.treebank.folds import assign_folds

if TYPE_CHECKING:
    from crossarc.components import Epoch
    from crossarc.evaluation import TreePair
    from crossarc.treebank import Sentence
    from crossarc.treebank.validation import Check

    Data = str | list[Sentence]

PARSING_RUNS = 3  # the fastest counts, since other work only slows a machine down
BY_SENTENCE = ("las", "uas", "undirected")
LONG_RUN = 2.0  # seconds after which one run is enough


def work(order: dict[str, Any], on_epoch: Callable[[Epoch], None] = lambda epoch: None) -> dict[str, Any]:
    """Do a job and return its result."""
    import crossarc
    from crossarc.evaluation import PROPERTIES, Setting, break_down, pair_trees, score_pair
    from crossarc.parsers import Parser, load
    from crossarc.treebank.corpus import Corpus

    epochs: list[dict[str, Any]] = []

    def note(epoch: Epoch) -> None:
        epochs.append(asdict(epoch))
        on_epoch(epoch)

    whole = Stopwatch()
    parser = Parser(**order["settings"])
    training = Stopwatch()
    train, dev, scored = data_of(order)
    parser.fit(train, dev, on_error=order["on_error"], on_epoch=note)
    trained = {"cpu_seconds": training.cpu, "seconds": training.clock, "peak_memory": peak_memory(), "epochs": epochs}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.crossarc")
        parser.save(path)
        loaded = load(path)
        lengths = getattr(loaded.model, "lengths", None)
        pruning = lengths.development if lengths is not None else None
        model = {
            "bytes": os.path.getsize(path),
            "sha256": sha256(path),
            "pruning": asdict(pruning) if pruning is not None else None,
        }
        gold = read_sentences(scored, order["on_error"], parser.target) if isinstance(scored, str) else scored
        times: list[float] = []
        while len(times) < PARSING_RUNS and not (times and times[-1] > LONG_RUN):
            parsing = Stopwatch()
            parsed = list(loaded.parse(gold))
            times.append(parsing.cpu)
        own = loaded.model.own_figures(Corpus.of(gold))
        if order.get("parses"):
            crossarc.write(parsed, order["parses"])
        del loaded  # some systems cannot remove a file while it is mapped
    words = sum(map(len, gold))
    pair = pair_trees(gold, parsed)
    return {
        "format": RESULT_FORMAT,
        "scores": score_pair(pair, Setting("all", "unicode", False)).to_dict(),
        # By sentence, so that parsers can be compared sentence by sentence.
        "sentences": {
            **counts_by_sentence(pair),
            "without_punctuation": counts_by_sentence(replace(pair, counted=~pair.punctuation)),
        },
        "breakdowns": {each.name: each.to_dict()["rows"] for each in break_down(pair, PROPERTIES)},
        "graphs": graph_scores(gold, parsed) if parser.gives_graphs else None,
        "training": {**trained, "data": parser.manifest_["data"], "development": parser.manifest_["development"]},
        "parsing": {"words": words, "sentences": len(gold), "cpu_seconds": min(times), **own},
        "model": model,
        "cpu_seconds": whole.cpu,
        "seconds": whole.clock,
        "crossarc": crossarc.__version__,
    }


def data_of(order: dict[str, Any]) -> tuple[Data, Data | None, Data]:
    """The training data, development set and scored data of a job: files, or sentences of one file."""
    if "fold" not in order:
        return order["train"], order["dev"], order["gold"]
    sentences = read_sentences(order["file"], order["on_error"])
    numbers = assign_folds(len(sentences), order["folds"], order["folds_seed"])
    parts: tuple[list[Sentence], list[Sentence]] = ([], [])
    for sentence, number in zip(sentences, numbers, strict=True):
        parts[number == order["fold"]].append(sentence)
    return parts[0], None, parts[1]


def read_sentences(path: str, on_error: Literal["fail", "skip", "fix"], check: Check = "tree") -> list[Sentence]:
    """The sentences of a file that pass the check."""
    import crossarc

    return list(crossarc.read(path, check=check, on_error=on_error, report=lambda finding: None))


def graph_scores(gold: list[Sentence], parsed: list[Sentence]) -> dict[str, Any]:
    """The scores of graphs, with ELAS."""
    from crossarc.evaluation import evaluate_enhanced, evaluate_graphs

    return {**evaluate_graphs(gold, parsed).to_dict(), "elas": evaluate_enhanced(gold, parsed).elas.f1}


def counts_by_sentence(pair: TreePair) -> dict[str, list[int]]:
    """The number of counted words and of right words of each sentence."""
    from crossarc.evaluation import sentence_counts

    words: list[int] = sentence_counts(pair)[1].tolist()
    return {"words": words, **{each: sentence_counts(pair, each)[0].tolist() for each in BY_SENTENCE}}


def leave_with(descriptor: int) -> None:
    """End this process when a stream ends."""
    while os.read(descriptor, 1):
        pass
    os._exit(1)


def main() -> None:
    """Run the job given on standard input."""
    order = json.loads(sys.stdin.readline())
    threading.Thread(target=leave_with, args=(sys.stdin.fileno(),), daemon=True).start()

    # Output of libraries goes to standard error.
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def tell(**message: Any) -> None:
        channel.write(json.dumps(message) + "\n")
        channel.flush()

    try:
        tell(result=work(order, lambda epoch: tell(epoch=epoch.number)))
    except (CrossarcError, OSError) as error:
        tell(error=str(error))
    except Exception as error:
        traceback.print_exc()
        tell(error=f"{type(error).__name__}: {error}")
    sys.stderr.flush()
    os._exit(0)  # the thread waits in a read that does not end


if __name__ == "__main__":
    main()
