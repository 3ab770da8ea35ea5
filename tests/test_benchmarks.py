"""The benchmarks run: on the example treebank, without peers, as one would call them."""

import importlib.util
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from crossarc import Parser, read
from crossarc.parsers.presets import preset_names
from crossarc.treebank import Corpus, write
from graph_treebank import graph_treebank

ROOT = Path(__file__).resolve().parents[1]


def test_parsing(tmp_path, example):
    for part in ("train", "dev", "test"):
        shutil.copy(example, tmp_path / f"{part}.conllu")
    command = [sys.executable, ROOT / "benchmarks" / "parsing.py", tmp_path, "--no-peers", "--epochs", "1"]
    options = ["--rounds", "1", "--words", "1000", "--parsers", "arc-hybrid", "mst labels=joint"]
    run = subprocess.run([*command, *options], capture_output=True, text=True, check=True)
    title, blank, columns, rule, *rows = run.stdout.splitlines()
    assert title.startswith(tmp_path.name)
    assert not blank
    assert [row.split(" | ")[0] for row in rows] == ["| arc-hybrid", "| arc-hybrid, fast", "| mst labels=joint"]
    assert all(row.count("|") == columns.count("|") == rule.count("|") for row in rows)


def test_confidence(tmp_path, example):
    for part in ("train", "dev"):
        shutil.copy(example, tmp_path / f"{part}.conllu")
    command = [sys.executable, ROOT / "benchmarks" / "confidence.py", tmp_path, "--epochs", "1", "--parsers", "mst"]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    title, _, columns, rule, *rows, _, oracle, _ = run.stdout.splitlines()
    assert title.startswith(f"mst on {tmp_path.name}, ")
    assert len(rows) == 5
    assert all(row.count("|") == columns.count("|") == rule.count("|") for row in rows)
    assert "% of all pairs" in oracle


def test_graph_settings(tmp_path, example):
    for part in ("train", "dev"):
        shutil.copy(example, tmp_path / f"{part}.conllu")
    command = [sys.executable, ROOT / "benchmarks" / "graph_settings.py", tmp_path, "--epochs", "1"]
    options = ["--settings", "", 'lengths=true,labels="joint"']
    run = subprocess.run([*command, *options], capture_output=True, text=True, check=True)
    columns, rule, plain, pruned = run.stdout.splitlines()
    assert columns.count("|") == rule.count("|") == plain.count("|") == pruned.count("|")
    assert pruned.startswith(f'| {tmp_path.name} | `lengths=true,labels="joint"` | ')


def test_graph_tables(tmp_path):
    for part in ("train", "dev", "test"):
        write(graph_treebank(20), tmp_path / f"{part}.conllu")
    command = [
        sys.executable,
        ROOT / "benchmarks" / "graph_tables.py",
        tmp_path,
        "--kinds",
        "enhanced",
        "--epochs",
        "1",
    ]
    options = [
        "--kinds",
        "enhanced",
        "--cache",
        tmp_path / "cache",
        "--rows",
        "dag-eager",
        "dag-standard, tree only",
        "dag-mst",
        "dag-mst, from trees of carreras-npa",
    ]
    first = subprocess.run([*command, *options], capture_output=True, text=True, check=True).stdout
    title, _, columns, rule, *rows, _ = first.splitlines()
    assert title == f"**{tmp_path.name}**"
    names = [row.split(" | ")[0].removeprefix("| ") for row in rows]
    assert names == [
        "gold trees",
        "dag-eager",
        "dag-standard, tree only",
        "dag-mst",
        "dag-mst, from trees of carreras-npa",
    ]
    assert all(row.count("|") == columns.count("|") == rule.count("|") for row in rows)
    again = subprocess.run([*command, *options], capture_output=True, text=True, check=True).stdout
    assert again == first, "results come from the cache"
    options = ["--cache", tmp_path / "cache", "--rows", "dag-eager", "--seeds", "1", "2", "--unlabelled"]
    *_, columns, _, _, row, _ = subprocess.run(
        [*command, *options], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert columns.endswith("| LF of each seed |")
    assert columns.count(" UF (") == columns.count(" F (") > 3
    assert row.count("[") > 3, "intervals of means"
    cells = row.split(" | ")
    seeds = [float(score) for score in cells[-1].removesuffix(" |").split(", ")]
    assert len(seeds) == 2
    assert abs(float(cells[3]) - sum(seeds) / 2) < 0.011
    options = ["--cache", tmp_path / "cache", "--rows", "dag-eager", "--predicted-tags", "2"]
    predicted = subprocess.run([*command, *options], capture_output=True, text=True, check=True).stdout
    assert [line.split(" | ")[0] for line in predicted.splitlines()[4:6]] == ["| gold trees", "| dag-eager"]


def test_graph_speed(tmp_path):
    for part in ("train", "dev", "test"):
        write(graph_treebank(20), tmp_path / f"{part}.conllu")
    command = [sys.executable, ROOT / "benchmarks" / "graph_speed.py", tmp_path, "--models", tmp_path / "models"]
    options = ["--epochs", "1", "--rounds", "1", "--beams", "1", "4", "--rows", "dag-standard"]
    for _ in range(2):  # the second time with the model of the first
        run = subprocess.run([*command, *options], capture_output=True, text=True, check=True)
        columns, rule, *rows = run.stdout.splitlines()
        assert [row.split(" | ")[3] for row in rows] == ["1", "4"]
        assert all(row.count("|") == columns.count("|") == rule.count("|") for row in rows)
    assert len(list((tmp_path / "models").iterdir())) == 1


def test_spanning_trees(tmp_path, example):
    for part in ("train", "dev"):
        shutil.copy(example, tmp_path / f"{part}.conllu")
    command = [sys.executable, ROOT / "benchmarks" / "spanning_trees.py", tmp_path, "--longest", "50", "--seconds", "0"]
    run = subprocess.run([*command, "--plot", tmp_path / "plot.svg"], capture_output=True, text=True, check=True)
    title, _, columns, rule, *rows = run.stdout.splitlines()
    assert title.startswith(tmp_path.name)
    assert [row.split(" | ")[0] for row in rows] == ["| 10", "| 20", "| 50"]
    assert all(row.count("|") == columns.count("|") == rule.count("|") for row in rows)
    assert "Boruvka, pruned" in (tmp_path / "plot.svg").read_text()


def benchmark(name):
    found = importlib.util.spec_from_file_location(name, ROOT / "benchmarks" / f"{name}.py")
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module  # dataclasses look their module up
    found.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", [*preset_names("arcs"), "arc-hybrid", "arc-eager-pp"])
def test_storage(example, name):
    """Rounding to 16 bits costs next to nothing; leaving out weights makes files smaller, and costs accuracy."""
    measure, sentences = benchmark("storage").measure, list(read(example))
    train, dev = Corpus.of(sentences), Corpus.of(sentences[:15])
    rounded, pruned = (measure(name, train, dev, epochs=2, prune=prune) for prune in (0.0, 0.5))
    assert rounded.exact_las == pytest.approx(rounded.las, abs=0.5)
    assert pruned.las < pruned.exact_las - 1
    assert pruned.bytes < rounded.bytes < rounded.exact_bytes
    if name != "mst-combined":  # whose model on top learns from the trees of pruned models
        assert (pruned.exact_las, pruned.exact_bytes) == (rounded.exact_las, rounded.exact_bytes)


def test_decoders_take_turns():
    """A round runs each decoder once, so that their ratios hold on a machine whose speed varies."""
    decoders = benchmark("decoders")
    calls = []
    times = decoders.measure({name: partial(calls.append, name) for name in "abc"}, 0.0, least=4)
    assert calls == list("abc") * 5
    assert {name: len(each) for name, each in times.items()} == {"a": 4, "b": 4, "c": 4}  # without the first round


def test_second_order(tmp_path, example):
    for part in ("train", "dev"):
        shutil.copy(example, tmp_path / f"{part}.conllu")
    command = [
        sys.executable,
        ROOT / "benchmarks" / "second_order.py",
        tmp_path,
        "--epochs",
        "1",
        "--lengths",
        "5",
        "30",
    ]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    title, *rest = run.stdout.splitlines()
    assert title.startswith(f"{tmp_path.name}: labels after, 1 epochs")
    tables = [block.splitlines() for block in "\n".join(rest).strip().split("\n\n")]
    assert [len(table) - 2 for table in tables] == [6, 7, 2]
    assert all(row.count("|") == table[0].count("|") for table in tables for row in table)
    assert tables[0][-1].split(" | ")[2] == "0.00", "without pruning no gold head is lost"


def test_graph_transforms(tmp_path):
    rows = ["1\tUp\tup\t_\t_\t_\t2\tx\t2:x\t_", "2\tgo\tgo\t_\t_\t_\t0\troot\t0:root|1:obl:up\t_"]
    (tmp_path / "train.conllu").write_text("\n".join(rows) + "\n\n")
    command = [sys.executable, ROOT / "benchmarks" / "graph_transforms.py", tmp_path]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    tables = [block.splitlines() for block in run.stdout.strip().split("\n\n")]
    assert [len(table) - 2 for table in tables] == [1, 6, 1, 1]
    assert all(row.count("|") == table[0].count("|") for table in tables for row in table)
    assert tables[0][2].count("100.00 / 100.00") == 6
    assert "| 1 of 1 | projective | 1 | 0 |" in tables[1][2]


def test_service(tmp_path, example):
    Parser("arc-hybrid", epochs=1).fit(example).save(tmp_path / "model")
    command = [sys.executable, ROOT / "benchmarks" / "service.py", tmp_path / "model", example, "--processes", "1"]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    _, _, *rows = run.stdout.splitlines()
    names = [row.split(" | ")[0].removeprefix("| ") for row in rows]
    assert names[0] == "loading the model"
    assert names[4:6] == ["requests per second, 1 thread", "requests per second, 2 threads"]
    assert len(rows) in (6, 8)  # memory is known on Linux only


def test_tokenizing(tmp_path, example):
    for part in ("train", "dev", "test"):
        shutil.copy(example, tmp_path / f"{part}.conllu")
    command = [sys.executable, ROOT / "benchmarks" / "tokenizing.py", tmp_path, "--udpipe-epochs", "0"]
    run = subprocess.run(
        [*command, "--epochs", "2", "--characters", "1000"], capture_output=True, text=True, check=True
    )
    title, _, columns, rule, *rows = run.stdout.splitlines()
    assert title.startswith(f"{tmp_path.name}, test: ")
    assert [row.split(" | ")[0] for row in rows] == ["| crossarc, rules", "| crossarc, learned"]
    assert all(row.count("|") == columns.count("|") == rule.count("|") for row in rows)


def test_pipelines(tmp_path, example):
    for part in ("train", "dev", "test"):
        shutil.copy(example, tmp_path / f"{part}.conllu")
    command = [sys.executable, ROOT / "benchmarks" / "pipelines.py", tmp_path, "--characters", "1000"]
    options = ["--parser", "neural:epochs=1,hidden=8", "--parser", "arc-hybrid:fast=true,epochs=1", "--model", "en"]
    run = subprocess.run([*command, *options], capture_output=True, text=True, check=True)
    title, _, columns, rule, *rows, _, latency = run.stdout.splitlines()
    assert title.startswith(tmp_path.name)
    assert len(rows) == 3
    assert all(row.count("|") == columns.count("|") == rule.count("|") for row in rows)
    assert latency.startswith("en: loading")


def test_tagging(tmp_path, example):
    for part in ("train", "dev", "test"):
        shutil.copy(example, tmp_path / f"{part}.conllu")
    command = [sys.executable, ROOT / "benchmarks" / "tagging.py", tmp_path, "--epochs", "1", "--runs", "1"]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    title, blank, columns, rule, *rows = run.stdout.splitlines()
    assert title.startswith(tmp_path.name)
    assert not blank
    assert [row.split(" | ")[0] for row in rows] == ["| crossarc"]
    assert all(row.count("|") == columns.count("|") == rule.count("|") for row in rows)


def test_neural_parts(tmp_path, example):
    for part in ("train", "dev", "test"):
        shutil.copy(example, tmp_path / f"{part}.conllu")
    command = [sys.executable, ROOT / "benchmarks" / "neural_parts.py", tmp_path, "--models", tmp_path / "models"]
    options = ["--ensemble", "2", "--epochs", "1"]
    run = subprocess.run([*command, *options], capture_output=True, text=True, check=True)
    columns, rule, *rows = run.stdout.splitlines()
    assert len(rows) == 6
    assert all(row.count("|") == columns.count("|") == rule.count("|") for row in rows)
    assert [" ± " in row for row in rows] == [False, False, True, True, False, False]
