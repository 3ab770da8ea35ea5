"""The package in `examples/attardi` builds against the installed crossarc, trains, parses, and is missed when gone."""

import importlib.util
import os
import random
import re
import shutil
import subprocess
import sys
import sysconfig
import textwrap
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from crossarc.structure import classify
from crossarc.transitions import Configuration, replay
from crossarc.treebank import read
from helpers import trees
from transitions.test_systems import all_trees, batch, is_tree

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "examples" / "attardi"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The folder into which the package is built and installed; the environment of the tests stays as it is."""
    compiler = os.environ.get("CC") or sysconfig.get_config_var("CC")
    if compiler and shutil.which(compiler.split()[0]) is None:
        pytest.skip(f"needs a C compiler; there is no {compiler}")
    folder = tmp_path_factory.mktemp("attardi")
    source = shutil.copytree(PACKAGE, folder / "source", ignore=shutil.ignore_patterns("build", "*.egg-info"))
    target = folder / "target"
    options = ["--quiet", "--disable-pip-version-check", "--no-index", "--no-deps", "--no-build-isolation"]
    command = [sys.executable, "-m", "pip", "install", *options, "--target", target, source]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "Microsoft Visual C++" in done.stdout + done.stderr:
        pytest.skip("needs a C compiler; there is no Microsoft Visual C++")
    assert done.returncode == 0, done.stdout + done.stderr
    return target


@pytest.fixture(scope="module")
def module(installed):
    """The native module, of which the registries of this process know nothing."""
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    spec = importlib.util.spec_from_file_location("attardi", installed / f"attardi{suffix}")
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


@pytest.fixture(scope="module")
def systems(module):
    """The system with one root and with any number."""
    return [module.Attardi(single_root=single_root) for single_root in (True, False)]


def crossarc(*arguments, package=None):
    """Run the command line, with the package or without it; return its exit code, its output and its messages."""
    paths = [str(package or ""), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    command = [sys.executable, "-m", "crossarc", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", env=environment, check=False)
    return done.returncode, done.stdout, done.stderr


def can_be_built(heads, single_root):
    """Whether any moves of the figure in the docstring build a tree: all that make gold arcs are tried."""
    end = len(heads)
    seen, todo = set(), [((0,), 1)]
    while todo:
        stack, first = state = todo.pop()
        if state == ((0,), end):
            return True
        if state in seen:
            continue
        seen.add(state)
        if first < end:
            todo.append(((*stack, first), first + 1))
        for place in (2, 3):
            if place > len(stack):
                break
            other, top = stack[-place], stack[-1]
            if heads[other] == top:
                todo.append(((*stack[:-place], *stack[len(stack) - place + 1 :]), first))
            if heads[top] == other and not (single_root and other == 0 and (len(stack), first) != (2, end)):
                todo.append((stack[:-1], first))
    return False


def check_oracle(system, sentences):
    """The oracle rebuilds a tree by 2n legal moves exactly if it can be built; return how many can."""
    right, moves = replay(system, *batch(sentences))
    words = [len(heads) - 1 for heads in sentences]
    assert moves.tolist() == [2 * n for n in words]
    expected = [can_be_built(heads, system.single_root) for heads in sentences]
    assert (right == words).tolist() == expected
    return sum(expected)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_oracle_over_all_small_trees(systems, n):
    small = all_trees(n)
    found = classify(*batch(small))
    one_root, any_roots = (check_oracle(system, small) for system in systems)
    assert any_roots >= found.projective.sum()
    assert one_root >= (found.projective & (found.roots == 1)).sum()
    if n >= 4:
        assert found.projective.sum() < any_roots < len(small)


@given(heads=trees(max_size=12))
def test_oracle_over_random_trees(systems, heads):
    for system in systems:
        check_oracle(system, [heads])


def test_oracle_over_treebanks(systems, treebanks):
    for path in treebanks:
        sentences = [heads for heads in (sentence.heads.tolist() for sentence in read(path)) if is_tree(heads)]
        found = classify(*batch(sentences))
        for system in systems:
            right, moves = replay(system, *batch(sentences))
            words = np.array([len(heads) - 1 for heads in sentences])
            assert (moves == 2 * words).all()
            exact = right == words
            inside = found.projective & (found.roots == 1) if system.single_root else found.projective
            assert exact[inside].all()
            check_oracle(system, [heads for heads in sentences if len(heads) <= 15][:200])


@pytest.mark.parametrize("length", [1, 2, 5, 30])
def test_random_moves_end_in_a_tree(systems, length):
    generator = random.Random(length)
    for system in systems * 30:
        configuration = Configuration(system, [-1, 0, *range(1, length)])
        while not configuration.is_final():
            move = generator.choice(configuration.legal())
            arc, before = configuration.arc_of(move), configuration.heads
            configuration.apply(move)
            assert configuration.heads == [arc[0] if arc and arc[1] == d else head for d, head in enumerate(before)]
        assert is_tree(configuration.heads)
        assert not system.single_root or configuration.heads.count(0) == 1


def test_free_moves_lead_to_the_gold_tree(systems):
    for system in systems:
        for heads in all_trees(4):
            if can_be_built(heads, system.single_root):
                configuration = Configuration(system, heads)
                while not configuration.is_final():
                    costs = configuration.costs()
                    configuration.apply(min(costs, key=costs.__getitem__))
                assert configuration.heads == heads


def test_the_command_line(installed, example, tmp_path):
    model, parsed = tmp_path / "m.crossarc", tmp_path / "parsed.conllu"
    train = ["train", "--parser", "attardi", "--train", example, "--epochs", 3, "-o", model]
    code, _, err = crossarc(*train, package=installed)
    assert (code, model.exists()) == (0, True), err
    code, _, err = crossarc("parse", model, example, "-o", parsed, package=installed)
    assert code == 0, err
    right = [
        (np.array(gold.heads) == np.array(found.heads))[1:]
        for gold, found in zip(read(example), read(parsed), strict=True)
    ]
    assert np.concatenate(right).mean() > 0.8
    code, out, err = crossarc("oracle", example, "--parser", "attardi", "--sentence", "1", package=installed)
    assert (code, "the tree is rebuilt" in out) == (0, True), err
    _, out, _ = crossarc("parsers", package=installed)
    assert re.search(r"\battardi\b", out)

    code, _, err = crossarc("parse", model, example)
    assert (code, err.count("\n")) == (2, 1)
    assert "m.crossarc" in err
    assert "no parser 'attardi'" in err
    code, _, err = crossarc(*train)
    assert (code, "no parser 'attardi'" in err) == (2, True)


def test_another_version_of_the_declarations_is_refused(installed):
    program = """
        import sys
        sys.path.insert(0, sys.argv[1])
        import crossarc.core
        crossarc.core.PXD_VERSION += 1
        from crossarc.transitions import get_system
        try:
            get_system("attardi")
        except crossarc.CrossarcError as error:
            print(error)
    """
    command = [sys.executable, "-c", textwrap.dedent(program), installed]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    said = "'attardi' comes from attardi, which cannot be imported (attardi was built with another version"
    assert said in done.stdout


def test_the_page_shows_the_package():
    """Each line of code in the section is a line of the package."""
    page = (ROOT / "docs" / "transitions.md").read_text(encoding="utf-8")
    section = page.partition("## A system of your own, in a package of your own\n")[2].partition("\n## ")[0]
    source = "\n".join(path.read_text(encoding="utf-8") for path in sorted(PACKAGE.glob("*.*")))
    source = {line.strip() for line in source.splitlines()}
    shown = [line.strip() for line in re.findall(r"^ {4}.*$", section, re.MULTILINE)]
    assert len(shown) > 30
    assert [line for line in shown if line not in source and line != "..."] == []
