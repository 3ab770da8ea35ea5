"""Loading a model: its file is opened once, and only what the model needs is imported."""

import subprocess
import sys

import numpy as np
import pytest

from crossarc import Parser, Pipeline, load
from crossarc.components.modelfile import read_model
from crossarc.core.lazy import lazily
from crossarc.pipeline import bundled_models

COUNT = """
import os, sys
path, opened = os.path.realpath(sys.argv[1]), []
def watch(event, arguments):
    if event == "open" and isinstance(arguments[0], str) and os.path.realpath(arguments[0]) == path:
        opened.append(arguments[0])
sys.addaudithook(watch)
import crossarc
crossarc.load(sys.argv[1])
print(len(opened), *(name for name in sys.modules if name.startswith("crossarc")))
"""


def loaded(path):
    """How often a file was opened, and which modules were imported to load it."""
    run = subprocess.run([sys.executable, "-c", COUNT, str(path)], capture_output=True, text=True, check=True)
    opened, *modules = run.stdout.split()
    return int(opened), set(modules)


def of_packages(modules, *packages):
    return sorted(name for name in modules if name.split(".")[1:2] and name.split(".")[1] in packages)


@pytest.mark.parametrize("name", ["arc-hybrid", "two-planar-label", "mst"])
def test_a_linear_model_needs_little(example, tmp_path, name):
    Parser(name, epochs=1).fit(example).save(tmp_path / "m")
    opened, modules = loaded(tmp_path / "m")
    assert opened == 1
    assert not of_packages(modules, "neural", "tagging", "evaluation", "draw", "experiments", "cli")
    assert "crossarc.pipeline.pipeline" not in modules
    if name != "mst":
        assert not of_packages(modules, "decode", "factors")
        assert len(modules) <= 120
    else:
        assert "crossarc.transitions.search" not in modules


def test_a_pipeline_is_opened_once(example, tmp_path):
    Pipeline("arc-hybrid", epochs=1, jackknife=0).fit(example).save(tmp_path / "m")
    opened, modules = loaded(tmp_path / "m")
    assert opened == 1
    assert not of_packages(modules, "neural", "factors")


def test_the_model_that_comes_with_crossarc_is_complete(tmp_path):
    nlp = load("en")
    assert len(nlp.parser.model.heads["tags"].combinations) > 300
    assert len(nlp.parser.model.heads["tags"].lemmas) > 20_000
    nlp.save(tmp_path / "m")
    arrays, kept = read_model(bundled_models()["en"])[1], read_model(tmp_path / "m")[1]
    assert arrays.keys() == kept.keys()
    assert all(np.array_equal(arrays[name], kept[name]) for name in arrays)
    load(tmp_path / "m").save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()


def test_public_names_are_all_there():
    import crossarc.parsers
    import crossarc.pipeline
    import crossarc.structure
    import crossarc.tagging
    import crossarc.transforms

    for package in (crossarc.parsers, crossarc.pipeline, crossarc.structure, crossarc.tagging, crossarc.transforms):
        for name in package.__all__:
            assert getattr(package, name) is not None
            assert f"{package.__name__}.{name}" not in sys.modules  # a module would hide the name
        assert set(package.__all__) <= set(dir(package))
        with pytest.raises(AttributeError, match="has no attribute 'colour'"):
            _ = package.colour


def test_a_name_is_imported_when_it_is_asked_for():
    attribute, listed = lazily("crossarc.core", checksum="Checksum")
    assert "Checksum" in listed()
    assert attribute("Checksum").__module__ == "crossarc.core.checksum"
