"""Models whose scores are infinite or NaN: parsing refuses them with the sentence, and no search ever sees them."""

import dataclasses

import numpy as np
import pytest

from crossarc import Parser
from crossarc.errors import ModelError
from crossarc.learning.scorers import PackedWeights, SingleWeights, Weights
from crossarc.parsers.analysis import Request
from crossarc.parsers.model import Wish
from crossarc.treebank import read_string

NOUNS, DEEDS = ("mara", "tolen", "pik"), ("vill", "rukar", "hopar")
PRESETS = {
    "mst": {},
    "eisner": {},
    "mst, joint": {"labels": "joint"},
    "mst, lengths": {"lengths": True},
    "mst-bottom-up": {},
    "mst-undirected": {},
    "mst-undirected-lep": {},
    "mst-undirected-df": {},
    "carreras": {},
    "carreras-npa": {},
    "dag-mst": {},
}


def treebank(count):
    """Sentences of nouns around a verb, with the same arcs as tree and as graph."""
    rng = np.random.default_rng(0)
    text = ""
    for number in range(count):
        heads = ([2, 0, 2, 3], [3, 3, 0, 3], [0, 1, 1, 2], [2, 0, 4, 2])[rng.integers(4)]
        text += f"# sent_id = s{number}\n"
        for word, head in enumerate(heads, 1):
            form, tag = (rng.choice(NOUNS), "NOUN") if head else (rng.choice(DEEDS), "VERB")
            label = ("subj", "obj", "mod")[rng.integers(3)] if head else "root"
            text += f"{word}\t{form}\t{form}\t{tag}\t_\t_\t{head}\t{label}\t{head}:{label}\t_\n"
        text += "\n"
    return list(read_string(text))


def with_weights(part, value):
    """A trained model, or a part of one, with all weights set to a value."""
    if isinstance(part, PackedWeights | SingleWeights):
        keys, bounds, actions, values = part.unpack()
        return Weights.of(part.actions, (keys, bounds, actions, np.full_like(values, value)))
    if isinstance(part, tuple | list):
        return type(part)(with_weights(each, value) for each in part)
    if dataclasses.is_dataclass(part) and not isinstance(part, type):
        fields = {field.name: getattr(part, field.name) for field in dataclasses.fields(part) if field.init}
        return dataclasses.replace(part, **{name: with_weights(own, value) for name, own in fields.items()})
    return part


@pytest.fixture(scope="module", params=PRESETS)
def trained(request):
    """A parser of each kind that searches by the scores of arcs."""
    preset = request.param.partition(",")[0]
    return Parser(preset, epochs=1, **PRESETS[request.param]).fit(treebank(12))


@pytest.mark.parametrize("value", [np.inf, np.nan])
def test_scores_that_are_not_finite_are_refused(trained, value):
    sentences = treebank(12)
    model = with_weights(trained.model, value)
    with pytest.raises(
        ModelError, match=r"^<input>:1: sentence 's0' that begins with '\w+ \w+ \w+.*': the model gives "
    ):
        model.parsed(sentences)


def test_weights_that_can_be_added_up_are_used(trained):
    assert len(with_weights(trained.model, 1.0).parsed(treebank(12))) == 12


def test_analyses_are_refused_too(trained):
    if trained.model.output == "graph":
        pytest.skip("graphs are not analysed")
    model = with_weights(trained.model, np.nan)
    analyse = model.worker(Wish(Request(k=2, scales=model.usual_scales), analysed=True))
    with pytest.raises(ModelError, match=r"^<input>:1: sentence 's0' that begins with .*: the model gives scores"):
        analyse(treebank(2))


@pytest.mark.parametrize("preset", ["neural", "neural-projective", "neural-graph"])
def test_networks_that_give_no_numbers_are_refused(preset):
    sizes = {"hidden": 8, "lexical_size": 8, "tag_size": 8, "arc_size": 8, "label_size": 8}
    parser = Parser(preset, epochs=1, **sizes).fit(treebank(12))
    for _, parameter in parser.model.network.parameters():
        parameter.value = np.full_like(parameter.value, np.nan)
        parameter.packed.clear()
    with pytest.raises(ModelError, match=r"^<input>:1: sentence 's0' that begins with .*: the model gives scores"):
        parser.model.parsed(treebank(12))
