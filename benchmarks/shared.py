"""Functions of several benchmarks: times, tables, and UDPipe (`pip install ufal.udpipe`) to compare with."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    """The result of a call and its CPU time."""
    begin = time.process_time()
    result = call()
    return result, time.process_time() - begin


def print_table(columns: list[str], rows: Iterable[list[str]]) -> None:
    """Print a Markdown table and a blank line."""
    print("| " + " | ".join(columns) + " |")
    print("|---" * len(columns) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def udpipe_sentences(path: str | Path) -> Any:
    """The sentences of a file as UDPipe holds them."""
    from ufal import udpipe

    reader = udpipe.InputFormat.newConlluInputFormat()
    reader.setText(Path(path).read_text(encoding="utf-8"))
    error, sentence, sentences = udpipe.ProcessingError(), udpipe.Sentence(), udpipe.Sentences()
    while reader.nextSentence(sentence, error):
        sentences.append(sentence)
    if error.occurred():
        raise SystemExit(error.message)
    return sentences


def udpipe_model(train: Path, dev: Path, tokenizer: str, tagger: str, parser: str) -> tuple[Any, int]:
    """Train UDPipe with the options of each part, "none" to leave it out; the model and its size in bytes."""
    from ufal import udpipe

    error = udpipe.ProcessingError()
    data = udpipe_sentences(train), udpipe_sentences(dev)
    made = udpipe.Trainer.train("morphodita_parsito", *data, tokenizer, tagger, parser, error)
    if error.occurred():
        raise SystemExit(error.message)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        path.write_bytes(made.encode("utf-8", "surrogateescape") if isinstance(made, str) else made)
        return udpipe.Model.load(str(path)), path.stat().st_size


def udpipe_process(model: Any, source: str, tagger: str, parser: str) -> Callable[[str], str]:
    """A function from the input of a trained UDPipe to CoNLL-U."""
    from ufal import udpipe

    error = udpipe.ProcessingError()
    pipeline = udpipe.Pipeline(model, source, tagger, parser, "conllu")
    pipeline.model = model  # it must live as long as the pipeline
    return lambda text: pipeline.process(text, error)
