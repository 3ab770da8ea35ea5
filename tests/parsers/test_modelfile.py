"""The model file: what is written is read, the safetensors library agrees, and no bytes do harm."""

import json
import struct
import sys
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from safetensors import safe_open
from safetensors.numpy import save

from crossarc.components.modelfile import (
    ALIGNMENT,
    DTYPES,
    FORMAT_VERSION,
    read_model,
    write_model,
)
from crossarc.errors import ModelError
from crossarc.parsers import Parser, load

ARRAYS = {
    "weights": np.arange(35, dtype=np.float32).reshape(5, 7),
    "rows": np.arange(3, dtype=np.int64),
    "nothing": np.zeros((0, 4), dtype=np.uint16),
    "one": np.array(7, dtype=np.int8),
}
MANIFEST = {"parser": "covington", "scores": {"LAS": 87.5}, "name": "ß \U0001f600", "flags": [True, None]}

names = st.text(st.characters(blacklist_categories=["Cs"]), max_size=8).filter(
    lambda name: not name.startswith("~") and name != "__metadata__"
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
manifests = st.dictionaries(st.text(max_size=5), values, max_size=3)
arrays = st.dictionaries(
    names,
    st.sampled_from(list(DTYPES.values())).flatmap(
        lambda dtype: npst.arrays(dtype, npst.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=5))
    ),
    max_size=4,
)


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "model.safetensors"
    write_model(path, MANIFEST, ARRAYS)
    return path


def same(first, second):
    return first.keys() == second.keys() and all(
        first[name].dtype == second[name].dtype
        and first[name].shape == second[name].shape
        and first[name].tobytes() == second[name].tobytes()
        for name in first
    )


@given(manifests, arrays)
def test_reads_what_was_written(tmp_path, manifest, arrays):
    path = tmp_path / "m"
    write_model(path, manifest, arrays)
    found, read = read_model(path)
    assert found == {**manifest, "format_version": FORMAT_VERSION}
    assert same(read, arrays)
    start = 8 + struct.unpack("<Q", path.read_bytes()[:8])[0]
    assert start % ALIGNMENT == 0
    for array in read.values():
        assert not array.flags.writeable
        assert not array.size or array.ctypes.data % ALIGNMENT == 0


def test_the_library_reads_it(model):
    with safe_open(model, "numpy") as file:
        assert list(file.metadata()) == ["crossarc"]
        assert json.loads(file.metadata()["crossarc"])["parser"] == "covington"
        assert {name for name in file.keys() if not name.startswith("~")} == set(ARRAYS)  # noqa: SIM118
        for name, array in ARRAYS.items():
            assert np.array_equal(file.get_tensor(name), array)


@given(manifests, arrays)
def test_the_library_reads_any(tmp_path, manifest, arrays):
    path = tmp_path / "m"
    write_model(path, manifest, arrays)
    with safe_open(path, "numpy") as file:
        read = {name: file.get_tensor(name) for name in file.keys() if not name.startswith("~")}  # noqa: SIM118
    assert same(read, arrays)


def test_same_content_same_bytes(tmp_path, model):
    write_model(tmp_path / "other", dict(reversed(MANIFEST.items())), dict(reversed(ARRAYS.items())))
    assert (tmp_path / "other").read_bytes() == model.read_bytes()


def test_layout_of_memory_does_not_matter(tmp_path, model):
    turned = {**ARRAYS, "weights": np.asfortranarray(ARRAYS["weights"]), "rows": ARRAYS["rows"].astype(">i8")}
    write_model(tmp_path / "other", MANIFEST, turned)
    assert (tmp_path / "other").read_bytes() == model.read_bytes()


@pytest.mark.parametrize("verify", [True, False])
@given(data=st.data())
def test_changed_bytes(model, verify, data):
    """Any bytes changed, cut off or added: refused, or with `verify` off perhaps read, always within the file."""
    raw = bytearray(model.read_bytes())
    whole = bytes(raw)
    size = len(raw)
    for _ in range(data.draw(st.integers(0, 3))):
        place = data.draw(st.one_of(st.integers(0, size - 1), st.integers(0, 700)))
        raw[place] = data.draw(st.integers(0, 255) | st.sampled_from(list(b'0123456789-,:"[]{}~e.')))
    cut = data.draw(st.none() | st.integers(0, size))
    raw = raw[:cut] + data.draw(st.just(b"") | st.binary(max_size=70))
    path = model.with_name("changed")
    path.write_bytes(raw)
    try:
        manifest, arrays = read_model(path, verify=verify)
    except ModelError as error:
        assert str(error).startswith(f"{path}: ")
        assert bytes(raw) != whole
        return
    if verify:
        assert bytes(raw) == whole
        assert manifest == {**MANIFEST, "format_version": FORMAT_VERSION}
        assert same(arrays, ARRAYS)
    for array in arrays.values():
        array.tobytes()


def test_every_prefix_is_refused(model):
    raw = model.read_bytes()
    path = model.with_name("cut")
    for size in range(0, len(raw), 3):
        path.write_bytes(raw[:size])
        with pytest.raises(ModelError):
            read_model(path)


descriptions = st.fixed_dictionaries(
    {
        "dtype": st.sampled_from(["U8", "F32", "F64", "BF16", "BOOL", "O"]) | values,
        "shape": st.lists(st.integers(-1, 1 << 70) | st.integers(0, 9) | st.just(True), max_size=40) | values,
        "data_offsets": st.lists(st.integers(-1, 1 << 70) | st.integers(0, 200), min_size=1, max_size=3) | values,
    }
)


@given(st.dictionaries(st.sampled_from(["a", "b", "~checksum"]), descriptions | values, max_size=3), st.data())
def test_any_header(tmp_path, header, data):
    """Headers that JSON can say but no writer wrote."""
    text = json.dumps({"format_version": data.draw(st.just(FORMAT_VERSION) | values)})
    header = {"__metadata__": {"crossarc": text}, **header}
    head = json.dumps(header).encode()
    path = tmp_path / "m"
    path.write_bytes(struct.pack("<Q", len(head)) + head + data.draw(st.binary(max_size=200)))
    for verify in (True, False):
        with pytest.raises(ModelError):
            read_model(path, verify=verify)


def written(head, data=b""):
    return struct.pack("<Q", len(head)) + head + data


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "is empty; get it again"),
        (b"# sent_id = 1\n1\tHi\t_\n\n", "not a crossarc model; give a file that `crossarc train` wrote"),
        (b"PK\x03\x04" + bytes(100), "not a crossarc model"),
        (b"\x10", "not a crossarc model"),
        (save({"a": np.zeros(3)}), "not a crossarc model"),
        (save({"a": np.zeros(3)}, metadata={"format": "pt"}), "not a crossarc model"),
        (written(b"[" * 100_000), "not a crossarc model"),
        (written(b'{"a":' + b"[" * 100_000), "damaged"),
        (written(b'{"__metadata__":{"crossarc":"[]"}}'), "damaged"),
        (written(b'{"__metadata__":{"crossarc":"{\\"format_version\\":NaN}"}}'), "damaged"),
        (written(b'{"__metadata__":{"crossarc":"{\\"format_version\\":true}"}}'), "damaged"),
        (written(b'{"__metadata__":{"crossarc":"{\\"format_version\\":%d}"}}' % FORMAT_VERSION), "damaged"),
        (written(b'{"__metadata__":{"crossarc":"\\ud800"}}'), "damaged"),
        (written(b'{"__metadata__":{"crossarc":"{\\"format_version\\":0}"}}'), r"older format \(0; .*train it again"),
        (written(b'{"__metadata__":{"crossarc":"{\\"format_version\\":9}"}}'), r"newer format \(9; .*upgrade crossarc"),
        (written(b'{"__metadata__":')[:-4], "truncated within its header"),
    ],
)
def test_messages(tmp_path, raw, message):
    (tmp_path / "m").write_bytes(raw)
    with pytest.raises(ModelError, match=message) as error:
        read_model(tmp_path / "m")
    assert "\n" not in str(error.value)


def test_truncated_and_damaged(model):
    raw = model.read_bytes()
    model.write_bytes(raw[:-100])
    with pytest.raises(ModelError, match="truncated; get it again"):
        read_model(model)
    model.write_bytes(raw[:-20] + b"x" + raw[-19:])
    with pytest.raises(ModelError, match="damaged; get it again"):
        read_model(model)


def test_failure_leaves_the_old_file(model):
    before = model.read_bytes()
    with pytest.raises(ValueError, match="JSON"):
        write_model(model, {"loss": float("nan")}, ARRAYS)
    with pytest.raises(TypeError, match="has type bool"):
        write_model(model, MANIFEST, {"a": np.zeros(3, dtype=bool)})
    with pytest.raises(TypeError, match="has type object"):
        write_model(model, MANIFEST, {"a": np.array([None])})
    with pytest.raises(ValueError, match="reserved"):
        write_model(model, MANIFEST, {"~a": np.zeros(3)})
    with pytest.raises(ModelError, match="never packed"):
        write_model(model.with_suffix(".gz"), MANIFEST, ARRAYS)
    assert model.read_bytes() == before
    assert list(model.parent.iterdir()) == [model]


@pytest.mark.skipif(sys.platform == "win32", reason="a mapped file cannot be replaced there")
def test_views_outlive_the_path(model):
    _, arrays = read_model(model)
    write_model(model, {}, {})
    assert same(arrays, ARRAYS)


def test_large_file_loads_quickly(tmp_path):
    path = tmp_path / "m"
    write_model(path, {}, {f"table{i}": np.full((1 << 20, 4), i, dtype=np.float32) for i in range(4)})
    assert path.stat().st_size > 60e6
    times = []
    for _ in range(5):
        start = time.process_time()
        read_model(path)
        times.append(time.process_time() - start)
    assert min(times) < 0.05, f"{min(times) * 1000:.1f} ms"


@pytest.mark.parametrize("kind", ["checkpoint", "pipeline", "none", None])
def test_a_file_of_another_kind(example, tmp_path, kind):
    parser = Parser("mst", epochs=1).fit(example)
    manifest, arrays = parser.model.to_arrays()
    assert manifest["kind"] == "parser"
    write_model(tmp_path / "m", {**parser.manifest_, **manifest, "kind": kind}, arrays)
    with pytest.raises(ModelError, match=r"holds no parser|did not end|not a parser"):
        load(tmp_path / "m")
