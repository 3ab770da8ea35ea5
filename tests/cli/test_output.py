"""What the commands print fits 80 columns: help, tables in pipes, messages and bars on a terminal."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from rich.cells import cell_len

from crossarc.cli import COMMANDS
from crossarc.cli.console import Table, as_markdown, laid_out
from crossarc.cli.train import preset_names
from crossarc.parsers import PRESETS, Parser
from crossarc.parsers.presets import make_settings
from crossarc.treebank import read, write

NAMES = list(COMMANDS)
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def lines_of(said):
    """The lines of a terminal, of which bars show many at the same place."""
    return [line for line in re.split(r"[\r\n]+", ESCAPE.sub("", said)) if line.strip()]


def too_wide(text, columns=80):
    return [line for line in lines_of(text) if cell_len(line.rstrip()) > columns]


@pytest.fixture
def piped(tmp_path):
    """Run the command line in a pipe of no width; return its output and its messages."""

    def run(*arguments, **variables):
        names = ("COLUMNS", "LINES")
        plain = {name: value for name, value in os.environ.items() if name not in names}
        command = [Path(sys.executable).with_name("crossarc"), *map(str, arguments)]
        done = subprocess.run(
            command, check=False, capture_output=True, text=True, env={**plain, **variables}, cwd=tmp_path
        )
        assert done.returncode in (0, 1), done.stderr
        return done.stdout, done.stderr

    return run


@pytest.fixture(scope="module")
def graphs(tmp_path_factory, example_path):
    """A treebank with graphs under a long name, and a parse of it."""
    folder = tmp_path_factory.mktemp("a-folder-with-a-long-name")
    gold = folder / "treebank-with-graphs-and-a-long-name.conllu"
    sentences = [
        sentence.replace(
            deps=["", *(f"{h}:{label}" for h, label in zip(sentence.heads[1:], sentence.deprels[1:], strict=True))]
        )
        for sentence in read(example_path)
    ]
    write(sentences, gold)
    parser = Parser("dag-covington", epochs=1).fit(gold)
    parser.save(folder / "graphs.crossarc")
    write(parser.parse(gold), folder / "parsed.conllu")
    return folder


@pytest.fixture(scope="module")
def example_path(tmp_path_factory):
    path = tmp_path_factory.mktemp("example") / "example.conllu"
    subprocess.run([sys.executable, "-m", "crossarc", "example", "-o", str(path)], check=True, capture_output=True)
    return path


@pytest.mark.parametrize("name", NAMES)
def test_help_fits_and_names_no_types(name, piped):
    help_text, _ = piped(name, "--help")
    assert piped(name, "-h") == (help_text, "")
    assert not too_wide(help_text)
    assert not re.search(r"<\w+(\[\w+\])?>|\[x|x[<>]=|<=x", help_text)


def test_help_of_train_is_in_groups(piped):
    help_text, _ = piped("train", "-h")
    headings = re.findall(r"^(\w.*):$", help_text, re.MULTILINE)
    assert headings == ["Data and model", "Parser", "Pipelines for text", "Other options"]
    groups = re.split(r"^\w.*:$", help_text, flags=re.MULTILINE)[1:]
    for option, group in (("--train", 0), ("--resume", 0), ("--epochs", 1), ("--beam", 1), ("--jackknife", 2)):
        assert [option in text for text in groups] == [number == group for number in range(4)], option


def test_defaults_that_depend_on_the_preset_are_those_of_the_presets(piped):
    help_text = " ".join(piped("train", "-h")[0].split())
    settings = {name: make_settings(name) for name in PRESETS}
    network = {name for name, each in PRESETS.items() if each.method == "networks"}
    epochs = {name: each.epochs for name, each in settings.items()}
    assert {epochs[name] for name in network} == {20}
    assert {epochs[name] for name in set(PRESETS) - network} == {10}
    assert "default: 10, with a network 20." in help_text
    assert {each.seed for each in settings.values()} == {1}
    assert "the same model; default: 1." in help_text
    beams = {getattr(each, "beam", None) for each in settings.values()}
    assert beams == {1, None}
    assert "default: 1, greedy search." in help_text
    learners = {getattr(each, "learner", None): hasattr(each, "beam") for each in settings.values()}
    assert learners == {"perceptron": True, "mira": False, None: False}
    assert "default: perceptron for transitions, mira for parsers that score arcs." in help_text


def test_tables_in_a_pipe_fit(piped, graphs):
    gold, model = graphs / "treebank-with-graphs-and-a-long-name.conllu", graphs / "graphs.crossarc"
    parsed = graphs / "parsed.conllu"
    for command in (
        ("parsers",),
        ("stats", gold, parsed, gold),
        ("info", model),
        ("info", "en"),
        ("evaluate", gold, parsed, "--graph"),
        ("evaluate", gold, parsed, "--kinds", "enhanced", "--intervals"),
        ("evaluate", gold, parsed, "--by", "label,upos,length,crossing", "--confusion"),
        ("compare", gold, parsed, parsed),
    ):
        assert not too_wide(piped(*command)[0].replace(str(graphs), "")), command
    assert too_wide(piped("parsers", COLUMNS="160")[0])
    listed, _ = piped("parsers")
    for name in PRESETS:  # none is broken
        assert re.search(rf"^ {name} ", listed, re.MULTILINE)


def test_wide_tables_come_in_parts_and_nothing_is_lost():
    titles = ["", *(f"a/treebank-number-{number}.conllu" for number in range(6))]
    table = Table("", titles, [[f"row {row}", *range(row, row + 6)] for row in range(3)])
    parts = list(laid_out(table, 80))
    assert len(parts) == 3
    assert all(cell_len(line) <= 80 for part in parts for line in part)
    words = " ".join(line for part in parts for line in part).split()
    assert sorted({word for word in words if word.startswith("a/")}) == sorted(titles[1:])
    assert [line.split()[:2] for part in parts for line in part[2:]] == [["row", str(row)] for row in range(3)] * 3
    [whole] = laid_out(table, 300)
    assert len(whole) == 5
    assert "| row 2 | 2 | 3 | 4 | 5 | 6 | 7 |" in as_markdown(table)


def test_cells_that_are_too_long_are_broken_between_words():
    note = "a long note about a parser that goes on and on beyond what fits beside the name of the parser"
    [lines] = laid_out(Table("", ["name", "notes", "size"], [["short", note, 1.5], ["x\ty", "", 22.25]]), 60)
    assert all(cell_len(line) <= 60 for line in lines)
    assert " ".join(" ".join(line.replace("short", "").replace("1.50", "") for line in lines[2:-1]).split()) == note
    assert [line.rstrip()[-5:] for line in lines if "short" in line or "x y" in line] == [" 1.50", "22.25"]


def test_bars_fit_a_terminal_of_80_columns(on_terminal, graphs, tmp_path):
    gold = graphs / "treebank-with-graphs-and-a-long-name.conllu"
    big = tmp_path / "big.conllu"
    big.write_text(gold.read_text() * 8)
    files = ("--train", big, "--dev", gold, "-o", tmp_path / "m.crossarc")
    for parser in ("mst", "dag-covington"):
        said = on_terminal("train", *files, "--epochs", 10, "--parser", parser)
        bars = [line for line in lines_of(said) if "━" in line]
        assert bars
        assert all(re.search(r" \d:\d\d left$", line.rstrip()) for line in bars)
        assert any(" dev L" in line for line in bars)
        assert not [line for line in bars if cell_len(line.rstrip()) > 80]
    for name in (big, gold):
        said = on_terminal("parse", tmp_path / "m.crossarc", name, "-o", tmp_path / "parsed.conllu")
        assert any("tokens/s" in line for line in lines_of(said) if "━" in line)
        assert not [line for line in lines_of(said) if "━" in line and cell_len(line.rstrip()) > 80]
    wide = on_terminal("train", *files, "--epochs", 2, "--parser", "mst", columns=120)
    assert re.search(r"━.* wrong or unsure .*  dev LAS .*  UAS .* tokens/s  \d:\d\d left", wide)


def test_messages_on_a_terminal_break_between_words(on_terminal, piped, graphs, tmp_path):
    bad = tmp_path / "bad.conllu"
    bad.write_text("".join(f"{i}\tw\tw\tNOUN\t_\t_\t{i % 3 + 1}\tdep\t_\t_\n" for i in range(1, 4)) + "\n")
    [finding, *_] = piped("validate", bad)[0].splitlines()
    said = lines_of(on_terminal("validate", bad))
    assert " ".join(finding.split()) in " ".join(" ".join(said).split())
    assert len(finding) > 80
    assert all(len(line) <= 80 or " " not in line.strip() for line in said)


def test_presets_are_completed(piped):
    assert preset_names("two-planar") == ["two-planar", "two-planar-naive", "two-planar-label"]
    # Otherwise the shell would be the one that has started the tests, if it was a shell.
    script, _ = piped("--show-completion", "bash", _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    assert "_CROSSARC_COMPLETE" in script
    asked = {"_CROSSARC_COMPLETE": "complete_bash", "COMP_WORDS": "crossarc train --parser neu", "COMP_CWORD": "3"}
    assert piped(**asked)[0].split() == [name for name in PRESETS if name.startswith("neu")]
