"""What programs and installed packages add to crossarc."""

import os
import shutil
import subprocess
import sys
import textwrap
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import crossarc
from crossarc import CrossarcError, Parser
from crossarc.core.registry import Registry
from crossarc.errors import UnknownName
from crossarc.parsers import PRESETS, Constraints, Preset
from crossarc.parsers.extensions import KINDS, registry_of

SWAP = {"system": "swap", "features": "stack"}


@pytest.fixture
def registries():
    """Registries are as they were after the test."""
    before = {kind: dict(registry_of(kind).things) for kind in KINDS}
    yield
    for kind, things in before.items():
        registry_of(kind).things.clear()
        registry_of(kind).things.update(things)


def offering(**entries):
    """A registry with some entry points."""
    found = Registry("thing", "things", {"own": 1})
    vars(found)["offered"] = {name: EntryPoint(name, value, "crossarc.things") for name, value in entries.items()}
    return found


def test_things_are_imported_when_they_are_asked_for():
    found = offering(pi="math:pi", gone="no_such_package:x", table="string:ascii_lowercase")
    assert list(found) == ["own", "pi", "table"]
    assert "gone" not in found
    assert found.things == {"own": 1}
    assert found["pi"] == pytest.approx(3.14, abs=0.01)
    with pytest.raises(CrossarcError, match=r"'gone' comes from no_such_package, which cannot be imported .*; install"):
        _ = found["gone"]
    with pytest.raises(CrossarcError, match=r"'typo' comes from math, which cannot be imported \(.*'tau_'\); install"):
        _ = offering(typo="math:tau_")["typo"]
    with pytest.raises(UnknownName, match=r"no thing 'pie'; did you mean 'pi'\? \(valid: own, pi, table\)"):
        _ = found["pie"]
    with pytest.raises(CrossarcError, match="there is a thing 'pi' already"):
        found.register("pi", 3)


def test_a_native_module_of_another_version_is_named(tmp_path, monkeypatch):
    (tmp_path / "outdated_module.py").write_text("raise ValueError('Size changed')\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(CrossarcError, match=r"'old' comes from outdated_module, .* \(Size changed\); install"):
        _ = offering(old="outdated_module:System")["old"]


def test_all_is_listed_while_some_is_loaded():
    found = offering(pi="math:pi", e="math:e")
    assert [found[name] for name in found][:1] == [1]
    assert len(found) == 3


@pytest.mark.usefixtures("registries")
def test_a_preset_is_registered(example, tmp_path):
    settings = {"system": "swap", "features": "stack-compact", "explore": 0.0}
    crossarc.register("my-swap", preset=Preset("moves", "all", "few features", settings))
    assert "my-swap" in PRESETS
    parser = Parser("my-swap", epochs=1).fit(example)
    parser.save(tmp_path / "m.crossarc")
    assert crossarc.load(tmp_path / "m.crossarc").settings.parser == "my-swap"
    del PRESETS.things["my-swap"]
    with pytest.raises(CrossarcError, match="no parser 'my-swap'"):
        crossarc.load(tmp_path / "m.crossarc")


class Ones:
    """All arcs have the same score, but those to the first word from others than the root are forbidden."""

    labels = ("dep",)

    def arc_scores(self, sentences):
        scores = [np.ones((len(sentence) + 1, len(sentence) + 1)) for sentence in sentences]
        for each in scores:
            each[1, 2:] = -np.inf
        return scores

    def label_scores(self, sentences, heads):
        return [np.zeros((len(tree), 1)) for tree in heads]


def chain(scores, single_root):
    """Every word hangs from the one before it."""
    return np.arange(len(scores)) - 1


@pytest.mark.usefixtures("registries")
def test_a_decoder_is_registered(example):
    for name, decoder in (("chain", chain), ("list", lambda *scores, **options: chain(*scores, **options).tolist())):
        crossarc.register(name, decoder=decoder)
        parsed = next(Parser.around(Ones(), name).parse(example))
        assert parsed.heads.tolist() == list(range(-1, len(parsed)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda heads: heads[:-1], "there are .* heads, with the -1 of node 0, and not"),
        (lambda heads: heads / 2, "heads must be"),
        (lambda heads: np.where(heads == 0, 2, heads), "cycle"),
        (lambda heads: np.where(heads == 1, 0, heads), "it has several roots, although single_root is true"),
        (lambda heads: np.concatenate([[-1, 2, 0], heads[3:]]), "the arc 2 -> 1 has the score -inf"),
        (lambda heads: None, "heads must be"),
    ],
)
@pytest.mark.usefixtures("registries")
def test_what_a_decoder_gives_is_checked(example, change, message):
    crossarc.register("wrong", decoder=lambda scores, single_root: change(chain(scores, single_root)))
    with pytest.raises(CrossarcError, match=f"the decoder 'wrong' gave no tree over .* words: .*{message}"):
        next(Parser.around(Ones(), "wrong").parse(example))


@pytest.mark.usefixtures("registries")
def test_a_decoder_that_is_blind_to_constraints_is_refused(example):
    crossarc.register("chain", decoder=chain)
    parser = Parser.around(Ones(), "chain")
    known = Constraints(forbidden={(3, 2)})
    with pytest.raises(CrossarcError, match=r"the decoder 'chain' gave no tree .* the arc 2 -> 3 has the score -inf"):
        list(parser.parse(example, constraints=lambda sentence: known if len(sentence) > 2 else None))


@pytest.mark.parametrize(
    ("kind", "thing", "message"),
    [
        ("transition_system", int, "must be a subclass of TransitionSystem"),
        ("preset", {"family": "moves"}, "must be a Preset"),
        ("preset", Preset("moves", "all", "", {}), "have a system and features"),
        (
            "preset",
            Preset("steps", "all", "", SWAP),
            "no family of settings 'steps'",
        ),
        ("decoder", 3, "must be a function"),
        ("colour", 3, "no kind of extension 'colour'"),
    ],
)
@pytest.mark.usefixtures("registries")
def test_what_is_no_such_thing_is_refused(kind, thing, message):
    with pytest.raises(CrossarcError, match=message):
        crossarc.register("x", **{kind: thing})


def test_names_have_one_meaning():
    for kind, name in (("preset", "swap"), ("preset", "mst-combined"), ("decoder", "mst")):
        with pytest.raises(CrossarcError, match="already"):
            crossarc.register(name, **{kind: len})


def offered_by(room, *kinds):
    """What a room offers, as pairs of the kind and the name."""
    return [(kind, entry.name) for kind in kinds for entry in ENTRIES[kind] if entry.module == room]


ENTRIES = {kind: entry_points(group=registry_of(kind).group) for kind in KINDS}
ROOMS = sorted({entry.module for entries in ENTRIES.values() for entry in entries})


def without_room(room, folder):
    """Where Python finds a copy of the installed package from which the room is deleted; nothing if it is editable."""
    package = Path(crossarc.__file__).parent
    if not list((package / "core").glob("strings*.so")):
        return {}
    copied = shutil.copytree(package, folder / "crossarc")
    shutil.rmtree(copied / Path(*room.split(".")[1:]))
    return {"PYTHONPATH": str(folder)}


@pytest.mark.parametrize("room", ROOMS)
def test_without_a_room_all_else_works(room, example, tmp_path):
    """Other presets train. What the room offers, and models that need it, are refused by name."""
    own = offered_by(room, *KINDS)
    model = tmp_path / "own.crossarc"
    needs = offered_by(room, "preset", "learner")[:1]  # what a trained model of the room needs
    for kind, name in needs:
        parser = Parser(name, epochs=1) if kind == "preset" else Parser("planar", learner=name, features="compact")
        parser.fit(example).save(model)
    program = f"""
        import sys

        class Hidden:  # as if the room had been deleted, for editable installs, whose files are in several places
            def find_spec(self, name, path=None, target=None):
                if name == {room!r} or name.startswith({room!r} + "."):
                    raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

        sys.meta_path.insert(0, Hidden())
        import crossarc
        from crossarc.parsers import PRESETS
        from crossarc.parsers.extensions import registry_of

        def refuse(what, said, ask, *arguments):
            try:
                ask(*arguments)
            except crossarc.CrossarcError as error:
                assert said in str(error), error
            else:
                raise AssertionError(f"{{what}} is not refused")

        for kind, name in {own!r}:
            assert name not in list(registry_of(kind))
            refuse(name, {room!r}, registry_of(kind).__getitem__, name)
        small = dict(epochs=1)
        network = dict(hidden=8, lexical_size=8, tag_size=8, arc_size=8, label_size=8)
        sentences = list(crossarc.read({str(example)!r}))[:10]
        for name, preset in PRESETS.items():
            crossarc.Parser(name, **small, **(network if preset.method == "networks" else {{}})).fit(sentences)
        for kind, name in {needs!r}:
            refuse("a model of the room", name, crossarc.load, {str(model)!r})
    """
    places = {**os.environ, **without_room(room, tmp_path)}
    command = [sys.executable, "-c", textwrap.dedent(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=places, cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_all_rooms_are_there():
    folder = Path(find_spec("crossarc.papers").origin).parent
    assert {room.rpartition(".")[2] for room in ROOMS} <= {path.name for path in folder.iterdir()}
