"""Settings: those that are no more, and those that only the parsers of a paper have."""

import re

import pytest

from crossarc import Parser
from crossarc.errors import CrossarcError
from crossarc.parsers import PRESETS
from crossarc.parsers.families import FAMILIES, REMOVED, all_settings, settings_class
from crossarc.parsers.presets import make_settings, stored_settings

OWN = [name for name in FAMILIES if not FAMILIES[name].place.startswith("crossarc.papers.")]


@pytest.mark.parametrize("name", REMOVED)
def test_removed_settings_are_refused_with_what_holds_now(name):
    assert name not in all_settings()
    value, reason = REMOVED[name]
    with pytest.raises(CrossarcError, match=re.escape(f"there is no setting {name} any more: {reason}; leave it out")):
        Parser("mst", **{name: value})


@pytest.mark.parametrize("name", REMOVED)
def test_models_of_before_may_say_what_holds_now(name):
    stored = make_settings("mst").model_dump()
    assert stored_settings({**stored, name: REMOVED[name][0]}) == make_settings("mst")
    with pytest.raises(ValueError, match=f"no setting {name} any more"):
        stored_settings({**stored, name: "another"})


def test_settings_of_papers_are_in_their_rooms():
    """General parsers have few settings; a switch that only a paper's table needs is one of that paper's parsers."""
    general = {name for family in OWN for name in settings_class(family).model_fields} - {"family", "parser", "system"}
    assert len(general) <= 38
    rooms = set(all_settings()) - general
    assert {"reconstruction", "root_links", "reversal", "lifting", "compare", "stack", "order"} <= rooms


@pytest.mark.parametrize("name", PRESETS)
def test_settings_of_a_preset_are_those_that_its_file_keeps(name):
    settings = make_settings(name)
    assert stored_settings(settings.model_dump()) == settings
