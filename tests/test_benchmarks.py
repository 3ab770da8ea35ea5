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


@pytest.fixture
def treebank(tmp_path, example):
    """A folder in which all parts are the example treebank."""
    for part in ("train", "dev", "test"):
        shutil.copy(example, tmp_path / f"{part}.conllu")
    return tmp_path


@pytest.fixture
def graphs(tmp_path):
    """A folder in which all parts are a few generated graphs."""
    for part in ("train", "dev", "test"):
        write(graph_treebank(20), tmp_path / f"{part}.conllu")
    return tmp_path


def run(name, *arguments):
    """The lines that a benchmark prints."""
    command = [sys.executable, ROOT / "benchmarks" / f"{name}.py", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def names_in(*table):
    """The first cells of a table below its two head lines; all rows have the same number of cells."""
    assert len({row.count("|") for row in table}) == 1
    return [row.split(" | ")[0].removeprefix("| ") for row in table[2:]]


def tables_in(lines):
    """The tables among lines, which are divided by blank lines."""
    return [block.splitlines() for block in "\n".join(lines).strip().split("\n\n")]


def test_parsing(treebank):
    parsers = ("--parsers", "arc-hybrid", "mst labels=joint")
    title, blank, *table = run(
        "parsing", treebank, "--no-peers", "--epochs", 1, "--rounds", 1, "--words", 1000, *parsers
    )
    assert title.startswith(treebank.name)
    assert not blank
    assert names_in(*table) == ["arc-hybrid", "arc-hybrid, fast", "mst labels=joint"]


def test_confidence(treebank):
    title, _, *table, _, oracle, _ = run("confidence", treebank, "--epochs", 1, "--parsers", "mst")
    assert title.startswith(f"mst on {treebank.name}, ")
    assert len(names_in(*table)) == 5
    assert "% of all pairs" in oracle


def test_graph_settings(treebank):
    table = run("graph_settings", treebank, "--epochs", 1, "--settings", "", 'lengths=true,labels="joint"')
    assert names_in(*table) == [treebank.name] * 2
    assert table[-1].startswith(f'| {treebank.name} | `lengths=true,labels="joint"` | ')


def test_graph_tables(graphs):
    rows = ["dag-eager", "dag-standard, tree only", "dag-mst", "dag-mst, from trees of carreras-npa"]
    call = partial(
        run, "graph_tables", graphs, "--kinds", "enhanced", "--epochs", 1, "--cache", graphs / "cache", "--rows"
    )
    first = call(*rows)
    title, _, *table, _ = first
    assert title == f"**{graphs.name}**"
    assert names_in(*table) == ["gold trees", *rows]
    assert call(*rows) == first, "results come from the cache"
    *_, columns, _, _, row, _ = call("dag-eager", "--seeds", 1, 2, "--unlabelled")
    assert columns.endswith("| LF of each seed |")
    assert columns.count(" UF (") == columns.count(" F (") > 3
    assert row.count("[") > 3, "intervals of means"
    cells = row.split(" | ")
    seeds = [float(score) for score in cells[-1].removesuffix(" |").split(", ")]
    assert len(seeds) == 2
    assert abs(float(cells[3]) - sum(seeds) / 2) < 0.011
    _, _, *table, _ = call("dag-eager", "--predicted-tags", 2)
    assert names_in(*table) == ["gold trees", "dag-eager"]


def test_graph_speed(graphs):
    options = ("--epochs", 1, "--rounds", 1, "--beams", 1, 4, "--rows", "dag-standard")
    for _ in range(2):  # the second time with the model of the first
        table = run("graph_speed", graphs, "--models", graphs / "models", *options)
        assert len(names_in(*table)) == 2
        assert [row.split(" | ")[3] for row in table[2:]] == ["1", "4"]
    assert len(list((graphs / "models").iterdir())) == 1


def test_spanning_trees(treebank):
    plot = treebank / "plot.svg"
    title, _, *table = run("spanning_trees", treebank, "--longest", 50, "--seconds", 0, "--plot", plot)
    assert title.startswith(treebank.name)
    assert names_in(*table) == ["10", "20", "50"]
    assert "Boruvka, pruned" in plot.read_text()


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


def test_second_order(treebank):
    title, *rest = run("second_order", treebank, "--epochs", 1, "--lengths", 5, 30)
    assert title.startswith(f"{treebank.name}: labels after, 1 epochs")
    tables = tables_in(rest)
    assert [len(names_in(*table)) for table in tables] == [6, 7, 2]
    assert tables[0][-1].split(" | ")[2] == "0.00", "without pruning no gold head is lost"


def test_graph_transforms(tmp_path):
    rows = ["1\tUp\tup\t_\t_\t_\t2\tx\t2:x\t_", "2\tgo\tgo\t_\t_\t_\t0\troot\t0:root|1:obl:up\t_"]
    (tmp_path / "train.conllu").write_text("\n".join(rows) + "\n\n")
    tables = tables_in(run("graph_transforms", tmp_path))
    assert [len(names_in(*table)) for table in tables] == [1, 6, 1, 1]
    assert tables[0][2].count("100.00 / 100.00") == 6
    assert "| 1 of 1 | projective | 1 | 0 |" in tables[1][2]


def test_pseudo_projective(treebank):
    tables = tables_in(run("pseudo_projective", treebank, "--part", "dev"))
    assert [len(names_in(*table)) for table in tables] == [1, 1, 1, 3]
    assert tables[0][2].startswith(f"| {treebank.name} | 318 | ")


def test_service(tmp_path, example):
    Parser("arc-hybrid", epochs=1).fit(example).save(tmp_path / "model")
    names = names_in(*run("service", tmp_path / "model", example, "--processes", 1))
    assert names[0] == "loading the model"
    assert names[4:6] == ["requests per second, 1 thread", "requests per second, 2 threads"]
    assert len(names) in (6, 8)  # memory is known on Linux only


def test_tokenizing(treebank):
    options = ("--udpipe-epochs", 0, "--epochs", 2, "--characters", 1000)
    title, _, *table = run("tokenizing", treebank, *options)
    assert title.startswith(f"{treebank.name}, test: ")
    assert names_in(*table) == ["crossarc, rules", "crossarc, learned"]


def test_pipelines(treebank):
    parsers = ("neural:epochs=1,hidden=8", "arc-hybrid:fast=true,epochs=1")
    options = ("--parser", parsers[0], "--parser", parsers[1], "--model", "en", "--characters", 1000)
    title, _, *table, _, latency = run("pipelines", treebank, *options)
    assert title.startswith(treebank.name)
    assert names_in(*table) == ["en", *parsers]
    assert latency.startswith("en: loading")


def test_tagging(treebank):
    title, blank, *table = run("tagging", treebank, "--epochs", 1, "--runs", 1)
    assert title.startswith(treebank.name)
    assert not blank
    assert names_in(*table) == ["crossarc"]


def test_neural_parts(treebank):
    _, _, *rows = table = run("neural_parts", treebank, "--models", treebank / "models", "--ensemble", 2, "--epochs", 1)
    assert len(names_in(*table)) == 6
    assert [" ± " in row for row in rows] == [False, False, True, True, False, False]
