"""What a model file holds is checked when it is loaded: types, ranges and the size of numbers, for all kinds."""

import copy
import warnings

import numpy as np
import pytest

import crossarc
from crossarc.components.modelfile import read_model, write_model
from crossarc.errors import CrossarcError, ModelError
from crossarc.parsers import Parser
from crossarc.pipeline import Pipeline
from crossarc.tagging import Tagger, Tokenizer
from graph_treebank import graph_treebank

SIZES = {"hidden": 6, "lexical_size": 6, "tag_size": 6, "arc_size": 6, "label_size": 6}
KINDS = {
    "arc-hybrid": {},
    "fast": {"parser": "arc-hybrid", "fast": True},
    "two-planar-label": {},
    "arc-eager-pp": {},
    "dag-covington": {},
    "mst": {"lengths": True},
    "joint": {"parser": "mst", "labels": "joint"},
    "carreras-npa": {},
    "guided": {"parser": "carreras-npa", "labels": "joint", "starts": ["mst", "arc-hybrid"]},
    "mst-undirected-lep": {},
    "mst-combined": {"stack": 2},
    "mst-bottom-up": {},
    "dag-mst": {},
    "neural": {**SIZES, "features": "neural-forms", "predict": ["upos", "lemma"]},
    "ensemble": {"parser": "neural", "ensemble": 2, **SIZES},
    "hybrid": {"parser": "neural", "guides": ["mst"], **SIZES},
    "neural-graph": SIZES,
}
TEXT = "Ann wants to sing. Bob likes the cake."
COMPONENTS = {"tagger": Tagger, "tokenizer": Tokenizer}
ALL = [*KINDS, "pipeline", *COMPONENTS]


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """The manifest and the arrays of a model of each kind."""
    treebank, folder = graph_treebank(30), tmp_path_factory.mktemp("models")
    learners = {name: Parser(options.get("parser", name), epochs=1, **own(options)) for name, options in KINDS.items()}
    learners |= {
        "pipeline": Pipeline("arc-hybrid", epochs=1, jackknife=0, graph="dag-mst", tagger={"epochs": 1}),
        "tagger": Tagger(epochs=1),
        "tokenizer": Tokenizer(epochs=1),
    }
    for name, learner in learners.items():
        learner.fit(treebank, treebank[:5]).save(folder / name)
    return {name: read_model(folder / name) for name in learners}


def own(options):
    return {name: value for name, value in options.items() if name != "parser"}


def opened(name, path):
    """What a file holds, after it was used."""
    if name in COMPONENTS:
        found = COMPONENTS[name].open(path)
        return list(
            found.tag(graph_treebank(5)) if name == "tagger" else found.tokenize("Ann sees the cake. Bob sings.")
        )
    found = crossarc.load(path)
    if name == "pipeline":
        return found(TEXT)
    return list(found.parse(graph_treebank(5), on_missing=lambda columns: None))


def leaves(tree, path=()):
    """The places of all values in a manifest; of long lists only the first entries."""
    yield path
    items = tree.items() if isinstance(tree, dict) else enumerate(tree[:2]) if isinstance(tree, list) else ()
    for key, value in items:
        yield from leaves(value, (*path, key))


def with_value(tree, path, value):
    tree = copy.deepcopy(tree)
    inner = tree
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return tree


def check_use(name, path):
    """A file is refused when it is loaded, or what it holds works."""
    try:
        found = opened(name, path)
    except ModelError as error:
        assert str(error).startswith(f"{path}: ")
        assert str(error).isprintable(), error
        return str(error)
    for sentence in found:
        if name in KINDS and "dag" not in name and "graph" not in name:
            assert sentence.is_tree
    return ""


@pytest.mark.parametrize("name", ALL)
def test_all_kinds_are_described(stored, tmp_path, name):
    write_model(tmp_path / "m", *stored[name])
    assert check_use(name, tmp_path / "m") == ""


WRONG = [None, True, -1, 2**70, 1e308, 5e-324, "x", "a\tb", "\ud800", [], [[]], {}, {"a": []}]


@pytest.mark.parametrize("name", ALL)
def test_wrong_values_of_each_key(stored, tmp_path, name):
    """No value of any key makes anything but a refusal of one line, or a model that works."""
    manifest, arrays = stored[name]
    path, refused = tmp_path / "m", 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for place in leaves(manifest):
            for value in WRONG if place else []:
                write_model(path, with_value(manifest, place, value), arrays)
                refused += bool(check_use(name, path))
    assert refused > 50


@pytest.mark.parametrize("name", ALL)
def test_missing_and_new_keys(stored, tmp_path, name):
    manifest, arrays = stored[name]
    for key in manifest.keys() - {"format_version"}:
        write_model(tmp_path / "m", {each: manifest[each] for each in manifest if each != key}, arrays)
        check_use(name, tmp_path / "m")
    write_model(tmp_path / "m", {**manifest, "more": 1}, arrays)
    assert "its manifest has more, which " in check_use(name, tmp_path / "m")
    for key in arrays:
        write_model(tmp_path / "m", manifest, {each: arrays[each] for each in arrays if each != key})
        check_use(name, tmp_path / "m")


@pytest.mark.parametrize(
    ("name", "place", "value", "message"),
    [
        ("mst", ("labels", 0), "a\tb", r"labels\.0 is 'a\\tb'"),
        ("mst", ("labels", 0), "a\nb", r"labels\.0 is"),
        ("mst", ("labels",), ["a", "a"], "labels is .*a label is there twice"),
        ("dag-mst", ("labels", 0), "", "labels is .*a label is empty"),
        ("dag-mst", ("most_heads",), 2**31, "most_heads is 2147483648"),
        ("dag-mst", ("trees", "shares"), {"a": 1.0}, r"shares\.a is 1\.0"),
        ("mst", ("data", "columns"), {"upos": 2.0}, r"columns\.upos is 2\.0"),
        ("mst", ("data",), None, "data is None"),
        ("mst", ("coverage", "trees"), "100", r"coverage\.trees is '100'"),
        ("mst", ("development", "las"), -1.0, r"development\.las is -1\.0"),
        ("mst", ("confidence", "trees"), 0.0, r"confidence\.trees is 0\.0"),
        ("mst", ("confidence", "trees"), 1e300, r"confidence\.trees is 1e\+300"),
        ("mst", ("pruning",), {}, r"no pruning\.arcs"),
        ("mst", ("settings", "parser"), [], r"parser is \[\]"),
        ("mst-undirected-lep", ("settings", "enhance"), 10**30, "enhance = 1000000"),
        ("carreras-npa", ("settings", "reattach"), 1e308, r"reattach = 1e\+308"),
        ("fast", ("stages",), [1, 2, 3], "stages is"),
        ("hybrid", ("bonus",), [1e308, 0.0], r"bonus\.0 is 1e\+308"),
        ("hybrid", ("members", 0, "labels", 0), "a\tb", r"labels\.0 is 'a\\tb'"),
        ("guided", ("members",), None, "members is None"),
        ("mst-bottom-up", ("rounds",), [], r"rounds is \[\]"),
        ("mst-combined", ("stacked",), None, "stacked is None"),
        ("tagger", ("columns",), ["form"], r"columns\.0 is 'form'"),
        ("tagger", ("features", "first"), {"first": {}}, r"features\.first is"),
        ("tokenizer", ("max_sentence_words",), 0, "max_sentence_words is 0"),
        ("tokenizer", ("boundaries", "rules"), 1, r"boundaries\.rules is 1"),
        ("pipeline", ("jackknife",), -1, "jackknife is -1"),
        ("pipeline", ("components", "parser", "labels", 0), "a\rb", r"labels\.0 is 'a\\rb'"),
    ],
)
def test_messages_name_the_key(stored, tmp_path, name, place, value, message):
    manifest, arrays = stored[name]
    write_model(tmp_path / "m", with_value(manifest, place, value), arrays)
    with pytest.raises(ModelError, match=message):
        opened(name, tmp_path / "m")


def units(arrays):
    return [name for name in arrays if name.endswith("unit")]


@pytest.mark.parametrize("name", [name for name in ALL if "neural" not in name and name != "ensemble"])
@pytest.mark.parametrize("unit", [1e306, 5e-324, 1e31, 1e-31, 0.0, -1.0, np.nan, np.inf])
def test_units_are_within_bounds(stored, tmp_path, name, unit):
    manifest, arrays = stored[name]
    assert units(arrays) or name == "tokenizer"
    for each in units(arrays):
        write_model(tmp_path / "m", manifest, {**arrays, each: np.array([unit])})
        assert "unit " in check_use(name, tmp_path / "m")


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("extreme", [1e30, 1e-30])
def test_extreme_units_within_bounds_work(stored, tmp_path, name, extreme):
    """One unit at a time, and all together, at either bound."""
    manifest, arrays = stored[name]
    for chosen in [*([each] for each in units(arrays)), units(arrays)]:
        write_model(tmp_path / "m", manifest, {**arrays, **{each: np.array([extreme]) for each in chosen}})
        assert check_use(name, tmp_path / "m") == ""


@pytest.mark.parametrize("name", ["mst", "mst-undirected-lep", "carreras-npa", "arc-hybrid", "mst-bottom-up"])
def test_probabilities_of_extreme_scores_add_up(stored, tmp_path, name):
    """They did not where scores had no digits left for them."""
    manifest, arrays = stored[name]
    write_model(tmp_path / "m", manifest, {**arrays, **{each: np.array([1e30]) for each in units(arrays)}})
    for analysis in crossarc.load(tmp_path / "m").parse(graph_treebank(5), scores=True, k=2):
        assert np.isfinite(analysis.marginals).all()
        assert analysis.marginals[1:].sum(axis=1) == pytest.approx(1)
        assert all(0 <= tree.probability <= 1 for tree in analysis.trees)


def test_features_that_a_parser_cannot_use(stored, tmp_path):
    """They are refused when the model is loaded, not when it parses."""
    for name in ("mst", "carreras-npa"):
        manifest, arrays = stored[name]
        text = manifest["features"].replace('"head.upos + dep.upos"', '"head.upos + dep.child[-1].upos"', 1)
        assert text != manifest["features"]
        write_model(tmp_path / "m", {**manifest, "features": text}, arrays)
        with pytest.raises(ModelError, match="dependents"):
            crossarc.load(tmp_path / "m")


@pytest.mark.parametrize("name", ["neural", "ensemble", "hybrid", "neural-graph"])
def test_weights_of_networks_are_finite_and_bounded(stored, tmp_path, name):
    """The greatest and the smallest numbers in any array are refused, or sums of them stay finite."""
    manifest, arrays = stored[name]
    refused = set()
    for each, array in arrays.items():
        if array.dtype.kind != "f" or not array.size:
            continue
        limits = np.finfo(array.dtype)
        for value in (np.nan, np.inf, -np.inf, limits.max, limits.min, limits.tiny, limits.smallest_subnormal):
            changed = array.copy()
            changed.flat[0] = value
            write_model(tmp_path / "m", manifest, {**arrays, each: changed})
            with np.errstate(all="raise", under="ignore"):
                message = check_use(name, tmp_path / "m")
            assert message or np.isfinite(value)
            if message and not np.isfinite(value):
                assert f"{each} has numbers that are not finite" in message
            refused |= {each} if message else set()
    assert "network.arcs.weight" in refused


def test_great_weights_are_refused_by_name(stored, tmp_path):
    manifest, arrays = stored["neural"]
    great = {np.dtype(np.float16): 60_000, np.dtype(np.float32): 1e30}
    weights = {each: np.full_like(own, great[own.dtype]) for each, own in arrays.items() if own.dtype in great}
    write_model(tmp_path / "m", manifest, {**arrays, **weights})
    with pytest.raises(ModelError, match=r"encoder\.\S+ has weights so great that sums can overflow"):
        crossarc.load(tmp_path / "m")


def test_a_model_that_asks_for_too_much_memory(stored, tmp_path):
    manifest, arrays = stored["neural"]
    sizes = dict.fromkeys(SIZES, 4096)
    write_model(tmp_path / "m", {**manifest, "settings": {**manifest["settings"], **sizes}}, arrays)
    with pytest.raises(ModelError):
        crossarc.load(tmp_path / "m")


def test_strings_of_tags_are_clean(stored, tmp_path):
    from crossarc.core.strings import StringTable

    for name, key in (("neural", "tags."), ("tagger", "values.")):
        manifest, arrays = stored[name]
        strings = (
            ("tags.strings.upos", "tags.offsets.upos") if key == "tags." else ("values.upos", "values.upos.offsets")
        )
        table = StringTable.unpack(*(arrays[each] for each in strings))
        for tag in ("a\tb", "a\nb", "\r"):
            other = StringTable([tag, *list(table)[1:]]).pack()
            write_model(tmp_path / "m", manifest, {**arrays, **dict(zip(strings, other, strict=True))})
            assert "tab or a line end" in check_use(name, tmp_path / "m")
    manifest, arrays = stored["neural"]
    rules = list(StringTable.unpack(arrays["tags.strings.lemma"], arrays["tags.offsets.lemma"]))
    data, offsets = StringTable([*rules[1:], "a\tb"]).pack()
    write_model(tmp_path / "m", manifest, {**arrays, "tags.strings.lemma": data, "tags.offsets.lemma": offsets})
    assert "tab or a line end" in check_use("neural", tmp_path / "m")


def test_costs_are_within_bounds():
    for cost in (0, 1e-300, 1e300):
        with pytest.raises(CrossarcError, match="setting cost = "):
            Parser("mst", cost=cost)
