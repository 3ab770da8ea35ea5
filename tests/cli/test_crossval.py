"""`crossarc crossval`: tables, JSON, the page, the cache and errors."""

import json
import sys

import pytest

from crossarc.experiments import runner


@pytest.fixture
def crossval(run_crossarc, example):
    """Run the command on the example treebank; return exit code, output and messages."""
    return lambda *arguments, file=example: run_crossarc("crossval", file, *arguments)


def test_crossval(crossval, tmp_path, example):
    chosen = ("--parser", "arc-hybrid", "--parser", "arc-hybrid:transform=head,cap=2", "--folds", 2, "--epochs", 1)
    chosen += ("--cache", tmp_path / "cache")
    code, out, err = crossval(*chosen)
    assert code == 0
    # Without a terminal there is no progress bar.
    assert err.splitlines() == [f"{example}: 40 sentences, 318 words, no errors", "4 jobs: 0 cached, 4 run, 0 failed"]
    assert "| data/example | 40 | 12 (3.77%) | 30.00% |" in out
    assert out.count("| arc-hybrid:transform=head,cap=2 |") == 3
    assert len(list((tmp_path / "cache").iterdir())) == 4
    code, told, err = crossval(*chosen, "--json")
    assert "4 jobs: 4 cached, 0 run, 0 failed" in err
    figures = json.loads(told)
    assert [each["name"] for each in figures["parsers"]] == ["arc-hybrid", "arc-hybrid:transform=head,cap=2"]
    assert f"| arc-hybrid | {figures['parsers'][0]['las']:.2f} |" in out
    assert figures["parsers"][0]["settings"]["epochs"] == 1
    code, printed, err = crossval(*chosen, "--output", tmp_path / "page.md")
    assert (code, printed) == (0, "")
    page = (tmp_path / "page.md").read_text()
    assert page.startswith("# Cross-validation on data/example\n\n<!-- begin experiment data/example -->\nMade by `")
    assert " --parser arc-hybrid --parser arc-hybrid:transform=head,cap=2 --folds 2 --epochs 1`." in page
    assert out in page


def test_parses_and_all_pairs(crossval, tmp_path):
    chosen = ("--parser", "arc-hybrid", "--parser", "swap", "--parser", "arc-standard", "--parser", "planar")
    chosen += ("--folds", 2, "--epochs", 1, "--cache", tmp_path / "cache")
    code, out, err = crossval(*chosen, "--against", "all", "--parses", tmp_path / "parses", "-o", tmp_path / "page.md")
    assert (code, out) == (0, "")
    assert f"{tmp_path / 'parses'}: 12 files written" in err
    page = (tmp_path / "page.md").read_text()
    assert "--epochs 1 --against all`." in page
    assert "| arc-standard | swap |" in page
    assert "| parser | against | LAS difference | p | significance | LEM difference | p of LEM |" in page
    assert (tmp_path / "parses" / "planar.conllu").exists()


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--parser", "swap", "--against", "each"], "no choice of pairs to test 'each'"),
        (["--parser", "swop"], "crossarc: parser swop: no parser 'swop'; did you mean 'swap'?"),
        (["--parser", "swap", "--set", "beem=3"], "no setting 'beem'; did you mean 'beam'?"),
        (["--parser", "swap", "--set", "beam"], "--set: 'beam' is not a setting; write name=value"),
        (["--parser", "swap", "--folds", "41"], "40 sentences are too few for 41 folds; --folds sets the number"),
        (["--parser", "swap", "--on-error", "ignore"], "no policy for errors 'ignore'"),
        (["--parser", "swap", "--output", "mine.md"], "mine.md: the page has no markers for the tables"),
        ([], "Missing option '--parser'"),
    ],
)
def test_refused(crossval, tmp_path, monkeypatch, options, complaint):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.md").write_text("my own words")
    code, out, err = crossval(*options)
    assert (code, out) == (2, "")
    assert complaint in err
    assert not (tmp_path / ".cache").exists()
    assert (tmp_path / "mine.md").read_text() == "my own words"


def test_files_that_cannot_be_used(crossval, malformed):
    assert "cannot be standard input" in crossval("--parser", "swap", file="-")[2]
    assert "No such file" in crossval("--parser", "swap", file="none.conllu")[2]
    code, _, err = crossval("--parser", "swap", file=malformed / "cycle.conllu")
    assert (code, "--on-error skip leaves such sentences out" in err) == (2, True)


def test_failed_jobs(crossval, monkeypatch, tmp_path):
    """Failures are listed and cached in the current folder, and the exit code is 1."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(runner, "COMMAND", [sys.executable, "-c", "import sys; sys.exit('no luck')"])
    code, out, err = crossval("--parser", "swap", "--folds", 2)
    assert code == 1
    assert "failed: swap on data/example, fold 1 of 2: ended with exit code 1: no luck" in err
    assert "2 jobs: 0 cached, 2 run, 2 failed" in err
    assert "| swap | failed |" in out
    assert len(list((tmp_path / ".cache").iterdir())) == 2
    assert "2 jobs: 2 cached, 0 run, 2 failed" in crossval("--parser", "swap", "--folds", 2)[2]
    assert "2 jobs: 0 cached, 2 run, 2 failed" in crossval("--parser", "swap", "--folds", 2, "--retry")[2]


def test_an_interrupt(crossval, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("crossarc.experiments.run", interrupted)
    code, _, err = crossval("--parser", "swap")
    assert code == 130
    assert "interrupted; finished jobs are cached, the same command continues" in err
