"""What commands write: never an input, never a half-written file, and nothing that moves a terminal's cursor."""

import os
import subprocess
import sys
import threading

import pytest

import crossarc
from crossarc.cli.console import clean
from crossarc.draw import to_html, to_svg
from crossarc.errors import CrossarcError
from crossarc.treebank import Sentence
from crossarc.treebank.streams import atomic_writer, check_output

TREES = "# sent_id = s1\n1\tShe\tshe\tPRON\t_\t_\t2\tnsubj\t_\t_\n2\tleft\tleave\tVERB\t_\t_\t0\troot\t_\t_\n\n"
HOSTILE = "\x1b[31mred\x9b2J\u202eback\u2066\x07"
linux = pytest.mark.skipif(sys.platform == "win32", reason="locks and links as Unix has them")


@pytest.fixture
def trees(tmp_path):
    path = tmp_path / "trees.conllu"
    path.write_text(TREES)
    return path


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "small.crossarc"
    sentence = Sentence(TREES.encode())
    crossarc.Parser("arc-eager", epochs=1).fit([sentence] * 4).save(path)
    return path


def test_an_input_is_never_the_output(crossarc, trees, model, tmp_path):
    link = tmp_path / "link.conllu"
    link.hardlink_to(trees)
    for arguments in (
        ("parse", model, trees, "-o", model, "--to", "conllu"),
        ("parse", model, trees, "-o", trees),
        ("parse", model, trees, "-o", link),
        ("convert", trees, "-o", trees),
        ("validate", trees, "--fix", trees),
        ("transform", "projectivize", trees, "-o", trees),
        ("jackknife", trees, "-o", trees),
        ("train", "--train", trees, "-o", trees),
    ):
        before = trees.read_bytes(), model.read_bytes()
        code, said = crossarc(*arguments)
        assert (code, "is an input, which the output would replace; name another file" in said) == (2, True), arguments
        assert (trees.read_bytes(), model.read_bytes()) == before


@pytest.mark.parametrize("name", ["x.json", "x.xyz", "x.conllu.bz", "x.csv.gz"])
def test_unknown_extensions(crossarc, trees, model, tmp_path, name):
    for arguments in (
        ("convert", trees, "-o", tmp_path / name),
        ("parse", model, trees, "-o", tmp_path / name),
        ("transform", "projectivize", trees, "-o", tmp_path / name),
        ("validate", trees, "--fix", tmp_path / name),
        ("jackknife", trees, "-o", tmp_path / name),
        ("example", "-o", tmp_path / name),
    ):
        code, said = crossarc(*arguments)
        assert (code, said.count("\n")) == (2, 1), said
        assert name in said
        assert "take ." in said
        assert not (tmp_path / name).exists()


def test_an_output_that_cannot_be_written_is_found_first(crossarc, trees, model, tmp_path):
    (tmp_path / "file").write_text("")
    for name in (tmp_path / "no" / "x.conllu", tmp_path / "file" / "x.conllu", tmp_path / ("x" * 250 + ".conllu")):
        for arguments in (("train", "--train", trees, "-o", name), ("parse", model, trees, "-o", name)):
            code, said = crossarc(*arguments)
            assert (code, said.count("\n")) == (2, 1), said
            assert "sentence" not in said, "it was found after the treebank was read"


@linux
@pytest.mark.parametrize("command", ["stats", "validate", "info", "convert"])
def test_closed_pipe(trees, model, command):
    reader, writer = os.pipe()
    os.close(reader)
    arguments = [sys.executable, "-m", "crossarc", command, model if command == "info" else trees]
    run = subprocess.run(arguments, stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (run.returncode, run.stderr) == (0, b"")


@linux
def test_files_of_killed_runs(tmp_path):
    """They are removed by the next run, unless a run still writes them, or they are something else."""
    target = tmp_path / "out.conllu"
    left = tmp_path / "out.conllu.1-0.part"
    left.write_text("half of it")
    victim = tmp_path / "victim"
    victim.write_text("precious")
    link = tmp_path / f"out.conllu.{os.getpid()}-0.part"
    link.symlink_to(victim)
    os.mkfifo(tmp_path / "out.conllu.2-0.part")
    with atomic_writer(target) as first:
        assert not left.exists()
        first.write(b"first")
        with atomic_writer(target) as second:  # does not remove that of the first
            second.write(b"second")
        assert target.read_bytes() == b"second"
        first.flush()
    assert target.read_bytes() == b"first"
    assert victim.read_text() == "precious"
    assert sorted(path.name for path in tmp_path.glob("*.part")) == sorted([link.name, "out.conllu.2-0.part"])


@linux
def test_many_runs_at_once(tmp_path):
    """Threads and processes write the same file: each writes all of it, and the last one stays."""
    target = tmp_path / "out.conllu"
    code = (
        "import sys\nfrom crossarc.treebank.streams import atomic_writer\n"
        "for k in range(60):\n    with atomic_writer(sys.argv[1]) as file:\n        file.write(b'x' * 70_000)"
    )
    runs = [subprocess.Popen([sys.executable, "-c", code, target], stderr=subprocess.PIPE) for _ in range(3)]
    failed = []

    def write():
        try:
            for _ in range(60):
                with atomic_writer(target) as file:
                    file.write(b"x" * 70_000)
        except OSError as error:
            failed.append(error)

    threads = [threading.Thread(target=write) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [run.communicate()[1] for run in runs] == [b""] * 3
    assert not failed
    assert target.read_bytes() == b"x" * 70_000
    assert not list(tmp_path.glob("*.part"))


def test_check_output_leaves_nothing(tmp_path):
    target = tmp_path / "out.conllu"
    check_output(target)
    assert not list(tmp_path.iterdir())
    target.write_text("old")
    check_output(target)
    assert target.read_text() == "old"
    with pytest.raises(CrossarcError, match="there is no folder"):
        check_output(tmp_path / "no" / "x")


@linux
def test_nothing_hostile_reaches_a_terminal(run_crossarc, tmp_path, model):
    """Names of files, ids, words, labels: what is printed has none of their controls."""
    assert clean(f"a\n{HOSTILE}\tb") == "a\n\ufffd[31mred\ufffd2J\ufffdback\ufffd\ufffd b"
    folder = tmp_path / HOSTILE
    folder.mkdir()
    good, bad, odd = folder / f"{HOSTILE}.conllu", folder / "bad.conllu", folder / "a\nb.conllu"
    good.write_text(TREES.replace("s1", HOSTILE).replace("nsubj", HOSTILE).replace("She", HOSTILE))
    bad.write_text(TREES.replace("s1", HOSTILE).replace("\t2\tnsubj", "\t1\tnsubj").replace("PRON", HOSTILE))
    odd.write_text("1\n")
    other = folder / f"m{HOSTILE}.crossarc"
    other.write_bytes(model.read_bytes())
    for arguments in (
        ("validate", good),
        ("validate", bad, bad),
        ("validate", bad, "--json"),
        ("stats", good, bad),
        ("stats", good, "--json"),
        ("info", other),
        ("info", good),
        ("compare", good, good, good),
        ("compare", good, good, good, "--markdown"),
        ("evaluate", good, good, "--by", "label"),
        ("evaluate", good, bad),
        ("oracle", good, "--parser", "arc-eager"),
        ("convert", folder / "nowhere"),
        ("convert", odd),
        ("convert", good, "-o", folder / "no" / "x.conllu"),
        ("train", "--train", bad, "-o", folder / "m"),
        ("draw", good),
    ):
        code, out, err = run_crossarc(*arguments)
        said = out + err
        assert said
        found = [character for character in said if ord(character) < 32 and character != "\n"]
        found += [each for each in said if each in "\x7f\x9b\u202e\u2066"]
        assert not found, (arguments, code, said)
        assert code < 2 or err.count("\n") == 1 or arguments[0] == "train"


def test_pictures_isolate_directions():
    sentence = Sentence(TREES.replace("She", "\u202eShe").encode())
    assert ".crossarc text{unicode-bidi:isolate}" in to_svg(sentence)
    page = "".join(to_html([sentence], title="\u202e"))
    assert "h1,.meta b,.text{unicode-bidi:isolate}" in page
