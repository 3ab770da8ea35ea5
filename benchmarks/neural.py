"""The time of the parts of neural parsers: products, single sentences, and a PyTorch network of the same sizes.

    python benchmarks/neural.py MODEL FILE [--rounds 5]

MODEL is a trained `neural` and FILE a treebank in CoNLL-U. Prints Markdown tables:

- products of matrices compared with those of NumPy on one thread, in billions of operations a second;
- the whole way from sentences to trees in batches, and from one sentence to its tree, as a program calls it that has
  one sentence at a time;
- if PyTorch is installed, only the two recurrent layers in PyTorch on one thread, of the same sizes and in the same
  batches, compared with the whole way here.

All rounds take turns. Times are CPU seconds, the best of all rounds. `benchmarks/parsing.py` compares neural parsers
with others, and with UDPipe. Set OPENBLAS_NUM_THREADS=1 (or what your NumPy has) for a fair comparison of products.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

import crossarc
from crossarc.neural.kernels import Panels, multiply
from crossarc.parsers.networks.model import NetworkTreeModel, sentence_batches
from crossarc.treebank import read
from crossarc.treebank.corpus import Corpus

SHAPES = [(500, 224, 640), (2000, 320, 640), (32, 160, 640), (25, 320, 448)]  # rows, inner, columns


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("file")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    print_products(options.rounds)
    trained = crossarc.load(options.model)
    if not isinstance(trained.model, NetworkTreeModel):
        raise SystemExit(f"{options.model} is a {trained.settings.parser}; give a neural")
    print_parsing(trained, options.file, options.rounds)


def best_times(works: list[Callable[[], object]], rounds: int) -> list[float]:
    """The best CPU time of each work; the works run alternately."""
    best = [float("inf")] * len(works)
    for _ in range(rounds):
        for place, work in enumerate(works):
            begin = time.process_time()
            work()
            best[place] = min(best[place], time.process_time() - begin)
    return best


def print_products(rounds: int) -> None:
    print("| product | NumPy, GFLOP/s | crossarc, GFLOP/s | ratio |\n|---|---:|---:|---:|")
    rng = np.random.default_rng(1)
    for rows, inner, columns in SHAPES:
        left, right = (rng.random(shape, dtype=np.float32) for shape in ((rows, inner), (inner, columns)))
        panels, repeats = Panels(right), 1 + 200_000_000 // (rows * inner * columns)

        def numpy(a: np.ndarray = left, b: np.ndarray = right, count: int = repeats) -> None:
            for _ in range(count):
                a @ b

        def ours(a: np.ndarray = left, b: Panels = panels, count: int = repeats) -> None:
            for _ in range(count):
                multiply(a, b)

        work = 2e-9 * rows * inner * columns * repeats
        theirs, own = (work / seconds for seconds in best_times([numpy, ours], rounds))
        print(f"| {rows} x {inner} x {columns} | {theirs:.0f} | {own:.0f} | {own / theirs:.2f} |")


def print_parsing(trained: crossarc.Parser, path: str, rounds: int) -> None:
    model = trained.model
    assert isinstance(model, NetworkTreeModel)
    sentences = list(read(path))
    words = sum(map(len, sentences))
    some = sentences[:: max(1, len(sentences) // 200)]

    def batches() -> None:
        model.parse(Corpus.of(sentences))

    def one_by_one() -> None:
        for sentence in some:
            next(trained.parse(sentence))

    works: list[Callable[[], object]] = [batches, one_by_one]
    torch_work = torch_layers(model, sentences)
    works += [torch_work] if torch_work is not None else []
    for work in works:
        work()  # the first run fills caches
    seconds = best_times(works, rounds)
    single = 1000 * seconds[1] / len(some)
    print("\n| way | figure |\n|---|---:|")
    print(f"| sentences to trees, tokens/s | {words / seconds[0]:,.0f} |")
    print(f"| one sentence ({sum(map(len, some)) / len(some):.0f} words), ms | {single:.2f} |")
    if torch_work is not None:
        print(f"| recurrent layers in PyTorch, tokens/s | {words / seconds[2]:,.0f} |")
        print(f"| the whole way here, relative to these layers in PyTorch | {seconds[2] / seconds[0]:.2f} |")


def torch_layers(model: NetworkTreeModel, sentences: list[crossarc.treebank.Sentence]) -> Callable[[], object] | None:
    """The recurrent layers in PyTorch over the same batches, or None without PyTorch."""
    try:
        import torch
    except ImportError:
        return None
    torch.set_num_threads(1)
    settings, corpus = model.settings, Corpus.of(sentences)
    lstm = torch.nn.LSTM(model.network.encoder.ends[-1], settings.hidden, settings.layers, bidirectional=True).eval()
    tokens = model.tokens_of(corpus)
    inputs = []
    for batch in sentence_batches(tokens, corpus.starts, lambda tokens: None):
        sizes = np.diff(batch.starts)
        padded = torch.rand(int(sizes.max()), len(sizes), lstm.input_size)
        inputs.append(torch.nn.utils.rnn.pack_padded_sequence(padded, torch.from_numpy(sizes)))

    def run() -> None:
        with torch.inference_mode():
            for batch in inputs:
                lstm(batch)

    return run


if __name__ == "__main__":
    main()
