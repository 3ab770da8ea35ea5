from __future__ import annotations

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from crossarc.cli.app import application
from crossarc.cli.evaluate import evaluate_files
from crossarc.treebank import write

runner = CliRunner()


@pytest.fixture
def files(tree, tmp_path, monkeypatch):
    gold = [tree("a/2/x/DET b/0/r/VERB c/2/y/NOUN ./2/p/PUNCT"), tree("d/0/r/X !/1/p/PUNCT")] * 8
    parsed = [tree("a/2/x/DET b/0/r/VERB c/1/y/NOUN ./2/q/PUNCT"), tree("d/0/r/X !/1/p/PUNCT")] * 8
    other = [tree("ab/0/r c/1/y ./1/p"), tree("d/0/r !/1/p")] * 8
    monkeypatch.chdir(tmp_path)
    for name, sentences in (("gold", gold), ("parsed", parsed), ("other", other)):
        write(sentences, f"{name}.conllu")
    return tmp_path


def run(*arguments):
    return runner.invoke(application(), list(arguments))


def test_figures_and_setting_are_shown(files):
    result = run("evaluate", "gold.conllu", "parsed.conllu")
    assert result.exit_code == 0
    lines = [line.split() for line in result.stdout.splitlines()]
    assert ["LAS", "66.67", "75.00"] in lines
    assert ["UAS", "83.33", "75.00"] in lines
    assert "same tokens; all tokens; whole labels" in result.stdout


def test_json(files):
    found = json.loads(
        run(
            "evaluate",
            "gold.conllu",
            "parsed.conllu",
            "--json",
            "--no-punct",
            "--punct",
            "upos",
            "--by",
            "label, length",
            "--confusion",
        ).stdout
    )
    assert found["attachment"]["las"] == 75.0
    assert found["attachment"]["setting"] == {
        "punctuation": "none",
        "punctuation_by": "upos",
        "ignore_subtypes": False,
    }
    assert found["attachment"]["non_projective"]["precision"] == 0.0
    assert [each["name"] for each in found["breakdowns"]] == ["label", "length"]


def test_every_table_in_markdown(files):
    result = run(
        "evaluate",
        "gold.conllu",
        "parsed.conllu",
        "--markdown",
        "--confusion",
        "--by",
        "label,upos,length,depth,size,projectivity,crossing",
    )
    assert result.exit_code == 0
    for title in (
        "Attachment",
        "Non-projective",
        "By label",
        "By part of speech",
        "By crossing",
        "Labels confused",
    ):
        assert f"**{title}" in result.stdout
    assert "| p | q | 8 | 8 |" in result.stdout


def test_different_tokens_fall_back_to_alignment_and_say_so(files):
    result = run("evaluate", "gold.conllu", "other.conllu", "--by", "label")
    assert result.exit_code == 0
    assert "CoNLL 2018 metrics of other.conllu" in result.stdout
    report = evaluate_files("gold.conllu", "other.conllu", by=["label"])
    assert report.tokenization is not None
    assert report.attachment is None
    assert "The tokens differ" in report.note
    assert "token 1 is 'a' in gold and 'ab'" in report.note
    assert "left out" in report.note
    assert "--tokenization" not in report.note


def test_same_tokens_can_be_demanded(files, run_crossarc):
    code, _, message = run_crossarc("evaluate", "gold.conllu", "other.conllu", "--tokenization", "same")
    assert code == 2
    assert message.startswith("crossarc: sentence 1 (gold.conllu:1 and other.conllu:1)")
    assert message.count("\n") == 1


def test_alignment_can_be_demanded(files):
    found = json.loads(run("evaluate", "gold.conllu", "gold.conllu", "--tokenization", "align", "--json").stdout)
    assert found["tokenisation"]["LAS"]["f1"] == 100.0


def test_graphs(conllu, tmp_path):
    path = str(tmp_path / "graph.conllu")
    write(conllu("1 a _ _ _ _ 2 subj 2:subj|2:ref\n2 b _ _ _ _ 0 root 0:root"), path)
    result = run("evaluate", path, path, "--graph", "--pattern", "anaphora=ref")
    assert result.exit_code == 0
    assert "Graphs, unlabelled" in result.stdout
    assert "anaphora" in result.stdout
    assert "ELAS" in result.stdout
    found = json.loads(run("evaluate", path, path, "--graph", "--json").stdout)
    assert found["graphs"]["classes"]["primary"]["labelled"]["gold"] == 3
    assert found["enhanced"]["ELAS"]["f1"] == 100.0


def test_kinds_with_intervals(conllu, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    gold, system = str(tmp_path / "gold.conllu"), str(tmp_path / "system.conllu")
    write(conllu("1 a _ _ _ _ 2 subj 2:subj|2:ref\n2 b _ _ _ _ 0 root 0:root|1:[obj]"), gold)
    write(conllu("1 a _ _ _ _ 2 subj 2:subj|2:ref\n2 b _ _ _ _ 0 root 0:root"), system)
    result = run("evaluate", gold, system, "--kinds", "danish", "--intervals")
    assert result.exit_code == 0, result.output
    lines = [line.split("  ") for line in result.stdout.splitlines()]
    rows = {line[0].strip(): [cell.strip() for cell in line[1:] if cell.strip()] for line in lines}
    assert rows["anaphoric"] == ["100.0 100.0–100.0"] * 3 + ["1", "1"]
    assert rows["long-distance"] == ["0.0 0.0–0.0", "1", "0"]
    assert rows["gapping"] == ["0", "0"]
    assert "beside each figure: its 95% interval, by bootstrap over sentences" in result.stdout
    found = json.loads(run("evaluate", gold, system, "--kinds", "danish", "--intervals", "--json").stdout)["graphs"]
    assert found["kinds"] == "danish"
    assert list(found["classes"]) == ["primary", "gapping", "long-distance", "anaphoric"]
    assert found["classes"]["long-distance"]["labelled_intervals"] == {
        "precision": None,
        "recall": [0.0, 0.0],
        "f1": None,
        "confidence": 0.95,
    }
    assert found["labelled_intervals"]["recall"] == [75.0, 75.0]
    assert json.loads(run("evaluate", gold, system, "--graph", "--json").stdout)["graphs"]["labelled_intervals"] is None


@pytest.fixture
def graph_files(conllu, tmp_path, monkeypatch):
    """Gold graphs, a system with the same trees and other graphs, the same with other trees, and others."""
    monkeypatch.chdir(tmp_path)
    texts = {
        "gold": "1 a _ _ _ _ 2 subj 2:subj|2:ref\n2 b _ _ _ _ 0 root 0:root|1:[obj]",
        "order": "1 a _ _ _ _ 2 subj 2:ref|2:subj\n2 b _ _ _ _ 0 root 0:root|1:[obj]",
        "system": "1 a _ _ _ _ 2 subj 2:subj\n2 b _ _ _ _ 0 root 0:root",
        "parsed": "1 a _ _ _ _ 2 obj 2:obj\n2 b _ _ _ _ 0 root 0:root",
        "tree": "1 a _ _ _ _ 2 subj _\n2 b _ _ _ _ 0 root _",
        "bad": "1 a _ _ _ _ 2 subj 2:subj\n2 b _ _ _ _ 0 root nought",
        "tokens": "1 ab _ _ _ _ 0 root 0:root",
    }
    for name, text in texts.items():
        write(conllu(text), f"{name}.conllu")
    (tmp_path / "gold.sdp").write_text("#SDP 2015\n#1\n1\ta\ta\tN\t-\t-\t_\tsubj\n2\tb\tb\tV\t+\t+\t_\t_\n\n")


def test_graphs_that_differ_are_scored_without_being_asked_for(graph_files):
    """A parser of graphs copies HEAD: LAS 100 would hide that half of the arcs are missing."""
    text = run("evaluate", "gold.conllu", "system.conllu").stdout
    lines = [line.split() for line in text.splitlines()]
    assert ["all", "100.00", "50.00", "66.67", "4", "2"] in lines
    assert "The trees of both files are identical: HEAD and DEPREL are not scored." in text
    assert "LAS" not in [line[0] for line in lines if line]
    found = json.loads(run("evaluate", "gold.conllu", "system.conllu", "--json").stdout)
    assert found["trees_identical"] is True
    assert found["graphs"]["labelled"]["recall"] == 50.0
    assert found["attachment"]["las"] == 100.0
    markdown = run("evaluate", "gold.conllu", "system.conllu", "--markdown").stdout
    assert "**Graphs, labelled**" in markdown
    assert "trees of both files are identical" in markdown


def test_trees_that_differ_are_scored_beside_graphs(graph_files):
    text = run("evaluate", "gold.conllu", "parsed.conllu").stdout
    assert text.index("Attachment") < text.index("Graphs, labelled")
    assert "identical" not in text
    assert json.loads(run("evaluate", "gold.conllu", "parsed.conllu", "--json").stdout)["trees_identical"] is False


@pytest.mark.parametrize("system", ["gold", "order", "tree"])
def test_graphs_that_do_not_differ_are_scored_if_asked_for(graph_files, system):
    """The order of arcs is not a difference, and a parse without graphs is a parse of trees."""
    text = run("evaluate", "gold.conllu", f"{system}.conllu").stdout
    assert "Graphs" not in text
    assert "Attachment" in text
    assert "The trees of both files are identical." in text
    if system != "tree":
        assert "Graphs, labelled" in run("evaluate", "gold.conllu", f"{system}.conllu", "--graph").stdout


def test_only_trees_are_scored_if_asked_for(graph_files):
    text = run("evaluate", "gold.conllu", "system.conllu", "--no-graph").stdout
    assert "Graphs" not in text
    assert "The trees of both files are identical." in text
    refused = run("evaluate", "gold.conllu", "system.conllu", "--no-graph", "--kinds", "danish")
    assert "leave out --no-graph" in refused.stderr


def test_graphs_of_other_tokens_are_scored_too(graph_files):
    assert "Enhanced dependencies" in run("evaluate", "gold.conllu", "tokens.conllu").stdout
    assert "Enhanced dependencies" not in run("evaluate", "tree.conllu", "tokens.conllu").stdout


def test_graphs_that_cannot_be_read_do_not_hide_the_trees(graph_files):
    result = run("evaluate", "gold.conllu", "bad.conllu")
    assert result.exit_code == 0, result.output
    assert "Attachment" in result.stdout
    assert "The graphs are not scored: " in evaluate_files("gold.conllu", "bad.conllu").note


def test_files_without_trees_have_their_graphs_scored(graph_files):
    text = run("evaluate", "gold.sdp", "gold.sdp").stdout
    assert "Graphs, labelled" in text
    assert "identical" not in text


def test_classes_of_arcs_need_no_other_option(graph_files):
    text = run("evaluate", "gold.conllu", "gold.conllu", "--pattern", "anaphora=ref", "--intervals").stdout
    assert "anaphora" in text
    assert "95% interval" in text


def test_comparison_says_that_trees_are_identical(graph_files):
    text = run("compare", "parsed.conllu", "gold.conllu", "system.conllu").stdout
    assert "The trees of A and B are identical." in text
    assert json.loads(run("compare", "parsed.conllu", "gold.conllu", "system.conllu", "--json").stdout)[
        "trees_identical"
    ]
    assert "identical" not in run("compare", "gold.conllu", "gold.conllu", "parsed.conllu").stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ("evaluate", "gold.conllu", "missing.conllu"),
        ("evaluate", "gold.conllu", "parsed.conllu", "--by", "lable"),
        ("evaluate", "gold.conllu", "parsed.conllu", "--punct", "tags"),
        ("evaluate", "gold.conllu", "parsed.conllu", "--tokenization", "different"),
        ("evaluate", "gold.conllu", "parsed.conllu", "--graph", "--pattern", "nothing"),
        ("evaluate", "gold.conllu", "parsed.conllu", "--graph"),
        ("evaluate", "gold.conllu", "parsed.conllu", "--kinds", "dutch"),
        ("evaluate", "gold.conllu", "parsed.conllu", "--intervals"),
        ("evaluate", "-", "-"),
        ("compare", "gold.conllu", "parsed.conllu", "other.conllu"),
        ("compare", "gold.conllu", "parsed.conllu", "gold.conllu", "--metric", "bleu"),
        ("compare", "gold.conllu", "-", "-"),
    ],
)
def test_errors_are_one_line_and_exit_2(files, run_crossarc, arguments):
    code, _, message = run_crossarc(*arguments)
    assert code == 2
    assert message.startswith("crossarc: ")
    assert message.count("\n") == 1


def test_comparison(files):
    result = run("compare", "gold.conllu", "parsed.conllu", "gold.conllu", "--worst", "2", "--metric", "uas")
    assert result.exit_code == 0
    assert "B is significantly better in UAS" in result.stdout
    assert "gold.conllu:1 " in result.stdout
    found = json.loads(run("compare", "gold.conllu", "parsed.conllu", "gold.conllu", "--json").stdout)
    assert found["differences"]["uas"]["wins_b"] == 8
    assert found["differences"]["las"]["oracle"] == 100.0


def test_no_difference_is_said(files):
    result = run("compare", "gold.conllu", "parsed.conllu", "parsed.conllu", "--markdown")
    assert "no significant difference in LAS" in result.stdout


@pytest.mark.parametrize(("a", "b", "code"), [("gold", "parsed", 1), ("parsed", "gold", 0), ("gold", "gold", 0)])
def test_worse_can_fail(files, a, b, code):
    assert run("compare", "gold.conllu", f"{a}.conllu", f"{b}.conllu", "--fail-if-worse").exit_code == code
    assert run("compare", "gold.conllu", f"{a}.conllu", f"{b}.conllu").exit_code == 0


@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_help_has_an_example_with_output(command):
    text = run(command, "--help").stdout
    assert f"$ crossarc {command} gold.conllu" in text
    assert "LAS" in text


def test_commands_do_not_load_numpy():
    code = "import sys, crossarc.cli; sys.exit('numpy' in sys.modules or 'crossarc.evaluation' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
