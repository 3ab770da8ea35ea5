"""What is added is also registered, tested and described: else a test fails with a sentence that says what is missing.

Most tests run over the registries and so cover new names by themselves. These find what was forgotten elsewhere.
"""

import inspect
import re
from functools import cache
from pathlib import Path
from typing import get_args

import pytest

from crossarc import decode, structure
from crossarc.cli import COMMANDS
from crossarc.decode.decoder import decode as decode_by
from crossarc.errors import CrossarcError
from crossarc.evaluation import KINDS, PROPERTIES
from crossarc.experiments import METRICS
from crossarc.features.edges import load_edge_model
from crossarc.features.inputs import load_input_model
from crossarc.features.templates import TemplateError, feature_models, load_model
from crossarc.parsers import PRESETS
from crossarc.parsers.analysis import TreeSpace
from crossarc.parsers.arcs.finders import decoder_of
from crossarc.parsers.arcs.settings import ArcTreeSettings
from crossarc.parsers.families import FAMILIES, all_settings, settings_class
from crossarc.parsers.moves.learners import LEARNERS
from crossarc.parsers.networks.heads import known_heads
from crossarc.parsers.presets import make_settings
from crossarc.transforms import ENCODINGS
from crossarc.transitions import GRAPH_SYSTEMS, SYSTEMS
from crossarc.treebank import FORMATS
from decode.forest import random_scores
from decode.test_common import FUNCTIONS
from treebank.test_conversion import TEXTS

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "crossarc"


@cache
def text_of(*patterns):
    """The text of the files that patterns such as `docs/**/*.md` find."""
    paths = sorted({path for pattern in patterns for path in ROOT.glob(pattern)})
    assert paths, f"no file is called {' or '.join(patterns)}"
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


def names_it(text, name):
    """Whether a text has a name as a whole: `mst` is not in `mst-combined`."""
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) is not None


# What the docs show as code, between backticks or indented.
CODE = "\n".join(
    span or line for span, line in re.findall(r"`([^`\n]+)`|^ {4}(.*)$", text_of("README.md", "docs/**/*.md"), re.M)
)


def is_described(name):
    """Whether the docs have a name as code, or its ending as in "`...-naive` of the last three"."""
    start, _, ending = name.rpartition("-")
    return names_it(CODE, name) or (f"...-{ending}" in CODE and names_it(CODE, start))


def options_of(setting):
    """The values that any family of parsers allows for a setting which is a choice of names."""
    fields = [settings_class(family).model_fields[setting] for family in all_settings()[setting]]
    return list(dict.fromkeys(name for field in fields for name in get_args(field.annotation)))


MODELS = sorted(feature_models())
USED = {name: {getattr(make_settings(preset), name) for preset in PRESETS} for name in ("family", "system")}
# The names of each kind, and where a new one is described.
DESCRIBED = {
    "preset": (PRESETS, "the table of the page about parsers, or about parsers of graphs"),
    "setting": ([name for name in all_settings() if name != "family"], "the table of settings of its kind of parser"),
    "learner": (LEARNERS, "the row `learner` of the settings of parsers"),
    "head": (known_heads(), "the row `predict` of the settings of parsers"),
    "transition system": ([*SYSTEMS, *GRAPH_SYSTEMS], "the table of docs/transitions.md"),
    "decoder": (decode.__all__, "the table of functions of docs/decoding.md"),
    # A compact model and one with features of trees are described with the model that they belong to.
    "feature model": (
        [re.sub("-(compact|tree)$", "", name) for name in MODELS],
        "the section of docs/features.md about models that come with crossarc",
    ),
    "encoding": (ENCODINGS, "docs/transforms.md"),
    "format": (FORMATS, "the table of formats of docs/treebanks.md"),
    "command": ([f"crossarc {name}" for name in COMMANDS], "the page about what it does, with an example"),
    "breakdown": (PROPERTIES, "docs/evaluation.md"),
    "set of kinds": (KINDS, "docs/evaluation.md"),
    "metric": (METRICS, "the table of metrics of docs/experiments.md"),
}
NAMES = [(kind, name) for kind, (names, _) in DESCRIBED.items() for name in dict.fromkeys(names)]


@pytest.mark.parametrize(("kind", "name"), NAMES)
def test_every_name_is_described(kind, name):
    assert is_described(name), f"the docs do not have the {kind} `{name}`: add it to {DESCRIBED[kind][1]}"


def test_names_that_are_not_there_are_missed():
    for name in ("mst-forgotten", "forgotten", "las_forgotten", "crossarc forgotten", "forgotten-naive"):
        assert not is_described(name)
    assert names_it("run `crossarc parse`", "crossarc parse")
    assert not names_it("mst-combined, amst, mst_sparse", "mst")


# Transition systems


def system_classes():
    """The classes in `transitions/*.pyx` that derive from `TransitionSystem`, with the file of each."""
    classes = {
        name: (base, path.name)
        for path in (SOURCE / "transitions").glob("*.pyx")
        for name, base in re.findall(r"^cdef class (\w+)\((\w+)\)", path.read_text(encoding="utf-8"), re.M)
    }
    found = {"TransitionSystem"}
    while more := {name for name, (base, _) in classes.items() if base in found} - found:
        found |= more
    return {name: classes[name][1] for name in found - {"TransitionSystem"}}


def test_every_transition_system_is_in_the_registry():
    registered = {system.__name__ for system in (*SYSTEMS.values(), *GRAPH_SYSTEMS.values())}
    # GraphSystem is the base of systems for graphs; Tagging is what taggers learn with.
    forgotten = {
        name: path for name, path in system_classes().items() if name not in {*registered, "GraphSystem", "Tagging"}
    }
    assert registered <= set(system_classes())
    assert not forgotten, f"add {forgotten} to SYSTEMS or GRAPH_SYSTEMS in transitions/registry.py"


@pytest.mark.parametrize("system", [*SYSTEMS, *GRAPH_SYSTEMS])
def test_every_transition_system_has_a_preset(system):
    assert system in USED["system"], f"no preset uses {system}: add one to parsers/presets.toml"


# Parsers


@pytest.mark.parametrize("decoder", options_of("system"))
def test_every_decoder_of_settings_has_a_preset(decoder):
    assert decoder in USED["system"], f"no preset uses the decoder {decoder}: add one to parsers/presets.toml"


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_has_a_preset(family):
    assert family in USED["family"], f"no preset has the family {family}: add one to parsers/presets.toml"


# Feature models


@pytest.mark.parametrize("name", MODELS)
def test_every_feature_model_is_of_one_kind(name):
    kinds = []
    for load in (load_model, load_edge_model, load_input_model):
        try:
            load(name)
            kinds.append(load.__name__)
        except TemplateError as error:
            last = error
    assert kinds, f"the feature model {name} describes neither states, arcs nor words: {last}"
    assert len(kinds) == 1, f"the feature model {name} can be read by {kinds}"


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_has_a_compact_model(name):
    model = make_settings(name, features="compact").features
    assert model in MODELS, f"features = 'compact' of {name} needs a feature model {model}.toml beside {name}'s own"


def test_every_feature_model_is_used():
    used = {make_settings(name, features=size).features for name in PRESETS for size in ("rich", "compact")}
    for name in PRESETS:
        try:
            used.add(make_settings(name, use_tree=True).features)
        except CrossarcError:
            continue  # a parser of trees
    code = text_of("src/crossarc/**/*.py")
    forgotten = [name for name in MODELS if name not in used and f'"{name}"' not in code and not names_it(CODE, name)]
    assert not forgotten, f"no preset, tagger or page uses the feature models {forgotten}"


# Papers

OFFERED = [
    *(
        ("preset", name, PRESETS)
        for name in re.findall(r"^\[([\w-]+)\]$", text_of("src/crossarc/papers/*/presets.toml"), re.M)
    ),
    *(("feature model", path.stem, feature_models()) for path in sorted(SOURCE.glob("papers/*/features/*.toml"))),
]


@pytest.mark.parametrize(("kind", "name", "registry"), OFFERED, ids=[f"{kind}-{name}" for kind, name, _ in OFFERED])
def test_what_papers_have_is_offered(kind, name, registry):
    group = f'[project.entry-points."{registry.group}"]'
    assert name in registry, f"add the {kind} {name} to {group} in pyproject.toml, and install crossarc again"


# Decoders and measures


@pytest.mark.parametrize("name", decode.__all__)
def test_every_decoder_is_tested(name):
    tested = names_it(text_of("tests/decode/test_[!c]*.py"), name)  # test_common.py compares nothing with definitions
    assert tested, f"compare decode.{name} with its definition in tests/decode/, as DECODERS of test_matrices.py does"
    if {"lengths", "single_root"} <= set(inspect.signature(getattr(decode, name)).parameters):
        assert name in FUNCTIONS, (
            f"add {name} to FUNCTIONS in tests/decode/test_common.py, which tests batches and errors"
        )


DECODER_FILES = [
    path
    for path in sorted(SOURCE.glob("decode/*.pyx"))
    if re.search(r"^cdef class \w+\(Decoder\)", path.read_text(encoding="utf-8"), re.M)
]


@pytest.mark.parametrize("path", DECODER_FILES, ids=lambda path: path.stem)
def test_every_decoder_can_be_called(path):
    functions = re.findall(r"^def (\w+)", path.read_text(encoding="utf-8"), re.M)
    assert set(functions) & set(decode.__all__), (
        f"Python sees no decoder of decode/{path.name}: write a function that calls `decode`, and import it in "
        "decode/__init__.py"
    )


@pytest.mark.parametrize("system", get_args(ArcTreeSettings.model_fields["system"].annotation))
def test_the_k_best_trees_of_a_system_are_of_its_decoder(system):
    settings = ArcTreeSettings(parser="mst", features="mst", system=system)
    for seed in range(10):
        scores = random_scores(6, seed)
        found = decode_by(decoder_of(settings, single_root=True), scores)
        (best,) = TreeSpace(scores, single_root=True, projective=settings.is_projective).best(1)
        assert found.tolist() == best.tolist(), (
            f"the decoder of system = {system!r} does not find the best of the trees that k best trees, probabilities "
            "and constraints are about: all trees, or with `is_projective` of the settings the projective ones. For "
            "other trees, change TreeSpace in parsers/analysis.py and `is_projective` where it is used"
        )


@pytest.mark.parametrize("name", [name for name in structure.__all__ if not isinstance(getattr(structure, name), type)])
def test_every_measure_is_tested(name):
    tested = names_it(text_of("tests/structure/*.py"), name)
    assert tested, f"compare structure.{name} with its definition in tests/structure/"


# Networks and scorers


LAYERS = re.findall(r"^class (\w+)\(Layer\)", text_of("src/crossarc/neural/*.py"), re.M)
SCORERS = re.findall(r"^cdef class (\w+)\(Scorer\)", text_of("src/crossarc/learning/*.pyx"), re.M)
OF_ENCODERS = {"Lstm", "BiLstm"}  # whose gradients are compared as those of an encoder


@pytest.mark.parametrize("name", [name for name in LAYERS if name not in OF_ENCODERS])
def test_the_gradients_of_every_layer_are_tested(name):
    tested = names_it(text_of("tests/neural/test_gradients.py"), name)
    assert tested, f"compare the gradients of {name} with finite differences in tests/neural/test_gradients.py"


@pytest.mark.parametrize("name", SCORERS)
def test_every_scorer_is_tested(name):
    tested = names_it(text_of("tests/**/*.py"), name)
    assert tested, f"test {name} in tests/learning/"


# Formats


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "conllu"])
def test_every_format_has_a_text(name):
    assert name in TEXTS, f"add a small text of the format {name} to TEXTS in tests/treebank/test_conversion.py"


# Native modules

SOURCES = {path.relative_to(SOURCE).with_suffix("").as_posix(): path for path in sorted(SOURCE.rglob("*.pyx"))}
INCLUDED = {
    f"{module.rpartition('/')[0]}/{name}"
    for module, path in SOURCES.items()
    for name in re.findall(r'^include "(\w+)\.pyx"', path.read_text(encoding="utf-8"), re.M)
}
NATIVE = [module for module in SOURCES if module not in INCLUDED]
PYTHON = text_of("src/crossarc/**/*.py")


@pytest.mark.parametrize("module", NATIVE)
def test_every_native_module_is_built_and_has_a_stub(module):
    package, _, name = module.rpartition("/")
    listed = re.search(rf"'{name}(\.pyx)?'", text_of("src/crossarc/meson.build"))
    assert listed, f"add '{name}' to the modules of '{package}' in src/crossarc/meson.build, or include it in one"
    dotted = package.replace("/", ".")
    imported = re.search(rf"crossarc\.{dotted}\.{name}\b|from crossarc\.{dotted} import .*\b{name}\b", PYTHON)
    stub = SOURCE / f"{module}.pyi"
    assert stub.exists() or not imported, f"Python code imports {module}.pyx: write its types to {module}.pyi"


def test_native_modules_have_names_of_their_own():
    names = [module.rpartition("/")[2] for module in NATIVE]
    assert not {name for name in names if names.count(name) > 1}, "base names of native modules must be unique"


# Benchmarks


BENCHMARKS = sorted(path.name for path in ROOT.glob("benchmarks/*.py") if path.name != "shared.py")


@pytest.mark.parametrize("name", BENCHMARKS)
def test_every_benchmark_is_described(name):
    assert f"benchmarks/{name}" in CODE, f"say in the docs what benchmarks/{name} measures, and with which command"


# Examples


@pytest.mark.parametrize("path", sorted(ROOT.glob("examples/*.py")), ids=lambda path: path.stem)
def test_every_example_is_tested(path):
    tested = path.name in text_of("tests/examples/*.py")
    assert tested, f"write a test of examples/{path.name} to tests/examples/ that loads it and compares what it adds"
