"""The commands of the treebank: what they print, write and answer."""

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from crossarc import cli
from crossarc.cli import COMMANDS, main
from crossarc.parsers import PRESETS
from crossarc.treebank import read

FILES = {path.stem: path.read_text(encoding="utf-8") for path in Path(cli.__file__).parent.glob("*.py")}


@pytest.fixture
def crossarc(monkeypatch, run_crossarc):
    """Run the command line; return its exit code, its output and its messages."""

    def run(*arguments, stdin=None):
        if stdin is not None:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        return run_crossarc(*arguments)

    return run


def test_every_command_is_registered():
    written = {name for name, text in FILES.items() if "import typer" in text and f"\ndef {name}(" in text}
    assert len(written) >= 15
    forgotten = written - set(COMMANDS)
    assert not forgotten, f"add {forgotten} to COMMANDS in cli/__init__.py, with a short help"


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_an_example(crossarc, name):
    code, out, _ = crossarc(name, "--help")
    assert code == 0
    shown = re.search(rf"\$ crossarc {name}", out)
    assert shown, f"the docstring of {name} has no example: write `$ crossarc {name} ...` and its output after \\b"


def test_start_up_is_lazy():
    """Neither numpy nor any native module is imported for the help text."""
    code = "import sys, crossarc.cli; print('numpy' in sys.modules, 'crossarc.treebank' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False", "False"]


def test_module_runs():
    run = subprocess.run([sys.executable, "-m", "crossarc", "--version"], capture_output=True, text=True, check=True)
    assert re.fullmatch(r"crossarc \d+\.\d+\.\d+\S*\n", run.stdout)


def test_public_names():
    import crossarc

    for name in crossarc.__all__:
        assert getattr(crossarc, name) is not None
    assert "read" in dir(crossarc)
    with pytest.raises(AttributeError, match="no attribute 'reed'"):
        _ = crossarc.reed


def test_example(crossarc, tmp_path, example):
    code, out, err = crossarc("example")
    assert (code, err) == (0, "")
    assert "40 sentences, 318 words, 30.0% of the trees with crossing arcs" in out
    assert out.count("acl:relcl") == 2  # in the sentence of the treebank and in the new one
    assert out.count("╥") == 2  # where an arc crosses
    code, _, err = crossarc("example", "-o", tmp_path / "e.conllu")
    assert (code, "40 sentences" in err) == (0, True)
    assert (tmp_path / "e.conllu").read_bytes() == example.read_bytes()


def test_errors_that_nobody_expects_are_no_answer(crossarc, example, monkeypatch):
    """Exit code 1 means that the answer is no; what went wrong is 2, with a traceback only where that helps."""

    def failing(error):
        def read(*arguments, **options):
            raise error

        monkeypatch.setattr("crossarc.treebank.read", read)
        code, _, err = crossarc("stats", example)
        return code, "Traceback" in err, err

    code, traced, err = failing(MemoryError())
    assert (code, traced, err.count("\n")) == (2, False, 1)
    assert "not enough memory" in err
    code, traced, err = failing(ZeroDivisionError("odd"))
    assert (code, traced) == (2, True)
    assert err.endswith("this is a bug in crossarc; please report it with these lines\n")


def test_stats(crossarc, example, malformed, tmp_path):
    code, out, _ = crossarc("stats", example)
    assert code == 0
    assert re.search(r"trees: projective +70\.0%", out)
    assert re.search(r"nodes with several heads +19 \(6\.0%\)", out)
    advised = re.search(r"Recommended: (\S+) \(30% of the sentences are non-projective", out)[1]
    assert advised in PRESETS  # what cannot be trained is no advice
    figures = json.loads(crossarc("stats", example, "--json")[1])[str(example)]
    assert figures["sentences"] == 40
    assert figures["percent"]["projective"] == 70.0
    assert sum(figures["histograms"]["sentence_length"]) == 40
    assert "| words | 318 |" in crossarc("stats", example, "--markdown")[1]
    code, out, _ = crossarc("stats", example, malformed / "cycle.conllu")
    assert re.search(r"sentences without a usable tree +0 +1", out)
    raw = tmp_path / "raw.conllu"
    raw.write_text("1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n\n")
    assert "No recommendation" in crossarc("stats", raw)[1]


def test_stats_show_what_each_choice_costs(crossarc, example):
    """Each parser beside the recommended one has its accuracy, speed and training time, in 80 columns."""
    out = crossarc("stats", example)[1]
    lines = out[out.index("Recommended: ") :].splitlines()
    assert max(map(len, lines)) <= 80
    rows = {line.split("  ")[0].strip(): line.split() for line in lines}
    figures = json.loads(crossarc("stats", example, "--json")[1])[str(example)]["recommendation"]
    assert [each["role"] for each in figures["choices"]] == ["most accurate", "fast", "faster"]
    for each in figures["choices"]:
        expected = [f"{each['score']:+.1f}", f"{each['np']:+.0f}", f"{each['speed']:g}x", f"{each['training']:g}x"]
        assert rows[each["role"]][-5:] == [each["parser"], *expected]
    assert f"Compared with {figures['accurate']}:" in lines
    assert f"For the graph: {figures['graph']}, the most accurate for so many graphs" in lines
    assert "| fast | covington |" in crossarc("stats", example, "--markdown")[1]


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_stats_plot(crossarc, example, malformed, tmp_path, ending):
    path = tmp_path / f"plot.{ending}"
    assert crossarc("stats", example, malformed / "cycle.conllu", "--plot", path)[0] == 0
    first = path.read_bytes()
    assert b"<svg" in first[:1000] or first.startswith(b"\x89PNG")
    crossarc("stats", example, malformed / "cycle.conllu", "--plot", path)
    assert path.read_bytes() == first
    code, _, err = crossarc("stats", example, "--plot", tmp_path / "plot.gif")
    assert (code, "valid: .pdf, .png, .svg" in err) == (2, True)


def test_validate(crossarc, example, malformed, tmp_path):
    assert crossarc("validate", example)[:2] == (0, f"{example}: 40 good sentences, 0 findings\n")
    code, out, _ = crossarc("validate", malformed / "cycle.conllu")
    assert code == 1
    assert f"{malformed / 'cycle.conllu'}:6: sentence 's1': heads form a cycle 2 -> 3 -> 4 -> 2; " in out
    assert out.endswith("1 good sentence, 1 finding (1 cycle)\n")
    found = json.loads(crossarc("validate", malformed / "cycle.conllu", "--json")[1])
    assert next(iter(found.values()))["codes"] == {"cycle": 1}
    assert crossarc("validate", malformed / "several-roots.conllu")[0] == 1
    assert crossarc("validate", malformed / "several-roots.conllu", "--roots", "any")[0] == 0
    code, _, err = crossarc("validate", malformed / "several-roots.conllu", "--roots", "two")
    assert (code, "valid: any, one" in err) == (2, True)
    fixed = tmp_path / "fixed.conllu"
    code, out, err = crossarc("validate", malformed / "cycle.conllu", malformed / "id-gap.conllu", "--fix", fixed)
    assert code == 1
    assert "3 sentences written, 1 left out" in err
    assert all(sentence.is_tree for sentence in read(fixed))
    assert crossarc("validate", fixed)[0] == 0


def test_validate_graphs(crossarc, example, tmp_path):
    assert crossarc("validate", example, "--graph")[0] == 0
    broken = tmp_path / "broken.conllu"
    broken.write_text("# sent_id = x\n1\ta\t_\t_\t_\t_\t_\t_\t0:r\t_\n2\tb\t_\t_\t_\t_\t_\t_\t2:s\t_\n\n")
    code, out, _ = crossarc("validate", broken, "--graph")
    assert (code, out.splitlines()[-1]) == (1, f"{broken}: 0 good sentences, 1 finding (1 unreachable)")
    assert out.startswith(f"{broken}:3: sentence 'x': no path from node 0 leads to node 2; give")
    found = json.loads(crossarc("validate", broken, "--acyclic", "--json")[1])[str(broken)]
    assert found["codes"] == {"graph-cycle": 1, "unreachable": 1}
    code, _, err = crossarc("validate", broken, "--graph", "--fix", tmp_path / "fixed.conllu")
    assert (code, "leave out --graph" in err) == (2, True)


def test_validate_limits_its_output(crossarc, malformed):
    code, out, _ = crossarc("validate", malformed / "cycle.conllu", "--limit", 0)
    assert code == 1
    assert "1 finding more" in out


def test_convert(crossarc, example, tmp_path):
    code, _, err = crossarc("convert", example, "-o", tmp_path / "a.conllx.gz")
    assert code == 0
    assert "40 sentences in CoNLL-X" in err
    assert "cannot carry: " in err
    assert next(read(tmp_path / "a.conllx.gz")).format.name == "conllx"
    code, _, err = crossarc("convert", example, "--to", "conllz")
    assert (code, "valid: conll09, conllu, conllx, sdp" in err) == (2, True)


def test_convert_takes_predicted_columns(crossarc, tmp_path):
    path = tmp_path / "a.conll09"
    path.write_text("1\tRuns\trun\truns\tV\tN\t_\t_\t0\t0\troot\troot\t_\t_\n\n")
    code, out, _ = crossarc("convert", path, "--to", "conllu", "--predicted")
    assert code == 0
    assert out.startswith("1\tRuns\truns\tN\tN\t_\t0\troot")


def test_convert_in_a_pipe(example):
    command = [sys.executable, "-m", "crossarc", "convert", "-", "--to", "conllu"]
    run = subprocess.run(command, input=example.read_bytes() * 3, capture_output=True, check=True)
    assert run.stdout == example.read_bytes() * 3
    assert run.stderr == b""


def test_convert_follows_the_policy(crossarc, malformed, tmp_path):
    code, _, err = crossarc("convert", malformed / "columns-few.conllu", "-o", tmp_path / "a.conllu")
    assert code == 2
    assert "columns-few.conllu:6: sentence 's1': 9 columns instead of 10" in err
    assert not (tmp_path / "a.conllu").exists()
    assert (
        crossarc("convert", malformed / "columns-few.conllu", "-o", tmp_path / "a.conllu", "--on-error", "skip")[0] == 0
    )


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")
def test_a_reader_that_leaves_is_no_error(example, tmp_path):
    path = tmp_path / "big.conllu"
    path.write_bytes(example.read_bytes() * 200)
    command = f"({sys.executable} -m crossarc convert {path} --to conllu; echo $? >{tmp_path}/code) | head -n 1"
    run = subprocess.run(command, shell=True, capture_output=True, check=True)
    assert run.stdout == b"# sent_id = example-1\n"
    assert run.stderr == b""
    assert (tmp_path / "code").read_text() == "0\n"


def test_an_interrupt_leaves_no_file(example, tmp_path, monkeypatch, crossarc):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("crossarc.treebank.conversion.convert", interrupted)
    monkeypatch.setattr("crossarc.treebank.writing.convert", interrupted)
    code, _, err = crossarc("convert", example, "-o", tmp_path / "a.conllx")
    assert (code, err) == (130, "crossarc: interrupted; no file was changed\n")
    assert not list(tmp_path.iterdir())


def test_errors_are_one_line(crossarc):
    code, _, err = crossarc("stats", "no-such-file.conllu")
    assert (code, err) == (2, "crossarc: no-such-file.conllu: No such file or directory\n")


def test_debug_shows_the_traceback(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["crossarc", "stats", "no-such-file.conllu", "--debug"])
    with pytest.raises(FileNotFoundError):
        main()


def test_standard_input(crossarc, example):
    code, out, _ = crossarc("validate", "-", stdin=example.read_bytes())
    assert (code, out) == (0, "-: 40 good sentences, 0 findings\n")


def test_transform(crossarc, tmp_path, example):
    """Made projective and back, the example is what it was."""
    code, _, err = crossarc("transform", "projectivize", example, "-o", tmp_path / "p.conllu")
    assert code == 0
    assert re.search(r"p.conllu: 40 sentences, [1-9]\d* edges? lifted in [1-9]\d* trees?\n", err)
    assert all(sentence.is_projective for sentence in read(tmp_path / "p.conllu"))
    assert "↑" in (tmp_path / "p.conllu").read_text(encoding="utf-8")
    code, _, err = crossarc("transform", "deprojectivize", tmp_path / "p.conllu", "-o", tmp_path / "d.conllu")
    assert (code, "put back in" in err) == (0, True)
    assert (tmp_path / "d.conllu").read_bytes() == example.read_bytes()
    code, out, _ = crossarc("transform", "projectivize", "-", stdin=b"1\ta\t_\t_\t_\t_\t0\tx\t_\t_\n\n")
    assert (code, out) == (0, "1\ta\t_\t_\t_\t_\t0\tx\t_\t_\n\n")
    marked = b"1\ta\t_\t_\t_\t_\t0\tx\t_\t_\n2\tb\t_\t_\t_\t_\t1\tx\xe2\x86\x91z\t_\t_\n\n"
    code, _, err = crossarc("transform", "deprojectivize", "-", "-o", tmp_path / "e.conllu", stdin=marked)
    assert "1 sentence, 0 edges put back in 0 trees, 1 found no place" in err


@pytest.mark.parametrize("encoding", ["path", "headpath"])
def test_transform_encodings(crossarc, tmp_path, example, encoding):
    """The printed shares are those of the files made there and back."""
    options = ("--encoding", encoding)
    shares = []
    for cap in ((), ("--cap", 3)):
        code, _, err = crossarc("transform", "projectivize", example, "-o", tmp_path / "p.conllu", *options, *cap)
        assert code == 0
        text = (tmp_path / "p.conllu").read_text(encoding="utf-8")
        labels = {line.split("\t")[7] for line in text.split("\n") if "\t" in line}
        new = [label for label in labels if set(label) & set("↑↓")]
        assert len(new) == 3 if cap else {"↑", "↓"} <= set("".join(new))
        code, _, _ = crossarc(
            "transform", "deprojectivize", tmp_path / "p.conllu", "-o", tmp_path / "d.conllu", *options
        )
        assert code == 0
        right = [
            back == gold
            for before, after in zip(read(example), read(tmp_path / "d.conllu"), strict=True)
            for back, gold in zip(after.heads[1:], before.heads[1:], strict=True)
        ]
        found = re.search(r"\nback again: (.*)% of (\d+) edges are right, and (.*)% of \d+ non-projective ones\n", err)
        assert found is not None
        assert (found[1], int(found[2])) == (f"{100 * sum(right) / len(right):.2f}", len(right))
        shares.append(float(found[3]))
    assert shares[0] > shares[1]


GRAPHS = """\
1\tShe\tshe\t_\t_\t_\t2\tnsubj\t2:nsubj|6:nsubj\t_
2\tdrank\tdrink\t_\t_\t_\t0\troot\t0:root\t_
3\tcups\tcup\t_\t_\t_\t2\tobj\t2:obj\t_
4\tof\tof\t_\t_\t_\t5\tcase\t5:case\t_
5\ttea\ttea\t_\t_\t_\t3\tnmod\t3:nmod:of\t_
6\tate\teat\t_\t_\t_\t2\tconj\t2:conj\t_
6.1\t_\t_\t_\t_\t_\t_\t_\t6:conj\t_
7\tcake\tcake\t_\t_\t_\t6\torphan\t6.1:obj|8:nsubj\t_
8\tbaked\tbake\t_\t_\t_\t7\tacl\t7:acl\t_

"""


@pytest.mark.parametrize(
    ("options", "marks"),
    [
        ((), ["6:conj>6.1>obj", "7:nsubj⇄", "3:nmod:⟨lemma⟩", "2:nsubj↑conj"]),
        (("--crossings", "--full-labels"), ["6:nsubj|", "3:nmod:of", "7:nsubj⇄"]),
        (("--cycles", "--empty", "keep"), ["6.1:obj|8:nsubj", "2:nsubj↑conj"]),
        (("--reversal", "paper", "--lifting", "root-last"), ["2:nsubj↑conj"]),
    ],
)
def test_transform_graphs(crossarc, tmp_path, options, marks):
    """Graphs there and back are what they were, and the report says so."""
    gold, encoded, back = (tmp_path / name for name in ("gold.conllu", "encoded.conllu", "back.conllu"))
    gold.write_text(GRAPHS, encoding="utf-8")
    code, _, err = crossarc("transform", "encode-graphs", gold, "-o", encoded, *options)
    assert code == 0, err
    assert "encoded.conllu: 1 sentence, 1 graph changed\n" in err
    assert "\nback again: labelled precision 100.00, recall 100.00 of 11 arcs" in err
    text = encoded.read_text(encoding="utf-8")
    for mark in marks:
        assert mark.rstrip("|") in text
    code, _, err = crossarc("transform", "decode-graphs", encoded, "-o", back, *options)
    assert (code, "1 sentence, 1 graph changed" in err) == (0, True)
    assert back.read_text(encoding="utf-8") == GRAPHS


def test_transform_graphs_refuses(crossarc, tmp_path):
    (tmp_path / "bad.conllu").write_text("1\ta\t_\t_\t_\t_\t0\tx\t7:x\t_\n\n")
    code, _, err = crossarc("transform", "encode-graphs", tmp_path / "bad.conllu", "-o", tmp_path / "x.conllu")
    assert (code, "which is not a node" in err, (tmp_path / "x.conllu").exists()) == (2, True, False)
    (tmp_path / "empty.conllu").write_text("1\ta\t_\t_\t_\t_\t0\troot\t0:root\t_\n1.1\tb\t_\t_\t_\t_\t_\t_\t1:x\t_\n\n")
    code, _, err = crossarc("transform", "decode-graphs", tmp_path / "empty.conllu", "-o", tmp_path / "x.conllu")
    assert (code, "this file is not encoded" in err) == (2, True)
    code, _, err = crossarc("transform", "encode-graphs", tmp_path / "bad.conllu", "--reversal", "x")
    assert (code, "no reversal 'x'" in err) == (2, True)


def test_transform_refuses(crossarc, tmp_path, example, malformed):
    code, _, err = crossarc("transform", "projectivise", example)
    assert (code, "did you mean 'projectivize'" in err) == (2, True)
    code, _, err = crossarc("transform", "projectivize", example, "--encoding", "tail")
    assert (code, "no pseudo-projective encoding 'tail'" in err) == (2, True)
    code, _, err = crossarc("transform", "projectivize", malformed / "cycle.conllu", "-o", tmp_path / "x.conllu")
    assert (code, "cycle" in err, (tmp_path / "x.conllu").exists()) == (2, True, False)
