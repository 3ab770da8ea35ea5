"""The Python code of the guide and of the README runs, also where it is not written as a dialogue with its output.

The code of a page runs in order, in a folder with the files that it names. What it takes from elsewhere, such as the
scores of a network, is given here. Code for programs that are not installed is left out; what that may be is listed.
"""

import ast
import contextlib
import importlib.util
import logging
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import crossarc
from crossarc import Parser, Pipeline, read

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("docs/**/*.md"), ROOT / "README.md"])
ACTS = (ast.Import, ast.ImportFrom, ast.Call, ast.FunctionDef, ast.ClassDef)
NOT_HERE = {"fastapi", "spacy", "stanza", "ufal"}
ELSEWHERE = ("other-tokens.md",)  # in tests/test_other_tokens.py


def blocks_of(page):
    """The indented blocks of a page that are Python, without dialogues, which run as doctests."""
    blocks = re.split(r"\n(?=\S)", page.read_text(encoding="utf-8"))
    for block in blocks:
        code = textwrap.dedent("\n".join(line for line in block.split("\n") if line.startswith("    ") or not line))
        if ">>>" in code:
            continue
        with contextlib.suppress(SyntaxError):
            tree = ast.parse(code)
            if any(isinstance(node, ACTS) for node in ast.walk(tree)):
                yield code, tree


def needs(tree):
    """The packages that are imported."""
    nodes = list(ast.walk(tree))
    names = [name.name for node in nodes if isinstance(node, ast.Import) for name in node.names]
    names += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    return {name.partition(".")[0] for name in names}


class Tensor(np.ndarray):
    """What `cpu()` gives is read like a tensor."""

    def cpu(self):
        return np.asarray(self)


def padded(sentences, *shape):
    size = max(map(len, sentences)) + 1
    sizes = {"nodes": size, "labels": 2}
    return np.random.default_rng(1).random((len(sentences), *(sizes[name] for name in shape))).view(Tensor)


@pytest.fixture(scope="module")
def folder(tmp_path_factory, example):
    """The files that pages name."""
    folder = tmp_path_factory.mktemp("code")
    for name in ("train", "dev", "test", "raw", "tokens", "gold", "my"):
        shutil.copy(example, folder / f"{name}.conllu")
    Pipeline("arc-hybrid", epochs=2, jackknife=0).fit(example).save(folder / "my.crossarc")
    Parser("arc-hybrid", epochs=1).fit(example).save(folder / "parser.crossarc")
    shutil.copy(example, folder / "parsed.conllu")
    return folder


@pytest.fixture
def given(example):
    """What a page takes from elsewhere, by its name."""
    sentences = list(read(example))
    rows = SimpleNamespace(
        arcs=lambda batch: padded(batch, "nodes", "nodes"), labels=lambda batch, heads: padded(batch, "nodes", "labels")
    )
    names = {"labels": ["root", "dep"], "label_scores": rows.labels}
    network = type("Network", (), names | {"arc_scores": lambda self, batch: padded(batch, "nodes", "nodes").cpu()})
    torch = SimpleNamespace(inference_mode=contextlib.nullcontext)
    return {
        "README.md": {
            "scores": np.random.default_rng(1).random((2, 5, 5)),
            "lengths": [4, 3],
            "my_network": network(),
        },
        "drawing.md": {"sentence": sentences[0], "sentences": sentences, "gold": sentences[0], "parsed": sentences[0]},
        "pipelines.md": {"texts": ["Tom sings.", "Rain fell."]},
        "service.md": {"text": "Tom sings."},
        "confidence.md": {
            "torch": torch,
            "network": rows,
            "label_names": ["root", "dep"],
            "encode": lambda sentences: sentences,
            "pad": lambda heads: heads,
        },
    }


@pytest.fixture
def logged():
    """A page may say what is logged, which must not last."""
    log = logging.getLogger("crossarc")
    level = log.level
    yield
    log.setLevel(level)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.usefixtures("logged")
@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.name not in ELSEWHERE and any(blocks_of(page))], ids=lambda page: page.name
)
def test_code_runs(page, folder, given, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    names = {"__name__": page.stem, "crossarc": crossarc, **given.get(page.name, {})}
    for code, tree in blocks_of(page):
        absent = {name for name in needs(tree) if importlib.util.find_spec(name) is None}
        if absent:
            assert absent <= NOT_HERE
            continue
        exec(compile(code, page.name, "exec"), names)


def test_there_is_code():
    """Pages whose code would not be found would pass unseen."""
    assert sum(1 for page in PAGES for _ in blocks_of(page)) >= 15


@pytest.mark.parametrize("name", crossarc.PACKAGES)
def test_packages_need_no_import_of_their_own(name):
    """Code of the guide says `crossarc.treebank.to_table` after `import crossarc` alone."""
    code = f"import crossarc; print(crossarc.{name}.__name__, {name!r} in dir(crossarc))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == f"crossarc.{name} True\n"
