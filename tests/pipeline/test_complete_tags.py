"""The script that adds combinations of tags and known lemmas to a pipeline made before crossarc stored these."""

import importlib.util
from pathlib import Path

import pytest

import crossarc
from crossarc.components import read_model, write_model
from crossarc.pipeline import Pipeline
from crossarc.treebank import read, write

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "complete_tags.py"
SMALL = {"hidden": 8, "lexical_size": 8, "tag_size": 8, "arc_size": 8, "label_size": 8, "epochs": 1}


@pytest.fixture(scope="module")
def complete():
    spec = importlib.util.spec_from_file_location("complete_tags", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.main


def test_it_makes_the_file_that_training_makes(complete, example, tmp_path):
    path, old = tmp_path / "new", tmp_path / "old"
    Pipeline("neural", **SMALL).fit(str(example)).save(path)
    manifest, arrays = read_model(path)
    without = {name: array for name, array in arrays.items() if "tags.comb" not in name and "tags.lemmas" not in name}
    assert len(without) < len(arrays)
    write_model(old, manifest, without)
    assert old.read_bytes() != path.read_bytes()
    complete(str(old), str(example))
    assert old.read_bytes() == path.read_bytes()


def test_it_refuses_other_treebanks_and_models_without_tags(complete, example, tmp_path):
    write(list(read(example))[:5], tmp_path / "other.conllu")
    Pipeline("neural", **SMALL).fit(str(example)).save(tmp_path / "m")
    with pytest.raises(SystemExit, match="trained on another treebank"):
        complete(str(tmp_path / "m"), str(tmp_path / "other.conllu"))
    Pipeline("arc-hybrid", jackknife=0, tagger={"epochs": 1}, epochs=1).fit(str(example)).save(tmp_path / "m")
    with pytest.raises(SystemExit, match="only networks that give tags"):
        complete(str(tmp_path / "m"), str(example))


def test_the_model_that_comes_with_crossarc_has_both():
    tags = crossarc.load("en").parser.model.tags
    assert len(tags.combinations) > 300
    assert len(tags.lemmas) > 20_000
