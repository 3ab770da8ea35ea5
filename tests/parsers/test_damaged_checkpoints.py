"""Damaged checkpoints, with their checksums redone, are refused in one line when training resumes."""

import json

import numpy as np
import pytest

from crossarc.components.modelfile import read_model, write_model
from crossarc.errors import CrossarcError, ModelError
from crossarc.parsers import Parser
from crossarc.pipeline import Pipeline
from graph_treebank import graph_treebank

TREEBANK = graph_treebank(12)


class KilledError(Exception):
    pass


def kill(progress):
    if progress.epoch == 3:
        raise KilledError


def resume(path, **settings):
    return Parser(**{"parser": "mst", "epochs": 3, **settings}).fit(
        TREEBANK, TREEBANK[:3], checkpoint=path, resume=True
    )


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    path = tmp_path_factory.mktemp("checkpoint") / "c"
    with pytest.raises(KilledError):
        Parser("mst", epochs=3).fit(TREEBANK, TREEBANK[:3], checkpoint=path, on_progress=kill)
    return read_model(path)


def test_one_that_is_whole(stored, tmp_path):
    write_model(tmp_path / "c", *stored)
    assert resume(tmp_path / "c").model_ is not None


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"epochs": None}, "epochs is None"),
        ({"epochs": [[1, "x", None]]}, r"epochs\.0\.1 is 'x'"),
        ({"epochs": [[3, 0.0, None]], "best": None}, "has ended, but has no model"),
        ({"epochs": [[1, 0.0, [["LAS", 50.0]]]]}, "an epoch has no UAS"),
        ({"best": {}}, "cannot be used"),
        ({"quality": "x"}, "quality is 'x'"),
        ({"signature": None}, "signature is None"),
        ({"signature": {}}, r"no signature\.settings"),
        ({"more": 1}, "its manifest has more"),
    ],
)
def test_manifests(stored, tmp_path, changes, message):
    manifest, arrays = stored
    write_model(tmp_path / "c", {**manifest, **changes}, arrays)
    with pytest.raises(ModelError, match=message) as error:
        resume(tmp_path / "c")
    assert "train without resuming" in str(error.value)
    assert str(error.value).isprintable()


def test_messages_of_other_settings_are_one_line(stored, tmp_path):
    manifest, arrays = json.loads(json.dumps(stored[0])), stored[1]
    manifest["signature"]["settings"]["seed"] = "a\nb\x1b[31m"
    write_model(tmp_path / "c", manifest, arrays)
    with pytest.raises(CrossarcError, match=r"seed was a\\nb\\x1b\[31m and is 1") as error:
        resume(tmp_path / "c")
    assert str(error.value).isprintable()


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e31])
def test_numbers(stored, tmp_path, value):
    manifest, arrays = stored
    changed = arrays["weights.arcs.late"].copy()
    changed[0] = value
    write_model(tmp_path / "c", manifest, {**arrays, "weights.arcs.late": changed})
    with pytest.raises(ModelError, match=r"weights\.arcs\.late has numbers that are not finite"):
        resume(tmp_path / "c")


def test_tables_that_would_take_much_memory(stored, tmp_path):
    """A table of 2 to the 40 slots took whatever the system gave."""
    manifest, arrays = stored
    for count in (2**40, 2**30):
        counts = arrays["weights.arcs.counts"].copy()
        counts[0] = count
        write_model(tmp_path / "c", manifest, {**arrays, "weights.arcs.counts": counts})
        with pytest.raises(ModelError, match="not whole"):
            resume(tmp_path / "c")


def test_tags_of_other_sentences(tmp_path):
    """The tags of finished folds belong to the sentences of the treebank."""
    pipeline = Pipeline("arc-hybrid", epochs=1, jackknife=3, tagger={"epochs": 1})

    def stop(name):
        if name == "parser":
            raise KilledError

    with pytest.raises(KilledError):
        pipeline.fit(TREEBANK, checkpoint=tmp_path / "c", on_stage=stop)
    path = tmp_path / "c.jackknife"
    manifest, arrays = read_model(path)
    data = arrays["fold0.bytes"].tobytes()
    other = {
        "fold0.bytes": np.frombuffer(
            data.replace(b"\tlikes\t", b"\tliked\t").replace(b"\tsings", b"\tsang!"), np.uint8
        ),
        "fold0.ends": arrays["fold0.ends"][:-1],
    }
    for name, array in other.items():
        assert array.tobytes() != arrays[name].tobytes()
        write_model(path, manifest, {**arrays, name: array})
        with pytest.raises(ModelError, match="cannot be used"):
            pipeline.fit(TREEBANK, checkpoint=tmp_path / "c", resume=True)


def test_a_training_that_diverges(tmp_path):
    """Weights that are too great for a model are an error of one line, not a model that cannot be loaded."""
    sizes = {"hidden": 4, "lexical_size": 4, "tag_size": 4, "arc_size": 4, "label_size": 4}
    path = tmp_path / "c"
    with pytest.raises(KilledError):
        Parser("neural", epochs=3, **sizes).fit(TREEBANK, TREEBANK[:3], checkpoint=path, on_progress=kill)
    manifest, arrays = read_model(path)
    great = {name: np.full_like(array, 1e15) for name, array in arrays.items() if name.endswith("/value")}
    assert great
    write_model(path, manifest, {**arrays, **great})
    with np.errstate(all="ignore"), pytest.raises(CrossarcError, match="weights so great that sums can overflow"):
        resume(path, parser="neural", **sizes)
