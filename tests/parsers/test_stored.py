"""Parsers as copies, in pickles and in other processes."""

import copy
import multiprocessing
import operator
import pickle
from pathlib import Path

import numpy as np
import pytest

from crossarc.components.modelfile import Origin, model_bytes, open_model, read_model, unpack_model, write_model
from crossarc.components.stored import reopened
from crossarc.errors import ModelError
from crossarc.parsers import Parser, load
from crossarc.treebank import read

WORDS = ["She", "left", "it", "there"]


@pytest.fixture(autouse=True)
def _nothing_open():
    reopened.cache_clear()


@pytest.fixture(scope="module")
def fresh(example):
    """A parser that was never saved."""
    return Parser("arc-hybrid", epochs=3).fit(example)


@pytest.fixture
def saved(fresh, tmp_path):
    """A parser that was loaded from a file."""
    path = tmp_path / "a.crossarc"
    copy.copy(fresh).save(path)
    return load(path)


def twin_of(parser):
    return pickle.loads(pickle.dumps(parser))


@pytest.mark.parametrize("name", ["arc-hybrid", "mst", "dag-covington"])
def test_parsers_that_were_never_saved(example, name):
    parser = Parser(name, epochs=1).fit(example)
    again = twin_of(parser)
    assert list(again.parse(example)) == list(parser.parse(example))
    assert again.settings == parser.settings
    assert again.manifest_ == parser.manifest_
    assert repr(again) == repr(parser)


def test_pickles_of_files_are_small(fresh, saved, example):
    data = pickle.dumps(saved)
    assert len(data) < 500
    assert len(pickle.dumps(fresh)) > 10_000
    again = pickle.loads(data)
    assert again.origin_ == saved.origin_
    assert list(again.parse(example)) == list(saved.parse(example))
    assert pickle.loads(data).model_ is again.model_
    assert pickle.loads(data) is not again


def test_saving_names_the_file(fresh, tmp_path):
    parser = copy.copy(fresh)
    assert parser.origin_ is None
    parser.save(tmp_path / "a.crossarc")
    assert parser.origin_ == open_model(tmp_path / "a.crossarc")[2]
    assert len(pickle.dumps(parser)) < 500
    assert fresh.origin_ is None


def test_paths_are_absolute(fresh, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    copy.copy(fresh).save("a.crossarc")
    data = pickle.dumps(load("a.crossarc"))
    monkeypatch.chdir("/")
    assert pickle.loads(data).parse_tokens(WORDS) == fresh.parse_tokens(WORDS)


def test_changes_leave_the_file_behind(saved, example):
    gold = list(read(example))[:3]
    for change in (lambda: saved.calibrate(gold), lambda: saved.fit(gold)):
        origin = saved.origin_
        change()
        assert saved.origin_ is None
        assert twin_of(saved).manifest_ == saved.manifest_
        saved.origin_ = origin


def test_files_that_changed_before(saved, tmp_path, example):
    """The parser has the old file mapped, and its bytes are sent."""
    path = tmp_path / "a.crossarc"
    expected = list(saved.parse(example))
    Parser("mst", epochs=1).fit(example).save(path)
    assert not saved.origin_.is_unchanged()
    assert list(twin_of(saved).parse(example)) == expected
    path.unlink()
    assert not saved.origin_.is_unchanged()
    assert list(twin_of(saved).parse(example)) == expected


def test_files_that_changed_after(saved, tmp_path, example):
    data = pickle.dumps(saved)
    path = tmp_path / "a.crossarc"
    Parser("mst", epochs=1).fit(example).save(path)
    with pytest.raises(ModelError, match=r"a.crossarc: the model file was changed after it was pickled"):
        pickle.loads(data)
    path.unlink()
    with pytest.raises(ModelError, match=r"a.crossarc: there is no such model file"):
        pickle.loads(data)


def test_a_changed_checksum_is_noticed(saved, tmp_path):
    path = tmp_path / "a.crossarc"
    raw = bytearray(path.read_bytes())
    raw[-1] ^= 1
    assert saved.origin_.is_unchanged()
    (tmp_path / "b").write_bytes(raw)
    (tmp_path / "b").replace(path)
    assert not saved.origin_.is_unchanged()


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy])
def test_copies_share_the_model(fresh, saved, example, duplicate):
    for parser in (fresh, saved):
        again = duplicate(parser)
        assert again is not parser
        assert again.model_ is parser.model_
        assert list(again.parse(example)) == list(parser.parse(example))
    again = copy.deepcopy(fresh)
    again.calibrate(list(read(example))[:2])
    assert "confidence" in again.manifest_
    assert "confidence" not in fresh.manifest_


def test_copies_own_no_checkpoint(tmp_path, example):
    parser = Parser("arc-hybrid", epochs=1).fit(example, checkpoint=tmp_path / "checkpoint")
    for again in (copy.copy(parser), copy.deepcopy(parser), twin_of(parser)):
        assert again.checkpoint_ is None
    parser.save(tmp_path / "a.crossarc")
    assert not (tmp_path / "checkpoint").exists()


def test_parsers_that_are_not_trained():
    parser = Parser("swap", epochs=3)
    for again in (twin_of(parser), copy.deepcopy(parser)):
        assert again.settings == parser.settings
        assert again.model_ is None


class Chain:
    """Each word under the one before it."""

    labels = ("root", "next")

    def arc_scores(self, sentences):
        return [np.eye(len(sentence) + 1, k=-1) for sentence in sentences]

    def label_scores(self, sentences, heads):
        return [np.stack([tree == 0, tree > 0], axis=1) for tree in heads]


def test_parsers_around_scorers():
    parser = Parser.around(Chain())
    for again in (twin_of(parser), copy.deepcopy(parser)):
        assert again.parse_tokens(WORDS).heads.tolist() == [-1, 0, 1, 2, 3]


def test_other_processes(saved, fresh):
    parse = operator.methodcaller("parse_tokens", WORDS)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        for parser in (saved, fresh):
            assert pool.apply(parse, (parser,)) == parser.parse_tokens(WORDS)
        assert pool.map(saved.parse_tokens, [WORDS, [WORDS]]) == [
            saved.parse_tokens(WORDS),
            [saved.parse_tokens(WORDS)],
        ]


def test_whether_a_file_is_mapped_is_pickled(saved):
    for mapped in (False, True):
        parser = load(saved.origin_.path, mapped=mapped)
        assert twin_of(parser).origin_.mapped is parser.origin_.mapped is mapped


def test_files_that_are_truncated_or_overwritten(saved, example, tmp_path):
    """A parser has all that it needs in memory of its own."""
    path = tmp_path / "a.crossarc"
    expected = list(saved.parse(example))
    size = path.stat().st_size
    for data in (b"", bytes(size), b"x" * size):
        with path.open("r+b") as file:  # the same file, not another of its name
            file.truncate(0)
            file.write(data)
        assert list(saved.parse(example)) == expected
        assert list(twin_of(saved).parse(example)) == expected
        with pytest.raises(ModelError):
            load(path)


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="needs /proc")
def test_processes_share_the_pages_of_a_mapped_file(saved):
    maps, saved = Path("/proc/self/maps"), load(saved.origin_.path, mapped=True)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        for _ in range(3):
            pool.apply(operator.methodcaller("parse_tokens", WORDS), (saved,))
        lines = [line for line in pool.apply(maps.read_text).splitlines() if line.endswith(saved.origin_.path)]
    assert len(lines) == 1  # mapped once, though it was sent three times
    assert lines[0].split()[1] in ("r--s", "r--p")


def test_bytes_of_a_model_file(tmp_path):
    manifest, arrays = {"kind": "x"}, {"a": np.arange(5, dtype=np.int32), "b": np.arange(3.0)}
    origin = write_model(tmp_path / "m", manifest, arrays)
    data = model_bytes(manifest, arrays)
    assert data == (tmp_path / "m").read_bytes()
    assert origin == Origin(str(tmp_path / "m"), len(data), int.from_bytes(data[-8:], "little"))
    found, unpacked = unpack_model(data, "m")
    assert found == read_model(tmp_path / "m")[0]
    for name, array in unpacked.items():
        assert np.array_equal(array, arrays[name])
        assert not array.flags.writeable
        assert array.ctypes.data % 64 == 0
    for broken in (data[:-1], b"", data[:-9] + b"!" + data[-8:]):
        with pytest.raises(ModelError, match="m: "):
            unpack_model(broken, "m")
