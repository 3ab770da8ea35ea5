"""Every target for a few seconds, and every seed that once failed."""

import pickle
from pathlib import Path

import pytest

pytest.importorskip("resource")
if not Path("/proc/self/stat").exists():
    pytest.skip("workers are watched in /proc", allow_module_level=True)

from fuzz import found
from fuzz.supervisor import Limits, Tally, supervise
from fuzz.targets import find_target, target_names

SECONDS = 7  # of CPU time for each target, or
INPUTS = 2000


def report(tally):
    return "\n".join(
        f"{failure.details}\npython -m fuzz replay {tally.target} {failure.seed}: {failure.what}"
        for failure in tally.failures
    )


@pytest.mark.parametrize("name", target_names())
def test_a_short_run(name):
    tally = Tally(name, 0)
    supervise([tally], inputs=INPUTS, seconds=SECONDS, limits=Limits(failures=3))
    assert not tally.failures, report(tally)
    assert tally.tried > 0, "no input within its seconds: prepare takes too long"


@pytest.mark.parametrize("name", target_names())
def test_an_input_follows_from_its_seed(name, tmp_path):
    target = find_target(name)
    assert target.__doc__
    context = target.prepare(tmp_path)
    made = [pickle.dumps(target.make(seed, context)) for seed in (0, 1, 2, 3, 4)]
    assert made == [pickle.dumps(target.make(seed, context)) for seed in (0, 1, 2, 3, 4)]
    assert len(set(made)) > 1


@pytest.mark.parametrize("name", found.names())
def test_seeds_that_once_failed(name):
    tally = Tally(name, 0)
    tally.again.append(list(found.seeds(name)))
    supervise([tally], inputs=0)
    assert tally.tried == len(found.seeds(name))
    assert not tally.failures, report(tally)


def test_found_seeds_belong_to_targets():
    assert set(found.names()) <= set(target_names())


def test_found_seeds_say_what_they_found(tmp_path, monkeypatch):
    monkeypatch.setattr(found, "FOLDER", tmp_path)
    (tmp_path / "drawings.txt").write_text("3 a control in the title\n17 a hang\n")
    assert found.names() == ["drawings"]
    assert found.seeds("drawings") == {3: "a control in the title", 17: "a hang"}
    (tmp_path / "drawings.txt").write_text("3\n")
    with pytest.raises(ValueError, match=r"drawings\.txt:1: expected a seed and what it found"):
        found.seeds("drawings")
