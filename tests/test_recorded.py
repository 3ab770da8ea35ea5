"""Every kind of parser learns and gives what it did when `recorded/parsers.json` was written, to the last bit."""

import importlib.util
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SPEC = importlib.util.spec_from_file_location("record_parsers", ROOT / "scripts" / "record_parsers.py")
record_parsers = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(record_parsers)
KNOWN = json.loads((ROOT / "tests" / "recorded" / "parsers.json").read_text())


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("case", list(record_parsers.cases()), ids=lambda case: case[0])
def test_nothing_has_changed(case, treebanks):
    data = treebanks[0].parents[1]
    if not all((data / name / "train.conllu").exists() for name in ("tr_imst", "da_ddt_graph")):
        pytest.skip("needs the treebanks tr_imst and da_ddt_graph")
    assert case[0] in KNOWN, f"{case[0]} is not recorded yet: python scripts/record_parsers.py record"
    assert record_parsers.recorded(*case, data) == KNOWN[case[0]]
