"""Dependency graphs by shift-reduce parsing (dag-shift-reduce-parsing): the parsers and the features of the paper.

The transition systems are in `crossarc.transitions`, the transforms in `crossarc.transforms`; maximum entropy and beams
are settings of all parsers by moves.
"""

from importlib.resources import files

from crossarc.features.templates import models_in
from crossarc.parsers.families import Family
from crossarc.parsers.presets import read_presets

FAMILIES = {
    "projective-graph-moves": Family(
        "moves", "graph", "crossarc.papers.dag.settings:ShiftReduceSettings", "dag-standard and dag-eager"
    )
}
PRESETS = read_presets(__name__)
FEATURE_MODELS = models_in(files(__name__) / "features")
