"""Templates in groups: each in one, those that see no arcs in the first."""

import tomllib

import numpy as np
import pytest

from crossarc.features.sharing import slots_of, template_groups
from crossarc.features.templates import feature_models, load_model, parse_model

# The other models describe arcs or words, not states.
MODELS = sorted(
    name
    for name, file in feature_models().items()
    if not {"templates", "extends"}.isdisjoint(tomllib.loads(file.read_text(encoding="utf-8")))
)
STATE = ("left", "right", "head", "deprel", "count", "labels", "linked", "arc(", "last(", "sibling")


def test_groups_go_by_what_is_seen_of_arcs():
    words = ["s0.form", "b0.form", "s0.form + b0.upos", "distance(s0, b0)"]
    of_s0 = ["s0.left[1].upos", "s0.deprel", "s0.head.form + b0.form", "s0.left_labels"]
    rest = ["last()", "linked(s0, b0)", "b0.left_count", "s0.left_count + b0.left_count"]
    mixed = [text for three in zip(of_s0, rest, words, strict=True) for text in three]
    templates = ", ".join(f'"{text}"' for text in mixed)
    model = parse_model(f'templates = [{templates}]\n[addresses]\ns0 = "stack[0]"\nb0 = "buffer[0]"\n')
    groups = [{" + ".join(model.terms[place]) for place in group} for group in template_groups(model)]
    assert groups == [set(words), set(of_s0), set(rest)]


@pytest.mark.parametrize("name", MODELS)
def test_every_template_is_in_one_group(name):
    model = load_model(name)
    groups = template_groups(model)
    assert sorted(np.concatenate(groups).tolist()) == list(range(len(model.templates)))
    plain = [not any(part in term for term in terms for part in STATE) for terms in model.terms]
    assert [place for place in groups[0].tolist() if plain[place]] == np.flatnonzero(plain).tolist()
    for group in groups:
        assert set(slots_of(model, group).tolist()) == set(model.templates[group].ravel().tolist()) - {-1}
