"""crossarc draw: what is selected, where it goes, and what is refused."""

import subprocess
import sys

import pytest

from crossarc.cli import main
from crossarc.cli.draw import select_pictures
from crossarc.treebank import write
from draw.sketches import CROSSING, ONE, TWO_ROOTS, sketch


@pytest.fixture
def files(tmp_path):
    other = CROSSING.replace(heads=[-1, 2, 3, 0, 3, 6, 3])
    write([ONE, CROSSING, TWO_ROOTS], tmp_path / "gold.conllu")
    write([ONE, other, TWO_ROOTS], tmp_path / "system.conllu")
    return tmp_path


@pytest.fixture
def run(files, monkeypatch, capfdbinary):
    def run(*arguments):
        monkeypatch.chdir(files)
        monkeypatch.setattr(sys, "argv", ["crossarc", "draw", *arguments])
        with pytest.raises(SystemExit) as end:
            main()
        out, err = capfdbinary.readouterr()
        return end.value.code or 0, out.decode(), err.decode()

    return run


def test_text_is_the_default(run):
    code, out, _ = run("gold.conllu", "--crossing", "--limit", "1")
    assert code == 0
    assert out.startswith("# talk-7  A talk starts now on owls\n      ┌► 1 A      DET  det\n")
    assert "\x1b" not in out
    assert "\x1b" in run("gold.conllu", "--color")[1]


def test_the_example_of_the_help_is_true(run):
    _, out, _ = run("gold.conllu", "--crossing", "--limit", "1")
    _, shown, _ = run("--help")
    plain = [line.strip(" │") for line in shown.split("\n")]
    assert all(line.strip(" │") in plain for line in out.strip().split("\n"))


def test_second_file_compares(run):
    _, out, _ = run("gold.conllu", "system.conllu", "--diff")
    assert out.count("# ") == 1
    assert "- nmod" in out
    assert "+ nmod ← 3" in out
    assert run("gold.conllu", "system.conllu")[1].count("# ") == 3
    assert "1 sentence drawn" in run("gold.conllu", "system.conllu", "--diff", "-o", "x.html")[2]


@pytest.mark.parametrize(
    ("names", "texts"),
    [
        (["2"], ["A talk starts now on owls"]),
        (["talk-7"], ["A talk starts now on owls"]),
        (["1-2"], ["Hush", "A talk starts now on owls"]),
        (["2-"], ["A talk starts now on owls", "Stop ! Go"]),
        (["3", "1"], ["Hush", "Stop ! Go"]),
        ([], ["Hush", "A talk starts now on owls", "Stop ! Go"]),
    ],
)
def test_sentences_are_selected(files, names, texts):
    assert [picture.text for picture in select_pictures(str(files / "gold.conllu"), names=names)] == texts


def test_files_by_extension(run, files):
    assert run("gold.conllu", "-s", "2", "-o", "x.svg") == (0, "", "x.svg: 1 sentence drawn\n")
    assert (files / "x.svg").read_bytes().startswith(b"<svg ")
    assert run("gold.conllu", "-o", "x.html")[2] == "x.html: 3 sentences drawn\n"
    assert run("gold.conllu", "-o", "x.txt", "--width", "30")[0] == 0
    assert (files / "x.txt").read_text(encoding="utf-8").startswith("# 1  Hush\n●─ 1 Hush INTJ root\n\n# talk-7")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gold.conllu", "-o", "x.svg"], "x.svg can hold one sentence, but there are several; write all to a page"),
        (["gold.conllu", "-o", "x.pdf"], "no kind of picture 'pdf'"),
        (["gold.conllu", "-s", "4"], "gold.conllu: no sentence '4'"),
        (["gold.conllu", "--diff"], "--diff compares two files"),
        (["gold.conllu", "--columns", "upso"], "did you mean 'upos'"),
        (["none.conllu"], "none.conllu: No such file"),
    ],
)
def test_refusals_are_one_line(run, files, arguments, message):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert sorted(path.name for path in files.iterdir()) == ["gold.conllu", "system.conllu"]


def test_nothing_as_asked_for(run, files):
    assert run("gold.conllu", "gold.conllu", "--diff", "-o", "x.html")[::2] == (1, "no sentence matches\n")
    assert not (files / "x.html").exists()


def test_files_of_other_words(run, files):
    write([sketch("Hush/INTJ/0/root"), ONE, ONE], files / "other.conllu")
    code, _, err = run("gold.conllu", "other.conllu")
    assert code == 2
    assert "6 words in gold and 1" in err


def test_starting_up_loads_nothing_heavy():
    code = "import sys, crossarc.cli; sys.exit(any(name in sys.modules for name in ('numpy', 'crossarc.draw')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
