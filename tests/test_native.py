"""The native modules: each source belongs to one, none is long, and others can cimport the public declarations."""

import re
import subprocess
import sys
import sysconfig
from collections import Counter
from pathlib import Path

import pytest

import crossarc
from crossarc.core import PXD_VERSION

PACKAGE = Path(crossarc.__file__).parent
ROOT = Path(__file__).resolve().parents[1]
SOURCES = sorted(path for path in (ROOT / "src" / "crossarc").rglob("*") if path.suffix in (".pyx", ".pxd"))
INCLUDE = re.compile(r'^include "(.*)"', re.MULTILINE)

OUTSIDE = """
from crossarc.core.typedefs cimport CROSSARC_PXD_VERSION, token_t, uint32_t, hash_t, int32_t, weight_t, score_t
from crossarc.decode.arc_sets cimport GraphBuilder
from crossarc.decode.decoder cimport SOLVED, Decoder, Outcome
from crossarc.decode.projective cimport Eisner
from crossarc.decode.second_order cimport Carreras, PartScores, Reattacher
from crossarc.decode.spanning cimport ChuLiuEdmonds
from crossarc.decode.undirected cimport Undirected
from crossarc.learning.scorers cimport Scorer
from crossarc.transitions.gold cimport Gold
from crossarc.transitions.graph_arcs cimport has_arc
from crossarc.transitions.pairs cimport legal_arcs
from crossarc.transitions.state cimport Arc, State, arc_to, stack_at
from crossarc.transitions.system cimport GraphSystem, TransitionSystem, first_child, list_children

VERSION = CROSSARC_PXD_VERSION


cdef class Idle(TransitionSystem):
    cdef bint is_final(self, const State* state) noexcept nogil:
        return state.front >= state.end

    cdef uint32_t legal(self, State* state) noexcept nogil:
        return legal_arcs(self, state, stack_at(state, 0), stack_at(state, 1))

    cdef Arc arc_of(self, const State* state, token_t move) noexcept nogil:
        return arc_to(-1, stack_at(state, 0))


cdef class Nothing(Scorer):
    cdef void score(self, const hash_t* keys, int32_t count, int32_t group, weight_t* out) noexcept nogil:
        out[0] = 0


cdef class First(Decoder):
    cdef Outcome solve(self, const score_t* scores, Py_ssize_t stride, token_t n, token_t* heads) noexcept nogil:
        return SOLVED
"""


def test_other_packages_can_cimport_the_public_declarations(tmp_path):
    pytest.importorskip("Cython")
    from Cython.Compiler import Main

    source = tmp_path / "outside.pyx"
    source.write_text(OUTSIDE)
    result = Main.compile(str(source), include_path=[str(PACKAGE.parent)], language_level=3)
    assert result.num_errors == 0


def test_the_declarations_have_one_version():
    text = (PACKAGE / "core" / "typedefs.pxd").read_text(encoding="utf-8")
    assert int(re.search(r"CROSSARC_PXD_VERSION = (\d+)", text)[1]) == PXD_VERSION


def test_the_public_declarations_exist():
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = page[page.index("| `.pxd` | contents |") : page.index("`CROSSARC_PXD_VERSION`, and with it")]
    folder = None
    for name in re.findall(r"`([\w/]+\.pxd)`", table):
        path = PACKAGE / name if "/" in name else folder / name
        folder = path.parent
        assert path.exists(), name


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT / "src" / "crossarc").as_posix())
def test_no_file_is_long(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 500


def test_each_source_belongs_to_one_module():
    build = (ROOT / "src" / "crossarc" / "meson.build").read_text(encoding="utf-8")
    listed = re.findall(r"^  '(\w+)': \[(.*?)\]", build, re.MULTILINE | re.DOTALL)
    modules = [f"{package}/{name}.pyx" for package, names in listed for name in re.findall(r"'(\w+)'", names)]
    included = [
        path.parent.relative_to(ROOT / "src" / "crossarc").joinpath(name).as_posix()
        for path in SOURCES
        for name in INCLUDE.findall(path.read_text(encoding="utf-8"))
    ]
    found = [path.relative_to(ROOT / "src" / "crossarc").as_posix() for path in SOURCES if path.suffix == ".pyx"]
    assert Counter(modules + included) == Counter(found)
    assert len({name.rpartition("/")[2] for name in modules}) == len(modules)


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="needs free-threaded Python")
def test_no_native_module_brings_the_lock_back():
    files = [path.relative_to(PACKAGE.parent) for path in PACKAGE.rglob("*.so")]
    assert files
    names = [".".join((*file.parent.parts, file.name.split(".")[0])) for file in files]
    code = f"import importlib, sys\nfor name in {names}: importlib.import_module(name)\nprint(sys._is_gil_enabled())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
