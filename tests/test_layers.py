"""Imports go one way: a package knows only those below it."""

import ast
import re
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src" / "crossarc"
LAYERS = [
    {"errors"},
    {"core"},
    {"treebank"},
    {"structure"},
    {"evaluation", "draw", "transforms", "features", "learning", "decode"},
    {"transitions", "factors", "neural"},
    {"components"},
    {"parsers"},
    {"tagging"},
    {"pipeline"},
    {"experiments"},
    {"papers"},
    {"cli", "server", "integrations"},
]
# The same inside `parsers`, by file or folder.
PARSER_LAYERS = [
    {"settings", "constraints", "columns", "description"},
    {"analysis", "families", "trees"},
    {"presets", "calibration", "graphs"},
    {"inner_trees"},
    {"model"},
    {"moves", "arcs"},
    {"networks"},
    {"registry", "provenance", "recommendation", "extensions"},
    {"composites", "scorers"},
    {"parser"},
]
PARSER_LEVEL = {part: level for level, parts in enumerate(PARSER_LAYERS) for part in parts}
LEVEL = {package: level for level, packages in enumerate(LAYERS) for package in packages}
# `Sentence.is_projective` and `_repr_html_` look upwards, inside the method.
ALLOWED = {("treebank/sentence.pyx", "structure"), ("treebank/sentence.pyx", "draw")}
CYTHON_IMPORT = re.compile(r"^\s*(?:from\s+crossarc\.(\w+)\S*\s+c?import|c?import\s+crossarc\.(\w+))", re.MULTILINE)


def imported(path: Path) -> set[str]:
    """The packages of crossarc that a file imports, anywhere in it."""
    text = path.read_text(encoding="utf-8")
    if path.suffix in (".pyx", ".pxd"):
        return {first or second for first, second in CYTHON_IMPORT.findall(text)}
    names = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: relative import"
            names |= (
                {f"{node.module}.{alias.name}" for alias in node.names} if node.module == "crossarc" else {node.module}
            )
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return {name.split(".")[1] for name in names if name and name.startswith("crossarc.")}


def files() -> list[Path]:
    return sorted(path for path in SOURCE.rglob("*") if path.suffix in (".py", ".pyi", ".pyx", ".pxd"))


@pytest.mark.parametrize("path", files(), ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_imports_go_downwards(path):
    parts = path.relative_to(SOURCE).parts
    if parts[0] in ("__init__.py", "__main__.py", "__init__.pxd"):
        return
    package = parts[0].removesuffix(".py")
    for other in imported(path) - {package}:
        if (path.relative_to(SOURCE).as_posix(), other) in ALLOWED:
            continue
        assert LEVEL[other] < LEVEL[package], f"{package} must not import {other}"


def imported_parts(path: Path) -> set[str]:
    """The files and folders of `parsers` that a file imports, anywhere but for type checkers."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typing = [node for node in ast.walk(tree) if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    unseen = {id(inner) for node in typing for inner in ast.walk(node)}
    found = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and id(node) not in unseen]
    return {node.module.split(".")[2] for node in found if node.module.startswith("crossarc.parsers.")}


@pytest.mark.parametrize(
    "path",
    [path for path in sorted((SOURCE / "parsers").rglob("*.py")) if path.name != "__init__.py"],
    ids=lambda path: path.relative_to(SOURCE / "parsers").as_posix(),
)
def test_imports_inside_parsers_go_downwards(path):
    own = path.relative_to(SOURCE / "parsers").parts[0].removesuffix(".py")
    assert own in PARSER_LEVEL, f"say in PARSER_LAYERS which layer of parsers {own} is in"
    for other in imported_parts(path) - {own}:
        assert PARSER_LEVEL[other] < PARSER_LEVEL[own], f"parsers/{own} must not import parsers/{other}"


def test_every_package_has_a_layer():
    packages = {path.name for path in SOURCE.iterdir() if path.is_dir() and (path / "__init__.py").exists()}
    assert packages <= set(LEVEL)


def test_the_check_can_fail(tmp_path):
    bad = tmp_path / "x.py"
    bad.write_text(
        "from crossarc import draw\nimport crossarc.cli.console\nfrom crossarc.evaluation.trees import score\n"
    )
    assert imported(bad) == {"draw", "cli", "evaluation"}
    bad = tmp_path / "x.pyx"
    bad.write_text("from crossarc.draw cimport x\ncimport crossarc.cli\n    import crossarc.structure\n")
    assert imported(bad) == {"draw", "cli", "structure"}
